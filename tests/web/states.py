"""Tables as they stand in the middle of a round, and what else a table keeps on the broker."""

from typing import Any

import aiomqtt
import msgspec

from tablectl.cards import cards
from tablectl.dice import Roll
from tablectl.events.facts import Counted, Place
from tablectl.money import Odds
from tablectl.publisher.payloads import DeviceHealth, Envelope, Meta, Status
from tablectl.rulebook import Outcome
from tablectl.view import AwaitedView, DeckView, DiceView, HandView, PositionView, RoundSummary, State, WagerView

PREFIX = "tablectl/v1/demo/pit1"
ONLINE = Status(v=1, state="online", boot="b1", epoch="9f3a", program="0.1.0")
OFFLINE = Status(v=1, state="offline", boot="b1", epoch="9f3a", program="0.1.0", reason="lost")


def red_dog(table: str = "t01", **changes: Any) -> State:
    """Red dog with a spread of three: three wagers down, one raise, "Raises closed" awaited."""
    state = State(
        v=1,
        table=f"demo/pit1/{table}",
        epoch="9f3a",
        at_seq=412,
        ts="2026-11-30T14:03:07.120Z",
        game="red-dog",
        variant="base",
        mode="rehearsal",
        unconfirmed=6,
        open=True,
        dealer="D07",
        round=1182,
        layout_round=1182,
        phase="decisions",
        awaited=AwaitedView(
            step="offer",
            who="players",
            prompt="Raises, up to the wager; then say “Raises closed”",
            verb="close-offer",
            what="raise",
            clause="13:69F-6.5(h)",
        ),
        positions=[
            PositionView(1, [WagerView("original", 2500)]),
            PositionView(2),
            PositionView(3, [WagerView("original", 10000), WagerView("raise", 10000)]),
            PositionView(4, [WagerView("original", 1500)]),
            PositionView(5),
            PositionView(6, [WagerView("original", 5000)]),
        ],
        areas={"left": HandView([*cards("9h")]), "right": HandView([*cards("Ks")])},
        calls=["spread: 3"],
        decks=[DeckView("A", "blue", Place.SHOE, Counted.OK, 4), DeckView("B", "red", Place.SHUFFLER, Counted.NOT)],
        last=[
            RoundSummary(1181, "settled", 9000, text="spread: consecutive"),
            RoundSummary(1180, "settled", 12500, 5000, 7500, "spread: 5; third card: between"),
        ],
    )
    return msgspec.structs.replace(state, **changes)


def pai_gow(table: str = "t02", **changes: Any) -> State:
    """Pai gow poker at settlement: hands set high and low, one of each outcome, wagers by presence only."""
    high_low = {
        1: ("AsAdKhKd9c", "QsQh", Outcome.WIN, "win"),
        2: ("JkKcQdJhTs", "7c7d", Outcome.PUSH, "push"),
        3: ("8s8d5h4c2d", "Jc9h", Outcome.LOSE, "lose"),
        5: ("Th9h6h4h2h", "AcJs", None, ""),
        6: ("6s6d6c3h2c", "Ah5s", Outcome.NO_ACTION, "no-action"),
    }
    state = State(
        v=1,
        table=f"demo/pit1/{table}",
        epoch="77ab",
        at_seq=90,
        ts="2026-11-30T14:03:07.120Z",
        game="pai-gow-poker",
        variant="base",
        mode="live",
        open=True,
        dealer="D12",
        round=377,
        layout_round=377,
        phase="settling",
        awaited=AwaitedView(
            step="call",
            who="dealer",
            prompt="Position 5 against the dealer: win, push or lose?",
            verb="call",
            what="result",
            hand="5",
            answers=("win", "push", "lose"),
            clause="13:69F-11.17(g)",
        ),
        positions=[
            PositionView(
                number,
                [
                    WagerView(
                        "pai gow poker", None, outcome=found[2], odds=Odds(1, 1) if found[2] is Outcome.WIN else None
                    )
                ],
                {str(number): HandView(high=[*cards(found[0])], low=[*cards(found[1])], result=found[3])},
            )
            if (found := high_low.get(number))
            else PositionView(number)
            for number in range(1, 7)
        ],
        areas={"dealer": HandView(high=[*cards("KsQc9s7h3d")], low=[*cards("TdTc")])},
        dice=DiceView(Roll.of(4, 5, 2), total=11, count=4, start="4"),
        decks=[DeckView("A", "red", Place.SHOE, Counted.OK), DeckView("B", "blue", Place.SHUFFLER, Counted.NOT)],
        last=[RoundSummary(376, "settled", text="dealer wins 3, loses 2")],
    )
    return msgspec.structs.replace(state, **changes)


def shoe(**changes: Any) -> DeviceHealth:
    """A card shoe that is well."""
    well = DeviceHealth(v=1, table="demo/pit1/t01", device="shoe1", kinds=("card-shoe",), online=True, state="loaded")  # type: ignore[arg-type]
    return msgspec.structs.replace(well, **changes)


def meta() -> Meta:
    """A table of six positions that sees wagers but not their amounts."""
    return Meta(
        v=1,
        table="demo/pit1/t01",
        program="0.1.0",
        game="red-dog",
        variant="base",
        mode="rehearsal",
        positions=6,
        wagers="presence",
        cards={"community": "exposed"},
        unconfirmed=("reshuffle: inferred",),
        checks_off=("raise limit",),
    )


def event(seq: int, name: str, **data: Any) -> Envelope:
    """A numbered event of table t01."""
    return Envelope(
        1, f"t01:9f3a:{seq}", name, "demo/pit1/t01", "9f3a", seq, "2026-11-30T14:03:08.000Z", 1182, "", data
    )


async def retain(port: int, table: str, parts: dict[str, Any]) -> None:
    """Publish parts of a table retained, in order: ``state``, ``device/shoe1``, and ``status`` last, as a birth is."""
    await _publish(port, {f"{PREFIX}/{table}/{part}": value for part, value in parts.items()}, retain=True)


async def tell(port: int, *events: Envelope) -> None:
    """Publish events of table t01."""
    for one in events:
        await _publish(port, {f"{PREFIX}/t01/evt/{one.type.replace('.', '/')}": one}, retain=False)


async def _publish(port: int, messages: dict[str, Any], *, retain: bool) -> None:
    async with aiomqtt.Client("127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5) as client:
        for topic, value in messages.items():
            payload = value if isinstance(value, bytes) else msgspec.json.encode(value)
            await client.publish(topic, payload, qos=1, retain=retain)
