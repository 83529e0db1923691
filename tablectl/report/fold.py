"""Facts, one after another, into a report."""

from collections.abc import Callable
from typing import Any

import msgspec

from tablectl.events import announcements as say
from tablectl.events import facts as fact
from tablectl.events.codec import timestamp
from tablectl.events.facts import Counted, Deck, Fact, Place
from tablectl.recall.story import Happened
from tablectl.report.story import DeckLife, DiceLife, Discrepancy, Line, Outage, Report, Stint, Wait
from tablectl.words import tell

MILLISECOND = 1_000_000

TABLE = (
    fact.TableOpened,
    fact.TableClosed,
    fact.GameDead,
    fact.DayBegan,
    fact.ShiftBegan,
    fact.TableConfigured,
    fact.TableChangeDue,
    fact.DealerSignedOn,
    fact.RecordDropped,
)
"""What is told of the table itself."""
CLOCKS = (fact.ClockTold, fact.ClockCompared)
ELSEWHERE = (
    say.OpenTable,
    say.CloseTable,
    say.AnswerFloor,
    say.VerifyPayout,
    say.InspectDice,
    say.RemoveDice,
    say.RemoveDeck,
    say.VoidRound,
)
"""Rulings that a report tells where they belong, and not among the overrides."""
CONSEQUENCES = (
    fact.AlarmCleared,
    fact.AlarmRaised,
    fact.CardsStubCounted,
    fact.DeckCounted,
    fact.DeckReceived,
    fact.DeckRemoved,
    fact.FloorRuled,
    fact.RoundVoided,
    fact.TableResumed,
    fact.TableSuspended,
)
"""What is done about a wrong count."""
COUNTS = frozenset({"count-stub", "count-deck", "shoe.stack-dispensed", "shoe.loaded"})
"""Announcements and readings that count cards: an irregularity of theirs is a discrepancy."""
RESTARTED = "the controller restarted"


class Fold:
    """Takes the facts of a span, in order."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._dealer = ""
        self._day, self._shift = report.day, report.shift
        self._deck = ""
        self._down: dict[str, tuple[Outage, int]] = {}
        self._received: dict[str, int] = {}
        self._open_calls: list[tuple[Wait, int]] = []
        self._open_payouts: list[tuple[Wait, int]] = []
        self._following: list[Discrepancy] = []
        self._last_at = 0
        self._entry = -1
        if report.opening:
            self._know(report.opening)
            report.opening = None

    def _know(self, opened: fact.RoundOpened) -> None:
        self._dealer, self._deck = opened.dealer, opened.deck
        self._day, self._shift = self._day or opened.day, self._shift or opened.shift
        for deck in opened.snapshot.decks:
            if deck.place is not Place.REMOVED and deck.deck not in self.report.decks:
                self.report.decks[deck.deck] = self._life(deck)
        dice = opened.snapshot.dice
        if dice and all(known.dice != dice.dice or known.removed for known in self.report.dice):
            self.report.dice.append(DiceLife(dice.dice, timestamp(dice.received)))
            self._received[f"dice {dice.dice}"] = dice.received

    def _life(self, deck: Deck) -> DeckLife:
        received = timestamp(deck.received) if deck.received else ""
        self._received[deck.deck] = deck.received
        return DeckLife(
            deck.deck, deck.back, 0, deck.place, deck.counted, deck.source, deck.seal, received, shuffles=deck.shuffle
        )

    def take(self, each: Happened) -> None:
        """Take one fact; what was taken back counts for nothing."""
        at = each.entry.said.at
        if each.entry.number != self._entry:
            self._begin_entry(each, at)
        self.report.ended, self.report.rows = timestamp(at), (self.report.rows[0], each.row)
        self._age(at)
        if each.taken_back:
            return
        for kinds, lines in ((TABLE, "table_lines"), (CLOCKS, "clocks")):
            if isinstance(each.fact, kinds):
                getattr(self.report, lines).append(self.line(each))
        if isinstance(each.fact, CONSEQUENCES):
            self._follow(each)
        handler = _TAKERS.get(type(each.fact))
        if handler:
            handler(self, each.fact, each)

    def _begin_entry(self, each: Happened, at: int) -> None:
        """Take what an entry says as a whole: a ruling, or a start of the controller."""
        body, self._entry = each.entry.said.body, each.entry.number
        if isinstance(body, say.Resume) and self._last_at:
            lasted = max(0, at - self._last_at) // MILLISECOND
            outage = Outage("controller", timestamp(self._last_at), each.row, "it was started again", lasted)
            self.report.outages.append(outage)
        if not isinstance(body, say.Configure):
            self._last_at = at
        if isinstance(body, (say.Ruling, say.ReturnDevice)) and not isinstance(body, ELSEWHERE):
            self._rule(each)

    def _rule(self, each: Happened) -> None:
        """Note a ruling by the most telling of its facts, unless it was refused."""
        facts = [stated.fact for stated in each.entry.facts]
        if any(isinstance(told, fact.AnnouncementRefused) for told in facts):
            return
        telling = (told for told in facts if isinstance(told, (fact.WagerCorrected, fact.RoundEntered)))
        told = next(telling, facts[0])
        line = self.line(each, told)
        if isinstance(told, fact.RoundStepAwaited):
            line.text = each.entry.said.body.name().replace("-", " ")
        self.report.rulings.append(line)

    def line(self, each: Happened, told: Fact | None = None) -> Line:
        """Return a fact as a line, in plain words."""
        told = told or each.fact
        data = msgspec.to_builtins(told)
        said = each.entry.said
        text = tell(told.name(), data, self.report.currency)
        return Line(
            timestamp(said.at), each.row, each.entry.round, text, said.by or said.source, data.get("clause", "")
        )

    # Dealers and rounds

    def stint(self, ts: str) -> Stint:
        """Return the present dealer's time at the table."""
        dealers = self.report.dealers
        if not dealers or dealers[-1].dealer != self._dealer:
            dealers.append(Stint(self._dealer, ts))
        return dealers[-1]

    def opened(self, told: fact.RoundOpened, each: Happened) -> None:
        """Begin a round: what was done about earlier counts is over."""
        self._know(told)
        self._dealer = told.dealer
        self._following = []
        self.report.rounds.first = self.report.rounds.first or told.round
        self.report.rounds.last = told.round
        if told.deck in self.report.decks:
            self.report.decks[told.deck].place = Place.SHOE
        del each

    def ended(self, told: fact.RoundEnded, each: Happened) -> None:
        """Count a round for its dealer and its deck."""
        rounds = self.report.rounds
        setattr(rounds, told.result, getattr(rounds, told.result) + 1)
        rounds.first, rounds.last = rounds.first or each.entry.round, each.entry.round
        self.stint(timestamp(each.entry.said.at)).rounds += 1
        if self._deck in self.report.decks:
            self.report.decks[self._deck].rounds += 1

    def settled(self, told: fact.RoundSettled, _: Happened) -> None:
        """Add up what was staked and paid."""
        rounds = self.report.rounds
        rounds.staked, rounds.paid = rounds.staked + told.staked, rounds.paid + told.paid
        rounds.collected += told.collected

    def entered(self, told: fact.RoundEntered, _: Happened) -> None:
        """Add a round that was entered afterwards; it stands among the rulings."""
        self.report.rounds.entered += 1
        self.settled(fact.RoundSettled(told.staked, told.paid, told.collected), _)

    def signed_on(self, told: fact.DealerSignedOn, each: Happened) -> None:
        """Change the dealer."""
        self._dealer = told.dealer
        self.stint(timestamp(each.entry.said.at))

    def period(self, told: fact.DayBegan | fact.ShiftBegan, _: Happened) -> None:
        """Note the day and shift that discrepancies are reported under."""
        self._day, self._shift = told.day, told.shift

    # What waited

    def called(self, told: fact.FloorCalled, each: Happened) -> None:
        """Note a call, which waits."""
        text = f"{told.reason} (play waits)" if told.hold else told.reason
        self._open_calls.append((self._wait(each, text), each.entry.said.at))
        self.report.calls.append(self._open_calls[-1][0])

    def _wait(self, each: Happened, text: str, clause: str = "") -> Wait:
        return Wait(timestamp(each.entry.said.at), each.row, each.entry.round, text, clause=clause)

    def answered(self, told: fact.FloorAnswered, each: Happened) -> None:
        """End the calls that wait."""
        self._came(self._open_calls, told.by, each.entry.said.at)

    def held(self, told: fact.PayoutHeld, each: Happened) -> None:
        """Note a large payout, which waits."""
        text = tell(told.name(), msgspec.to_builtins(told), self.report.currency).removesuffix(
            ": a supervisor verifies"
        )
        self._open_payouts.append((self._wait(each, text, told.clause), each.entry.said.at))
        self.report.payouts.append(self._open_payouts[-1][0])

    def ruled(self, told: fact.FloorRuled, each: Happened) -> None:
        """End the payouts that wait, where this verifies them."""
        if told.ruling == say.VerifyPayout.name():
            self._came(self._open_payouts, told.by, each.entry.said.at)

    @staticmethod
    def _came(waiting: list[tuple[Wait, int]], by: str, at: int) -> None:
        for wait, since in waiting:
            wait.by, wait.waited = by, max(0, at - since) // MILLISECOND
        waiting.clear()

    # What did not serve

    def down(self, what: str, reason: str, each: Happened, into: list[Outage]) -> None:
        """Note that something does not serve, unless that is known."""
        if what not in self._down:
            outage = Outage(what, timestamp(each.entry.said.at), each.row, reason)
            self._down[what] = outage, each.entry.said.at
            into.append(outage)

    def up(self, what: str, each: Happened) -> None:
        """Note that it serves again."""
        outage, since = self._down.pop(what, (None, 0))
        if outage:
            outage.lasted = max(0, each.entry.said.at - since) // MILLISECOND

    def offline(self, told: fact.DeviceWentOffline, each: Happened) -> None:
        """Note a device that was lost; at a start of the controller each is looked for, which is no loss."""
        if told.reason != RESTARTED:
            self.down(told.device, told.reason, each, self.report.outages)

    def suspended(self, told: fact.TableSuspended, each: Happened) -> None:
        """Note that play is held."""
        self.down("play", told.reason, each, self.report.held)

    # Decks and dice

    def _age(self, at: int) -> None:
        """Let what is at the table grow older; once removed, it does not."""
        for deck in self.report.decks.values():
            if not deck.removed and self._received.get(deck.deck):
                deck.age = (at - self._received[deck.deck]) // MILLISECOND
        for dice in self.report.dice:
            received = self._received.get(f"dice {dice.dice}")
            if not dice.removed and received:
                dice.age = (at - received) // MILLISECOND

    def received(self, told: fact.DeckReceived, each: Happened) -> None:
        """Begin the life of a deck."""
        said = each.entry.said
        self._received[told.deck] = said.at
        self.report.decks[told.deck] = DeckLife(
            told.deck,
            told.back,
            told.size,
            Place.RACK,
            Counted.NOT,
            told.source,
            told.seal,
            timestamp(said.at),
            said.by or said.source,
        )

    def deck(self, name: str, **changes: Any) -> None:
        """Change what is known of a deck."""
        life = self.report.decks.get(name)
        for field, value in changes.items() if life else ():
            setattr(life, field, value)

    def shuffled(self, told: fact.DeckShuffled, each: Happened) -> None:
        """Note a shuffle, and what its machine counted."""
        self.deck(told.deck, place=Place.READY, counted=told.counted, shuffles=told.shuffle)
        if told.counted is Counted.WRONG:
            self._discrepant(each, told.deck, "the shuffler counted the deck", told.count, told.expected)

    def removed(self, told: fact.DeckRemoved, each: Happened) -> None:
        """End the life of a deck."""
        self.deck(told.deck, place=Place.REMOVED, removed=self.line(each))

    def dice_received(self, told: fact.DiceReceived, each: Happened) -> None:
        """Begin the life of a set of dice."""
        self._received[f"dice {told.dice}"] = each.entry.said.at
        self.report.dice.append(DiceLife(told.dice, timestamp(each.entry.said.at)))

    def dice_inspected(self, told: fact.DiceInspected, each: Happened) -> None:
        """Note the pit boss's look."""
        self._dice(told.dice).inspections.append(self.line(each))

    def dice_removed(self, told: fact.DiceRemoved, each: Happened) -> None:
        """End the life of a set of dice."""
        self._dice(told.dice).removed = self.line(each)

    def _dice(self, name: str) -> DiceLife:
        """Return a set of dice; one that came before the span, and was in no round of it, is known by name alone."""
        for dice in reversed(self.report.dice):
            if dice.dice == name:
                return dice
        self.report.dice.append(DiceLife(name))
        return self.report.dice[-1]

    # Counts

    def stub_counted(self, told: fact.CardsStubCounted, each: Happened) -> None:
        """Note a count of the stub; one that differs is a discrepancy."""
        right = told.count == told.expected and not told.wrong_hands
        self._counted(self._deck, each, right=right)
        if not right:
            self._discrepant(each, self._deck, "the stub was counted", told.count, told.expected)
            self.report.discrepancies[-1].wrong_hands = told.wrong_hands

    def deck_counted(self, told: fact.DeckCounted, each: Happened) -> None:
        """Note a count of a whole deck."""
        right = told.count == told.expected
        self._counted(told.deck, each, right=right)
        if not right:
            self._discrepant(each, told.deck, "the whole deck was counted by hand", told.count, told.expected)

    def _counted(self, deck: str, each: Happened, *, right: bool) -> None:
        """Add up the counts that were right, and keep each that was wrong."""
        life = self.report.decks.get(deck)
        if life and right:
            life.counted_right, life.last_right = life.counted_right + 1, timestamp(each.entry.said.at)
        elif life:
            life.counts.append(self.line(each))

    def irregular(self, told: fact.IrregularityFound, each: Happened) -> None:
        """Note an irregularity; one of a count is a discrepancy too."""
        self.report.irregularities.append(self.line(each))
        if told.reading in COUNTS:
            said = each.entry.said.body
            deck, count = getattr(said, "deck", self._deck), getattr(said, "count", None)
            self._discrepant(each, deck, told.text, count, None, told.awaited)

    def _discrepant(  # noqa: PLR0913, PLR0917 - each is one line of the form
        self, each: Happened, deck: str, what: str, counted: int | None, expected: int | None, awaited: str = ""
    ) -> None:
        line, life = self.line(each), self.report.decks.get(deck)
        found = Discrepancy(
            line.ts, line.row, line.round, self._day, self._shift, self._dealer, what, line.by, line.clause, deck
        )
        if life:
            found.back, found.shuffle, found.received = life.back, life.shuffles, life.received
        found.counted, found.expected, found.awaited = counted, expected, awaited
        self.report.discrepancies.append(found)
        self._following.append(found)

    def _follow(self, each: Happened) -> None:
        for found in self._following:
            if found.row < each.row:
                found.followed.append(self.line(each))

    def refused(self, _: fact.AnnouncementRefused | fact.AnnouncementTurnedAway, __: Happened) -> None:
        """Count what was refused."""
        self.report.refusals += 1


_TAKERS: dict[type[Fact], Callable[[Fold, Any, Happened], None]] = {
    fact.RoundOpened: Fold.opened,
    fact.RoundEnded: Fold.ended,
    fact.RoundSettled: Fold.settled,
    fact.RoundEntered: Fold.entered,
    fact.RoundVoided: lambda fold, _, each: fold.report.voids.append(fold.line(each)),
    fact.DayBegan: Fold.period,
    fact.ShiftBegan: Fold.period,
    fact.DealerSignedOn: Fold.signed_on,
    fact.FloorCalled: Fold.called,
    fact.FloorAnswered: Fold.answered,
    fact.FloorRuled: Fold.ruled,
    fact.PayoutHeld: Fold.held,
    fact.TableSuspended: Fold.suspended,
    fact.TableResumed: lambda fold, _, each: fold.up("play", each),
    fact.DeviceWentOffline: Fold.offline,
    fact.DeviceCameOnline: lambda fold, told, each: fold.up(told.device, each),
    fact.DeckReceived: Fold.received,
    fact.DeckShuffleBegan: lambda fold, told, _: fold.deck(told.deck, place=Place.SHUFFLER),
    fact.DeckShuffled: Fold.shuffled,
    fact.DeckLoaded: lambda fold, told, _: fold.deck(told.deck, place=Place.SHOE),
    fact.DeckMoved: lambda fold, told, _: fold.deck(told.deck, place=told.place),
    fact.DeckRemoved: Fold.removed,
    fact.DeckCounted: Fold.deck_counted,
    fact.CardsStubCounted: Fold.stub_counted,
    fact.DiceReceived: Fold.dice_received,
    fact.DiceInspected: Fold.dice_inspected,
    fact.DiceRemoved: Fold.dice_removed,
    fact.IrregularityFound: Fold.irregular,
    fact.AnnouncementRefused: Fold.refused,
    fact.AnnouncementTurnedAway: Fold.refused,
    fact.RecordRead: lambda fold, _, each: fold.report.reads.append(fold.line(each)),
}
