"""Cards leave the deck: in stacks, one by one, or out of the dealer's hand."""

from collections import deque
from hashlib import sha256
from typing import TYPE_CHECKING

from tablectl.cards import UNSEEN, Card
from tablectl.events.announcements import ConfirmDealt, ExposeCards
from tablectl.events.codec import Input
from tablectl.events.facts import (
    CardDue,
    CardsExposed,
    IrregularityFound,
    RoundStepAwaited,
    StackDue,
    StubDue,
)
from tablectl.events.readings import (
    ReaderCardSeen,
    ShoeCardDrawn,
    ShoeStackDispensed,
    ShoeStackTaken,
    ShoeStubReleased,
)
from tablectl.script import STUB, Deal, ReleaseStub
from tablectl.table.procedure import WAIT, Procedure
from tablectl.terms import Dealing, Refused

if TYPE_CHECKING:
    from tablectl.table.round import Round
    from tablectl.table.table import Table


def command_id(*parts: object) -> str:
    """Return the durable id of a command, 32 hexadecimal digits: the same parts give the same id at every replay."""
    return sha256("/".join(map(str, parts)).encode()).hexdigest()[:32]


def due_card(table: "Table", hand: str, *, face_up: bool) -> None:
    """Unlock the card shoe for one card to this hand, unless that is so already."""
    device = table.device("card-shoe")
    if not device:
        return
    face_up = face_up and table.terms.exposed(hand)
    due = next((due for due in table.commands.values() if isinstance(due, CardDue)), None)
    if due and (due.hand, due.face_up) == (hand, face_up):
        return
    if due:
        del table.commands[due.command]
    table.order(CardDue(table.new_command(), device, hand, face_up))


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


class DealStacks(Procedure[Deal]):
    """Orders one stack after another; the next follows when the last was taken."""

    def __init__(self, *fields: object) -> None:
        super().__init__(*fields)  # type: ignore[arg-type]
        self.left = deque(self.step.to)
        self.command = ""
        self.in_gate = False

    def advance(self) -> object:
        """Order the next stack when the gate is empty."""
        if not self.left and not self.in_gate:
            return None
        waits = self.in_gate or self.command in self.table.commands
        if self.left and not waits and not self.table.is_short(self.step.count):
            self._order(self.left[0])
        return WAIT

    def _order(self, hand: str) -> None:
        device = self.table.device("stack-shoe")
        self.command = self.table.new_command()
        left = self.table.custody.size - self.round.dealt
        self.table.order(StackDue(self.command, device, self.round.stacks + 1, self.step.count, left, hand))

    def take(self, said: Input) -> bool:
        """Take the stack out of the shoe, and its leaving the gate."""
        match said.body:
            case ShoeStackDispensed(command=command) as dispensed if self.command and command == self.command:
                self._dispensed(dispensed)
            case ShoeStackTaken(stack=stack) if stack == self.round.stacks:
                self.in_gate = False
            case _:
                return False
        return True

    def _dispensed(self, stack: ShoeStackDispensed) -> None:
        self.table.end(stack.command)
        hand = self.left.popleft()
        self.in_gate = True
        self.command = ""
        self.round.stacks += 1
        self.round.carried_out.add(stack.command)
        self.table.deal(hand, (UNSEEN,) * stack.size, self.step.clause, stack=self.round.stacks, left=stack.left)
        self.table.check_stack(stack, self.step.count)

    def awaited(self) -> RoundStepAwaited:
        """Say whose stack is in the gate, or comes next."""
        if self.in_gate:
            last = list(self.step.to)[len(self.step.to) - len(self.left) - 1]
            return RoundStepAwaited(
                "deal", "dealer", f"Stack to {name(last)}.", hand=last, clause=self.step.clause.cites
            )
        hand = self.left[0] if self.left else ""
        return RoundStepAwaited(
            "deal", "device", f"Stack for {name(hand)} is coming.", hand=hand, clause=self.step.clause.cites
        )


class DealCards(Procedure[Deal]):
    """Takes one card after another out of a card shoe; a face that the shoe cannot read is awaited from people."""

    def __init__(self, *fields: object) -> None:
        super().__init__(*fields)  # type: ignore[arg-type]
        self.left = deque(hand for _ in range(self.step.count) for hand in self.step.to)
        self.unread = ""

    def advance(self) -> object:
        """Unlock the shoe for the next card."""
        if self.unread:
            return WAIT
        if not self.left:
            return None
        if not self.table.is_short(1):
            due_card(self.table, self.left[0], face_up=self.step.face_up)
        return WAIT

    def take(self, said: Input) -> bool:
        """Take a card out of the shoe, or its face."""
        match said.body:
            case ShoeCardDrawn(card=card) if self.left and not self.unread:
                self._drawn(self._readable(card, said))
            case ConfirmDealt() as dealt if self.left and not self.unread and not self.table.device("card-shoe"):
                self._drawn(confirmed_card(self.round, dealt, self.step.clause.cites))
            case ExposeCards(hand=hand, cards=cards) if self.unread and hand == self.unread:
                self._faces(cards, "")
            case ReaderCardSeen(area=area, card=card) if self.unread and area == self.unread:
                self._faces((card,), said.source)
            case _:
                return False
        return True

    def _readable(self, card: Card, said: Input) -> Card:
        """Return the face that the shoe read, unseen where the deck holds no such card any more."""
        if self.round.has(card):
            return card
        text = f"{said.source} read {card}, which this deck does not hold any more"
        cites = self.step.clause.cites
        self.table.tell(IrregularityFound(said.body.name(), "a card of this deck", text, cites, said.source))
        return UNSEEN

    def _drawn(self, card: Card) -> None:
        self.table.card_came()
        hand = self.left.popleft()
        if not (self.step.face_up and self.table.terms.exposed(hand)):
            card = UNSEEN
        self.table.deal(hand, (card,), self.step.clause)
        if card is UNSEEN and self.step.face_up and self.table.terms.exposed(hand):
            self.unread = hand

    def _faces(self, cards: tuple[Card, ...], device: str) -> None:
        if len(cards) != 1:
            raise Refused("cards", "one card", f"one card lies at {self.unread}", self.step.clause.cites)
        self.round.expose(self.unread, cards)
        self.table.tell(CardsExposed(self.unread, cards, device))
        self.unread = ""

    def awaited(self) -> RoundStepAwaited:
        """Say where the next card goes, or which face is awaited."""
        cites = self.step.clause.cites
        if self.unread:
            return RoundStepAwaited(
                "expose",
                "dealer",
                f"Which card lies at {name(self.unread)}?",
                ExposeCards.name(),
                hand=self.unread,
                clause=cites,
            )
        hand = self.left[0] if self.left else ""
        verb = "" if self.table.device("card-shoe") else ConfirmDealt.name()
        return RoundStepAwaited("deal", "dealer", f"Card to {name(hand)}.", verb, hand=hand, clause=cites)


class DealByHand(Procedure[Deal]):
    """Takes the dealer's word, once for all hands, that the cards were dealt by hand."""

    done = False

    def advance(self) -> object:
        """Answer once the dealer confirmed."""
        if not self.done:
            self.table.is_short(len(self.step.to) * self.step.count)
        return None if self.done else WAIT

    def take(self, said: Input) -> bool:
        """Take the confirmation."""
        if not isinstance(said.body, ConfirmDealt):
            return False
        self.done = True
        for hand in self.step.to:
            self.table.deal(hand, (UNSEEN,) * self.step.count, self.step.clause)
        return True

    def awaited(self) -> RoundStepAwaited:
        """Say what to deal and to whom."""
        hands = ", ".join(name(hand) for hand in self.step.to)
        many = f"{self.step.count} cards" if self.step.count > 1 else "one card"
        return RoundStepAwaited(
            "deal",
            "dealer",
            f"Deal {many} each to {hands}.",
            ConfirmDealt.name(),
            hands=self.step.to,
            clause=self.step.clause.cites,
        )


def dealing(table: "Table", *fields: object) -> Procedure[Deal]:
    """Choose how the table deals this step."""
    step = fields[1]
    by_hand = isinstance(step, Deal) and step.by_hand
    if by_hand or table.terms.dealing is Dealing.HAND:
        return DealByHand(table, *fields)  # type: ignore[arg-type]
    return (DealStacks if table.terms.dealing is Dealing.AUTOMATED else DealCards)(table, *fields)


class StubRelease(Procedure[ReleaseStub]):
    """Takes the rest of the deck out of the stack shoe; elsewhere the dealer simply has it."""

    command = ""
    done = False

    def advance(self) -> object:
        """Order the release where a stack shoe holds the stub."""
        device = self.table.device("stack-shoe")
        left = self.table.custody.size - self.round.dealt
        if self.done or not device or left == 0:
            return None
        if self.command not in self.table.commands:
            self.command = self.table.new_command()
            self.table.order(StubDue(self.command, device, left))
        return WAIT

    def take(self, said: Input) -> bool:
        """Take the stub's release."""
        if not (isinstance(said.body, ShoeStubReleased) and said.body.command == self.command):
            return False
        due, claim = self.table.commands.get(self.command), said.body.count
        self.table.end(self.command)
        self.done = self.round.stub_out = True
        if isinstance(due, StubDue) and claim not in (None, due.left):
            text = f"{said.source} counts {claim} cards in the stub"
            self.table.tell(IrregularityFound(said.body.name(), f"{due.left} cards", text, self.step.clause.cites))
        return True

    def awaited(self) -> RoundStepAwaited:
        """Say that the stub comes out."""
        return RoundStepAwaited("deal", "device", "The stub is coming out.", hand=STUB, clause=self.step.clause.cites)


def name(hand: str) -> str:
    """Return how a dealer names a hand."""
    return f"position {hand}" if hand[:1].isdigit() else f"the {hand}" if hand == "dealer" else hand
