"""OTDP for people and for tools: who answers, and what a frame says."""

from enum import Enum

from tablectl.devices.contract import Capabilities, Identity, Link
from tablectl.devices.family import Explain
from tablectl.devices.framing import Deframer
from tablectl.errors import WireError
from tablectl.events.readings import Reading
from tablectl.events.word import kebab
from tablectl_drivers.otdp import wire
from tablectl_drivers.otdp.session import OtdpSession


def identity_of(said: wire.Identity, boot: str) -> Identity:
    """Return who answered, in the words of the contract."""
    return Identity(
        model=said.model,
        serial=said.serial,
        firmware=said.firmware,
        kinds=said.kinds,
        boot=boot,
        last_event=said.last_event,
        state=said.state,
        capabilities=Capabilities(**dict.fromkeys(said.abilities, True)),
    )


async def identify(link: Link) -> Identity:
    """Say HELLO and close the link.

    Raises:
        LinkLost: no answer.
        WireError: another version answers.
    """
    session = OtdpSession(link, _unheard)
    try:
        return identity_of(await session.hello(), session.boot_name)
    finally:
        await session.close()


def _unheard(said: wire.Said) -> Reading:
    raise WireError(f"{type(said).__name__} came before RESUME")


def explain() -> Explain:
    """Return what writes frames for people: ``ARM #4 command=a1b2c3 stack=3 size=7 left=39``."""
    deframer = Deframer()

    def lines(data: bytes) -> list[str]:
        bad = deframer.bad
        said = [_line(body) for body in deframer.feed(data)]
        return said + ["no frame"] * (deframer.bad - bad)

    return lines


def _line(body: bytes) -> str:
    try:
        message, link = wire.decode(body)
    except WireError as error:
        return f"not understood: {error}"
    return told(message, link)


def told(message: wire.Message, link: int = 0) -> str:
    """Write a message for people."""
    number = f" #{link}" if link else ""
    return f"{kebab(type(message).__name__).upper()}{number}{_fields(message)}"


def _fields(word: object) -> str:
    names: tuple[str, ...] = getattr(word, "__struct_fields__", ())
    return "".join(f" {name}={_value(getattr(word, name))}" for name in names)


def _value(value: object) -> str:
    match value:
        case wire.Refusal():
            return kebab(value.name.title().replace("_", ""))
        case Enum():
            return str(value.value)
        case tuple():
            return "+".join(map(_value, value)) or "none"
        case Reading() | wire.CardDrawn():
            return f"{kebab(type(value).__name__)}{_fields(value)}"
    return str(value) if value != "" else "''"
