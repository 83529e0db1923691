"""``tablectl pit`` as its own process."""

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import aiohttp
import pytest

from tablectl.cli.pit import EX_CONFIG
from tests.brokers import free_port, running
from tests.web.states import ONLINE, red_dog, retain

PROGRAM = "import typer; from tablectl.cli.pit import pit; typer.run(pit)"


async def start(*options: str) -> Process:
    return await asyncio.create_subprocess_exec(sys.executable, "-c", PROGRAM, *options, stdout=PIPE, stderr=PIPE)


async def test_it_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    """Over MQTT 3.1.1 too, the process says where it serves and shows what is retained; SIGTERM ends it in order."""
    async with running(tmp_path) as broker:
        await retain(broker.port, "t01", {"state": red_dog(), "status": ONLINE})
        listen = f"127.0.0.1:{free_port()}"
        process = await start("--broker", f"127.0.0.1:{broker.port}", "--listen", listen, "--protocol", "3.1.1")
        assert process.stdout
        while b"broker.connected" not in await process.stdout.readline():
            pass
        async with aiohttp.ClientSession() as session, session.get(f"http://{listen}/events") as stream:
            assert b"red-dog" in await stream.content.readuntil(b"red-dog")
        process.send_signal(signal.SIGTERM)
        await process.communicate()
        assert process.returncode == 0


async def test_an_address_in_use_is_named(tmp_path: Path) -> None:
    """Where it cannot listen it says so with the address, and exits as one that need not be started again."""
    async with running(tmp_path) as broker:
        taken = f"127.0.0.1:{broker.port}"
        process = await start("--broker", taken, "--listen", taken)
        _, error = await process.communicate()
        assert process.returncode == EX_CONFIG
        assert f"cannot listen on {taken}" in error.decode()


@pytest.mark.parametrize(
    ("options", "awaited"),
    [
        (("--broker", "a:b:c"), "awaited HOST or HOST:PORT"),
        (("--broker", "a", "--listen", "here"), "awaited HOST:PORT"),
        (("--broker", "a", "--site", "Our Site"), "awaited 1 to 32 of a-z, 0-9 and -"),
        (("--broker", "a", "--password-file", "/nowhere"), "/nowhere"),
        (("--broker", "a", "--tls-ca", "/nowhere"), "not a file of PEM certificates"),
    ],
)
async def test_a_wrong_option_says_what_was_awaited(options: tuple[str, ...], awaited: str) -> None:
    """Each option that cannot be is refused with what would have been right."""
    process = await start(*options)
    _, error = await process.communicate()
    assert process.returncode == 2
    assert awaited in " ".join(error.decode().replace("│", " ").split())
