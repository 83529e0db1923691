"""Players choose in any order: until the dealer closes, or until everybody has chosen."""

from tablectl.cards import Card
from tablectl.events.announcements import CloseOffer, Decide, DecideOthers, PlaceWager
from tablectl.events.codec import Input
from tablectl.events.facts import IrregularityFound, RoundDecided, RoundOfferClosed, RoundStepAwaited, WagerPlaced
from tablectl.events.readings import ReaderCardSeen
from tablectl.ledger import Wager
from tablectl.script import Chosen, Offer, Place
from tablectl.table.dealing import due_card, is_card
from tablectl.table.dealing import name as name_of
from tablectl.table.procedure import WAIT, Procedure
from tablectl.table.seating import check_form
from tablectl.terms import Refused


class Offering(Procedure[Offer]):
    """Takes one choice of every owner of a hand."""

    def begin(self) -> None:
        """Find out who chooses, and for which wager."""
        self.done: dict[Place, str] = {}
        self.closed = not self.step.hands
        stakes = [choice.stake for choice in self.step.choices.values() if choice.stake]
        self._backed = self._find_backed(self.step.wager or (stakes[0].of if stakes else ""))
        self._left = dict(self._backed)
        self._decided = len(self.round.ledger.told)

    def _find_backed(self, name: str) -> dict[Place, Wager | None]:
        """Return the wagers that the choice is about, by who chooses; none where it is about no wager."""
        if not name:
            return {(hand, ""): None for hand in self.step.hands}
        ledger = self.round.ledger
        return {(hand, wager.owner): wager for hand in self.step.hands for wager in ledger.open(hand, name)}

    def advance(self) -> object:
        """Answer with what was chosen by hands that are not void.

        What must be chosen is closed once nobody is left who has not chosen and is not void.
        """
        if len(self.round.ledger.told) > self._decided:
            self._left = {place: wager for place, wager in self._left.items() if not (wager and wager.settled)}
        if not (self.closed or self.step.closing or self._left):
            self._close()
        if self.closed:
            there = [place for place, wager in self._backed.items() if not (wager and wager.settled)]
            chosen = {place: choice for place, choice in self.done.items() if place in there}
            return Chosen(chosen, there, tuple(self.step.choices))
        if self.step.next_card:
            due_card(self.table, self.step.next_card, face_up=True)
        return WAIT

    def take(self, said: Input) -> bool:
        """Take choices, and their end."""
        match said.body:
            case Decide(hand=hand, choice=choice, amount=amount, owner=owner):
                self._choose(choice, self._places(hand, owner), amount)
            case DecideOthers(choice=choice, times=times):
                self._choose(choice, list(self._left), None, times)
            case PlaceWager(hand=hand, wager=wager, amount=amount, owner=owner, form=form) if self._placing(wager):
                check_form(self.table.terms.rules, form)
                self._choose(self._placing(wager), self._places(hand, owner), amount)
            case ReaderCardSeen(area=area, card=card) if area == self.step.reveals and self.round.unseen(area):
                self._turned_before(area, card, said.source)
            case CloseOffer() if self.step.closing:
                self._close()
            case _ if self.step.next_card and not self.closed and is_card(self.table, said, self.step.clause.cites):
                self._close()
                self.round.again = said
            case _:
                return False
        return True

    def _placing(self, wager: str) -> str:
        """Return the choice that places this wager, empty where none does."""
        choices = self.step.choices.items()
        return next((name for name, choice in choices if choice.stake and choice.stake.kind.name == wager), "")

    def _turned_before(self, area: str, card: Card, device: str) -> None:
        """Take a card that lies open though choices are missing: they are entered late, or the dealer reports it."""
        if not self.table.terms.exposed(area):
            return
        self.table.show(area, (card,), device)
        text = f"{area} was turned before the choice of {', '.join(map(name_of, self._hands()))} was entered"
        self.table.tell(IrregularityFound(ReaderCardSeen.name(), "every choice", text, self.step.clause.cites, device))

    def _close(self) -> None:
        self.closed = True
        self.table.tell(RoundOfferClosed(self.step.what, self.step.clause.cites))

    def _places(self, hand: str, owner: str = "") -> list[Place]:
        """Return who chooses on this hand; the owner may be left out.

        Raises:
            Refused: nobody has to choose there.
        """
        found = [place for place in self._left if place[0] == hand and owner in ("", place[1])]
        if not found:
            due = ", ".join(self._hands()) or "none"
            clause = self.step.clause.cites
            raise Refused("hand", f"hands still to choose: {due}", f"hand {hand} has no choice here", clause)
        return found

    def _hands(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([hand for hand, _ in self._left]))

    def _choose(self, choice: str, places: list[Place], amount: int | None, times: int | None = None) -> None:
        """Check every place before the first one chooses, so that a refusal changes nothing."""
        step = self.step
        if choice not in step.choices:
            raise Refused("choice", f"one of {', '.join(step.choices)}", f"{choice} is not on offer", step.clause.cites)
        if amount is not None and len(places) > 1:
            owners = ", ".join(owner or "nobody named" for _, owner in places)
            raise Refused(
                "owner", f"the wager of one of {owners}", "several persons share this hand", step.clause.cites
            )
        stake = step.choices[choice].stake
        ledger, cites = self.round.ledger, step.clause.cites
        wagers = [ledger.wager_for(place, stake, amount, cites, times) for place in places] if stake else []
        for wager in wagers:
            ledger.lay(wager)
            self.table.tell(WagerPlaced(wager.hand, wager.name, wager.amount, wager.owner))
        for place in places:
            self.done[place] = choice
            del self._left[place]
        self._tell(choice, places, wagers)

    def _tell(self, choice: str, places: list[Place], wagers: list[Wager]) -> None:
        """State what each hand chose, with owner and amount where one owner alone chose for it."""
        if len(places) == 1:
            hand, owner = places[0]
            self.table.tell(RoundDecided(hand, choice, wagers[0].amount if wagers else None, owner))
            return
        amounts = [wager.amount for wager in wagers] or [None] * len(places)
        chose: dict[str, list[tuple[str, int | None]]] = {}
        for (hand, owner), amount in zip(places, amounts, strict=True):
            chose.setdefault(hand, []).append((owner, amount))
        for hand, whose in chose.items():
            owner, amount = whose[0] if len(whose) == 1 else ("", None)
            self.table.tell(RoundDecided(hand, choice, amount, owner))

    def awaited(self) -> RoundStepAwaited:
        """Say what is on offer, to whom, and how it is closed."""
        step = self.step
        return RoundStepAwaited(
            "offer",
            "players",
            f"{step.prompt} Then “{step.closing}”" if step.closing else step.prompt,
            CloseOffer.name() if step.closing else Decide.name(),
            step.what,
            hands=self._hands(),
            answers=tuple(step.choices),
            clause=step.clause.cites,
        )
