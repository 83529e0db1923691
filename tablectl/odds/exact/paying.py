"""What hands that were counted cost, by the pay table of the rules."""

from collections.abc import Mapping

from tablectl.errors import ConfigError
from tablectl.games.paying import NOTHING
from tablectl.odds.inquiry import STAKE
from tablectl.odds.tally import Account, Hit
from tablectl.rulebook import Clause, Outcome, PayTable


def lost(clause: Clause) -> int:
    """Return what a wager of :data:`STAKE` loses by a clause, less than zero where it wins.

    Raises:
        ConfigError: odds that cannot be paid exactly on it.
    """
    match clause.outcome:
        case Outcome.LOSE:
            share = clause.forfeit.ratio if clause.forfeit else 1
        case Outcome.WIN if clause.odds:
            kept = 1 - clause.vigorish.ratio if clause.vigorish else 1
            share = -clause.odds.ratio * kept
        case _:
            share = 0
    amount = STAKE * share
    if amount != int(amount):
        raise ConfigError(f"{clause.name}: {clause.odds} cannot be counted out exactly; leave --exact out")
    return int(amount)


def hit(wager: str, shown: str, clause: Clause) -> Hit:
    """Return what became of a wager by a clause."""
    return Hit(wager, shown, clause.outcome or Outcome.VOID, str(clause.odds or ""), clause.cites)


def settle(account: Account, number: int, outcome: Hit, clause: Clause) -> None:
    """Book so many wagers of :data:`STAKE` that a clause settles."""
    amount = lost(clause)
    account.weight += number
    account.stakes += number
    account.staked += number * STAKE
    account.lost += number * amount
    account.squares += number * amount**2
    account.hits[outcome] += number


def by_pay_table(table: PayTable, hands: Mapping[str, int]) -> Account:
    """Return what a wager on hands alone comes to. hands: how many there are of each."""
    account = Account()
    for name, number in hands.items():
        clause = table[name]
        shown = NOTHING if clause.outcome is Outcome.LOSE else name
        settle(account, number, hit(table.wager, shown, clause), clause)
    return account
