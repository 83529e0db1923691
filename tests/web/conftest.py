"""A real broker, and a real browser that looks at the pit. All share one event loop for each module of tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright, expect

from tablectl.pit import running
from tablectl.publisher import Address
from tests.brokers import Mosquitto
from tests.brokers import running as broker_running

# What is claimed to happen in time says so itself; a busy machine may draw everything else late.
expect.set_options(timeout=20_000)


@pytest_asyncio.fixture(loop_scope="module")
async def broker(tmp_path: Path) -> AsyncIterator[Mosquitto]:
    async with broker_running(tmp_path) as mosquitto:
        yield mosquitto


@pytest_asyncio.fixture(loop_scope="module")
async def pit(broker: Mosquitto) -> AsyncIterator[str]:
    """The URL of a pit display that listens to the broker."""
    async with running(Address("127.0.0.1", broker.port), site="demo", pit="pit1", port=0) as url:
        yield url


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        try:
            yield chromium
        finally:
            await chromium.close()


@pytest_asyncio.fixture(loop_scope="module")
async def page(browser: Browser, pit: str) -> AsyncIterator[Page]:
    """The pit's page on a wall display. No test may leave an error in its console."""
    context = await browser.new_context(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    page = await context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type in ("error", "warning") else None)
    await page.goto(pit)
    yield page
    await context.close()
    assert errors == []
