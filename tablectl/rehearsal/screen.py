"""What an audience sees: a live screen on a terminal, one line a round elsewhere."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any

import msgspec
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from tablectl.cards import JOKER, UNSEEN, Card, Suit
from tablectl.events.facts import Fact, RoundEnded, RoundOpened, RoundSettled
from tablectl.money import format_amount
from tablectl.publisher.payloads import Envelope
from tablectl.rehearsal.plan import TABLE, title
from tablectl.rehearsal.stage import Stage
from tablectl.rulebook import Outcome
from tablectl.view import HandView, PositionView, State, WagerView

Tell = Callable[[str, Mapping[str, Any], str], str]
"""Says a fact in plain words, by its name, its fields and the currency; empty for what is no news."""

FRAME = 0.1
"""Seconds between two pictures."""
MOST_EVENTS = 100
FELT = "bold white on dark_green"
QUIET = "bright_black"
WHO = {"dealer": "bold yellow", "players": "bold cyan", "supervisor": "bold red", "device": "blue"}
"""The colour of what is awaited, by whom."""
SUITS = {Suit.CLUBS: ("♣", "bold"), Suit.SPADES: ("♠", "bold"), Suit.HEARTS: ("♥", "red"), Suit.DIAMONDS: ("♦", "red")}
BACK = "▮"
OUTCOMES = {
    Outcome.WIN: ("wins", "green"),
    Outcome.LOSE: ("loses", "red"),
    Outcome.PUSH: ("push", "yellow"),
    Outcome.VOID: ("void", "yellow"),
    Outcome.NO_ACTION: ("no action", QUIET),
}


class Screen:
    """Draws a stage on a terminal."""

    def __init__(self, console: Console, tell: Tell) -> None:
        self._console, self._tell = console, tell
        self._events: deque[tuple[str, str]] = deque(maxlen=MOST_EVENTS)

    async def __call__(self, stage: Stage) -> None:
        """Show the stage until cancelled."""
        stage.line.on_event(lambda envelope, _: self._note(envelope, stage.line.state.currency))
        with Live(console=self._console, screen=True, auto_refresh=False) as live:
            while True:
                live.update(self._picture(stage), refresh=True)
                await asyncio.sleep(FRAME)

    def _note(self, envelope: Envelope, currency: str) -> None:
        text = self._tell(envelope.type, envelope.data, currency)
        if text:
            self._events.append((envelope.ts[11:19], text))

    def _picture(self, stage: Stage) -> RenderableType:
        """Return a picture that fills the screen: the table above, as many events as there is room for, the foot."""
        top = self._console.render_lines(Group(*_top(stage)), self._console.options)
        room = self._console.height - len(top) - 2
        events = [_event(*event) for event in list(self._events)[-room:]] if room > 0 else []
        empty = [Text()] * (room - len(events))
        return Group(*_top(stage), Rule("last events", style=QUIET), *events, *empty, _foot(stage))


def _top(stage: Stage) -> Iterable[RenderableType]:
    state = stage.line.state
    yield _ends(Text(f" {title(stage.plan)}"), Text(f"{state.mode}{_unconfirmed(state)}, {TABLE} "), FELT)
    yield _ends(_round(state), _sums(stage))
    yield _awaited(state)
    yield _positions(stage)
    yield _areas(state)
    yield from (_dice(state),) if "shaker" in stage.plan.setup.devices else ()
    yield _decks(state)
    yield _devices(stage)
    yield from (Text(f" alarm  {alarm.text}", style="bold red") for alarm in state.alarms)


def _unconfirmed(state: State) -> str:
    return f", {state.unconfirmed} rules unconfirmed" if state.unconfirmed else ""


def _round(state: State) -> Text:
    return Text.assemble((f" Round {state.round}", "bold"), f"  {state.phase}")


def _sums(stage: Stage) -> Text:
    tally, currency = stage.tally, stage.line.state.currency
    parts = [f"{tally.rounds} round{'s' * (tally.rounds != 1)} in {timedelta(seconds=int(tally.seconds))}"]
    parts += [
        f"{what} {format_amount(tally.money[what], currency)}" for what in ("staked", "paid") if tally.money[what]
    ]
    return Text(", ".join(parts) + " ", style=QUIET)


def _awaited(state: State) -> RenderableType:
    if not state.awaited:
        return Text(" The table is being put up.", style=QUIET)
    prompt = Text(f" ▸ {state.awaited.prompt}", style=WHO.get(state.awaited.who, ""))
    return _ends(prompt, Text(f"{state.awaited.clause} ", style=QUIET))


def _positions(stage: Stage) -> Table:
    """Return the positions, each with its wagers by name, its cards, and what was said of it."""
    state, rules = stage.line.state, stage.plan.terms.rules
    placed = {wager.wager for place in state.positions for wager in place.wagers}
    opening = {kind.name for kind in rules.opening}
    names = [name for name in rules.wagers if name in placed | opening]
    drawn = Table(box=None, expand=True, padding=(0, 1), header_style=QUIET)
    drawn.add_column("#", width=2, justify="right")
    for name in names:
        drawn.add_column(name, width=max(8, *map(len, name.split())), justify="right")
    drawn.add_column("cards", ratio=1, no_wrap=True)
    drawn.add_column("called", width=10, no_wrap=True)
    places = {place.position: place for place in state.positions}
    for number in range(1, stage.plan.terms.positions + 1):
        drawn.add_row(str(number), *_position(places.get(number, PositionView(number)), names, state.currency))
    return drawn


def _position(place: PositionView, names: list[str], currency: str) -> Iterable[Text]:
    wagers = {wager.wager: wager for wager in place.wagers}
    yield from (_wager(wagers.get(name), currency) for name in names)
    hands = list(place.hands.values())
    yield Text("  ").join(_hand(hand) for hand in hands)
    yield Text(
        ", ".join(said for hand in hands for said in (hand.decision, hand.result) if said not in ("", "nothing"))
    )


def _wager(wager: WagerView | None, currency: str) -> Text:
    if wager is None:
        return Text("·", style=QUIET)
    words, style = OUTCOMES.get(wager.outcome, ("●", "")) if wager.outcome else ("●", "")
    if wager.amount is None:
        return Text(words, style=style)
    paid = {Outcome.WIN: f"+{format_amount(wager.paid or 0, currency)}"}
    lost = {Outcome.LOSE: f"-{format_amount(wager.amount, currency)}"}
    shown = (paid | lost).get(wager.outcome) if wager.outcome else None
    return Text(shown or format_amount(wager.amount, currency), style=style)


def _hand(hand: HandView) -> Text:
    if not hand.high:
        return _cards(hand.cards)
    return Text.assemble(_cards(hand.high), (" / ", QUIET), _cards(hand.low))


def _cards(cards: Iterable[Card]) -> Text:
    return Text(" ").join(_card(card) for card in cards)


def _card(card: Card) -> Text:
    if card is UNSEEN:
        return Text(BACK, style="blue")
    if card is JOKER or card.suit is None:
        return Text("★", style="bold magenta")
    sign, style = SUITS[card.suit]
    return Text(card.rank.letter.replace("T", "10") + sign, style=style)


def _areas(state: State) -> Text:
    """Return the dealer's hand or the boxes in one line, with what was called of them."""
    line = Text(" ")
    for name in sorted(state.areas, key=_from_the_left):
        line.append(f"{name} ", style=QUIET).append(_hand(state.areas[name])).append("   ")
    calls = [call for call in state.calls if not any(letter.isdigit() for letter in call.partition(":")[0])]
    return line.append(", ".join(call for call in calls if not call.endswith(": nothing")), style="bold")


def _from_the_left(area: str) -> int:
    order = ("left", "middle", "right")
    return order.index(area) if area in order else len(order)


def _dice(state: State) -> Text:
    dice = state.dice
    if dice is None or dice.roll is None:
        return Text(" dice  covered", style=QUIET)
    line = Text.assemble((" dice  ", QUIET), (str(dice.roll), "bold"))
    if dice.no_roll:
        return line.append(f"  No roll: {dice.no_roll}", style="yellow")
    if dice.start:
        where = "the dealer" if dice.start == "dealer" else f"position {dice.start}"
        line.append(f"  total {dice.total}, {where} is first")
    return line


def _decks(state: State) -> Text:
    line = Text.assemble((" decks ", QUIET))
    for deck in state.decks:
        line.append(f" {deck.deck}", style="bold").append(f" {deck.place}")
    return line


def _devices(stage: Stage) -> Text:
    line = Text.assemble((" devices ", QUIET))
    for health in sorted(stage.line.health.values(), key=lambda health: health.device):
        troubled = not health.online or health.conditions
        line.append(" ●", style="red" if troubled else "green").append(f" {health.device} ")
        line.append(str(health.state) if health.online else health.reason, style=QUIET)
    return line


def _event(time: str, text: str) -> Text:
    return Text.assemble((f" {time} ", QUIET), text, no_wrap=True, overflow="ellipsis")


def _foot(stage: Stage) -> Table:
    page = f" pit {stage.page}  " if stage.page else " "
    return _ends(Text(f"{page}broker {stage.broker}"), Text("Ctrl-C ends "), FELT)


def _ends(left: Text, right: Text, style: str = "") -> Table:
    """Return one line with something at either end."""
    line = Table.grid(expand=True)
    line.style = style
    line.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    line.add_column(justify="right", no_wrap=True)
    line.add_row(left, right)
    return line


class Report:
    """Tells a stage in plain lines: where it is, and each round once it has ended."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._round = 0
        self._sums = ""

    async def __call__(self, stage: Stage) -> None:
        """Tell until cancelled."""
        self._say(f"{title(stage.plan)} at {TABLE}, broker {stage.broker}")
        if stage.page:
            self._say(f"Pit page: {stage.page}")
        stage.line.on_event(lambda _, happened: self._note(happened, stage.line.state.currency))
        await asyncio.Event().wait()

    def _note(self, happened: Fact, currency: str) -> None:
        match happened:
            case RoundOpened(round=number):
                self._round, self._sums = number, ""
            case RoundSettled():
                sums = msgspec.structs.asdict(happened).items()
                self._sums = ", ".join(f"{what} {format_amount(amount, currency)}" for what, amount in sums if amount)
            case RoundEnded(result=result):
                self._say(f"Round {self._round} {result}" + (f": {self._sums}" if self._sums else ""))
