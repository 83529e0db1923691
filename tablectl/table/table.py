"""``Table.accept(input) -> facts``: drives one script after another, deterministically."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from tablectl.custody import SHOE, Custody
from tablectl.errors import ConfigError
from tablectl.events import facts as fact
from tablectl.events.announcements import (
    Announcement,
    Configure,
    DoubtRecord,
    ExposeCards,
    PlaceWager,
    ReportBroker,
    ReportPower,
    Resume,
    Role,
    Stop,
    Undo,
)
from tablectl.events.codec import Input
from tablectl.events.facts import Deck, Device, Fact, Place, Snapshot
from tablectl.events.readings import ReaderCardSeen, Reading, ShoeCardDrawn, ShoeStackDispensed, ShoeStubReleased
from tablectl.events.record import ContinueRecord, TurnRecord
from tablectl.rulebook import NOTICE, Notice
from tablectl.script import (
    CountStub,
    Deal,
    Discard,
    Expose,
    Judge,
    Offer,
    OfferBank,
    OpenWagers,
    Pay,
    PayBand,
    PayOdds,
    ReleaseStub,
    RollDice,
    Set,
    Settle,
    SettleBank,
    Split,
    Step,
    Turn,
    Verify,
)
from tablectl.table import conditions, day, devices, floor, rulings, service, troubles
from tablectl.table.banking import Banking, BankSettling
from tablectl.table.counting import Counting
from tablectl.table.dealing import command_id, many
from tablectl.table.felt import NEEDED, Felt
from tablectl.table.offering import Offering
from tablectl.table.procedure import WAIT, Procedure
from tablectl.table.rolling import Rolling
from tablectl.table.round import Round
from tablectl.table.settling import Banding, Discarding, Paying, PayingOdds, Settling, Verifying
from tablectl.table.showing import Exposing, Judging, Setting
from tablectl.table.stacks import StubRelease, dealing
from tablectl.table.turning import Splitting, Turning
from tablectl.table.wagering import Wagering
from tablectl.terms import Mode, Refused, Terms, lowered

PROCEDURES: dict[type[Step[Any]], Callable[..., Procedure[Any]]] = {
    OfferBank: Banking,
    OpenWagers: Wagering,
    RollDice: Rolling,
    Deal: dealing,
    ReleaseStub: StubRelease,
    CountStub: Counting,
    Expose: Exposing,
    Set: Setting,
    Judge: Judging,
    Offer: Offering,
    Turn: Turning,
    Split: Splitting,
    Settle: Settling,
    SettleBank: BankSettling,
    Pay: Paying,
    PayOdds: PayingOdds,
    PayBand: Banding,
    Verify: Verifying,
    Discard: Discarding,
}
PROGRAM_CHANGED = "configuration"
STOPPED = "stopped"
INTENTS = (fact.StackDue, fact.StubDue, fact.CardDue, fact.CardsLocked, fact.RollDue, fact.ShuffleDue)
"""Facts by which a device moves or a shoe is locked; what caused one is not undone with a touch."""


class Table(Felt):
    """One table. The first input configures it; everything it will ever know comes through :meth:`accept`.

    build: makes the table's terms of a configuration's texts, the same terms of the same texts.
    """

    def __init__(self, build: Callable[[Configure], Terms]) -> None:
        self._build = build
        self._reset()

    def _reset(self) -> None:
        super()._reset()
        self._configured: Configure | None = None
        self._next: tuple[Configure, Terms] | None = None
        self._prompt: fact.RoundStepAwaited | None = None
        self._opened: fact.RoundOpened | None = None
        self._opened_under: Configure | None = None
        self.turning = False
        """Whether the record is to go on in a new volume before the next round."""

    # What the world calls

    def accept(self, said: Input) -> tuple[Fact, ...]:
        """Take one input and state what followed; a refused announcement changes nothing and says so.

        Raises:
            ConfigError: a configuration that cannot be played by.
        """
        self.start()
        opened = self._opened
        try:
            aside = ASIDE.get(type(said.body))
            if aside:
                check_role(said.body, said.source)
                return aside(self, said)
            self._take(said)
        except Refused as refused:
            return self._refuse(said, refused)
        self._drive()
        facts = tuple(self._facts)
        if self._opened is opened:
            self._history.append((said, facts))
        return facts

    def note(self, said: Input) -> tuple[Fact, ...]:
        """State what is said beside the game; undoing what went before passes it over."""
        return (day.ASIDE[type(said.body)](said.body, said),)

    def turn(self, said: Input) -> tuple[Fact, ...]:
        """Have the record go on in a new volume; undoing passes that over too."""
        del said
        self.turning = True
        return ()

    def _refuse(self, said: Input, refused: Refused) -> tuple[Fact, ...]:
        """State the refusal; it counts with what it followed, so that undoing that leaves no fact between."""
        late = tuple(self._late(said, refused))  # which may change why the announcement is refused
        facts = (*late, refused.fact(said.body.name()))
        if self._history:
            last, followed = self._history[-1]
            self._history[-1] = last, followed + facts
        return facts

    def restore(self, configured: Configure, opened: fact.RoundOpened) -> None:
        """Put the table where it stood when this round was opened; the inputs after it make up the rest.

        Raises:
            ConfigError: as :meth:`accept`.
        """
        self._restore(configured, opened.snapshot)
        self._drive()

    def _restore(self, configured: Configure, before: Snapshot) -> None:
        self._reset()
        self._apply(configured, self._build(configured))
        self.open, self.dealer, self.round_number = before.open, before.dealer, before.round
        self.custody = self._custody(before.decks)
        self.devices |= {device.device: device for device in before.devices}
        self.alarms = {alarm.alarm: alarm for alarm in before.alarms}
        self.commands = {command.command: command for command in before.commands}
        self.ordered_of = dict(before.ordered_of)
        self.last_wagers = before.last_wagers
        self.sensed = dict.fromkeys(before.sensed, True)
        self.bank = before.bank
        self.day, self.shift, self.dice, self.call = before.day, before.shift, before.dice, before.call
        self.last_paid = {(hand, owner, wager): paid for hand, owner, wager, paid in before.last_paid}

    def continuation(self) -> ContinueRecord | None:
        """Return the words with which the next volume of the record begins, None while it cannot begin or need not."""
        open_orders = any(not isinstance(due, (fact.ShuffleDue, fact.StubDue)) for due in self.commands.values())
        busy = self.round or self.trial or self.suspended or self.doubts or self._next or open_orders
        if not self.turning or busy or not self._configured:
            return None
        return ContinueRecord(self._configured, self._snapshot(self.round_number))

    # Taking

    def _take(self, said: Input) -> None:
        body = said.body
        if isinstance(body, Announcement):
            self._take_announcement(body, said)
        elif said.source in self.devices:
            self._take_reading(body, said)
        else:
            raise Refused("device", f"one of {', '.join(self.devices)}", f"{said.source} is no device of this table")

    def _take_announcement(self, body: Announcement, said: Input) -> None:
        check_role(body, said.source)
        if not self._configured and not isinstance(body, Configure | ContinueRecord):
            raise Refused("not-configured", "the configuration", f"{body.name()} came before the configuration")
        handler = HANDLERS.get(type(body))
        if handler:
            handler(self, body, said)
        else:
            self._to_step(said)

    def take_own(self, body: Announcement, said: Input) -> None:
        """Take what is about the table itself."""
        match body:
            case Configure():
                self._configure(body, said.at)
            case Resume():
                self._resume(body)
            case Stop():
                self._stop()
            case ReportBroker(lost=lost):
                self._report("broker", f"The broker is lost: {lost}" if lost else "")
            case ReportPower(trouble=trouble):
                self._report("power", f"The board is {trouble}; devices may be lost" if trouble else "")
            case Undo():
                self._undo(said)
            case DoubtRecord(reason=reason):
                self.raise_alarm("record", reason, latched=True)
                self.suspend("record", reason)
            case ContinueRecord():
                self._continue(body)

    def _to_step(self, said: Input) -> None:
        """Give an announcement to the step that is under way."""
        if not self.round or not self.round.procedure:
            raise Refused("not-awaited", self._awaited().prompt, f"{said.body.name()} is not awaited: no round is open")
        if self.suspended:
            raise Refused("suspended", "the supervisor", "; ".join(self.suspended.values()))
        if not (self.round.procedure.take(said) or self._named_late(said)):
            awaited = self._awaited()
            raise Refused("not-awaited", awaited.prompt, f"{said.body.name()} is not awaited now", awaited.clause)

    def _named_late(self, said: Input) -> bool:
        """Take the face of a card that was dealt face up and not read: no step waits for it, and each takes it."""
        unread = self.round.unread if self.round else ()
        match said.body:
            case ExposeCards(hand=hand, cards=cards) if hand in unread:
                if len(cards) > unread.count(hand):
                    due = unread.count(hand)
                    raise Refused("cards", many(due), f"{many(due)} at {hand} lie face up and have no name yet")
                self.show(hand, cards, "")
            case ReaderCardSeen(area=hand, card=card) if hand in unread:
                self.show(hand, (card,), said.source)
            case _:
                return False
        return True

    def _take_reading(self, body: Reading, said: Input) -> None:
        if said.boot:
            if self.devices[said.source].boot not in ("", said.boot):
                conditions.restarted(self, said.source)
            device = self.devices[said.source]
            self.devices[said.source] = replace(device, boot=said.boot, number=said.number or device.number)
        try:
            self._hear(body, said)
        except Refused as refused:
            self._irregular(said, refused.awaited, refused.text, refused.clause)

    def _hear(self, body: Reading, said: Input) -> None:
        """Give a reading to the step that is under way, else to whom it may concern."""
        if self.devices[said.source].out and not isinstance(body, service.OF_ITSELF):
            raise Refused("device", "the dealer's word", f"{said.source} is out of service")
        if self.trial and self.trial.take(said):
            return
        if self.devices[said.source].untested and not isinstance(body, service.OF_ITSELF):
            raise Refused("device", "its test", f"{said.source} is not used before it was tested")
        handler = devices.HANDLERS.get(type(body))
        if self.round and self.round.procedure and (self.round.procedure.take(said) or self._named_late(said)):
            return
        if handler:
            handler(self, body, said)
        elif isinstance(body, ShoeStubReleased) and body.command in self.commands:
            self.end(body.command)
        elif not isinstance(body, devices.QUIET):
            self._unawaited(said)

    def _unawaited(self, said: Input) -> None:
        """State that nobody awaited this; cards that left the shoe are counted, and hold the table."""
        body, awaited = said.body, self._awaited()
        if isinstance(body, ShoeStackDispensed) and self._told_before(body.command):
            self._irregular(said, awaited.prompt, f"stack {body.stack} was told before", awaited.clause)
            return
        cards = body.size if isinstance(body, ShoeStackDispensed) else 1 if isinstance(body, ShoeCardDrawn) else 0
        self._irregular(said, awaited.prompt, f"{said.source} says {body.name()}", awaited.clause)
        if not cards:
            return
        if isinstance(body, ShoeStackDispensed):
            self.commands.pop(body.command, None)
            if self.round:
                self.round.carried_out.add(body.command)
        if self.round and isinstance(body, ShoeCardDrawn):
            self.count_out(cards)
            self.round.out_of_turn += cards
            self.suspend("out-of-turn", f"{many(cards)} left {said.source} out of turn: the next card, or burned?")
            return
        self.discard("shoe", cards, awaited.clause)
        if not self.round and self.terms.game.reshuffle == "round":
            self._void_stub()
            self.tell_all(self.custody.out_of_play())
        self.suspend("irregularity", f"{many(cards)} left {said.source} out of turn")

    def _told_before(self, command: str) -> bool:
        """Tell whether this command's stack came out already in this round; an unordered stack has no command."""
        return bool(command and self.round and command in self.round.carried_out)

    def _irregular(self, said: Input, awaited: str, text: str, clause: str) -> None:
        self.tell(fact.IrregularityFound(said.body.name(), awaited, text, clause, said.source))

    def _late(self, said: Input, refused: Refused) -> Iterable[Fact]:
        """Chips cannot be refused: a wager after the close is told as late, with the clause that closed it."""
        body = said.body
        if isinstance(body, PlaceWager) and self.round and self.round.closed_by and self._is_late(body, refused):
            refused.code, refused.clause = "late-wager", self.round.closed_by
            refused.awaited, refused.text = "the next round", "wagers are closed; late wager, no action"
            yield fact.WagerLate(body.hand, body.wager, self.round.closed_by, body.amount, body.owner)

    def _is_late(self, wager: PlaceWager, refused: Refused) -> bool:
        """Tell whether the wager came after the close; while the table is held a later one may still be due."""
        opening = any(kind.name == wager.wager for kind in self.terms.rules.opening)
        return refused.code == "not-awaited" or (refused.code == "suspended" and opening)

    # Driving

    def _drive(self) -> None:
        """Let the script go as far as it can, open the next round when it may, and say what is awaited."""
        while True:
            if not self.round:
                if not self._open_round():
                    break
            elif self.suspended or not self._step():
                if self.custody.alternates:
                    self._order_shuffle()  # of a deck that came to the table, or a shuffler that came back
                break
        awaited = self._awaited()
        if awaited != self._prompt:
            self._prompt = awaited
            self.tell(awaited)

    def _step(self) -> bool:
        """Carry the script one step on; tell whether it moved."""
        round_ = self.round
        if not round_ or not round_.procedure:
            return False
        self.card_wanted = False
        answer = round_.procedure.advance()
        if self.round is not round_:
            return True
        if answer is WAIT:
            round_.again = None
            if self.commands and not self.card_wanted:
                self.lock_shoe()
            return False
        if round_.paused:
            round_.procedure = round_.paused.pop()
            return True
        self._send(round_, answer)
        return True

    def _send(self, round_: Round, answer: Any) -> None:
        try:
            step = round_.script.send(answer)
        except StopIteration:
            self._end_round("settled" if round_.ledger.wagers else "dead")
        else:
            round_.procedure = PROCEDURES[type(step)](self, round_, step)
            # Before it orders anything: the card that closed wagers is one that need not be due again.
            if round_.again and round_.procedure.take(round_.again):
                round_.again = None

    def _open_round(self) -> bool:
        self._order_shuffle()
        if self._why_closed():
            return False
        self.round_number += 1
        self.round = Round(self.round_number, self.terms.game.scripts[self.terms.variant](self.terms.rules), self.terms)
        self._commands_given = 0
        self.ordered_of = {command: self.ordered_of[command] for command in self.commands}
        self._opened = fact.RoundOpened(
            self.round_number,
            self.deck_in_shoe().deck,
            self._snapshot(self.round_number - 1),
            self.dealer,
            day=self.day,
            shift=self.shift,
        )
        self._opened_under, self._history = self._configured, []
        self.tell(self._opened)
        self._send(self.round, None)
        return True

    def _why_closed(self) -> str:
        """Return why no round can be opened, in plain words; empty when one can."""
        if not self._configured:
            return "The table is not configured."
        if not self.open:
            return "The table is closed."
        return next(self._hindrances(), "") or self.custody.why_not()

    def _hindrances(self) -> Iterator[str]:
        """Yield what keeps an open table from dealing."""
        if self.terms.mode is Mode.LIVE and not self.dealer:
            yield "No dealer has signed on."
        if self.suspended:
            yield "; ".join(self.suspended.values())
        if "broker" in self.alarms:
            yield self.alarms["broker"].text
        needed = [self.terms.devices.get(kind) for kind in NEEDED]
        for device in self.devices.values():
            if device.out and device.device in needed:
                yield f"{device.device} is out of service: {device.out}"
            if device.untested:
                yield f"{device.device} must be tested while the table is closed: {device.untested}"
            if not (device.online or device.out) and device.device in needed:
                yield troubles.offline(device.device, device.reason, device.detail)
        if self.turning:
            yield "The record goes on in a new volume."

    def _end_round(self, result: str) -> None:
        round_ = self.round
        if round_ is None:
            return
        round_.script.close()
        round_.out_of_turn += round_.waiting
        self.put_aside_out_of_turn()
        ledger = round_.ledger
        if result != "void":
            self.tell(fact.RoundSettled(ledger.staked, ledger.paid, ledger.collected))
        self.tell(fact.RoundEnded(result, self.dealer, self.day, self.shift))
        self.lock_shoe()
        deck = self.custody.at(SHOE)
        shuffle = round_.reshuffle or self.terms.game.reshuffle == "round" or bool(deck and deck.cut_card_out)
        self.last_wagers = ledger.placed() or self.last_wagers
        self.last_paid = ledger.paid_on
        self.round = None
        self.tell_all(self.custody.end_round(round_.number, reshuffle=shuffle))
        self.turn_day()
        # A procedure knows its round: parted, both are freed at once instead of by the collector.
        round_.procedure = None
        if round_.next_deck:
            self._take(round_.next_deck)
        if self._next:
            self._apply(*self._next)

    def _order_shuffle(self) -> None:
        """Have the deck that is out of play shuffled, when the shuffler is free."""
        device = self.device("shuffler") if self._configured else ""
        if not device or not self.devices[device].online or self.custody.at(Place.SHUFFLER):
            return
        deck = self.custody.at(Place.RACK)
        ordered = any(isinstance(due, fact.ShuffleDue) for due in self.commands.values())
        failed = deck and f"shuffle:{deck.deck}" in self.alarms
        if deck and not self.custody.at(Place.READY) and not ordered and not failed and not self.suspended:
            self.order(fact.ShuffleDue(command_id(self.terms.table, deck.deck, deck.shuffle), device, deck.deck))

    def _awaited(self) -> fact.RoundStepAwaited:
        if self.suspended:
            # What stops a device the dealer clears, and play goes on by itself; all else is a supervisor's.
            who = "dealer" if all(key.startswith("device:") for key in self.suspended) else "supervisor"
            return fact.RoundStepAwaited("suspended", who, "; ".join(self.suspended.values()))
        if self.round and self.round.procedure:
            awaited: fact.RoundStepAwaited = self.round.procedure.awaited()
            return awaited
        if self.trial:
            return self.trial.awaited()
        why = self._why_closed()
        return fact.RoundStepAwaited("between", "dealer", why[:1].upper() + why[1:])

    # Configuration and recovery

    def _configure(self, said: Configure, at: int) -> None:
        terms = self._build(said)
        lowers = lowered(self.terms, terms) if self._configured else ()
        if self._comes_early(lowers, terms.notice, at):
            return
        if not self.round or not self._configured or self._configured == said:
            self._apply(said, terms)
            return
        self._next = (said, terms)
        # A change that was noticed, and is due now, waits for the end of the round without anybody's help.
        if not (lowers and said.program == self._configured.program):
            self.suspend(PROGRAM_CHANGED, "the configuration or the program changed in mid-round")

    def _comes_early(self, lowers: tuple[str, ...], notice: Notice | None, at: int) -> bool:
        """Tell whether a change lowers payouts before its time.

        Raises:
            ConfigError: it lowers them without a notice.
        """
        if not lowers:
            return False
        if notice is None:
            raise ConfigError(*(f"{NOTICE}: without a notice nothing is lowered, {what}" for what in lowers))
        effective = int(notice.effective.timestamp()) * 10**9
        if at < effective:
            self.tell(fact.TableChangeDue(notice.effective.isoformat(), lowers, notice.by, NOTICE))
        return at < effective

    def _apply(self, said: Configure, terms: Terms) -> None:
        decks = self.custody.decks.values() if self._configured else ()
        serials = self.terms.serials if self._configured else terms.serials
        self._configured, self._next, self.terms = said, None, terms
        self.custody = self._custody(decks)
        self.devices = {name: self.devices.get(name, Device(name)) for name in terms.devices.values()}
        service.file_changed(self, serials)
        self.release(PROGRAM_CHANGED)
        self.tell(
            fact.TableConfigured(
                terms.game.name,
                terms.variant,
                terms.mode,
                terms.positions,
                terms.currency,
                said.program,
                dict(terms.hashes),
                tuple(terms.rules.uncertain()),
            )
        )

    def _custody(self, decks: Iterable[Deck]) -> Custody:
        return Custody(self.terms.composition.size, alternates="shuffler" in self.terms.devices, decks=decks)

    def _resume(self, said: Resume) -> None:
        """Take every device as offline until it is found again."""
        for device in self.devices:
            self.offline(device, "the controller restarted")
        self.release(STOPPED)
        del said

    def _stop(self) -> None:
        """Lock a shoe that is unlocked; the card is due again when the controller has restarted and found the shoe."""
        if self.card_due():
            self.lock_shoe()
            self.suspend(STOPPED, "the controller stopped")

    def _undo(self, said: Input) -> None:
        """Take back the last announcement: the round is played again from its opening without it."""
        last, facts = self._history[-1] if self._history else (None, ())
        opened, under = self._opened, self._opened_under
        if last is None or last.source != Role.DEALER or not opened or not under:
            raise Refused("undo", "an announcement as the last thing that happened", "there is nothing to take back")
        if any(isinstance(happened, INTENTS) for happened in facts):
            raise Refused("undo", "a supervisor's correction", f"a device moved after {last.body.name()}")
        kept, turning = self._history[:-1], self.turning
        self.restore(under, opened)
        self.turning = turning
        for earlier, _ in kept:
            self.accept(earlier)
        self._history = kept
        self._facts = [fact.AnnouncementUndone(last.body.name(), len(facts), said.by)]

    def _report(self, alarm: str, text: str) -> None:
        """Raise an alarm of the system, or clear it where there is no text."""
        if text:
            self.raise_alarm(alarm, text)
        else:
            self.clear_alarm(alarm)

    def _continue(self, said: ContinueRecord) -> None:
        """Stand where the volumes before ended; whoever heard them stands there already, and starts afresh likewise."""
        if self._configured and said.snapshot != self._snapshot(self.round_number):
            raise Refused(
                "record", "the state of this table", "the record goes on from another state than this table's"
            )
        self._restore(said.configured, said.snapshot)
        self.tell(fact.RecordContinued(said.snapshot.round))

    def _snapshot(self, rounds: int) -> Snapshot:
        """Return all that outlives a round. rounds: how many there were."""
        outlive = [due for due in self.commands.values() if isinstance(due, (fact.ShuffleDue, fact.StubDue))]
        return Snapshot(
            rounds,
            self.open,
            self.dealer,
            {},
            tuple(self.custody.decks.values()),
            tuple(self.devices.values()),
            tuple(self.alarms.values()),
            self.last_wagers,
            tuple(outlive),
            {due.command: self.ordered_of[due.command] for due in outlive},
            tuple(self.sensed),
            tuple([(*place, paid) for place, paid in self.last_paid.items()]),
            self.bank,
            self.day,
            self.shift,
            self.dice,
            self.call,
        )


def check_role(body: Announcement | Reading, source: str) -> None:
    """Refuse an announcement that is not for this source to make.

    Raises:
        Refused: with the roles that may.
    """
    if isinstance(body, Announcement) and source not in body.roles:
        allowed = ", ".join(sorted(body.roles))
        raise Refused("role", allowed, f"{body.name()} is said by {allowed}, not by {source}")


OWN = (Configure, Resume, Stop, ReportBroker, ReportPower, Undo, DoubtRecord, ContinueRecord)
"""Announcements about the table itself."""
HANDLERS: dict[type[Announcement], Callable[[Table, Any, Input], None]] = {
    **dict.fromkeys(OWN, Table.take_own),
    **day.HANDLERS,
    **floor.HANDLERS,
    **rulings.HANDLERS,
}
"""Announcements that are no answer to a step."""
ASIDE: dict[type[Reading | Announcement], Callable[[Table, Input], tuple[Fact, ...]]] = {
    TurnRecord: Table.turn,
    **dict.fromkeys(day.ASIDE, Table.note),
}
"""What leaves the game as it was, so that undoing what went before passes it over."""
