"""What is shown: a fold of committed facts, for the state topic, the terminal, the pages and the recall of a round."""

from collections.abc import Callable
from typing import Any

import msgspec

from tablectl.cards import UNSEEN, Card
from tablectl.dice import Roll
from tablectl.events import facts as fact
from tablectl.events.codec import timestamp
from tablectl.events.facts import Alarm, Counted, Device, Fact, Place
from tablectl.money import Odds
from tablectl.rulebook import Outcome
from tablectl.script import is_position


class WagerView(msgspec.Struct, omit_defaults=True):
    """One wager on the layout. amount: minor units, None where only its presence is known; outcome: None while open."""

    wager: str
    amount: int | None = None
    owner: str = ""
    outcome: Outcome | None = None
    paid: int | None = None
    odds: Odds | None = None
    clause: str = ""


class HandView(msgspec.Struct, omit_defaults=True):
    """The cards of one hand, ``??`` for each that nobody has seen; result and decision in the words of the game."""

    cards: list[Card] = msgspec.field(default_factory=list)
    high: list[Card] = msgspec.field(default_factory=list)
    low: list[Card] = msgspec.field(default_factory=list)
    decision: str = ""
    result: str = ""


class PositionView(msgspec.Struct, omit_defaults=True):
    """One betting position, counted clockwise from the dealer's left."""

    position: int
    wagers: list[WagerView] = msgspec.field(default_factory=list)
    hands: dict[str, HandView] = msgspec.field(default_factory=dict)


class DiceView(msgspec.Struct, omit_defaults=True):
    """The dice of this round. no_roll: why the last roll did not count; count: from the dealer as one."""

    roll: Roll | None = None
    no_roll: str = ""
    total: int | None = None
    count: int | None = None
    start: str = ""


class AwaitedView(msgspec.Struct, omit_defaults=True):
    """What comes next, as :class:`~tablectl.events.facts.RoundStepAwaited` says it."""

    step: str
    who: str
    prompt: str
    verb: str = ""
    what: str = ""
    hand: str = ""
    hands: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    clause: str = ""
    count: int = 0


class DeckView(msgspec.Struct, omit_defaults=True):
    """One deck of the table. received: when it came, RFC 3339, empty where the record does not say. How many cards a
    live shoe holds is not shown: players can see the display.
    """

    deck: str
    back: str
    place: Place
    counted: Counted
    rounds_since_count: int = 0
    received: str = ""


class DiceSetView(msgspec.Struct, omit_defaults=True):
    """The dice in the shaker. received, inspected: RFC 3339."""

    dice: str
    received: str
    inspected: str = ""


class RoundSummary(msgspec.Struct, omit_defaults=True):
    """How a round ended. staked, paid, collected: minor units, of wagers whose amounts are known."""

    round: int
    result: str
    staked: int = 0
    paid: int = 0
    collected: int = 0
    text: str = ""


class TestView(msgspec.Struct, omit_defaults=True):
    """A device that is not used before it has passed a test, or is being tested. reason: why it must."""

    device: str
    reason: str = ""
    running: bool = False


class State(msgspec.Struct, omit_defaults=True):
    """The whole table in one message, the payload of the retained ``state`` topic.

    table: ``site/pit/id``; at_seq: the last event folded in; phase: ``closed``, ``between``, ``wagers``, ``dealing``,
    ``decisions``, ``settling`` or ``clearing``; suspended: the reason, empty while play goes on; areas: the dealer's
    hand and the community boxes by name; bank: the position that banks, empty for the dealer; calls: what the cards of
    the table were judged to be, in order, a hand's own judgement stands with the hand; layout_round: the round whose
    cards and wagers lie there, the last one until the first wager of the next; floor_called: the reason of a call that
    nobody answered yet, and floor_since: since when it waits, RFC 3339; dead: nobody plays; dice_set: the dice in the
    shaker; tests: of devices, due or under way.
    """

    v: int
    table: str
    epoch: str
    at_seq: int
    ts: str
    game: str = ""
    variant: str = ""
    mode: str = ""
    currency: str = "USD"
    unconfirmed: int = 0
    open: bool = False
    suspended: str = ""
    floor_called: str = ""
    floor_since: str = ""
    dealer: str = ""
    day: str = ""
    shift: str = ""
    dead: bool = False
    round: int = 0
    layout_round: int = 0
    phase: str = "closed"
    awaited: AwaitedView | None = None
    positions: list[PositionView] = msgspec.field(default_factory=list)
    areas: dict[str, HandView] = msgspec.field(default_factory=dict)
    bank: str = ""
    dice: DiceView | None = None
    calls: list[str] = msgspec.field(default_factory=list)
    decks: list[DeckView] = msgspec.field(default_factory=list)
    dice_set: DiceSetView | None = None
    alarms: list[Alarm] = msgspec.field(default_factory=list)
    last: list[RoundSummary] = msgspec.field(default_factory=list)
    tests: list[TestView] = msgspec.field(default_factory=list)


MOST_SUMMARIES = 12
"""Rounds whose results a display shows."""

DECISIONS = frozenset({"offer", "turn", "set"})
"""Steps in which players, not cards, are awaited."""


class View:
    """Folds facts, in order, into the state that is shown."""

    def __init__(self, table: str, epoch: str) -> None:
        self.state = State(1, table, epoch, 0, "")
        self.devices: dict[str, Device] = {}
        self._decks: dict[str, DeckView] = {}
        self._alarms: dict[str, Alarm] = {}
        self._stale_layout = True
        self.now = ""
        self._round: list[tuple[Fact, int, str]] = []
        self._before = (b"", self._decks, self._alarms, self.devices)

    def fold(self, happened: Fact, seq: int, ts: str) -> None:
        """Take one fact. seq: its number in the event stream; ts: when, RFC 3339."""
        if not isinstance(happened, fact.ASIDE):
            self._take(happened, seq, ts)
        self.state.at_seq, self.state.ts = seq, ts

    def _take(self, happened: Fact, seq: int, ts: str) -> None:
        self.now = ts
        if isinstance(happened, fact.RoundOpened):
            self._round = []
            self._before = (msgspec.json.encode(self.state), self._decks, self._alarms, dict(self.devices))
        self._round.append((happened, seq, ts))
        if isinstance(happened, fact.AnnouncementUndone):
            self._undo(happened.facts)
        handler = _FOLDS.get(type(happened))
        if handler:
            handler(self, happened)

    def _undo(self, facts: int) -> None:
        """Fold the round again without the facts that no longer hold; the last one tells of the undoing."""
        kept = self._round[: -facts - 1]
        state, self._decks, self._alarms, self.devices = self._before
        self.state = msgspec.json.decode(state, type=State)
        for happened, seq, ts in kept:
            self.fold(happened, seq, ts)

    def hand(self, name: str) -> HandView:
        """Return where a hand is shown: at its position, or among the areas."""
        base = name.split(".", 1)[0]
        if not base.isdecimal():
            return self.state.areas.setdefault(base, HandView())
        return self.position(base).hands.setdefault(name.removesuffix(".high").removesuffix(".low"), HandView())

    def position(self, hand: str) -> PositionView:
        """Return the position to which a hand belongs."""
        number = int(hand.split(".", 1)[0])
        known = next((place for place in self.state.positions if place.position == number), None)
        if known is None:
            known = PositionView(number)
            self.state.positions.append(known)
            self.state.positions.sort(key=lambda place: place.position)
        return known

    def wager(self, hand: str, name: str, owner: str) -> WagerView:
        """Return where a wager is shown; the house's own against a player's bank is not."""
        wagers = self.position(hand).wagers if is_position(hand) else []
        known = next((wager for wager in wagers if (wager.wager, wager.owner) == (name, owner)), None)
        if known is None:
            known = WagerView(name, owner=owner)
            wagers.append(known)
        return known

    def clear_layout(self) -> None:
        """Take the last round off the layout when the next one begins in earnest."""
        if self._stale_layout:
            self._stale_layout = False
            state = self.state
            state.layout_round = state.round
            state.positions, state.areas, state.calls, state.dice = [], {}, [], None

    def opened(self, happened: fact.RoundOpened) -> None:
        """Begin a round; its snapshot says all that outlived the last one."""
        before = happened.snapshot
        self._decks = {
            deck.deck: DeckView(
                deck.deck, deck.back, deck.place, deck.counted, deck.rounds_since_count, moment(deck.received)
            )
            for deck in before.decks
        }
        self._alarms = {alarm.alarm: alarm for alarm in before.alarms}
        self.devices |= {device.device: device for device in before.devices}
        self.state.tests = [TestView(device.device, device.untested) for device in before.devices if device.untested]
        self._stale_layout = True
        self.state.open, self.state.dealer = before.open, happened.dealer
        self.state.day, self.state.shift = happened.day, happened.shift
        self.state.floor_called = before.call.reason if before.call else ""
        self.state.floor_since = moment(before.call.at) if before.call else ""
        self.state.dice_set = _dice_set(before.dice)
        self.state.round, self.state.phase = happened.round, "wagers"
        self.state.bank = ""
        self.show_lists()

    def show_lists(self) -> None:
        """Copy decks and alarms to where they are shown."""
        self.state.decks = list(self._decks.values())
        self.state.alarms = list(self._alarms.values())

    def deck(self, name: str, **changes: Any) -> None:
        """Change what is shown of a deck."""
        if name in self._decks:
            self._decks[name] = msgspec.structs.replace(self._decks[name], **changes)
            self.show_lists()

    def new_deck(self, happened: fact.DeckReceived) -> None:
        """Show a deck that came to the table."""
        self._decks[happened.deck] = DeckView(happened.deck, happened.back, Place.RACK, Counted.NOT, 0, self.now)
        self.show_lists()

    def alarm(self, raised: Alarm) -> None:
        """Show an alarm."""
        self._alarms[raised.alarm] = raised
        self.show_lists()

    def no_alarm(self, name: str) -> None:
        """Take an alarm off the display."""
        self._alarms.pop(name, None)
        self.show_lists()

    def dice(self) -> DiceView:
        """Return where the dice are shown."""
        self.clear_layout()
        self.state.dice = self.state.dice or DiceView()
        return self.state.dice

    def test(self, name: str, reason: str = "", *, running: bool = False, over: bool = False) -> None:
        """Change what is shown of the test of a device."""
        before = next((test for test in self.state.tests if test.device == name), TestView(name))
        others = [test for test in self.state.tests if test.device != name]
        shown = TestView(name, reason or before.reason, running)
        self.state.tests = others if over else [*others, shown]

    def device(self, name: str, **changes: Any) -> None:
        """Change what is shown of a device."""
        self.devices[name] = msgspec.structs.replace(self.devices.get(name, Device(name)), **changes)


def _dice_set(dice: fact.DiceSet | None) -> DiceSetView | None:
    return DiceSetView(dice.dice, moment(dice.received), moment(dice.inspected)) if dice else None


def moment(at: int) -> str:
    """Write when something was, empty where the record does not say."""
    return timestamp(at) if at else ""


def _configured(view: View, happened: fact.TableConfigured) -> None:
    state = view.state
    state.game, state.variant, state.mode = happened.game, happened.variant, happened.mode
    state.currency, state.unconfirmed = happened.currency, len(happened.unconfirmed)


def _set(**changes: Any) -> Callable[[View, Any], None]:
    def change(view: View, _: Fact) -> None:
        for name, value in changes.items():
            setattr(view.state, name, value)

    return change


def _suspended(view: View, happened: fact.TableSuspended) -> None:
    view.state.suspended = happened.reason


def _signed_on(view: View, happened: fact.DealerSignedOn) -> None:
    view.state.dealer = happened.dealer


def _floor_called(view: View, happened: fact.FloorCalled) -> None:
    view.state.floor_called = happened.reason
    view.state.floor_since = view.state.floor_since or view.now


def _day(view: View, happened: fact.DayBegan | fact.ShiftBegan) -> None:
    view.state.day, view.state.shift = happened.day, happened.shift


def _dice_received(view: View, happened: fact.DiceReceived) -> None:
    view.state.dice_set = DiceSetView(happened.dice, view.now)


def _dice_inspected(view: View, happened: fact.DiceInspected) -> None:
    received = view.state.dice_set.received if view.state.dice_set else ""
    view.state.dice_set = DiceSetView(happened.dice, received, view.now)


def _awaited(view: View, happened: fact.RoundStepAwaited) -> None:
    view.state.awaited = msgspec.convert(msgspec.to_builtins(happened), AwaitedView)
    if happened.step in DECISIONS and view.state.phase != "settling":
        view.state.phase = "decisions"


def _bank_taken(view: View, happened: fact.BankTaken) -> None:
    view.state.bank = happened.hand


def _wager_placed(view: View, happened: fact.WagerPlaced) -> None:
    view.clear_layout()
    view.state.dead = False
    view.wager(happened.hand, happened.wager, happened.owner).amount = happened.amount


def _wager_taken_back(view: View, happened: fact.WagerTakenBack) -> None:
    if not is_position(happened.hand):
        return
    place = view.position(happened.hand)
    place.wagers = [w for w in place.wagers if (w.wager, w.owner) != (happened.wager, happened.owner)]


def _wagers_closed(view: View, _: fact.RoundWagersClosed) -> None:
    view.clear_layout()
    view.state.phase = "dealing"


def _wager_settled(view: View, happened: fact.WagerSettled) -> None:
    shown = view.wager(happened.hand, happened.wager, happened.owner)
    shown.outcome, shown.paid, shown.odds = happened.outcome, happened.paid, happened.odds
    shown.clause = happened.clause
    view.state.phase = "settling"


def _dealt(view: View, happened: fact.CardsDealt) -> None:
    view.clear_layout()
    view.hand(happened.hand).cards.extend(happened.cards)


def _exposed(view: View, happened: fact.CardsExposed) -> None:
    cards = view.hand(happened.hand).cards
    for card in happened.cards:
        cards[cards.index(UNSEEN)] = card


def _taken_away(view: View, happened: fact.CardsTakenAway) -> None:
    cards = view.hand(happened.hand).cards
    for card in happened.cards:
        cards.reverse()
        cards.remove(card)
        cards.reverse()


def _discarded(view: View, happened: fact.CardsDiscarded) -> None:
    """Take away what nobody wagered on; the hands that were played stay visible until the next round."""
    base = happened.hand.split(".", 1)[0]
    if base.isdecimal() and not view.position(base).wagers:
        view.position(base).hands.pop(happened.hand, None)


def _hand_set(view: View, happened: fact.CardsSet) -> None:
    hand = view.hand(happened.hand)
    hand.high, hand.low = list(happened.high), list(happened.low)


def _judged(view: View, happened: fact.RoundJudged) -> None:
    if happened.hand:
        hand = view.hand(happened.hand)
        if happened.what in ("result", "hand") or not hand.result:
            hand.result = happened.answer
    else:
        view.state.calls.append(f"{happened.what}: {happened.answer}")


def _decided(view: View, happened: fact.RoundDecided) -> None:
    view.hand(happened.hand).decision = happened.choice


def _split(view: View, happened: fact.RoundHandSplit) -> None:
    """Show two hands where one was, so that the hands of a box stand as they lie and are played."""
    place, before = view.position(happened.hand), view.position(happened.hand).hands
    place.hands = {}
    for name, shown in before.items():
        if name != happened.hand:
            place.hands[name] = shown
            continue
        for part, cards in zip(happened.into, (shown.cards[:1], shown.cards[1:]), strict=True):
            place.hands[part] = HandView(cards)


def _rolled(view: View, happened: fact.DiceRolled) -> None:
    view.dice().roll, view.dice().no_roll = happened.roll, ""


def _no_roll(view: View, happened: fact.DiceNoRoll) -> None:
    view.dice().no_roll = happened.reason


def _start(view: View, happened: fact.DiceStart) -> None:
    dice = view.dice()
    dice.total, dice.count, dice.start = happened.total, happened.count, happened.hand


def _summary(view: View, happened: fact.RoundSettled) -> None:
    state = view.state
    summary = RoundSummary(
        state.round, "settled", happened.staked, happened.paid, happened.collected, "; ".join(state.calls)
    )
    state.last = [summary, *state.last][:MOST_SUMMARIES]


def _voided(view: View, happened: fact.RoundVoided) -> None:
    state = view.state
    state.last = [RoundSummary(state.round, "void", text=happened.reason), *state.last][:MOST_SUMMARIES]


def _condition(view: View, happened: fact.DeviceConditionChanged) -> None:
    known = view.devices.get(happened.device, Device(happened.device))
    left = tuple(condition for condition in known.conditions if condition is not happened.condition)
    view.device(happened.device, conditions=(*left, happened.condition) if happened.active else left)


_FOLDS: dict[type[Fact], Callable[[View, Any], None]] = {
    fact.TableConfigured: _configured,
    fact.TableOpened: _set(open=True, phase="between"),
    fact.TableClosed: _set(open=False, dead=False),
    fact.DayBegan: _day,
    fact.ShiftBegan: _day,
    fact.GameDead: _set(dead=True),
    fact.DiceReceived: _dice_received,
    fact.DiceInspected: _dice_inspected,
    fact.DiceRemoved: _set(dice_set=None),
    fact.TableSuspended: _suspended,
    fact.TableResumed: _set(suspended=""),
    fact.DealerSignedOn: _signed_on,
    fact.FloorCalled: _floor_called,
    fact.FloorAnswered: _set(floor_called="", floor_since=""),
    fact.DeckReceived: View.new_deck,
    fact.DeckShuffleBegan: lambda view, it: view.deck(it.deck, place=Place.SHUFFLER),
    fact.DeckShuffled: lambda view, it: view.deck(it.deck, place=Place.READY, counted=it.counted),
    fact.DeckLoaded: lambda view, it: view.deck(it.deck, place=Place.SHOE),
    fact.DeckMoved: lambda view, it: view.deck(it.deck, place=it.place),
    fact.DeckRemoved: lambda view, it: view.deck(it.deck, place=Place.REMOVED),
    fact.RoundOpened: View.opened,
    fact.RoundStepAwaited: _awaited,
    fact.RoundWagersClosed: _wagers_closed,
    fact.RoundSettled: _summary,
    fact.RoundVoided: _voided,
    fact.RoundEnded: _set(phase="between"),
    fact.BankTaken: _bank_taken,
    fact.WagerPlaced: _wager_placed,
    fact.WagerTakenBack: _wager_taken_back,
    fact.WagerSettled: _wager_settled,
    fact.DiceRolled: _rolled,
    fact.DiceNoRoll: _no_roll,
    fact.DiceStart: _start,
    fact.CardsDealt: _dealt,
    fact.CardsExposed: _exposed,
    fact.CardsDiscarded: _discarded,
    fact.CardsSet: _hand_set,
    fact.CardsTakenAway: _taken_away,
    fact.RoundJudged: _judged,
    fact.RoundDecided: _decided,
    fact.RoundHandSplit: _split,
    fact.AlarmRaised: lambda view, it: view.alarm(Alarm(it.alarm, it.text, it.clause, it.latched)),
    fact.AlarmCleared: lambda view, it: view.no_alarm(it.alarm),
    fact.DeviceCameOnline: lambda view, it: view.device(
        it.device,
        online=True,
        reason="",
        detail="",
        model=it.model,
        serial=it.serial,
        firmware=it.firmware,
        kinds=it.kinds,
    ),
    fact.DeviceTakenOut: lambda view, it: view.device(it.device, out=it.reason),
    fact.DeviceReturned: lambda view, it: view.device(it.device, out=""),
    fact.DeviceTestDue: lambda view, it: view.test(it.device, it.reason),
    fact.DeviceTestBegan: lambda view, it: view.test(it.device, running=True),
    fact.DeviceTested: lambda view, it: view.test(it.device, "" if it.passed else it.text, over=it.passed),
    fact.DeviceTestWaived: lambda view, it: view.test(it.device, over=True),
    fact.DeviceWentOffline: lambda view, it: view.device(it.device, online=False, reason=it.reason, detail=it.detail),
    fact.DeviceConditionChanged: _condition,
}
