"""A table file on the terminal: what it would play, or what is wrong with it."""

from collections.abc import Iterator, Mapping

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from tablectl.config import Device, Mistake, Settings, build_terms
from tablectl.errors import ConfigError, JournalError
from tablectl.events.announcements import Configure
from tablectl.journal import Record
from tablectl.money import format_amount
from tablectl.replay import recover
from tablectl.rulebook import HouseFile
from tablectl.table import Table as Played
from tablectl.terms import Dealing, Mode, Terms, Wagers

_DEALT = {
    Dealing.AUTOMATED: "in stacks, by the shoe",
    Dealing.SHOE: "one card at a time, from a shoe",
    Dealing.HAND: "out of the dealer's hand",
}


def tell_mistakes(error: ConfigError) -> None:
    """Print a line for each mistake, unbroken, so that editors and grep can follow it."""
    console = Console(highlight=False, markup=False, emoji=False)
    for mistake in error.args:
        console.print(_marked(mistake) if isinstance(mistake, Mistake) else Text(str(mistake)), soft_wrap=True)
    console.print(Text(f"\n{_counted(len(error.args), 'problem')}: the table cannot be run.", "bold red"))


def _marked(mistake: Mistake) -> Text:
    text = Text(str(mistake))
    start = len(f"{mistake.file}:{mistake.line}: ")
    text.stylize("dim", 0, start)
    text.stylize("bold", start, start + len(mistake.place))
    text.highlight_regex(r"did you mean .*\?$", "green")
    return text


def tell_play(configured: Configure, settings: Settings) -> None:
    """Print what would be played, with what, and on which rules that nobody has confirmed."""
    console, terms = Console(highlight=False, markup=False, emoji=False), build_terms(configured)
    verb = "played" if terms.mode is Mode.LIVE else "rehearsed"
    console.print(Text.assemble((terms.table, "bold"), f" can be {verb}.\n"))
    grid = _grid()
    for name, text in _about(configured, settings, terms):
        grid.add_row(Text(name, "cyan"), text)
    console.print(grid)
    _tell_unconfirmed(console, terms.rules.uncertain())


def _about(configured: Configure, settings: Settings, terms: Terms) -> Iterator[tuple[str, RenderableType]]:
    """Yield each line of the summary: what it is about, and what there is to say."""
    variant = terms.rules.variants[terms.variant]
    yield "game", f"{terms.rules.title} ({terms.rules.chapter}), {terms.variant}\n{variant.text}"
    yield "mode", terms.mode
    yield "positions", str(terms.positions)
    yield "dealing", _dealing(terms)
    yield "cards", ", ".join(f"{area} {sight}" for area, sight in terms.cards.items())
    yield "wagers", _wagers(terms)
    yield "limits", _amounts({name: (each.minimum, each.maximum) for name, each in terms.limits.items()}, terms)
    if terms.caps:
        yield "paid at most", _amounts({name: (cap,) for name, cap in terms.caps.items()}, terms)
    yield "house", _house(configured)
    yield "devices", _devices(settings)
    yield "broker", _broker(settings)
    yield "journal", str(settings.journal)


def _dealing(terms: Terms) -> str:
    unseen = terms.dealing is Dealing.SHOE and not any(kind.endswith("shoe") for kind in terms.devices)
    return f"{terms.dealing}: {_DEALT[terms.dealing]}{'; the dealer confirms each' if unseen else ''}"


def _wagers(terms: Terms) -> str:
    off = terms.wagers is Wagers.PRESENCE
    return f"{terms.wagers}{': limits and other checks by amount are off' if off else ''}"


def _amounts(amounts: Mapping[str, tuple[int, ...]], terms: Terms) -> RenderableType:
    if not amounts:
        return "none"
    grid = _grid()
    for name, row in amounts.items():
        text = " to ".join(format_amount(amount, terms.currency) for amount in row)
        grid.add_row(name, f"{text} {terms.currency}")
    return grid


def _house(configured: Configure) -> str:
    if not configured.house_file:
        return "no house file: the rulebook as it stands"
    house = HouseFile.parse(configured.house_file)
    return f"{house.name} ({house.standing})"


def _devices(settings: Settings) -> RenderableType:
    if not settings.devices:
        return "none: people do and announce everything"
    grid, swaps = _grid(), _swaps(settings)
    for device in settings.devices:
        grid.add_row(device.id, _device(device, swaps.get(device.id, "")))
    return grid


def _device(device: Device, meant: str) -> Text:
    serial = f", serial number {device.serial}" if device.serial else ""
    swap = f"\nBut {meant} must answer: the record tells of a swap; write it into the table file." if meant else ""
    return Text(f"{' and '.join(device.kinds)}, driver {device.driver}{serial}\n{device.url}{swap}", overflow="fold")


def _swaps(settings: Settings) -> dict[str, str]:
    """Return the serial numbers for which devices were swapped, where the table file does not know of it yet."""
    table = Played(build_terms)
    try:
        with Record(settings.journal) as record:
            recover(record, table)
    except JournalError:
        return {}  # no record yet, or none that can be read: other commands tell of that
    in_file = {device.id: device.serial for device in settings.devices}
    known = [device for name, device in table.devices.items() if in_file.get(name) == table.terms.serials.get(name, "")]
    return {device.device: device.meant for device in known if device.meant not in ("", in_file[device.device])}


def _broker(settings: Settings) -> str:
    mqtt = settings.mqtt
    name = f", as {mqtt.username}" if mqtt.username else ""
    return f"{mqtt.host}:{mqtt.port}, MQTT {mqtt.protocol}{', TLS' if mqtt.tls else ''}{name}"


def _tell_unconfirmed(console: Console, unconfirmed: list[str]) -> None:
    if not unconfirmed:
        console.print(Text("\nEvery rule of this table is confirmed.", "green"))
        return
    console.print(Text(f"\n{_counted(len(unconfirmed), 'rule')} unconfirmed, for which no live table opens:", "yellow"))
    grid = _grid(1)
    for each in unconfirmed:
        grid.add_row(" -", Text(each))
    console.print(grid)


def _grid(gap: int = 2) -> Table:
    return Table.grid(padding=(0, gap))


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
