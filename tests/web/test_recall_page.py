"""The recall of a round in a browser: three positions of pai gow poker, step by step, on a desk and on a phone."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from tablectl.recall import Round, Wanted, recall
from tablectl.recall.page import as_page
from tests.recalled import write
from tests.unit.test_recall import pai_gow

pytestmark = pytest.mark.asyncio(loop_scope="module")

VISIBLE = "[...document.querySelectorAll('.felt .card:not(.card .card)')].filter(card => card.offsetWidth)"


@pytest_asyncio.fixture(loop_scope="module")
async def story(tmp_path: Path) -> Round:
    return recall(await write(pai_gow(), tmp_path / "journal.db"), Wanted(round=1))[0]


@pytest_asyncio.fixture(loop_scope="module")
async def page(browser: Browser, story: Round, tmp_path: Path) -> AsyncIterator[Page]:
    """The page as a file, on a desk; it asks for nothing else, and leaves no error in the console."""
    file = tmp_path / "round.html"
    file.write_text(as_page([story]), encoding="utf-8")
    context = await browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page = await context.new_page()
    errors: list[str] = []
    asked: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    await page.goto(file.as_uri())
    yield page
    await context.close()
    assert errors == []
    assert asked == [file.as_uri()]


async def test_each_step_shows_the_table_as_it_was(page: Page, story: Round) -> None:
    """At every step there lie as many cards as were dealt by then, and face up those that were seen by then."""
    dealt = [lying for hand in story.hands.values() for lying in hand.cards]
    for line in story.lines:
        await page.locator(f".story li[data-step='{line.step}']").click()
        shown = await page.evaluate(f"{VISIBLE}.length")
        down = await page.evaluate(
            f"{VISIBLE}.filter(card => card.dataset.face === 'down' || card.querySelector('.card:not(.away)')).length"
        )
        set_ = [hand for hand in story.hands.values() if 0 < hand.set_at <= line.step]
        seen = sum(lying.shown is not None and lying.shown <= line.step for lying in dealt)
        told = sum(len(hand.cards) for hand in set_ if not any(lying.shown for lying in hand.cards))

        assert shown == sum(lying.dealt <= line.step for lying in dealt)
        assert shown - down == seen + told
    assert await page.evaluate(f"{VISIBLE}.length") == 49


@pytest.mark.parametrize("width", [1280, 390])
async def test_the_page_fits(page: Page, width: int) -> None:
    """Nothing stands out at the side, on a desk or a phone, and the dealer's hand can be scrolled clear of the keys."""
    await page.set_viewport_size({"width": width, "height": 844})

    assert await page.evaluate("document.documentElement.scrollWidth") == width
    await page.evaluate("document.querySelector('.telling').scrollIntoView({block: 'end'})")
    dealer = await page.locator(".dealer").bounding_box()
    keys = await page.locator(".player").bounding_box()
    assert dealer
    assert keys
    assert dealer["y"] + dealer["height"] <= keys["y"]


async def test_the_keys_walk_through_the_round(page: Page, story: Round) -> None:
    """First, next, back and last go where they say, and the caption tells the step."""

    async def caption(key: str) -> str:
        await page.locator(f"[data-go={key}]").click()
        return await page.locator(".caption").inner_text()

    assert story.lines[0].text in await caption("first")
    assert story.lines[1].text in await caption("on")
    assert story.lines[0].text in await caption("back")
    assert story.lines[-1].text in await caption("last")


async def test_playing_stops_at_the_end(page: Page, story: Round) -> None:
    """Play goes on by itself and ends with the last line; its key says what it does next."""
    await page.locator(f".story li[data-step='{len(story.lines) - 1}']").click()
    await page.locator("[data-go=play]").click()
    assert await page.locator("[data-go=play]").inner_text() == "Pause"

    await page.wait_for_function("document.querySelector('[data-go=play]').textContent === 'Play'")
    assert story.lines[-1].text in await page.locator(".caption").inner_text()


async def test_without_scripts_the_end_is_shown(browser: Browser, story: Round, tmp_path: Path) -> None:
    """A mail program or printer that runs nothing still shows every hand as it lay in the end."""
    file = tmp_path / "round.html"
    file.write_text(as_page([story]), encoding="utf-8")
    context = await browser.new_context(java_script_enabled=False)
    page = await context.new_page()
    await page.goto(file.as_uri())
    cards = page.locator(".position:has(h3:text-is('3')) .set .card[data-face=up]")

    assert await cards.count() == 7
    assert await page.locator(".dealer .set .card[data-face=up]").first.is_visible()
    assert not await page.locator(".player").is_visible()
    await context.close()
