"""What a session says of a device that does not say what it should."""

import asyncio
import re
import zlib
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
import pytest
from cobs import cobs
from tablectl_drivers.line import LineShoe
from tablectl_drivers.otdp import StackShoe, wire

from tablectl.devices.contract import Kind, Mark, State
from tablectl.devices.framing import LONGEST, Deframer, frame
from tablectl.devices.link import Pipe
from tablectl.errors import LinkLost, TablectlError

Warp = Callable[[Coroutine[Any, Any, Any]], Any]
WHO = wire.Identity(
    0, wire.VERSION, (Kind.STACK_SHOE,), (), 7, 1, 0, State.LOADED, (), 8, model="Shoe", serial="1", firmware="1"
)


async def opened(driver: type[Any], say: Callable[[bytes], bytes]) -> str:
    """Open a driver at a device that says this to whatever it hears; return why that fails."""
    host, device = Pipe.pair()

    async def talk() -> None:
        while True:
            await device.write(say(await device.read()))

    talking = asyncio.create_task(talk())
    made = driver(host)
    try:
        with pytest.raises(TablectlError) as failed:
            await made.open(Mark())
        return str(failed.value)
    finally:
        talking.cancel()
        await asyncio.gather(talking, return_exceptions=True)
        await made.close()


def identity(heard: bytes, **wrong: Any) -> bytes:
    """Answer a HELLO, with something wrong."""
    message, link = wire.decode(Deframer().feed(heard)[0])
    assert isinstance(message, wire.Hello)
    link = wrong.pop("link", link)
    return frame(wire.encode(msgspec.structs.replace(WHO, **{"nonce": message.nonce, **wrong}), link))


def turned(body: bytes) -> bytes:
    """Write a frame whose CRC has its least significant byte first."""
    stuffed: bytes = cobs.encode(body + zlib.crc32(body).to_bytes(4, "little"))
    return b"\x00" + stuffed + b"\x00"


MISTAKES: tuple[tuple[str, Callable[[bytes], bytes], str], ...] = (
    ("silence", lambda _: b"", "not a byte came"),
    ("another speed", lambda _: b"\xf8\x80" * 9, "another speed, or another protocol.*: no zero ended a frame"),
    ("an echo", lambda heard: heard, "HELLO #1 with nonce .* is no answer to HELLO #1"),
    ("a CRC turned round", lambda _: turned(b"abc"), "it ends in CRC c2412435, and over its body that is 352441c2"),
    ("no CRC", lambda _: b"\x00\x03ab\x00", "it holds 2 bytes, and 4 are the CRC alone"),
    ("no COBS", lambda _: b"\x00\x09ab\x00", "it is no COBS"),
    ("no end", lambda _: b"\x00" + b"x" * LONGEST + b"\x00", f"it is longer than {LONGEST} bytes"),
    ("no message", lambda _: frame(b"\x77\x01"), "is no message: 0x77 is no message of OTDP"),
    (
        "an old nonce",
        lambda heard: identity(heard, nonce=7),
        "IDENTITY #1 with nonce 00000007 is no answer to HELLO #1",
    ),
    ("no link number", lambda heard: identity(heard, link=0), "IDENTITY #0 with nonce .* is no answer to HELLO #1"),
    ("boot 0", lambda heard: identity(heard, boot=0), "IDENTITY says boot 0"),
    ("memory 0", lambda heard: identity(heard, memory=0), "IDENTITY says memory 0"),
    ("window 0", lambda heard: identity(heard, window=0), "IDENTITY says window 0"),
    ("a later version", lambda heard: identity(heard, version=9), "IDENTITY says OTDP 9, awaited was 1"),
)


@pytest.mark.parametrize(("name", "say", "told"), MISTAKES, ids=[name for name, *_ in MISTAKES])
def test_a_maker_is_told_what_the_device_says_wrong(
    warp: Warp, name: str, say: Callable[[bytes], bytes], told: str
) -> None:
    """A device under construction says who it is with one byte wrong, and "no answer" is all that its maker sees: the
    reason names what came instead.
    """
    assert name
    assert re.search(told, warp(opened(StackShoe, say))), told


def test_a_plain_device_that_says_something_else_is_quoted(warp: Warp) -> None:
    """A modem answers where a plain shoe was awaited: its word stands in the reason."""
    assert "'ERROR' is no word of plain devices" in warp(opened(LineShoe, lambda _: b"\r\nERROR\r\n"))


def test_a_device_that_falls_silent_is_told_what_is_due(warp: Warp) -> None:
    """A device says who it is and never anything again: the reason says that a word is due each second."""

    async def main() -> str:
        host, device = Pipe.pair()
        driver = LineShoe(host)
        await device.write(b"ID,stack-shoe,Shoe,1,1\r\n")
        opening = asyncio.create_task(driver.open(Mark()))
        await device.read()
        await device.write(b"ID,stack-shoe,Shoe,1,1\r\n")
        await opening
        with pytest.raises(LinkLost) as lost:
            await anext(driver.readings())
        await driver.close()
        return str(lost.value)

    assert "one is due each second; 2 frames or lines came" in warp(main())
