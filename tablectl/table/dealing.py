"""Cards leave the deck one by one, or out of the dealer's hand."""

from collections import deque
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from tablectl.cards import UNSEEN, Card
from tablectl.events.announcements import ConfirmDealt, ExposeCards
from tablectl.events.codec import Input
from tablectl.events.facts import (
    CardDue,
    IrregularityFound,
    RoundStepAwaited,
)
from tablectl.events.readings import (
    ReaderCardSeen,
    ShoeCardDrawn,
)
from tablectl.script import BURN, DEALER, Deal, is_position
from tablectl.table.procedure import WAIT, Procedure
from tablectl.terms import Refused

if TYPE_CHECKING:
    from tablectl.table.round import Round
    from tablectl.table.table import Table


def command_id(table: str, about: int | str, number: int) -> str:
    """Return the durable id of a command, 16 hexadecimal digits: the same at every replay.

    about: the round that it belongs to, or the deck; number: how many there were of that.
    """
    return sha256(f"{table}/{about}/{number}".encode()).hexdigest()[:16]


def due_card(table: "Table", hand: str, *, face_up: bool) -> None:
    """Unlock the card shoe for one card to this hand, unless it is unlocked already: for whom does not matter to it."""
    shoe = table.device("card-shoe")
    if not shoe or (table.round and table.round.waiting):
        return
    table.card_wanted = True
    face_up = face_up and table.terms.exposed(hand)
    due = table.card_due()
    if due:
        if due.face_up == face_up:
            return
        table.lock_shoe()
    table.order(CardDue(table.new_command(), shoe, hand, face_up))


def is_by_word(table: "Table") -> bool:
    """Tell whether the dealer's word deals the next card: no shoe counts it, or it came out before its turn."""
    return not table.device("card-shoe") or bool(table.round and table.round.waiting)


def confirmed_card(round_: "Round", dealt: ConfirmDealt, clause: str) -> Card:
    """Return the one card that the dealer drew out of a shoe that tells nothing, unseen unless named.

    Raises:
        Refused: more than one card, or one that is not in the deck any more.
    """
    if len(dealt.cards) > 1:
        raise Refused("cards", "one card", "one card is dealt at a time", clause)
    card = dealt.cards[0] if dealt.cards else UNSEEN
    if not round_.has(card):
        raise Refused("cards", "a card of this deck", f"this deck does not hold {card} any more", clause)
    return card


def is_card(table: "Table", said: Input, clause: str) -> bool:
    """Tell whether a card left the card shoe: the device says so, or the dealer where there is none.

    Raises:
        Refused: as :func:`confirmed_card`.
    """
    match said.body:
        case ShoeCardDrawn():
            return not (table.round and table.round.waiting)
        case ConfirmDealt() as dealt if table.round and is_by_word(table):
            confirmed_card(table.round, dealt, clause)
            return True
    return False


class DealCards(Procedure[Deal]):
    """Takes one card after another out of a card shoe; a face that it cannot read is named when people find time."""

    def begin(self) -> None:
        """Line up the hands that get a card, each as often as it gets one."""
        self.left = deque((BURN,) * self.step.burn + self.step.to * self.step.count)

    def advance(self) -> object:
        """Unlock the shoe for the next card."""
        if not self.left:
            return None
        if not self.table.is_short(1, self.round.waiting):
            hand = self.left[0]
            due_card(self.table, hand, face_up=hand != BURN and self.step.face_up)
        return WAIT

    def _face_up(self, hand: str) -> bool:
        """Tell whether the table may learn the face of a card that is dealt there."""
        return hand != BURN and self.step.face_up and self.table.terms.exposed(hand)

    def take(self, said: Input) -> bool:
        """Take a card out of the shoe."""
        match said.body:
            case ShoeCardDrawn(card=card) if self.left and not self.round.waiting:
                if self.round.has(card):
                    self._drawn(card)
                else:
                    self._strange(card, said)
            case ConfirmDealt() as dealt if self.left and is_by_word(self.table):
                self._drawn(confirmed_card(self.round, dealt, self.step.clause.cites))
            case _:
                return False
        return True

    def _strange(self, card: Card, said: Input) -> None:
        """Take a card that the deck holds no more as one that was not read, or put aside one that it never held."""
        clause = self.table.terms.rules.clauses.get("foreign card")
        if clause and self.round.is_foreign(card):
            self._foreign(card, said, clause.cites)
            return
        text = f"{said.source} read {card}, which this deck does not hold any more"
        cites = self.step.clause.cites
        self.table.tell(IrregularityFound(said.body.name(), "a card of this deck", text, cites, said.source))
        self._drawn(UNSEEN)

    def _foreign(self, card: Card, said: Input, cites: str) -> None:
        """Put aside a card that this deck never held, and wait for a supervisor."""
        text = f"{said.source} read {card}, which this deck never held"
        self.table.card_came()
        self.table.tell(IrregularityFound(said.body.name(), "a card of this deck", text, cites, said.source))
        self.table.discard("shoe", 1, cites)
        self.table.suspend("foreign", f"{text} ({cites})")

    def _drawn(self, card: Card) -> None:
        self.table.card_came()
        if self.round.waiting:
            self.table.bring_back_waiting()
        hand = self.left.popleft()
        if hand == BURN:
            self.table.discard(BURN, 1, self.step.clause.cites)
            return
        face_up = self._face_up(hand)
        if not face_up:
            card = UNSEEN
        self.table.deal(hand, (card,), self.step.clause)
        self.round.last_deal = self.step
        if card is UNSEEN and face_up:
            self.round.unread.append(hand)

    def awaited(self) -> RoundStepAwaited:
        """Say where the next card goes."""
        cites = self.step.clause.cites
        hand = self.left[0] if self.left else ""
        verb = ConfirmDealt.name() if is_by_word(self.table) else ""
        prompt = "Burn a card." if hand == BURN else f"Card to {name(hand)}."
        if self.round.unread:
            prompt += f" Which card lies at {name(self.round.unread[0])}?"
        return RoundStepAwaited("deal", "dealer", prompt, verb, hand=hand, clause=cites, count=1)


class DealByHand(Procedure[Deal]):
    """Takes the dealer's word, once for all hands, that the cards were dealt by hand; a face that is seen proves it."""

    def begin(self) -> None:
        """Wait for nothing where no hand gets a card."""
        self.done = not self.step.to

    def advance(self) -> object:
        """Answer once the dealer confirmed."""
        if not self.done:
            self.table.is_short(self.step.burn + len(self.step.to) * self.step.count)
        return None if self.done else WAIT

    def take(self, said: Input) -> bool:
        """Take the confirmation, or the faces of cards that are dealt face up."""
        match said.body:
            case ConfirmDealt(cards=()):
                self._deal()
            case ConfirmDealt(cards=cards):
                self._expose(self._whose(), cards, "")
            case ExposeCards(hand=hand, cards=cards) if self._shows(hand):
                self._expose(hand, cards, "")
            case ReaderCardSeen(area=hand, card=card) if self._shows(hand):
                self._expose(hand, (card,), said.source)
            case _:
                return False
        return True

    def _shows(self, hand: str) -> bool:
        return self.step.face_up and hand in self.step.to and self.table.terms.exposed(hand)

    def _whose(self) -> str:
        """Return the one hand whose faces may be told with the confirmation."""
        hand = self.step.to[0]
        if len(self.step.to) > 1 or not self._shows(hand):
            raise Refused("cards", "no faces", "cards that lie face down are not named", self.step.clause.cites)
        return hand

    def _expose(self, hand: str, cards: tuple[Card, ...], device: str) -> None:
        """Deal to every hand, and turn these cards of one of them."""
        count = self.step.count
        if not 0 < len(cards) <= count:
            raise Refused("cards", f"1 to {count} cards", f"{count} lie at {hand}", self.step.clause.cites)
        self.round.check(cards)
        self._deal()
        self.table.show(hand, cards, device)

    def _deal(self) -> None:
        self.done = True
        if self.step.burn:
            self.table.discard(BURN, self.step.burn, self.step.clause.cites)
        self.table.deal_each(self.step.to, self.step.count, self.step.clause)

    def awaited(self) -> RoundStepAwaited:
        """Say what to burn, what to deal and to whom."""
        hands = ", ".join(name(hand) for hand in self.step.to)
        burn = f"burn {many(self.step.burn)}, " if self.step.burn else ""
        each = " each" if len(self.step.to) > 1 else ""
        prompt = f"{burn}deal {many(self.step.count)}{each} to {hands}."
        return RoundStepAwaited(
            "deal",
            "dealer",
            prompt[:1].upper() + prompt[1:],
            ConfirmDealt.name(),
            hands=((BURN,) if self.step.burn else ()) + self.step.to,
            clause=self.step.clause.cites,
            count=self.step.count,
        )


@lru_cache(256)
def name(hand: str) -> str:
    """Return how a dealer names a hand."""
    if is_position(hand):
        return f"position {hand}"
    place, _, part = hand.partition(".")
    return hand if place != DEALER else f"the dealer's {part}" if part else "the dealer"


def many(cards: int) -> str:
    """Return how a dealer says how many cards.

    >>> many(1), many(4)
    ('one card', '4 cards')
    """
    return "one card" if cards == 1 else f"{cards} cards"
