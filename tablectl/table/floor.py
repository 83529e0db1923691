"""What happens at the table outside a round's steps: decks, irregularities, doubts. One function each."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tablectl.cards import UNSEEN
from tablectl.custody import REMOVAL, player_at
from tablectl.events import announcements as say
from tablectl.events.codec import Input
from tablectl.events.facts import (
    CardDue,
    CardsDiscarded,
    CardsTakenAway,
    Counted,
    DeckCounted,
    IrregularityFound,
    StackDue,
    StubDue,
)
from tablectl.events.readings import ShoeCardDrawn, ShoeStackDispensed, ShoeStackTaken, ShoeStubReleased
from tablectl.rulebook import Outcome
from tablectl.table import discards, rulings, service
from tablectl.table.day import answered, are_two
from tablectl.table.dealing import DealCards
from tablectl.table.felt import SHOE_EMPTY
from tablectl.table.turning import Turning
from tablectl.terms import Refused

if TYPE_CHECKING:
    from tablectl.table.round import Round
    from tablectl.table.table import Table

DRAWN = ("card drawn in error", "dealer drew by accident")
"""Irregularities about the last card of a turn, which is taken back until a supervisor rules what becomes of it."""

Handler = Callable[["Table", Any, Input], None]


def receive_deck(table: "Table", said: say.ReceiveDeck, by: Input) -> None:
    """Take a deck to the table."""
    table.tell_all(table.custody.receive(said.deck, said.back, said.source, said.seal, by.at))


def confirm_shuffle(table: "Table", said: say.ConfirmShuffle, by: Input) -> None:
    """Take the dealer's word for a shuffle: of a deck out of play, or of the discards that finish a round."""
    if discards.awaits_shuffle(table, said.deck):
        discards.shuffle(table)
        return
    table.tell_all(table.custody.confirm_shuffle(said.deck))
    table.clear_alarm(f"shuffle:{said.deck}")
    del by


def load_deck(table: "Table", said: say.LoadDeck, by: Input) -> None:
    """Take the dealer's word that the deck is in the shoe or in hand."""
    if discards.awaits_shoe(table, said.deck):
        discards.refill(table)
        return
    table.tell_all(table.custody.load(said.deck))
    del by


def remove_deck(table: "Table", said: say.RemoveDeck, by: Input) -> None:
    """Take a deck away for good; a round dealt from it cannot go on."""
    deck = table.custody.find(said.deck)
    if table.round and deck.deck == table.deck_in_shoe().deck:
        raise Refused("deck", "the round voided first", f"deck {said.deck} is being dealt")
    table.remove_deck(said.deck, said.reason, REMOVAL, by.by)


def count_deck(table: "Table", said: say.CountDeck, by: Input) -> None:
    """Take a count of a whole deck by hand, blind; a wrong number found twice removes it."""
    deck = table.custody.find(said.deck)
    if table.round and deck.deck == table.deck_in_shoe().deck:
        raise Refused("deck", "a deck out of play", f"deck {said.deck} is being dealt")
    if said.count < 0:
        raise Refused("count", "a number of cards", f"a deck never holds {said.count} cards")
    if said.count not in (table.custody.size, deck.miscounted) and deck.counted is not Counted.WRONG:
        table.custody.miscounted(said.deck, said.count)
        text = f"deck {said.deck} was counted as {said.count}; count it once more"
        table.tell(IrregularityFound(said.name(), "a second count", text, REMOVAL))
        return
    table.tell(DeckCounted(said.deck, said.count, table.custody.size, REMOVAL, by.by))
    if said.count == table.custody.size:
        table.custody.counted(said.deck, in_round=False)
    else:
        table.remove_deck(said.deck, f"counted {said.count} of {table.custody.size} cards", REMOVAL, by.by)


def report_face_up(table: "Table", said: say.ReportFaceUp, by: Input) -> None:
    """Put aside a card found face up; a second one in the same round voids it.

    A shoe that cannot see a face has counted the card out already: then it is the last one, and the hand gets another.
    """
    cites = table.terms.rules["face up"].cites
    if table.round and table.round.stub_counted:
        raise Refused("count", "a supervisor's ruling", "the stub was counted: every card has its place", cites)
    if table.round and table.is_dealt_by_device:
        _take_away(table, table.round, cites)
    else:
        face_up(table, "")
    del said, by


def _take_away(table: "Table", round_: "Round", cites: str) -> None:
    """Move the card that was dealt last to the discard rack."""
    last = table.last_dealt()
    if last is None:
        raise Refused("card", "a report right after the card", "no card came that could have lain face up", cites)
    round_.face_up += 1
    table.tell(IrregularityFound("report-face-up", "cards face down", f"a card to {last.hand} lay face up", cites))
    table.tell(CardsTakenAway(last.hand, (round_.take_away(last.hand),), cites))
    if round_.face_up > 1:
        _void_face_up(table, round_, cites)
    elif last.stack or not round_.last_deal:
        table.suspend("irregularity", f"{last.hand} is short of a card, which lay face up ({cites})")
    else:
        table.interrupt(DealCards(table, round_, replace(round_.last_deal, to=(last.hand,), count=1, burn=0)))


def _void_face_up(table: "Table", round_: "Round", cites: str) -> None:
    round_.reshuffle = True
    table.void("more than one card lay face up", cites)


def face_up(table: "Table", device: str) -> None:
    """Put the card found face up to the discard rack (13:69F-36.14(a) and its sisters)."""
    if not table.round:
        raise Refused("round", "a round being dealt", "no round is being dealt")
    cites = table.terms.rules["face up"].cites
    table.round.face_up += 1
    table.count_out(1)
    text = "a card lay face up; it is not used"
    table.tell(IrregularityFound("shoe.face-up-found", "cards face down", text, cites, device))
    table.tell(CardsDiscarded("shoe", (UNSEEN,), cites))
    if table.round.face_up > 1:
        _void_face_up(table, table.round, cites)


def report_irregularity(table: "Table", said: say.ReportIrregularity, by: Input) -> None:
    """Do what the clause says: void the round, or all wagers but some, or hold it for a supervisor."""
    known = {name: clause for name, clause in table.terms.rules.clauses.items() if clause.irregularity}
    clause = known.get(said.what)
    if clause is None:
        raise Refused("irregularity", f"one of {', '.join(known) or 'none'}", f"no clause is about {said.what!r}")
    if not table.round:
        raise Refused("round", "a round", "no round is open", clause.cites)
    text = f"{said.what} at {said.hand}" if said.hand else said.what
    table.tell(IrregularityFound(said.name(), "play in order", text, clause.cites))
    spared = [wager for wager, option in clause.spares.items() if table.terms.rules.option(option)]
    if said.what == SHOE_EMPTY:
        table.run_out(text)
    elif said.what in DRAWN and lay_aside(table, table.round, clause.cites):
        table.suspend("out-of-turn", f"{text}: the next card, or burned? ({clause.cites})")
    elif clause.outcome is not Outcome.VOID:
        table.suspend("irregularity", f"{text} ({clause.cites})")
    elif any(table.round.ledger.open(name=wager) for wager in spared):
        table.void_wagers(clause=clause.cites, spared=spared)
    else:
        table.void(text, clause.cites, by.by)


def lay_aside(table: "Table", round_: "Round", cites: str) -> bool:
    """Take back the card that was just drawn to the hand whose turn it is; tell whether there was one.

    It lies beside the shoe until a supervisor rules. Once anything followed from it, or in no turn, it stays.
    """
    last, turn = table.last_dealt(), round_.procedure
    if last is None or not isinstance(turn, Turning) or turn.step.hand != last.hand:
        return False
    table.tell(CardsTakenAway(last.hand, (round_.take_away(last.hand),), cites))
    round_.out_of_turn += 1
    return True


def lift(table: "Table", said: say.LiftSuspension, by: Input) -> None:
    """Let play go on, unless only a device, a count or a look at a payout can."""
    rulings.check_liftable(table)
    rulings.lift(table, said.reason, by)


def void_round(table: "Table", said: say.VoidRound, by: Input) -> None:
    """Give back everything unsettled."""
    if not table.round:
        raise Refused("round", "a round", "no round is open")
    counted = not table.doubts
    table.doubts.clear()
    if "hold" in table.suspended:
        answered(table, by)
    for key in [key for key in table.suspended if not key.startswith("device:")]:
        table.release(key)
    table.void(said.reason, "", by.by, counted=counted)


def admit_player(table: "Table", said: say.AdmitPlayer, by: Input) -> None:
    """Let a player in who sat out a round; the record tells who let whom in, and why."""
    player = player_at(said.hand, said.owner)
    if table.custody.may_enter(player):
        raise Refused("player", "a player who sat out since the shuffle", f"nobody keeps out {player}")
    table.custody.admit(player)
    del by


def end_doubt(table: "Table", said: say.EndDoubt, by: Input) -> None:
    """Take what people counted for a command whose outcome nobody could tell."""
    due = (table.commands if service.stranded(table, said.command) else table.doubts).get(said.command)
    if due is None:
        raise Refused("doubt", f"one of {', '.join(table.doubts) or 'none'}", "there is no doubt about this command")
    if not are_two(said.counted_by):
        raise Refused("names", "the dealer who counted and the supervisor who verified", "a doubt ends with two names")
    table.settle_doubt(said.command, "done" if said.done else "not-done", " and ".join(said.counted_by))
    if not said.done:
        return
    match due:
        case StackDue():
            found = ShoeStackDispensed(due.command, due.stack, due.size, due.left - due.size)
            table.proceed(by, found, ShoeStackTaken(due.stack))
        case StubDue():
            table.proceed(by, ShoeStubReleased(due.command))
        case CardDue():
            table.proceed(by, ShoeCardDrawn())


def clear_alarm(table: "Table", said: say.ClearAlarm, by: Input) -> None:
    """Answer an alarm; one whose cause still holds stays."""
    latched = [alarm.alarm for alarm in table.alarms.values() if alarm.latched]
    if said.alarm not in latched:
        awaited = f"one that waits for a supervisor: {', '.join(latched) or 'none'}"
        raise Refused("alarm", awaited, f"alarm {said.alarm} is not active, or ends with its cause")
    cause, _, source = said.alarm.partition(":")
    if cause == "deck":
        raise Refused("alarm", f"deck {source} removed", "a deck that was counted wrong never returns", REMOVAL)
    if source in table.devices and cause in table.devices[source].conditions:
        raise Refused("alarm", f"the end of it at {source}", f"{said.alarm} still holds")
    lost = table.custody.lost_in_shuffler()
    if lost and said.alarm == f"shuffle:{lost.deck}":
        table.custody.shuffle_failed(lost.deck)
    table.clear_alarm(said.alarm, by.by, said.reason)


HANDLERS: dict[type[say.Announcement], Handler] = {
    say.ReceiveDeck: receive_deck,
    say.ConfirmShuffle: confirm_shuffle,
    say.LoadDeck: load_deck,
    say.RemoveDeck: remove_deck,
    say.CountDeck: count_deck,
    say.ReportFaceUp: report_face_up,
    say.ReportIrregularity: report_irregularity,
    say.LiftSuspension: lift,
    say.VoidRound: void_round,
    say.TakeOutOfService: service.take_out,
    say.ReturnDevice: service.return_device,
    say.TestDevice: service.test_device,
    say.EnterTest: service.enter_test,
    say.WaiveTest: service.waive_test,
    say.AdmitPlayer: admit_player,
    say.EndDoubt: end_doubt,
    say.ClearAlarm: clear_alarm,
}
