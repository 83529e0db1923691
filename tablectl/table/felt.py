"""What lies on the felt and stands beside it, and everything that can be done there.

The steps' procedures and the handlers of announcements and readings act through these methods alone; what is taken,
and how the script goes on, is the :class:`~tablectl.table.table.Table`'s.
"""

from collections.abc import Collection, Iterable
from typing import Any

from msgspec.structs import replace

from tablectl.cards import UNSEEN, Card
from tablectl.custody import SHOE, Custody
from tablectl.events import facts as fact
from tablectl.events.codec import Input
from tablectl.events.facts import Alarm, Deck, Device, Fact
from tablectl.events.readings import Reading, ShoeStackDispensed
from tablectl.ledger import Key
from tablectl.rulebook import Clause, Outcome
from tablectl.script import STUB
from tablectl.table import troubles
from tablectl.table.dealing import command_id
from tablectl.table.procedure import Procedure
from tablectl.table.round import Round
from tablectl.table.trial import Trial
from tablectl.terms import Terms

NEEDED = ("stack-shoe", "card-shoe", "shaker")
"""Kinds without which no round is dealt; a shuffler may fail, its count duty then falls to people."""

SHOE_EMPTY = "shoe empty"
"""The clause by which the discards finish a round whose shoe ran out."""
SHORT, REFILL = "short", "refill"
"""What holds a table whose deck ran out in mid-round: first for a shuffle of the discards, then for the shoe."""

CONSEQUENCES = (
    fact.CardsDiscarded,
    fact.CardsStubCounted,
    fact.CardsTakenAway,
    fact.RoundDecided,
    fact.RoundHandSplit,
    fact.WagerSettled,
)
"""Facts by which a card has had its effect: it is not taken back any more as one that lay face up."""


class Felt:
    """One table, as procedures and handlers see it."""

    terms: Terms
    custody: Custody

    def _reset(self) -> None:
        self._facts: list[Fact] = []
        self._history: list[tuple[Input, tuple[Fact, ...]]] = []
        self._commands_given = 0
        self.open = False
        self.dealer = ""
        self.round_number = 0
        self.round: Round | None = None
        self.trial: Trial | None = None
        self.devices: dict[str, Device] = {}
        self.alarms: dict[str, Alarm] = {}
        self.suspended: dict[str, str] = {}
        self.commands: dict[str, Any] = {}
        self.ordered_of: dict[str, str] = {}
        """The boot of its device in which each command was ordered, kept until the next round is opened."""
        self.doubts: dict[str, Any] = {}
        self.last_wagers: tuple[fact.Placed, ...] = ()
        self.card_wanted = False
        self.sensed: dict[tuple[str, str], bool] = {}
        self.bank = fact.BankRecord()
        self.last_paid: dict[Key, int | None] = {}
        self.day = ""
        self.shift = ""
        self.coming: fact.DayBegan | fact.ShiftBegan | None = None
        self.dice: fact.DiceSet | None = None
        self.call: fact.FloorCall | None = None

    @property
    def in_play(self) -> bool:
        """Tell whether the round under way is more than open: somebody wagered, or wagers are closed."""
        return self.round is not None and bool(self.round.closed_by or self.round.ledger.wagers)

    def turn_day(self) -> None:
        """Begin the gaming day or shift that is due."""
        if self.coming:
            self.day, self.shift = self.coming.day, self.coming.shift
            self.tell(self.coming)
            self.coming = None

    def _end_round(self, result: str) -> None:
        raise NotImplementedError

    def start(self) -> list[Fact]:
        """Begin to tell anew, and return the list that fills with it."""
        self._facts = []
        return self._facts

    def tell(self, stated: Fact) -> None:
        """State a fact."""
        self._facts.append(stated)

    def tell_all(self, facts: Iterable[Fact]) -> None:
        """State facts, in this order."""
        self._facts.extend(facts)

    def order(self, due: Any) -> None:
        """State what a device is to do, and remember it until its outcome is known."""
        self.commands[due.command] = due
        self.ordered_of[due.command] = self.devices[due.device].boot
        self.tell(due)

    def end(self, command: str) -> None:
        """Note that a command was carried out; a late outcome also ends a doubt."""
        due = self.commands.pop(command, None)
        if command in self.doubts:
            self.settle_doubt(command, "done", "the device")
        elif due is not None:
            self.tell(fact.CommandEnded(command, "done"))

    def lock_shoe(self) -> None:
        """Lock a card shoe that was unlocked for a card which is no longer due."""
        if due := self.end_card():
            self.tell(fact.CardsLocked(self.new_command(), due.device))

    def end_card(self) -> fact.CardDue | None:
        """Forget the card that was due, and return it, if one was."""
        due = self.card_due()
        if due:
            del self.commands[due.command]
        return due

    def card_due(self) -> fact.CardDue | None:
        """Return the card for which the shoe is unlocked, if it is."""
        for due in self.commands.values():
            if isinstance(due, fact.CardDue):
                return due
        return None

    def card_came(self) -> None:
        """Note that the card that was due came; that also ends a doubt about it."""
        self.end_card()
        if self.doubts:
            for command in [command for command, what in self.doubts.items() if isinstance(what, fact.CardDue)]:
                self.settle_doubt(command, "done", "the device")

    def end_shuffle(self) -> None:
        """Note that the shuffle that was ordered has begun."""
        for command in [key for key, what in self.commands.items() if isinstance(what, fact.ShuffleDue)]:
            self.end(command)

    def settle_doubt(self, command: str, outcome: str, by: str) -> None:
        """End the doubt about a command, or about one that its device cannot tell of any more."""
        (self.doubts if command in self.doubts else self.commands).pop(command)
        self.tell(fact.CommandEnded(command, outcome, by))
        self.release(f"doubt:{command}")

    def proceed(self, said: Input, *readings: Reading) -> None:
        """Take what people found as if the device had said it."""
        for reading in readings:
            if self.round and self.round.procedure:
                self.round.procedure.take(replace(said, body=reading))

    def new_command(self) -> str:
        """Return the id of the next command of this round."""
        self._commands_given += 1
        return command_id(self.terms.table, self.round_number, self._commands_given)

    def device(self, kind: str) -> str:
        """Return the id of the device of this kind, empty where the table has none in service."""
        device = self.terms.devices.get(kind, "")
        return "" if device and (self.devices[device].out or self.devices[device].untested) else device

    def meant(self, device: str) -> str:
        """Return the serial number that a device must answer with, empty for any: a swap stands over the table file."""
        return self.devices[device].meant or self.terms.serials.get(device, "")

    def tested(self, device: str, *, passed: bool) -> None:
        """Note the result of a device's test; what was not tested yet is used once it has passed."""
        known = self.devices[device]
        if passed:
            self.devices[device] = replace(known, untested="")
        elif not known.untested:
            self.devices[device] = replace(known, untested="it did not pass its test")

    def is_offline(self, kind: str) -> bool:
        """Tell whether the device of this kind does not answer."""
        return not self.devices[self.device(kind)].online

    def needs(self, device: str) -> bool:
        """Tell whether this round cannot be dealt without this device."""
        return any(self.device(kind) == device for kind in NEEDED)

    @property
    def is_dealt_by_device(self) -> bool:
        """Tell whether a shoe counts the cards that are dealt now, so that each was counted before people saw it."""
        by_hand = self.round and self.round.stub_out
        return bool(self.device("card-shoe") or (self.device("stack-shoe") and not by_hand))

    def deck_in_shoe(self) -> Deck:
        """Return the deck that is being dealt."""
        deck = self.custody.at(SHOE)
        if deck is None:
            raise LookupError("no deck is in the shoe")
        return deck

    def deal(
        self, hand: str, cards: tuple[Card, ...], clause: Clause, *, stack: int = 0, left: int | None = None
    ) -> None:
        """Give cards of the deck in the shoe to a hand."""
        deck = self.custody.take(len(cards))
        if self.round:
            self.round.give(hand, cards)
        self.tell(fact.CardsDealt(hand, cards, deck.deck, stack, left, clause.cites))

    def deal_each(self, hands: tuple[str, ...], count: int, clause: Clause) -> None:
        """Give each of these hands so many unseen cards of the deck in the shoe."""
        deck, unseen = self.custody.take(len(hands) * count), (UNSEEN,) * count
        for hand in hands:
            if self.round:
                self.round.give(hand, unseen)
            self.tell(fact.CardsDealt(hand, unseen, deck.deck, 0, None, clause.cites))

    def show(self, hand: str, cards: tuple[Card, ...], device: str) -> None:
        """Turn cards of a hand face up, or name those that lie so already.

        Raises:
            Refused: more cards than lie there unseen, or a card that lies elsewhere.
        """
        if self.round:
            late = self.round.name(hand, cards)
            self.tell(fact.CardsExposed(hand, cards, device, late))

    def interrupt(self, procedure: Procedure[Any]) -> None:
        """Carry out something else before the step under way goes on."""
        if self.round and self.round.procedure:
            self.round.paused.append(self.round.procedure)
            self.round.procedure = procedure

    def last_dealt(self) -> fact.CardsDealt | None:
        """Return the last cards that went to a hand, None once anything followed from them."""
        told = (happened for _, facts in reversed(self._history) for happened in reversed(facts))
        last = next((happened for happened in told if isinstance(happened, (fact.CardsDealt, *CONSEQUENCES))), None)
        if isinstance(last, fact.CardsDealt) and self.round and self.round.last_hand == last.hand:
            return last
        return None

    def is_short(self, cards: int, beside: int = 0) -> bool:
        """Tell whether the deck holds fewer cards than are due; then the table waits, as :meth:`run_out` says.

        beside: cards that left the shoe already and are dealt next.
        """
        left = self.deck_in_shoe().left
        if left is None or left + beside >= cards:
            return False
        self.run_out(f"{cards} cards are due, and the deck holds {left}")
        return True

    def run_out(self, text: str) -> None:
        """Wait for the discards to be shuffled, where the rules finish a round with them, or for a void."""
        clause = self.terms.rules.clauses.get(SHOE_EMPTY)
        way_out = f"shuffle and cut the discards ({clause.cites}), or void the round" if clause else "void the round"
        self.suspend(SHORT, f"{text}; {way_out}")

    def count_out(self, cards: int) -> None:
        """Note that cards left the deck without reaching a hand."""
        if self.custody.at(SHOE):
            self.custody.take(cards)
        if self.round:
            self.round.dealt += cards
            self.round.aside += cards

    def discard(self, place: str, cards: int, clause: str) -> None:
        """Put cards that reached no hand to the discard rack, unexposed."""
        self.count_out(cards)
        self.tell(fact.CardsDiscarded(place, (UNSEEN,) * cards, clause))

    def put_aside_out_of_turn(self, place: str = "shoe", clause: str = "") -> None:
        """Put cards that came out of turn to the discard rack; they were counted when they came."""
        if self.round and self.round.out_of_turn:
            self.tell(fact.CardsDiscarded(place, (UNSEEN,) * self.round.out_of_turn, clause))
            self.round.out_of_turn = 0

    def bring_back_waiting(self) -> None:
        """Take the card that came out of turn as the one that is dealt now."""
        if self.round:
            self.custody.take(-1)
            self.round.dealt -= 1
            self.round.aside -= 1
            self.round.waiting -= 1

    def paid_in(self, number: int) -> dict[Key, int | None] | None:
        """Return what was paid on each wager of this round, None of one before the last."""
        if self.round and number == self.round.number:
            return self.round.ledger.paid_on
        return self.last_paid if number == self.round_number - bool(self.round) else None

    def correct(self, corrected: fact.WagerCorrected) -> None:
        """State a correction; the next one of the same wager is held against it."""
        known = self.paid_in(corrected.round)
        if known:
            known[corrected.hand, corrected.owner, corrected.wager] = corrected.due
        if self.round and corrected.round == self.round.number:
            self.round.ledger.paid += (corrected.due or 0) - (corrected.was or 0)
        self.tell(corrected)

    def check_stack(self, stack: ShoeStackDispensed, size: int) -> None:
        """Hold the round when a stack is not what was ordered, or the shoe does not hold what must be left."""
        due = self.custody.size - (self.round.dealt if self.round else 0)
        if stack.size == size and stack.left == due:
            return
        text = f"stack {stack.stack} held {stack.size} of {size} cards and left {stack.left} of {due} in the shoe"
        self.tell(fact.IrregularityFound(stack.name(), f"{size} cards", text))
        self.suspend("stack", text)

    def remove_deck(self, name: str, reason: str, clause: str, by: str = "") -> None:
        """Take a deck from the table for good, and with it what waited for that."""
        self.tell_all(self.custody.remove(name, reason, clause))
        for due in [due for due in self.commands.values() if isinstance(due, fact.ShuffleDue) and due.deck == name]:
            del self.commands[due.command]
            self.tell(fact.CommandEnded(due.command, "unknown", f"deck {name} was removed"))
        for alarm in (f"deck:{name}", f"shuffle:{name}"):
            self.clear_alarm(alarm, by, reason)

    def void_wagers(self, hand: str = "", clause: str = "", spared: Collection[str] = ()) -> None:
        """Give back what is unsettled, but for wagers of some names; what was settled stands."""
        if self.round:
            void = Clause(clause, outcome=Outcome.VOID)
            for wager in self.round.ledger.open(hand):
                if wager.name not in spared:
                    self.tell(self.round.ledger.settle(wager, void))

    def void(self, reason: str, clause: str, by: str = "", *, counted: bool = True) -> None:
        """Void the round: wagers back, cards to the rack, the stub out of the shoe.

        counted: the cards in the shoe are as many as the table thinks.
        """
        if not self.round:
            return
        self.tell(fact.RoundVoided(reason, clause, by))
        self.void_wagers(clause=clause)
        for hand, cards in self.round.hands.items():
            self.tell(fact.CardsDiscarded(hand, tuple(cards), clause))
        dropped = [key for key, due in self.commands.items() if not isinstance(due, (fact.ShuffleDue, fact.CardDue))]
        moving = any(isinstance(self.commands[command], (fact.StackDue, fact.StubDue)) for command in dropped)
        for command in dropped:
            del self.commands[command]
            self.tell(fact.CommandEnded(command, "unknown", "the round was voided"))
        self._void_stub(counted=counted and not moving)
        self._end_round("void")

    def _void_stub(self, *, counted: bool = True) -> None:
        """Have what a stack shoe still holds taken out: by the shoe, if the count is certain, else by people.

        An order that waits with a count that is wrong could find it right in the next deck, and throw that out.
        """
        device, deck = self.device("stack-shoe"), self.custody.at(SHOE)
        released = self.round and self.round.stub_out
        if device and deck and deck.left and not released and self.devices[device].online:
            if counted:
                self.order(fact.StubDue(self.new_command(), device, deck.left))
            self.tell(fact.CardsDiscarded(STUB, (UNSEEN,) * deck.left))

    def suspend(self, key: str, reason: str) -> None:
        """Hold the table for a reason."""
        if key not in self.suspended:
            self.suspended[key] = reason
            self.tell(fact.TableSuspended(reason))

    def release(self, key: str) -> None:
        """Take back one reason; play goes on with the last. Until then the newest that holds is the one told."""
        newest = next(reversed(self.suspended), None)
        reason = self.suspended.pop(key, None)
        if reason is not None and not self.suspended:
            self.tell(fact.TableResumed(reason))
        elif key == newest and self.suspended:
            self.tell(fact.TableSuspended(next(reversed(self.suspended.values()))))

    def raise_alarm(self, alarm: str, text: str, clause: str = "", *, latched: bool = False) -> None:
        """Raise an alarm, once."""
        if alarm not in self.alarms:
            self.alarms[alarm] = Alarm(alarm, text, clause, latched)
            self.tell(fact.AlarmRaised(alarm, text, clause, latched))

    def clear_alarm(self, alarm: str, by: str = "", reason: str = "") -> None:
        """Clear an alarm that is over."""
        if self.alarms.pop(alarm, None):
            self.tell(fact.AlarmCleared(alarm, by, reason))

    def offline(self, device: str, reason: str, detail: str = "") -> None:
        """Note that a device does not answer. detail: who does in its place."""
        known = self.devices[device]
        if not known.online and (known.reason, known.detail) == (reason, detail):
            return
        self.devices[device] = replace(known, online=False, reason=reason, detail=detail)
        self.tell(fact.DeviceWentOffline(device, reason, detail))
        # An alarm from before tells of another reason.
        self.alarms.pop(f"offline:{device}", None)
        text = troubles.offline(device, reason, detail)
        self.raise_alarm(f"offline:{device}", text)
        if device == self.device("shuffler"):
            self._lose_shuffle(device)
        if self.round and self.needs(device):
            self.suspend(f"device:{device}", text)

    def _lose_shuffle(self, device: str) -> None:
        """Leave a deck in a lost shuffler: the device tells what became of it, or people do."""
        deck = self.custody.count_unknown()
        if deck:
            text = f"{device} was lost while it shuffled deck {deck.deck}, and has not said what became of it"
            self.raise_alarm(f"shuffle:{deck.deck}", text, latched=True)

    @property
    def count_clause(self) -> str:
        """Return the section under which a deck with a wrong number leaves the table."""
        clause = self.terms.rules.clauses.get("shuffler count")
        return clause.cites if clause else "13:69E-1.18"
