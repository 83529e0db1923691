"""One round: its cards, its wagers, its calls, and where its script stands."""

from collections import Counter
from collections.abc import Collection, Coroutine, Iterable
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from tablectl.cards import UNSEEN, Card, Composition
from tablectl.ledger import Ledger
from tablectl.script import Deal, Judge, Layout, Step
from tablectl.terms import Refused, Terms

if TYPE_CHECKING:
    from tablectl.events.codec import Input
    from tablectl.table.procedure import Procedure


@cache
def _pack(composition: Composition) -> Counter[Card]:
    """Count the cards of a deck, once for all rounds."""
    return Counter(composition.cards())


class Round:
    """What one round adds up to.

    dealt: cards that left the deck; aside: those of them that reached no hand; stacks: stacks dispensed; carried_out:
    the commands by which stacks came out; face_up: cards found face up; stub_out: the rest of the deck was taken out of
    the shoe; stub_counted: and people found it right; closed_by: the section that closed wagers; reshuffle: the deck is
    shuffled after this round whatever the game; unread: hands at which a card lies face up that nobody has named yet,
    in the order dealt; last_hand: who got cards last, empty once they were judged; last_deal: the step of the last
    single card; out_of_turn: cards that lie beside the shoe until a supervisor
    rules; waiting: of those, cards that are dealt next; ruled: hands that a supervisor ruled on, and what; paused:
    procedures that wait for the one under way; next_deck: what the shoe said when it took the next deck while this one
    was still on the layout; asked: questions, with the hands still
    without an answer.
    """

    def __init__(self, number: int, script: Coroutine[Step[Any], Any, None], terms: Terms) -> None:
        self.number = number
        self.script = script
        self.terms = terms
        self.ledger = Ledger(terms.wagers, terms.rounding)
        self.procedure: Procedure[Any] | None = None
        self.hands: dict[str, list[Card]] = {}
        self.calls: dict[tuple[str, str], str] = {}
        self.asked: dict[str, tuple[Judge, tuple[str, ...]]] = {}
        self.dealt = 0
        self.stacks = 0
        self.face_up = 0
        self.reshuffle = False
        self.closed_by = ""
        self.stub_out = False
        self.carried_out: set[str] = set()
        self.aside = 0
        self.again: Input | None = None
        self.next_deck: Input | None = None
        self.stub_counted = False
        self.unread: list[str] = []
        self.last_hand = ""
        self.last_deal: Deal | None = None
        self.out_of_turn = self.waiting = 0
        self.ruled: dict[str, str] = {}
        self.paused: list[Procedure[Any]] = []
        self._pack = _pack(terms.composition)

    @property
    def layout(self) -> Layout:
        """Return the wagers as they lie now."""
        return Layout(self.terms.positions, self.ledger.names())

    def give(self, hand: str, cards: Collection[Card]) -> None:
        """Lay cards on a hand."""
        self.hands.setdefault(hand, []).extend(cards)
        self.dealt += len(cards)
        self.last_hand = hand

    def judged(self, areas: Collection[str]) -> None:
        """Note that something followed from what lies in these areas."""
        if self.last_hand in areas:
            self.last_hand = ""

    def take_away(self, hand: str) -> Card:
        """Take the last card from a hand, for the discard rack; it stays dealt."""
        self.aside += 1
        if hand in self.unread:
            self.unread.remove(hand)
        return self.hands[hand].pop()

    def seen(self, *areas: str) -> bool:
        """Tell whether every card of these areas is known, and each holds some."""
        for area in areas:
            held = self.hands.get(area)
            if not held or UNSEEN in held:
                return False
        return True

    def unseen(self, hand: str) -> int:
        """Return how many cards of the hand nobody has seen."""
        held = self.hands.get(hand)
        return held.count(UNSEEN) if held else 0

    def hold(self, hand: str, size: int) -> None:
        """Take people's word for how many cards the hand holds, over that of a shoe."""
        held = self.hands.setdefault(hand, [])
        held.extend([UNSEEN] * (size - len(held)))
        while len(held) > size and UNSEEN in held:
            held.remove(UNSEEN)

    def go_on_by_hand(self) -> None:
        """Let people do what a device did that is out of service."""
        self.procedure = self.procedure and self.procedure.by_hand()
        self.paused = [procedure.by_hand() for procedure in self.paused]

    def has(self, card: Card) -> bool:
        """Tell whether the deck may still hold this card; one that nobody has seen may always be there."""
        return card is UNSEEN or self._lying().count(card) < self._pack[card]

    def _lying(self) -> list[Card]:
        """Return the cards of every hand."""
        return list(chain.from_iterable(self.hands.values()))

    def is_foreign(self, card: Card) -> bool:
        """Tell whether no such card belongs to the deck at all."""
        return card is not UNSEEN and card not in self._pack

    def expose(self, hand: str, cards: Iterable[Card]) -> None:
        """Turn unseen cards of the hand face up.

        Raises:
            Refused: more cards than lie there unseen, or a card that lies elsewhere.
        """
        found = tuple(cards)
        hidden = self.unseen(hand)
        if not 0 < len(found) <= hidden:
            raise Refused("cards", f"1 to {hidden} cards", f"hand {hand} has {hidden} cards face down")
        self.check(found)
        held = self.hands[hand]
        for card in found:
            held[held.index(UNSEEN)] = card

    def arrange(self, hand: str, high: tuple[Card, ...], low: tuple[Card, ...]) -> None:
        """Lay a hand open in two parts, ``hand.high`` and ``hand.low``.

        Raises:
            Refused: not the cards of this hand.
        """
        held = self.hands.get(hand, [])
        if len(high) + len(low) != len(held):
            raise Refused("cards", f"{len(held)} cards in all", f"hand {hand} holds {len(held)} cards")
        shown = [card for card in held if card is not UNSEEN]
        new, missing = [*high, *low], []
        for card in shown:
            if card in new:
                new.remove(card)
            else:
                missing.append(card)
        if missing:
            raise Refused("cards", "the cards of this hand", f"hand {hand} also showed {' '.join(missing)}")
        self.check(new)
        del self.hands[hand]
        self.hands[f"{hand}.high"], self.hands[f"{hand}.low"] = list(high), list(low)

    def split(self, hand: str, into: tuple[str, str]) -> None:
        """Make two hands of one with two cards."""
        first, second = self.hands.pop(hand)
        for card, part in zip((first, second), into, strict=True):
            if card is UNSEEN and hand in self.unread:
                self.unread[self.unread.index(hand)] = part
        self.hands[into[0]], self.hands[into[1]] = [first], [second]

    def name(self, hand: str, cards: Collection[Card]) -> bool:
        """Turn cards of the hand, and tell whether that came late: others were dealt since it got them face up.

        Raises:
            Refused: as :meth:`expose`.
        """
        self.expose(hand, cards)
        late = hand in self.unread and hand != self.last_hand
        for _ in cards:
            if hand in self.unread:
                self.unread.remove(hand)
        return late

    def check(self, cards: Iterable[Card]) -> None:
        """Refuse a card that the deck does not hold, or no longer.

        Raises:
            Refused: one of them lies elsewhere, or is none of this deck.
        """
        new, lying = tuple(cards), self._lying()
        fresh = set(new)
        if len(fresh) == len(new) and fresh.isdisjoint(lying) and fresh <= self._pack.keys():
            return
        out = Counter(card for card in lying if card is not UNSEEN)
        out.update(new)
        for card, number in out.items():
            if number > self._pack[card]:
                lies = next((hand for hand, held in self.hands.items() if card in held), "nowhere")
                raise Refused("cards", "cards of this deck", f"{card} is not there: it lies at {lies}")
