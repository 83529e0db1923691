"""Who may wager where, and in what form: each check refuses with its section."""

from collections.abc import Collection

from tablectl.custody import Custody, player_at
from tablectl.events.announcements import Role, WagerForm
from tablectl.events.facts import BankRecord, Placed
from tablectl.ledger import Ledger, Wager
from tablectl.rulebook import Clause, Rulebook
from tablectl.script import DEALER, OpenWagers, Seating, positions
from tablectl.terms import Refused


def check_seat(seating: Seating | None, placed: Placed, lying: Collection[Placed | Wager]) -> None:
    """Refuse a wager at a position that is not this player's, beside those that lie there.

    lying: all wagers, or those of the position where nobody is named.

    Raises:
        Refused: more people at the position, or more positions of the player, than may be.
    """
    if seating is None or not lying:
        return
    cites, hand, owner = seating.clause.cites, placed.hand, placed.owner
    others = {wager.owner for wager in lying if wager.hand == hand and wager.owner != owner}
    own = sorted({wager.hand for wager in lying if owner and wager.owner == owner and wager.hand != hand})
    if seating.owners is not None and len(others) >= seating.owners:
        text = f"position {hand} is another player's"
        raise Refused("owner", f"at most {seating.owners} at a position", text, cites)
    if len(own) >= seating.positions:
        text = f"{owner} has wagers at position {' and '.join(own)}"
        raise Refused("position", f"at most {seating.positions} for one player", text, cites)
    if own and seating.adjacent and all(abs(int(other) - int(hand)) > 1 for other in own):
        text = f"{owner} has wagers at position {' and '.join(own)}, which is not beside {hand}"
        raise Refused("position", "positions side by side", text, cites)


def check_entry(entry: Clause, placed: Placed, custody: Custody) -> None:
    """Refuse a wager of one who sat out a round since the shuffle.

    Raises:
        Refused: with the section by which nobody comes in before the next shuffle.
    """
    if not custody.may_enter(player_at(placed.hand, placed.owner)):
        text = f"{placed.owner or 'the player'} at position {placed.hand} sat out a round since the shuffle"
        raise Refused("mid-shoe-entry", "the next shuffle, or a supervisor who lets the player in", text, entry.cites)


def check_bank(step: OpenWagers, record: BankRecord, ledger: Ledger, wager: Placed, most: int) -> None:
    """Refuse a wager of the bank against itself, and one of the house above that player's own last one.

    most: how many positions the table has.

    Raises:
        Refused: where it lies, or how much it is.
    """
    bank, main, cites = step.bank, step.kinds[0].name, step.closes.cites
    if wager.hand == bank.hand:
        raise Refused("position", "a position that does not bank", f"position {bank.hand} banks this round", cites)
    if wager.hand == DEALER and (bank.shared or wager.wager != main):
        raise Refused("position", f"a {main} wager where the house shares no bank", "the house plays no other", cites)
    if wager.hand != DEALER and wager.hand not in positions(most):
        raise Refused("position", f"1 to {most}", f"there is no position {wager.hand}")
    last = max((own.amount or 0 for own in record.wagers if own.hand == bank.hand), default=0)
    lies = sum(own.amount or 0 for own in ledger.on(DEALER, main))
    if wager.hand == DEALER and last and lies + (wager.amount or 0) > last:
        raise Refused("amount", f"at most {last}, the bank's own last wager", f"{wager.amount} is more", cites)


def check_voice(rules: Rulebook, form: WagerForm, by: str) -> None:
    """Refuse cash by voice that no supervisor confirms, where the rules have a clause that asks for it.

    Raises:
        Refused: with that clause.
    """
    clause = rules.clauses.get("cash by voice")
    if clause and form is WagerForm.CASH_BY_VOICE and by != Role.SUPERVISOR:
        raise Refused("form", "a supervisor who confirms it", "cash by voice is not confirmed", clause.cites)


def check_form(rules: Rulebook, form: WagerForm) -> None:
    """Refuse cash by voice where the rules have a clause against it.

    Raises:
        Refused: with that clause.
    """
    clause = rules.clauses.get("verbal wager")
    if clause and form is WagerForm.CASH_BY_VOICE:
        raise Refused("form", "chips, plaques or a match play coupon", "a verbal wager is not accepted", clause.cites)
