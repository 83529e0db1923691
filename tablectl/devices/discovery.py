"""What is plugged in: ports and USB devices by names that last, and who answers where we may ask."""

import asyncio
import json
from collections.abc import Iterable

import msgspec

from tablectl.devices import registry
from tablectl.devices.contract import Identity, Loss
from tablectl.devices.link import open_link
from tablectl.devices.ports import Port, ports
from tablectl.errors import ConfigError, LinkLost, WireError

_NO_ANSWER = (Loss.SILENT, Loss.RESTARTED, Loss.PROTOCOL)
"""Losses after which somebody of another family may still be there."""
NOT_ASKED = "not asked: nothing is written to a port that is not named"


class Found(msgspec.Struct, frozen=True):
    """One place where a device may be. url: to configure; text: what the adapter says of itself; identity: who
    answered, with the drivers that fit; why: why nobody did.
    """

    url: str
    text: str = ""
    identity: Identity | None = None
    drivers: tuple[str, ...] = ()
    why: str = NOT_ASKED


def places() -> list[Found]:
    """Return all places, without writing to any."""
    return [_port(port) for port in ports()] + _usb()


def _port(port: Port) -> Found:
    number = f", serial number {port.number}" if port.number else ""
    known = f"{port.usb}{number}" if port.usb else "no USB adapter"
    return Found(f"serial:{port.name}", f"{port.node}: {port.text or 'a serial port'} ({known})")


def _usb() -> list[Found]:
    """Return USB devices with an interface that only a vendor's driver takes, where there is a USB library."""
    try:
        from tablectl.devices import usb_claim  # noqa: PLC0415 - an extra

        return [Found(url, text) for url, text in usb_claim.candidates(usb_claim.system_backend())]
    except ConfigError:
        return []


def unlisted() -> str:
    """Return why USB devices are not listed, empty where they are."""
    try:
        from tablectl.devices import usb_claim  # noqa: PLC0415 - an extra

        usb_claim.system_backend()
    except ConfigError as error:
        return str(error)
    return ""


async def who(url: str) -> tuple[str, Identity]:
    """Say hello in the words of each family, none of which moves anything; return the family's name, and who answers.

    A device that is awake is found in a short round; one that boots when its port is opened, in the patient one.

    Raises:
        ConfigError: the URL cannot be right.
        LinkLost: it cannot be opened, or nobody answers.
        WireError: somebody answers who does not keep to his family's words.
    """
    families = sorted(registry.families().values(), key=lambda family: family.answers_in)
    silent: dict[str, str] = {}
    for family, seconds in [(each, each.answers_in) for each in families] + [(each, None) for each in families]:
        link = await open_link(url)
        try:
            async with asyncio.timeout(seconds):
                return family.name, await family.identify(link)
        except TimeoutError:
            continue
        except LinkLost as lost:
            if lost.reason not in _NO_ANSWER:
                raise
            silent[family.name] = str(lost)
    tried = [f"{name}: {text}" for name, text in sorted(silent.items())]
    tried += [f"{name}: has no hello of its own; see monitor --driver {name}" for name in registry.speechless()]
    raise LinkLost(Loss.SILENT, "\n  ".join(("nobody answers in the words of any driver", *tried)))


async def ask(url: str) -> Found:
    """Ask who is there.

    Raises:
        ConfigError: the URL cannot be right.
    """
    try:
        family, identity = await who(url)
    except LinkLost as lost:
        return Found(url, why=f"{lost.reason}: {lost}")
    except WireError as error:
        return Found(url, why=f"{Loss.PROTOCOL}: {error}")
    return Found(url, identity=identity, drivers=registry.fitting(family, identity), why="")


async def find(named: Iterable[str]) -> list[Found]:
    """Return all places; those that are named are asked, and only those.

    Raises:
        ConfigError: a URL that is named cannot be right.
    """
    asked = await asyncio.gather(*(ask(url) for url in named))
    urls = {found.url: found for found in asked}
    listed = places()
    texts = {found.url: found.text for found in listed}
    known = [msgspec.structs.replace(found, text=texts.get(found.url, "")) for found in urls.values()]
    return known + [found for found in listed if found.url not in urls]


def stanza(found: Found) -> str:
    """Return what to write into a table file, empty where nobody answered."""
    if not found.identity or not found.drivers:
        return ""
    driver = registry.driver(found.drivers[0])
    kinds = registry.kinds(driver)
    rows = {
        "id": f"{driver.kind}-1",
        "kind": driver.kind if len(kinds) == 1 else [*kinds],
        "driver": found.drivers[0],
        "url": found.url,
        "serial": found.identity.serial,
    }
    return "\n".join(("[[device]]", *(f"{name} = {json.dumps(value)}" for name, value in rows.items())))
