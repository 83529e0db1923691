"""Looking on: what passes between a driver and its device, written for people, and kept as a trace."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from tablectl.devices import registry
from tablectl.devices.contract import Driver, Identity, Kind, Loss, Mark
from tablectl.devices.discovery import who
from tablectl.devices.family import Explain, Family
from tablectl.devices.link import open_link
from tablectl.devices.trace import Piece, Recorder, begin
from tablectl.errors import LinkLost, TablectlError


class Forbidden(TablectlError):  # noqa: N818 - the answer
    """What a device sees of cards may not be looked at."""


def reads(identity: Identity) -> bool:
    """Tell whether a device may know a card's face."""
    return identity.capabilities.reads_cards or Kind.READER in identity.kinds


async def fitting(url: str) -> str:
    """Ask who is there, and return the driver that fits.

    Raises:
        ConfigError: the URL cannot be right.
        LinkLost, WireError: nobody answers whom an installed driver fits; says how.
    """
    family, identity = await who(url)
    if drivers := registry.fitting(family, identity):
        return drivers[0]
    kinds = " and ".join(identity.kinds)
    raise LinkLost(Loss.WRONG_DEVICE, f"{identity.model} {identity.serial!r} is {kinds}, and no driver fits")


class Monitor:
    """Opens a device as its driver would, and shows what passes.

    driver: the driver's name. show: takes a line of text. live: cards of a game may be in play, so that a device that
    reads them may not be looked at. acknowledge: take the device's events for good, so that no table ever gets them.
    """

    def __init__(self, driver: str, show: Callable[[str], None], *, live: bool, acknowledge: bool) -> None:
        self._driver = driver
        self._show = show
        self._live = live
        self._acknowledge = acknowledge
        self._held: list[Piece] | None = []
        self._file: TextIO | None = None
        family = getattr(registry.driver(driver), "family", None)
        make = family.explain if isinstance(family, Family) else lambda: _hex
        self._explain: dict[str, Explain] = {"<": make(), ">": make()}

    async def look(self, url: str, record: Path | None = None) -> None:
        """Look on until the link is lost.

        Raises:
            ConfigError: the URL cannot be right.
            Forbidden: the device reads cards, and play is live; nothing was shown or written.
            LinkLost, WireError: it does not answer; says how.
        """
        recorder = Recorder(await open_link(url), self._take)
        driver = registry.driver(self._driver)(recorder)
        try:
            identity = await driver.open(Mark())
            if self._live and reads(identity):
                self._held = []
                raise Forbidden(f"{identity.model} {identity.serial} reads cards; it is looked at in rehearsal only")
            self._begin(url, identity, recorder, record)
            await self._follow(driver, recorder)
        finally:
            await driver.close()
            if self._file:
                self._file.write(f"{recorder.end}\n" if recorder.end else "")
                self._file.close()
        if recorder.end:
            self._show(recorder.end)

    async def _follow(self, driver: Driver, recorder: Recorder) -> None:
        """Take events one after another; whoever does not ask for the next does not acknowledge."""
        async with aclosing(driver.readings()) as readings:
            try:
                async for _ in readings:
                    if not self._acknowledge:
                        await recorder.ended.wait()
            except LinkLost:
                return

    def _begin(self, url: str, identity: Identity, recorder: Recorder, record: Path | None) -> None:
        """Show and write what was held back until it was known who answers."""
        if record:
            self._file = record.open("w")
            begin(self._file, _about(self._driver, url, identity, recorder))
        held, self._held = self._held or [], None
        for piece in held:
            self._take(piece)

    def _take(self, piece: Piece) -> None:
        if self._held is not None:
            self._held.append(piece)
            return
        if self._file:
            self._file.write(f"{piece}\n")
            self._file.flush()
        for line in self._explain[piece.way](piece.data):
            self._show(f"{piece.at:10.3f} {piece.way} {line}")


def _hex(data: bytes) -> list[str]:
    return [data.hex(" ")]


def _about(driver: str, url: str, identity: Identity, recorder: Recorder) -> dict[str, str]:
    return {
        "driver": driver,
        "link": url,
        "settings": recorder.settings,
        "nonce": str(recorder.nonce),
        "device": f"{identity.model}, serial {identity.serial}, firmware {identity.firmware}",
        "recorded": datetime.now(UTC).isoformat(timespec="seconds"),
    }


async def until(stop: asyncio.Event, looking: asyncio.Task[None]) -> None:
    """Look on until stopped or until the link is lost."""
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait((stopping, looking), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    looking.cancel()
    await asyncio.wait((looking,))
    if not looking.cancelled() and (error := looking.exception()):
        raise error
