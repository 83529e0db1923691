"""Wagers are placed and closed."""

from collections.abc import Iterator
from contextlib import suppress

from tablectl.custody import player_at
from tablectl.events.announcements import NoMoreBets, PlaceWager, RepeatWagers, TakeBackWager, WagerForm
from tablectl.events.codec import Input
from tablectl.events.facts import (
    Placed,
    RoundStepAwaited,
    RoundWagersClosed,
    WagerLate,
    WagerPlaced,
    WagerShared,
    WagerTakenBack,
)
from tablectl.events.readings import WagerSensed
from tablectl.ledger import PRESENCE, Wager
from tablectl.script import BURN, DEALER, OpenWagers, positions
from tablectl.table.dealing import due_card, is_card
from tablectl.table.procedure import WAIT, Procedure
from tablectl.table.seating import check_bank, check_entry, check_form, check_seat, check_voice
from tablectl.terms import Refused

AGAIN = {WagerForm.CASH_BY_VOICE: WagerForm.CHIPS}
"""In what form a wager is repeated that has become another: what was said in cash was changed to chips."""


class Wagering(Procedure[OpenWagers]):
    """Takes wagers until "No more bets", or until the first card leaves the shoe."""

    closed = False
    looked = False

    def begin(self) -> None:
        """Know the wagers by their names."""
        self._kinds = {kind.name: kind for kind in self.step.kinds}

    def advance(self) -> object:
        """Unlock the shoe where the first card closes wagers; answer with the layout once they are closed."""
        if self.closed:
            return self.round.layout
        if not self.looked:
            self.looked = True
            self._place_sensed()
        if self._burns:
            due_card(self.table, BURN, face_up=False)
        elif self._first:
            due_card(self.table, self._first, face_up=True)
        return WAIT

    @property
    def _burns(self) -> bool:
        """Tell whether the next card is burned, and closes nothing."""
        return bool(self.step.burn) and self.table.custody.burn_due(self.table.dealer)

    @property
    def _first(self) -> str:
        """Return where the card goes that closes wagers, empty where none may leave the shoe yet."""
        first = self.step.first_card
        if first not in self._kinds:
            return first
        hands, ledger = positions(self.table.terms.positions), self.round.ledger
        return next((hand for hand in hands if ledger.on(hand, first)), "")

    def take(self, said: Input) -> bool:
        """Take wagers, and what closes them."""
        match said.body:
            case PlaceWager() as wager:
                check_voice(self.table.terms.rules, wager.form, said.source)
                self._place(Placed(wager.hand, wager.wager, wager.amount, wager.owner, wager.form))
            case TakeBackWager() as wager:
                self._take_back(wager)
            case RepeatWagers():
                self._repeat()
            case NoMoreBets():
                self._no_more_bets(said)
            case WagerSensed(hand=hand, wager=wager, present=present) if self._senses and not self.closed:
                self._sensed(hand, wager, present=present)
            case _ if not self.closed and (self._burns or self._first):
                return self._take_card(said)
            case _:
                return False
        return True

    @property
    def _senses(self) -> bool:
        return self.table.terms.wagers is PRESENCE

    def _sensed(self, hand: str, wager: str, *, present: bool) -> None:
        """Take chips that a sensor sees as a wager, and their going as its taking back; no touch is needed."""
        self.table.sensed.pop((hand, wager), None)
        if present:
            self.table.sensed[hand, wager] = True
            self._place_sensed()
        elif self._own(hand, "", wager):
            for kind in self.step.kinds:
                if kind.needs == wager and self._own(hand, "", kind.name):
                    self._take_back(TakeBackWager(hand, kind.name))
                    self.table.sensed[hand, kind.name] = True
            self._take_back(TakeBackWager(hand, wager))

    def _place_sensed(self) -> None:
        """Place what lies there as far as it may; a bonus waits for the wager that it rests on."""
        kinds = [kind.name for kind in self.step.kinds]
        for hand, wager in sorted(self.table.sensed, key=lambda place: (place[1] in kinds[1:], place)):
            if self._senses and not self.round.ledger.on(hand, wager):
                with suppress(Refused):
                    self._place(Placed(hand, wager))

    def _take_card(self, said: Input) -> bool:
        if not is_card(self.table, said, self.step.closes.cites):
            return False
        self.table.card_came()
        if self.step.burn and self._burns:
            self.table.discard(BURN, 1, self.step.burn.cites)
            self.table.custody.burned(self.table.dealer)
        else:
            self._close("")
            self.round.again = said
        return True

    def awaited(self) -> RoundStepAwaited:
        """Say how wagers are closed."""
        first = self.step.first_card
        closing = (
            "Place your wagers. The first card closes them." if first else "Place your wagers, then “No more bets”."
        )
        return RoundStepAwaited(
            "wagers",
            "players",
            f"Burn a card. {closing}" if self._burns else closing,
            "" if first else NoMoreBets.name(),
            hand=BURN if self._burns else "",
            hands=positions(self.table.terms.positions),
            answers=tuple(self._kinds),
            clause=self.step.closes.cites,
        )

    def _check_kind(self, wager: Placed) -> None:
        kind = self._kinds.get(wager.wager)
        if kind is None:
            raise Refused("wager", f"one of {', '.join(self._kinds)}", f"no {wager.wager} wager is placed now")
        if self.step.bank.hand != DEALER:
            check_bank(self.step, self.table.bank, self.round.ledger, wager, self.table.terms.positions)
        elif wager.hand not in positions(self.table.terms.positions):
            raise Refused("position", f"1 to {self.table.terms.positions}", f"there is no position {wager.hand}")
        if kind.needs and not self._own(wager.hand, wager.owner, kind.needs):
            whose = f" of {wager.owner}" if wager.owner else ""
            text = f"position {wager.hand} has no {kind.needs} wager{whose}"
            raise Refused("wager", f"the {kind.needs} wager first", text)
        check_form(self.table.terms.rules, wager.form)

    def _own(self, hand: str, owner: str, name: str) -> bool:
        return (hand, owner, name) in self.round.ledger.wagers

    def _place(self, placed: Placed) -> None:
        self._check_kind(placed)
        ledger = self.round.ledger
        check_seat(self.step.seating, placed, ledger.wagers.values() if placed.owner else ledger.at(placed.hand))
        self._check_entry(placed)
        wager = Wager(placed.hand, placed.owner, placed.wager, placed.amount, placed.form)
        ledger.check(wager, self.table.terms.limits.get(wager.name), self.step.closes.cites)
        self._lay(wager)

    def _check_seats(self, again: list[Placed]) -> None:
        """Refuse wagers that are repeated where they may not lie any more; where nobody is named, each has a seat."""
        if self.step.seating and any(placed.owner for placed in again):
            for placed in again:
                check_seat(self.step.seating, placed, again)
        if self.step.entry:
            for placed in again:
                check_entry(self.step.entry, placed, self.table.custody)

    def _check_entry(self, placed: Placed) -> None:
        if self.step.entry:
            check_entry(self.step.entry, placed, self.table.custody)

    def _lay(self, wager: Wager) -> None:
        seating = self.step.seating
        lying = self.round.ledger.at(wager.hand)
        owners = [other.owner for other in lying] if lying and seating and seating.owners else []
        self.round.ledger.lay(wager)
        self.table.tell(WagerPlaced(wager.hand, wager.name, wager.amount, wager.owner, wager.form))
        if seating and owners and wager.owner not in owners:
            self.table.tell(WagerShared(wager.hand, wager.owner, owners[0], seating.clause.cites))

    def _take_back(self, said: TakeBackWager) -> None:
        ledger = self.round.ledger
        resting = [
            kind.name
            for kind in self.step.kinds
            if kind.needs == said.wager and self._own(said.hand, said.owner, kind.name)
        ]
        if resting:
            text = f"the {' and '.join(resting)} wager at position {said.hand} needs the {said.wager} wager"
            raise Refused("wager", f"the {resting[0]} wager taken back first", text, self.step.closes.cites)
        ledger.take_back(said.hand, said.owner, said.wager)
        self.table.sensed.pop((said.hand, said.wager), None)
        self.table.tell(WagerTakenBack(said.hand, said.wager, said.owner))

    def _repeat(self) -> None:
        again = self._last_wagers()
        if not again or self.round.ledger.wagers:
            raise Refused("wager", "an empty layout after a round with wagers", "there is nothing to repeat")
        self._check_seats(again)
        ledger, limits, cites = self.round.ledger, self.table.terms.limits, self.step.closes.cites
        wagers = [Wager(it.hand, it.owner, it.wager, it.amount, AGAIN.get(it.form, it.form)) for it in again]
        for wager in wagers:
            ledger.check(wager, limits.get(wager.name), cites)
        for wager in wagers:
            self._lay(wager)

    def _last_wagers(self) -> list[Placed]:
        """Return the opening wagers of the last round that can be made in this one, what others rest on first; who
        banks now plays none.
        """
        hands = positions(self.table.terms.positions)
        last = {
            (placed.hand, placed.owner, placed.wager): placed
            for placed in self.table.last_wagers
            if placed.wager in self._kinds and placed.hand in hands and placed.hand != self.step.bank.hand
        }
        again = [
            placed
            for (hand, owner, wager), placed in last.items()
            if not self._kinds[wager].needs or (hand, owner, self._kinds[wager].needs) in last
        ]
        return [placed for kind in self._kinds for placed in again if placed.wager == kind]

    def _no_more_bets(self, said: Input) -> None:
        if self.step.first_card:
            raise Refused(
                "call", "the first card out of the shoe", "the first card closes wagers", self.step.closes.cites
            )
        if not self.round.ledger.wagers:
            raise Refused("wager", "a wager", "no wager lies on the layout", self.step.closes.cites)
        self._close(said.by)

    def _close(self, by: str) -> None:
        self.closed = True
        self.round.closed_by = self.step.closes.cites
        if self.step.entry:
            wagers = self.round.ledger.wagers.values()
            self.table.custody.wagered(dict.fromkeys(player_at(wager.hand, wager.owner) for wager in wagers))
        self.table.tell(RoundWagersClosed(self.step.closes.cites, by))
        self.table.tell_all(self._without_action())

    def _without_action(self) -> Iterator[WagerLate]:
        """Yield chips that a sensor sees and that are no wager: one in no place, or a bonus beside nothing."""
        for hand, wager in self.table.sensed:
            if self._senses and not self.round.ledger.on(hand, wager):
                yield WagerLate(hand, wager, self.step.closes.cites)
