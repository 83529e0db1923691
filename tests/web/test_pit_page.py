"""What a supervisor sees: the pit's page in a real browser, fed by a real broker."""

import asyncio
import re
import signal
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import aiohttp
import aiomqtt
import msgspec
import pytest
from playwright.async_api import Browser, Page, expect

from tablectl.cards import cards
from tablectl.dice import Roll
from tablectl.events.facts import Alarm, CardsDealt, IrregularityFound
from tablectl.money import Odds
from tablectl.pit import running
from tablectl.publisher import Address
from tablectl.publisher.payloads import Alarms
from tablectl.rulebook import Outcome
from tablectl.view import DiceSetView, DiceView, HandView, PositionView, State, WagerView
from tests.brokers import Mosquitto, free_port, proxied
from tests.brokers import running as broker_running
from tests.web.states import OFFLINE, ONLINE, PREFIX, event, meta, pai_gow, red_dog, retain, shoe, tell

pytestmark = pytest.mark.asyncio(loop_scope="module")

WITHIN = 5000
"""Milliseconds in which the display may follow what happens."""


def live(state: State) -> dict[str, Any]:
    return {"state": state, "status": ONLINE}


def changed(state: State, **changes: Any) -> State:
    return msgspec.structs.replace(state, **changes)


async def test_cards_are_drawn_as_cards(broker: Mosquitto, page: Page) -> None:
    """Each card of red dog shows its rank and its suit's shape in the box where it lies; the third box is empty."""
    await retain(broker.port, "t01", live(red_dog()))

    left = page.get_by_role("group", name="Left").get_by_role("img", name="9 of hearts")
    await expect(left.locator(".rank")).to_have_text("9")
    await expect(left.locator("svg path").first).to_be_visible()
    await expect(page.get_by_role("group", name="Right").get_by_role("img", name="king of spades")).to_be_visible()
    await expect(page.locator(".box.empty")).to_have_text("Middle")
    await expect(page.locator(".call.latest")).to_have_text("Spread: 3")


@pytest.mark.parametrize(
    ("game", "boxes"),
    [
        ("red-dog", ["Left", "Middle", "Right"]),
        ("mississippi-stud", ["3rd street", "4th street", "5th street"]),
        ("mini-tex-3-card-holdem", ["Flop", "River"]),
    ],
)
async def test_printed_boxes_lie_there_before_a_card(
    broker: Mosquitto, page: Page, game: str, boxes: list[str]
) -> None:
    """The community areas of a game stand on its layout, in order, whichever is dealt first."""
    await retain(broker.port, "t01", live(red_dog(game=game, areas={})))
    await expect(page.locator(".box.empty figcaption")).to_have_text(boxes)

    last = boxes[-1].lower()
    await retain(broker.port, "t01", live(red_dog(game=game, areas={last: HandView([*cards("9h")])})))
    await expect(page.get_by_role("group", name=boxes[-1]).get_by_role("img", name="9 of hearts")).to_be_visible()
    await expect(page.locator(".box figcaption")).to_have_text(boxes)


async def test_words_of_the_rules_keep_their_hyphens(broker: Mosquitto, page: Page) -> None:
    """A wager, a result and a call are written as the rules write them; a hand that is nothing is not called so."""
    hand = HandView([*cards("6s 7s 8s")], result="6-7-8 of spades")
    lost = HandView([*cards("2s 7d")], result="nothing")
    positions = [PositionView(1, [WagerView("three-card bonus", 500)], {"1": hand, "2": lost})]
    await retain(broker.port, "t01", live(red_dog(positions=positions, areas={}, calls=["three-card bonus: pair"])))

    await expect(page.locator(".what")).to_have_text("Three-card bonus")
    await expect(page.locator(".result")).to_have_text("6-7-8 of spades")
    await expect(page.locator(".call.latest")).to_have_text("Three-card bonus: pair")


async def test_face_down_cards_show_only_their_back(broker: Mosquitto, page: Page) -> None:
    """A card that nobody has seen has no rank and no suit, and bears the colour of the deck in the shoe."""
    await retain(broker.port, "t01", live(red_dog(areas={"dealer": HandView([*cards("?? Jk")])})))

    back = page.get_by_role("img", name="face-down card")
    await expect(back).to_have_attribute("data-back", "blue")
    await expect(back).to_have_text("")
    await expect(page.get_by_role("img", name="joker")).to_be_visible()


@pytest.mark.parametrize("text", ["Qs Qh", "Qs Th Td Ac Jk", "Ks Qh Ts Jk 9d Qc", "As Qh Jk Tc Qd Qs 7d"])
async def test_covered_cards_show_their_ranks_whole(broker: Mosquitto, page: Page, text: str) -> None:
    """In a fan of up to seven cards no card lies on the rank of the one before."""
    areas = {"dealer": HandView([*cards(text)])}
    await retain(broker.port, "t01", live(red_dog(game="four-card-poker", areas=areas)))
    await expect(page.locator(".dealer .card")).to_have_count(len(text.split()))

    gaps = """ranks => ranks.slice(0, -1).map((rank) => {
        const next = rank.closest(".card").nextElementSibling.getBoundingClientRect();
        return next.left - rank.getBoundingClientRect().right;
    })"""
    assert min(await page.locator(".dealer .rank").evaluate_all(gaps)) >= -1


async def test_pai_gow_hands_lie_high_and_low(broker: Mosquitto, page: Page) -> None:
    """A set hand shows five cards high and two low, the wager's outcome in words, and the odds it is paid at."""
    await retain(broker.port, "t02", live(pai_gow()))

    first = page.get_by_role("listitem", name="Position 1", exact=True)
    await expect(first.get_by_role("group", name="High hand").get_by_role("img")).to_have_count(5)
    await expect(first.get_by_role("group", name="Low hand").get_by_role("img")).to_have_count(2)
    await expect(first.locator(".outcome")).to_have_text("▲ Win1 to 1")
    for position, words in ((2, "= Push"), (3, "▼ Lose"), (6, "○ No action")):
        place = page.get_by_role("listitem", name=f"Position {position}", exact=True)
        await expect(place.locator(".outcome")).to_have_text(words)
    await expect(page.get_by_role("listitem", name="Position 4, empty")).to_be_visible()
    await expect(page.locator(".position[aria-current=true] .number")).to_have_text("5")


async def test_dice_show_pips_or_say_why_not(broker: Mosquitto, page: Page) -> None:
    """A flat die shows as many pips as its value; a cocked, unread or lost one says so in words."""
    await retain(broker.port, "t02", live(pai_gow()))
    await expect(page.locator(".pip")).to_have_count(4 + 5 + 2)

    dice = DiceView(Roll.of("cocked", "unread", "out"), no_roll="a die is cocked")
    await retain(broker.port, "t02", {"state": pai_gow(dice=dice)})
    await expect(page.locator(".die .fault")).to_have_text(["cocked", "not read", "out of the shaker"])
    await expect(page.locator(".shaker figcaption")).to_have_text("No roll: a die is cocked")


async def test_positions_stand_in_an_arc_from_the_dealers_left(broker: Mosquitto, page: Page) -> None:
    """Seen from behind the dealer position 1 is leftmost, the middle is farthest away, the dealer is nearest."""
    await retain(broker.port, "t01", live(red_dog()))
    await expect(page.locator(".number")).to_have_count(6)

    boxes = [await number.bounding_box() for number in await page.locator(".number").all()]
    across = [box["x"] for box in boxes if box]
    depth = [box["y"] for box in boxes if box]
    assert across == sorted(across)
    assert depth[0] > depth[1] > depth[2]
    assert depth[3] < depth[4] < depth[5]
    rail = await page.locator(".rail").bounding_box()
    assert rail
    assert rail["y"] > max(depth)


async def test_an_offline_table_is_silent(broker: Mosquitto, page: Page) -> None:
    """When a table dies its last will makes it silent, with the time, and its layout no longer looks live."""
    will = ("--will-topic", f"{PREFIX}/t01/status", "--will-retain", "--will-payload", msgspec.json.encode(OFFLINE))
    command = ("mosquitto_sub", "-p", str(broker.port), "-t", "none", *will)
    table = await asyncio.create_subprocess_exec(*command)
    await retain(broker.port, "t01", live(red_dog()))
    tile = page.locator("[data-table=t01]")
    await expect(tile).to_have_attribute("data-live", "yes")

    table.send_signal(signal.SIGKILL)
    await table.wait()

    await expect(tile).to_have_attribute("data-live", "no", timeout=WITHIN)
    await expect(tile.get_by_role("alert")).to_contain_text("Silent since")
    await expect(tile.get_by_role("alert")).to_contain_text("its connection was lost")
    assert await tile.locator(".felt").evaluate("felt => getComputedStyle(felt).filter") != "none"


async def test_a_broker_restart_heals(broker: Mosquitto, page: Page) -> None:
    """Broker killed: every table is silent at once. It returns empty: a table is live again when it says so itself."""
    await retain(broker.port, "t01", live(red_dog()))
    await retain(broker.port, "t02", live(pai_gow()))
    await expect(page.locator("[data-live=yes]")).to_have_count(2)

    await broker.kill()
    await expect(page.locator("[data-live=no]")).to_have_count(2, timeout=WITHIN)
    await expect(page.locator(".link")).to_contain_text("No broker since")
    since = await page.locator("[data-table=t02] .notice b").inner_text()

    await broker.start()
    await expect(page.locator(".link")).to_have_text("Live", timeout=WITHIN)
    await expect(page.locator("[data-live=no]")).to_have_count(2)
    await retain(broker.port, "t01", live(red_dog(round=1183)))
    await expect(page.locator("[data-table=t01]")).to_have_attribute("data-live", "yes", timeout=WITHIN)
    await expect(page.locator("[data-table=t01] dd").first).to_have_text("1183")
    assert await page.locator("[data-table=t02] .notice b").inner_text() == since


async def test_a_broker_that_answers_no_more_is_found_out(broker: Mosquitto, browser: Browser) -> None:
    """A connection that stays open but brings nothing makes every table silent."""
    await retain(broker.port, "t01", live(red_dog()))
    async with (
        proxied(broker.port) as proxy,
        running(Address("127.0.0.1", proxy.port), site="demo", pit="pit1", port=0) as url,
    ):
        page = await browser.new_page()
        await page.goto(url)
        await expect(page.locator("[data-live=yes]")).to_have_count(1)
        proxy.hold()
        await expect(page.locator("[data-live=no]")).to_have_count(1, timeout=2 * WITHIN)
        proxy.resume()
        await expect(page.locator("[data-live=yes]")).to_have_count(1, timeout=WITHIN)
        await page.close()


async def test_a_table_behind_a_dead_bridge_is_silent(broker: Mosquitto, page: Page, tmp_path: Path) -> None:
    """A table loses power with its own broker: what the pit's broker retains says online, the bridge does not."""
    folder = tmp_path / "table"
    folder.mkdir()
    bridge = (
        f"connection t01\naddress 127.0.0.1:{broker.port}\ntopic # out 1 {PREFIX}/t01/ {PREFIX}/t01/\n"
        f"keepalive_interval 5\nnotification_topic {PREFIX}/t01/bridge"
    )
    async with broker_running(folder, bridge) as own:
        await retain(own.port, "t01", live(red_dog()))
        await expect(page.locator("[data-live=yes]")).to_have_count(1, timeout=2 * WITHIN)
        await own.kill()
        await expect(page.get_by_role("alert")).to_contain_text("its bridge to this broker is down", timeout=WITHIN)


async def test_a_broker_that_was_never_there_is_named(browser: Browser) -> None:
    """Without a table to show, the page says why instead of standing empty."""
    async with running(Address("127.0.0.1", free_port()), site="demo", pit="pit1", port=0) as url:
        page = await browser.new_page()
        await page.goto(url)
        await expect(page.locator(".hint")).to_contain_text("No connection to the broker")
        await page.close()


async def test_the_page_comes_back_by_itself(broker: Mosquitto, browser: Browser) -> None:
    """A display whose server died shows nothing as live, and when it is back gets the whole board first."""
    await retain(broker.port, "t01", live(red_dog()))
    port = free_port()
    page = await browser.new_page()
    async with running(Address("127.0.0.1", broker.port), site="demo", pit="pit1", port=port) as url:
        await page.goto(url)
        await expect(page.locator("[data-live=yes]")).to_have_count(1)
    await expect(page.get_by_role("alert")).to_contain_text("this page has lost", timeout=WITHIN)

    await retain(broker.port, "t01", live(red_dog(round=1199)))
    async with running(Address("127.0.0.1", broker.port), site="demo", pit="pit1", port=port):
        await expect(page.locator("[data-live=yes] dd").first).to_have_text("1199", timeout=2 * WITHIN)
    await page.close()


async def test_only_what_changed_is_drawn_anew(broker: Mosquitto, page: Page) -> None:
    """When the third card is dealt, the cards that lie there stay the same elements."""
    state = red_dog()
    await retain(broker.port, "t01", live(state))
    king = page.get_by_role("img", name="king of spades")
    await king.evaluate("card => { card.kept = true }")

    areas = {**state.areas, "middle": HandView([*cards("Td")])}
    await retain(broker.port, "t01", {"state": changed(state, areas=areas)})
    await expect(page.get_by_role("img", name="10 of diamonds")).to_be_visible()
    assert await king.evaluate("card => card.kept")


async def test_loud_things_are_loud(broker: Mosquitto, page: Page) -> None:
    """Alarm, suspension, floor call, rehearsal, unconfirmed rules and a device that is gone all stand in words."""
    alarm = Alarm("deck-count", "51 cards counted, 52 expected", "13:69F-11.17(h)", latched=True)
    lost = shoe(online=False, state="offline", reason="unplugged")
    state = red_dog(suspended="shoe: door open", floor_called="colour change")
    parts = {"alarms": Alarms(1, "demo/pit1/t01", 412, [alarm]), "device/shoe1": lost}
    await retain(broker.port, "t01", {**parts, **live(state)})

    notices = page.locator(".notice")
    await expect(notices).to_have_count(3)
    await expect(notices.first).to_contain_text("Alarm51 cards counted, 52 expected")
    await expect(notices.first).to_contain_text("a supervisor must clear it")
    await expect(notices.nth(1)).to_contain_text("Suspendedshoe: door open")
    await expect(notices.nth(2)).to_contain_text("Floor calledcolour change")
    await expect(page.locator(".tag")).to_have_text(["Rehearsal", "Unconfirmed rules"])
    await expect(page.locator(".device[data-well=no]")).to_have_text("shoe1 Offline, unplugged")
    await expect(page.locator(".calling")).to_have_text("! 1 needs attention")


async def test_what_alarms_and_holds_the_table_is_said_once(broker: Mosquitto, page: Page) -> None:
    """A device that is needed and lost raises an alarm and holds the table in the same words: one notice says both."""
    text = "shoe1 is offline: its cable or its power went; look at both"
    alarms = [Alarm("offline:shoe1", text), Alarm("offline:reader1", "reader1 is offline: it does not answer")]
    parts = {"alarms": Alarms(1, "demo/pit1/t01", 412, alarms)}
    await retain(broker.port, "t01", {**parts, **live(red_dog(suspended=text))})

    notices = page.locator(".notice")
    await expect(notices).to_have_count(2)
    await expect(notices.first).to_contain_text(f"Suspended{text}")
    await expect(notices.nth(1)).to_contain_text("Alarmreader1 is offline")


async def test_a_call_waits_in_sight(broker: Mosquitto, page: Page) -> None:
    """A call for the floor stands there once, with its waiting time, which goes on; an answer takes it away."""
    call = Alarm("floor", "Floor called: colour change")
    since = (datetime.now(UTC) - timedelta(seconds=200)).isoformat()
    state = red_dog(floor_called="colour change", floor_since=since, alarms=[call])
    await retain(broker.port, "t01", {"alarms": Alarms(1, "demo/pit1/t01", 412, [call]), **live(state)})

    await expect(page.locator(".notice")).to_have_count(1)
    waits = page.locator(".notice .waiting")
    await expect(waits).to_have_text(re.compile(r"^waits 3:\d\d$"))
    first = await waits.inner_text()
    await expect(waits).not_to_have_text(first)
    await retain(broker.port, "t01", {"alarms": Alarms(1, "demo/pit1/t01", 413, []), "state": red_dog()})
    await expect(page.locator(".notice")).to_have_count(0)


async def test_the_day_and_who_deals_are_in_sight(broker: Mosquitto, page: Page) -> None:
    """Gaming day, shift, dealer and a dead game stand on the tile, the age of decks and dice in the focus."""
    received = "2026-11-30T06:12:00.000Z"
    state = red_dog(day="2026-11-30", shift="swing", dead=True, dice_set=DiceSetView("d1", received))
    state.decks[0].received = received
    await retain(broker.port, "t01", live(state))

    await expect(page.locator(".facts")).to_contain_text("30 Nov · swing")
    await expect(page.locator(".facts")).to_contain_text("Dead game")
    await expect(page.locator(".rail")).to_contain_text("Dealer D07")
    await page.goto(f"{page.url}#t01")
    await expect(page.locator(".packs")).to_contain_text("at the table since")
    await expect(page.locator(".dice-set")).to_contain_text("not inspected")


async def test_a_state_that_cannot_be_read_is_not_replaced_by_an_older_one(broker: Mosquitto, page: Page) -> None:
    """A payload of another version is named as such, and the last good state does not pass for the latest."""
    await retain(broker.port, "t01", live(red_dog()))
    await expect(page.locator(".felt")).to_be_visible()
    await retain(broker.port, "t01", {"state": red_dog(v=2)})

    await expect(page.get_by_role("alert")).to_contain_text("state cannot be read: version 2")
    await expect(page.locator(".felt")).to_have_count(0)


async def test_text_stays_text(broker: Mosquitto, page: Page) -> None:
    """Markup in a name, a prompt, a device or an event is shown, not obeyed."""
    nasty = "<img src=x onerror=document.title='taken'>"
    state = red_dog(dealer=nasty, suspended=nasty, calls=[nasty])
    state.positions[0].wagers[0].owner = nasty
    device = shoe(online=False, reason=nasty, model=nasty)
    await retain(broker.port, "t01", {"device/shoe1": device, **live(state)})
    await page.goto(f"{page.url}#t01")
    await tell(broker.port, event(413, "irregularity.found", text=nasty))

    await expect(page.locator(".rail")).to_have_text(f"Dealer {nasty}")
    await expect(page.locator(".events .text")).to_contain_text(nasty)
    await expect(page.locator("main img")).to_have_count(0)
    assert "taken" not in await page.title()


async def test_a_table_opens_with_its_record_from_the_keyboard(broker: Mosquitto, page: Page) -> None:
    """Enter on a table's name opens it alone, with its last events in plain words; Escape returns to all tables."""
    await retain(broker.port, "t01", {"meta": meta(), **live(red_dog())})
    await retain(broker.port, "t02", live(pai_gow()))
    await page.get_by_role("link", name="T01").focus()
    await page.keyboard.press("Enter")
    dealt = msgspec.to_builtins(CardsDealt("left", cards("9h"), left=210))
    odd = msgspec.to_builtins(IrregularityFound("card", "raises", "card drawn before “Raises closed”"))
    await tell(broker.port, event(413, "cards.dealt", **dealt), event(414, "irregularity.found", **odd))

    await expect(page.locator(".tile")).to_have_count(1)
    rows = page.locator(".events li .text")
    await expect(rows).to_have_text(["! Irregularity: card drawn before “Raises closed”", "Left: dealt 9♥"])
    await expect(page.locator(".rounds li").first).to_contain_text("Round 1181spread: consecutive")
    await expect(page.locator(".rules")).to_contain_text("reshuffle: inferred")

    await page.keyboard.press("Escape")
    await expect(page.locator(".tile")).to_have_count(2)


@pytest.mark.parametrize("table", ["", "#t01", "#t02"])
async def test_a_phone_shows_one_column(broker: Mosquitto, page: Page, table: str) -> None:
    """At 390 by 844 nothing is wider than the screen, and the tables stand below one another."""
    await retain(broker.port, "t01", {"device/shoe1": shoe(), "meta": meta(), **live(red_dog(suspended="x" * 60))})
    await retain(broker.port, "t02", live(pai_gow()))
    await page.set_viewport_size({"width": 390, "height": 844})
    await page.goto(page.url + table)

    await expect(page.locator(".tile")).to_have_count(1 if table else 2)
    assert await page.evaluate("document.documentElement.scrollWidth") == 390
    lefts = {box["x"] for tile in await page.locator(".tile").all() if (box := await tile.bounding_box())}
    assert len(lefts) == 1


async def test_a_wager_without_cards_stands_beside_its_position(broker: Mosquitto, page: Page) -> None:
    """On a phone no gap is left for a hand that has no cards, as in red dog after a raise."""
    raised = PositionView(3, [WagerView("original", 2500), WagerView("raise", 2500)], {"3": HandView(decision="raise")})
    await retain(broker.port, "t01", live(red_dog(positions=[raised])))
    await page.set_viewport_size({"width": 390, "height": 844})

    place = page.get_by_role("listitem", name="Position 3", exact=True)
    number, wagers = [await place.locator(part).bounding_box() for part in (".number", ".wagers")]
    assert number
    assert wagers
    assert wagers["y"] < number["y"] + number["height"]


def crowded(table: str) -> State:
    """As much as a layout may have to hold: two hands and three settled wagers at each of six positions."""
    won = [WagerView(name, 100000, outcome=Outcome.WIN, paid=200000, odds=Odds(2, 1)) for name in ("a", "b", "c")]
    hands = {"1": HandView([*cards("As Kd Jk Tc 9h 8s 7d")], result="win")}
    positions = [PositionView(n, won, {f"{n}.{m}": hands["1"] for m in (1, 2)}) for n in range(1, 7)]
    return pai_gow(table, positions=positions, suspended="shoe: door open", floor_called="count of the fills")


@pytest.mark.parametrize(
    ("count", "size"), [(1, (1920, 1080)), (6, (1920, 1080)), (12, (1920, 1080)), (2, (1280, 720)), (6, (1280, 720))]
)
async def test_a_wall_shows_every_table_whole(broker: Mosquitto, page: Page, count: int, size: tuple[int, int]) -> None:
    """Up to twelve crowded tables fit one screen: nothing scrolls, and no layout runs over what stands below it."""
    await page.set_viewport_size({"width": size[0], "height": size[1]})
    for number in range(1, count + 1):
        await retain(broker.port, f"t{number:02}", live(crowded(f"t{number:02}")))
    await expect(page.locator(".tile .felt")).to_have_count(count)

    over = "boxes => boxes.filter((box) => box.scrollHeight > box.clientHeight + 1).length"
    assert await page.locator(".inner, .felt").evaluate_all(over) == 0
    assert await page.evaluate("document.documentElement.scrollHeight") == size[1]


async def test_motion_is_spared_where_it_is_unwanted(broker: Mosquitto, page: Page) -> None:
    """Under prefers-reduced-motion not even an alarm moves."""
    alarm = Alarms(1, "demo/pit1/t01", 412, [Alarm("a", "count")])
    await retain(broker.port, "t01", {"alarms": alarm, **live(red_dog())})
    await expect(page.locator(".tile[data-tone=alarm]")).to_have_count(1)
    assert (
        await page.locator(".tile[data-tone=alarm]").evaluate("tile => getComputedStyle(tile).animationName") == "none"
    )


async def everything(port: int) -> AsyncGenerator[str, None]:
    async with aiomqtt.Client("127.0.0.1", port) as client:
        await client.subscribe("#", qos=1)
        yield "subscribed"
        async for message in client.messages:
            yield message.topic.value


async def test_nothing_is_published(broker: Mosquitto, page: Page) -> None:
    """While the display shows, is opened and reconnects, the broker hears the tables and nobody else."""
    topics = everything(broker.port)
    assert await anext(topics) == "subscribed"
    await retain(broker.port, "t01", live(red_dog()))
    await page.get_by_role("link", name="T01").click()
    await expect(page.locator(".record")).to_be_visible()
    await page.reload()
    await expect(page.locator(".record")).to_be_visible()
    await retain(broker.port, "t99", {"end": b"x"})

    found = []
    async for topic in topics:
        found.append(topic)
        if topic.endswith("end"):
            break
    await topics.aclose()
    assert found == [f"{PREFIX}/t01/state", f"{PREFIX}/t01/status", f"{PREFIX}/t99/end"]


async def test_counts_of_a_live_shoe_stay_at_the_table(broker: Mosquitto, pit: str) -> None:
    """Facts say how many cards are left in the shoe; nothing of it reaches a page."""
    await retain(broker.port, "t01", live(red_dog()))
    async with aiohttp.ClientSession() as session, session.get(f"{pit}events") as stream:
        await tell(broker.port, event(413, "cards.dealt", hand="left", cards=["9h"], left=48151))
        sent = await stream.content.readuntil(b"9\xe2\x99\xa5")
        assert b"48151" not in sent


async def test_headers_allow_nothing_from_elsewhere(pit: str) -> None:
    """Every answer forbids inline script and anything that is not the display's own, and the page needs neither."""
    async with aiohttp.ClientSession() as session:
        for path in ("", "static/main.js", "static/nothing", "events"):
            async with session.get(pit + path) as answer:
                policy = answer.headers["Content-Security-Policy"]
                assert policy.startswith("default-src 'none'; script-src 'self';")
                assert "unsafe" not in policy
        async with session.get(pit) as answer:
            text = await answer.text()
    assert "http" not in text
    assert "<script>" not in text
