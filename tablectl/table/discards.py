"""A shoe that ran out in mid-round is filled with the discards, shuffled and cut, where the rules say so."""

from typing import TYPE_CHECKING

from tablectl.custody import REMOVAL
from tablectl.events.facts import DeckDiscardsShuffled, IrregularityFound, Place
from tablectl.events.readings import ShoeLoaded
from tablectl.table.felt import REFILL, SHOE_EMPTY, SHORT

if TYPE_CHECKING:
    from tablectl.table.round import Round
    from tablectl.table.table import Table


def awaits_shuffle(table: "Table", deck: str) -> bool:
    """Tell whether this round's deck ran out, and the discards may be shuffled to finish it."""
    return SHORT in table.suspended and SHOE_EMPTY in table.terms.rules.clauses and _is_dealt(table, deck)


def awaits_shoe(table: "Table", deck: str = "") -> bool:
    """Tell whether the shuffled discards are to be put in the shoe."""
    return REFILL in table.suspended and (not deck or _is_dealt(table, deck))


def _is_dealt(table: "Table", deck: str) -> bool:
    shoe = table.custody.at(Place.SHOE)
    return bool(table.round and shoe and shoe.deck == deck)


def shuffle(table: "Table") -> None:
    """Note that the discards were shuffled and cut; the shoe waits for them."""
    deck, clause = table.deck_in_shoe().deck, table.terms.rules[SHOE_EMPTY]
    count = table.custody.size - lying(table.round)
    table.tell(DeckDiscardsShuffled(deck, count, clause.cites))
    table.suspend(REFILL, f"the discards were shuffled: put them in the shoe ({clause.cites})")
    table.release(SHORT)


def lying(round_: "Round | None") -> int:
    """Return how many cards lie on the layout, or beside the shoe until they get their place."""
    return sum(map(len, round_.hands.values())) + round_.out_of_turn + round_.waiting if round_ else 0


def refill(table: "Table") -> None:
    """Let the round go on out of the filled shoe, and have the whole deck shuffled after it."""
    table.tell_all(table.custody.refill(lying(table.round)))
    if table.round:
        table.round.reshuffle = True
    table.release(REFILL)


def loaded(table: "Table", said: ShoeLoaded, device: str) -> None:
    """Take the shoe's word that it was filled; another number than is due keeps the round on hold."""
    due = table.custody.size - lying(table.round)
    if said.count in (None, due):
        refill(table)
        return
    text = f"the shoe counts {said.count} cards"
    table.tell(IrregularityFound(said.name(), f"{due} cards", text, REMOVAL, device))
