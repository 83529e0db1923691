"""What only a supervisor decides. Each ruling is told with its clause, its reason and the name of who gave it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tablectl.events import announcements as say
from tablectl.events.codec import Input
from tablectl.events.facts import FloorRuled, RoundEntered, TableResumed, WagerCorrected
from tablectl.rulebook import Clause, Outcome
from tablectl.script import BURN, Deal
from tablectl.table.day import answered
from tablectl.table.dealing import DealCards
from tablectl.terms import Dealing, Refused

if TYPE_CHECKING:
    from tablectl.table.round import Round
    from tablectl.table.table import Table

Handler = Callable[["Table", Any, Input], None]

PAYOUT, VERIFY = "payout", "verify"
"""What holds a table until a supervisor has looked at a payout."""
UNLIFTED = ("device:", "doubt:", PAYOUT)
"""What holds a table that no plain word lifts: the device, the count or the payout itself must be seen to."""


def rule(table: "Table", said: Any, by: Input, cites: str = "") -> str:
    """State a ruling, and return the section that it rests on.

    Raises:
        Refused: nobody gave it, or no reason.
    """
    if not (by.by and said.reason):
        raise Refused("ruling", "who rules, and why", "a ruling has a name and a reason")
    named = table.terms.rules.clauses.get(said.clause)
    cites = named.cites if named else said.clause or cites
    where = {field: getattr(said, field, "") for field in ("hand", "wager", "owner")}
    table.tell(FloorRuled(said.name(), said.reason, by.by, cites, **where))
    return cites


def _played(table: "Table", hand: str) -> "Round":
    """Return the round, in which this hand is played.

    Raises:
        Refused: wagers are not closed yet, or the hand has none open.
    """
    if not table.round or not table.round.closed_by:
        raise Refused("round", "a round after wagers were closed", "until then a wager is taken back")
    if not hand or not table.round.ledger.open(hand):
        raise Refused("hand", "a hand with open wagers", f"hand {hand!r} has none")
    return table.round


def void_hand(table: "Table", said: say.VoidHand, by: Input) -> None:
    """Give back the unsettled wagers of one hand; nothing is asked of it any more."""
    _end_hand(table, said, by, Outcome.VOID)


def dead_hand(table: "Table", said: say.DeadHand, by: Input) -> None:
    """Collect the unsettled wagers of one hand, which is out of the round."""
    _end_hand(table, said, by, Outcome.LOSE)


def _end_hand(table: "Table", said: say.VoidHand | say.DeadHand, by: Input, outcome: Outcome) -> None:
    round_ = _played(table, said.hand)
    cites = rule(table, said, by)
    round_.ruled[said.hand] = outcome
    for wager in round_.ledger.open(said.hand):
        table.tell(round_.ledger.settle(wager, Clause(cites, outcome=outcome)))


def foul_hand(table: "Table", said: say.FoulHand, by: Input) -> None:
    """Let the hand be judged foul, whatever its cards show; a bonus by the cards alone still stands."""
    foul = table.terms.rules.clauses.get("foul")
    if foul is None:
        raise Refused("hand", "a game in which hands are set", "no hand of this game is ever foul")
    round_ = _played(table, said.hand)
    rule(table, said, by, foul.cites)
    round_.ruled[said.hand] = foul.name


def return_wager(table: "Table", said: say.ReturnWager, by: Input) -> None:
    """Give one wager back, void."""
    _decide(table, said, by, Outcome.VOID)


def no_action(table: "Table", said: say.NoAction, by: Input) -> None:
    """Give one wager back that never counted."""
    _decide(table, said, by, Outcome.NO_ACTION)


def _decide(table: "Table", said: say.ReturnWager | say.NoAction, by: Input, outcome: Outcome) -> None:
    round_ = _played(table, said.hand)
    found = round_.ledger.open(said.hand, said.wager, said.owner or None)
    if not found or not said.wager:
        raise Refused("wager", "an open wager", f"no {said.wager} wager is open on hand {said.hand}")
    cites = rule(table, said, by)
    for wager in found:
        table.tell(round_.ledger.settle(wager, Clause(cites, outcome=outcome)))


def play_stands(table: "Table", said: say.PlayStands, by: Input) -> None:
    """Let play go on as it stood, with what was out of order."""
    check_liftable(table)
    rule(table, said, by)
    lift(table, said.reason, by)


def check_liftable(table: "Table") -> None:
    """Refuse to lift nothing, and what only a device, a count or a look can lift.

    Raises:
        Refused: with what is awaited.
    """
    if not table.suspended:
        raise Refused("suspended", "a suspended table", "nothing holds the table")
    fixed = [reason for key, reason in table.suspended.items() if key.startswith(UNLIFTED)]
    if fixed:
        awaited = "the payout verified" if PAYOUT in table.suspended else "the device back, or the doubt ended"
        raise Refused("suspended", awaited, "; ".join(fixed))


def lift(table: "Table", reason: str, by: Input) -> None:
    """Let go whatever holds the table; cards that came out of turn go to the discard rack."""
    if "hold" in table.suspended:
        answered(table, by)
    table.put_aside_out_of_turn()
    table.suspended.clear()
    table.tell(TableResumed(reason, by.by))


def next_card(table: "Table", said: say.NextCard, by: Input) -> None:
    """Let the card that came out of turn be the next one dealt, which the dealer confirms."""
    round_ = _out_of_turn(table)
    rule(table, said, by)
    round_.waiting, round_.out_of_turn = round_.waiting + round_.out_of_turn, 0
    table.release("out-of-turn")


def _out_of_turn(table: "Table") -> "Round":
    if not table.round or not table.round.out_of_turn:
        raise Refused("card", "a card that came out of turn", "no card lies there without a place")
    return table.round


def burn_card(table: "Table", said: say.BurnCard, by: Input) -> None:
    """Burn the card that came out of turn, or else the next one."""
    if table.round and table.round.out_of_turn:
        cites = rule(table, said, by)
        table.put_aside_out_of_turn(BURN, cites)
        table.release("out-of-turn")
        return
    if not table.round or not table.round.closed_by or table.terms.dealing is not Dealing.SHOE:
        awaited = "a card out of turn, or a round dealt card by card"
        raise Refused("card", awaited, "no single card can be burned now")
    cites = rule(table, said, by)
    table.interrupt(DealCards(table, table.round, Deal((), Clause(cites), burn=1)))


def verify_payout(table: "Table", said: say.VerifyPayout, by: Input) -> None:
    """Let a payout go out that a supervisor has looked at."""
    held = [key for key in (PAYOUT, VERIFY) if key in table.suspended]
    if not held:
        raise Refused("payout", "a payout on hold", "no payout waits for a supervisor")
    rule(table, said, by)
    for key in held:
        table.release(key)


def enter_round(table: "Table", said: say.EnterRound, by: Input) -> None:
    """Take down a round that was played while the controller was not there, marked as such."""
    if table.round and table.round.closed_by:
        raise Refused("round", "the end of the round", "a round is entered between rounds")
    if not said.what or min(said.staked, said.paid, said.collected) < 0 or said.collected > said.staked:
        awaited = "what happened, and amounts of which no more is collected than was staked"
        raise Refused("amount", awaited, "this is no round that could have been played")
    rule(table, said, by)
    table.tell(RoundEntered(said.what, said.reason, by.by, said.staked, said.paid, said.collected))


def correct_wager(table: "Table", said: say.CorrectWager, by: Input) -> None:
    """Set right what became of a wager: a new fact beside the old one, which stands as it was told."""
    if not 0 < said.round <= table.round_number:
        raise Refused("round", f"a round up to {table.round_number}", f"round {said.round} was not played")
    _check_correction(table, said)
    cites = rule(table, said, by)
    table.correct(
        WagerCorrected(
            said.round, said.hand, said.wager, said.outcome, said.was, said.due, cites, said.reason, by.by, said.owner
        )
    )


def _check_correction(table: "Table", said: say.CorrectWager) -> None:
    """Hold a correction against what was told, as far as the table still knows that round."""
    known = table.paid_in(said.round)
    place = said.hand, said.owner, said.wager
    if known is None:
        return
    if place not in known:
        raise Refused("wager", "a wager that was settled", f"no {said.wager} wager of hand {said.hand} was settled")
    paid = known[place]
    if paid != said.was:
        raise Refused("amount", f"{paid} as what was paid", f"{paid} was paid on it, not {said.was}")
    if (said.due is None) != (paid is None):
        raise Refused("amount", "an amount where amounts are known", "what is due cannot be compared")


HANDLERS: dict[type[say.Announcement], Handler] = {
    say.VoidHand: void_hand,
    say.DeadHand: dead_hand,
    say.FoulHand: foul_hand,
    say.ReturnWager: return_wager,
    say.NoAction: no_action,
    say.PlayStands: play_stands,
    say.NextCard: next_card,
    say.BurnCard: burn_card,
    say.VerifyPayout: verify_payout,
    say.CorrectWager: correct_wager,
    say.EnterRound: enter_round,
}
