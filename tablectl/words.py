"""Facts in plain words, for people who watch the table.

Only what a template names reaches a page: how many cards a live shoe holds is in many facts and in no template.
"""

import re
from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Any

from tablectl.money import format_amount

TEMPLATES: dict[str, str] = {
    "table.configured": "Rules in force: {game} {variant}, {mode}",
    "table.change-due": "Payouts are lowered at {effective}",
    "table.opened": "Table opened[ by {by}]",
    "table.closed": "Table closed[ by {by}][: {reason}]",
    "table.suspended": "Suspended: {reason}",
    "table.resumed": "Play goes on[ by {by}][: {reason}]",
    "day.due": "Gaming day {day}[, shift {shift},] begins after this round",
    "day.began": "Gaming day {day}[, shift {shift},] began[, announced by {by}]",
    "shift.began": "Shift {shift} of gaming day {day} began[, announced by {by}]",
    "game.dead": "Dead game: nobody plays",
    "dealer.signed-on": "Dealer {dealer} signed on[, relieving {relieved}]",
    "floor.called": "Floor called: {reason}[, {hold}]",
    "floor.answered": "Floor answered by {by}[ after {waited}]",
    "floor.ruled": "{ruling} by {by}: {reason}[ ({clause})]",
    "deck.received": "Deck {deck} received, {back} backs",
    "deck.shuffle-began": "Deck {deck} is being shuffled",
    "deck.shuffled": "Deck {deck} shuffled, count {counted}",
    "deck.discards-shuffled": "Discards of deck {deck} shuffled to finish the round",
    "deck.loaded": "Deck {deck} ready to deal",
    "deck.counted": "Deck {deck} counted[ by {by}]: {count}, {expected} expected",
    "deck.moved": "Deck {deck} moved to {place}",
    "deck.removed": "Deck {deck} removed: {reason}",
    "deck.cutting-card-out": "Cutting card is out: shuffle after this round",
    "command.ended": "Command to a device ended: {outcome}[, {reason}]",
    "round.opened": "Round {round} opened",
    "round.wagers-closed": "Wagers closed[ by {by}]",
    "round.settled": "Round settled",
    "round.entered": "Round entered afterwards by {by}: {what} ({reason})",
    "round.voided": "Round void: {reason}",
    "round.ended": "Round ended: {result}",
    "wager.placed": "{hand}: {wager}[ {amount}] placed",
    "wager.shared": "{hand}: {owner} joins[ {first}], who consents",
    "wager.taken-back": "{hand}: {wager} taken back",
    "wager.late": "{hand}: {wager}[ {amount}] came late, no action",
    "wager.settled": "{hand}: {wager} {outcome}[ at {odds}][, pays {paid}]{capped}",
    "wager.corrected": "{hand}: {wager} of round {round} corrected to {outcome}[, {due} for {was}], by {by}: {reason}",
    "bank.taken": "{hand} banks{shared}",
    "bank.settled": "{hand}: the bank is settled[ at {due}]",
    "payout.held": "[{hand}: ]{what}[ pays {odds}][, {amount}]: a supervisor verifies",
    "dice.received": "Dice {dice} received",
    "dice.inspected": "Dice {dice} inspected by {by}[: {tampering}]",
    "dice.removed": "Dice {dice} removed[ by {by}]: {reason}",
    "dice.rolled": "Dice {roll}",
    "dice.no-roll": "No roll: {reason}",
    "dice.start": "Dice total {total}: {hand} starts",
    "cards.dealt": "{hand}: dealt {cards}",
    "cards.exposed": "{hand}: shows {cards}",
    "cards.taken-away": "{hand}: {cards} taken away, had lain face up",
    "cards.discarded": "{hand}: cards picked up",
    "cards.stub-counted": "Stub counted: {count}, {expected} expected",
    "cards.set": "{hand}: set high {high}, low {low}",
    "round.judged": "[{hand}: ]{what} {answer}",
    "round.decided": "{hand}: {choice}[ {amount}]",
    "round.hand-split": "{hand}: split",
    "round.bonus-paid": "{hand}: bonus[ of {amount}][ at {odds}] paid",
    "round.offer-closed": "{what} closed",
    "irregularity.found": "Irregularity: {text}",
    "announcement.refused": "Refused: {announcement}. {text}",
    "announcement.turned-away": "Turned away: {announcement}[ by {by}]. {text}",
    "announcement.undone": "Taken back: {announcement}[ by {by}]",
    "record.continued": "The record goes on in a new volume",
    "record.dropped": "Rows {first} to {last} left the record after {days} days: {file}",
    "alarm.raised": "Alarm: {text}",
    "alarm.cleared": "Alarm over: {alarm}[ by {by}]",
    "device.came-online": "{device} answers",
    "device.went-offline": "{device} does not answer: {reason}[, {detail}]",
    "device.taken-out": "{device} out of service[ by {by}]: {reason}",
    "device.test-due": "{device} must pass a test: {reason}",
    "device.test-began": "{device} is tested[ by {by}]",
    "device.tested": "{device} {passed}: {text}",
    "device.test-waived": "{device} is used untested, by {by}: {reason}",
    "device.returned": "{device} back in service[ by {by}][, {new_serial} for {old_serial}]: {reason}",
    "device.condition-changed": "{device}: {condition}{active}",
    "device.events-missing": "{device}: events {first} to {last} are lost",
    "clock.told": "The table's clock is {synchronised}, by its own account right to {error} ms",
    "clock.compared": "The {clock} clock is {ahead}[ by the word of {by}]",
    "record.read": "Read by {by}: {what}",
}
"""What is told of each fact. A part in square brackets is left out where one of its fields is empty."""

UNTOLD = frozenset(
    {"shuffle.due", "stack.due", "stub.due", "card.due", "cards.locked", "roll.due", "round.step-awaited"}
)
"""Facts that tell a device or the dealer what to do: not news to a supervisor."""

LOUD = frozenset(
    {
        "table.suspended",
        "floor.called",
        "round.voided",
        "irregularity.found",
        "alarm.raised",
        "device.went-offline",
        "device.events-missing",
        "deck.removed",
    }
)
"""Facts that somebody should look at."""

_SUITS = str.maketrans({"c": "♣", "d": "♦", "h": "♥", "s": "♠"})
_OPTIONAL = re.compile(r"\[([^\]]*)\]")
_FIELD = re.compile(r"\{(\w+)\}")


def tell(name: str, data: Mapping[str, Any], currency: str = "USD") -> str:
    """Say a fact in plain words; a fact of a later version is named and no more.

    >>> tell("wager.placed", {"hand": "3", "wager": "raise", "amount": 2500})
    'Position 3: raise 25.00 placed'
    >>> tell("wager.placed", {"hand": "3", "wager": "raise"})
    'Position 3: raise placed'
    """
    words = {field: _word(field, value, currency) for field, value in data.items()}
    text = TEMPLATES.get(name, name.replace(".", " ").replace("-", " "))
    text = _OPTIONAL.sub(lambda part: _fill(part[1], words) if _filled(part[1], words) else "", text)
    text = _fill(text, words)
    return text[:1].upper() + text[1:]


def duration(seconds: int) -> str:
    """Write a time span as people say it.

    >>> duration(75), duration(7260)
    ('1 min 15 s', '2 h 1 min')
    """
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "min"), (0 if hours else rest, "s"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number) or "0 s"


def _filled(text: str, words: Mapping[str, str]) -> bool:
    return all(words.get(field) for field in _FIELD.findall(text))


def _fill(text: str, words: Mapping[str, str]) -> str:
    return _FIELD.sub(lambda field: words.get(field[1], ""), text)


def _word(field: str, value: Any, currency: str) -> str:
    if value is None or (field == "paid" and value == 0):  # a wager that does not win pays nothing worth a word
        return ""
    if field in ("amount", "paid", "due", "was"):
        return format_amount(value, currency)
    return _WRITERS.get(field, str)(value)


def _hand(hand: str) -> str:
    return f"position {hand}" if hand.partition(".")[0].isdecimal() else hand


def _cards(cards: list[str]) -> str:
    return " ".join(_run(card, len(list(run))) for card, run in groupby(cards))


def _run(card: str, number: int) -> str:
    """Write equal cards that lie side by side; those face down as their number."""
    return f"{number} face down" if card == "??" and number > 1 else " ".join([_card(card)] * number)


def _card(card: str) -> str:
    return {"??": "face down", "Jk": "joker"}.get(card) or card.replace("T", "10").translate(_SUITS)


_WRITERS: dict[str, Callable[[Any], str]] = {
    "hand": _hand,
    "cards": _cards,
    "high": _cards,
    "low": _cards,
    "shared": lambda shared: " with the house" if shared else "",
    "hold": lambda hold: "play waits" if hold else "",
    "waited": lambda waited: duration(waited // 1000) if waited else "",
    "synchronised": lambda synchronised: "synchronised" if synchronised else "not synchronised",
    "ahead": lambda ahead: f"{abs(ahead)} ms {'behind' if ahead < 0 else 'ahead'}",
    "capped": lambda capped: ", no more than the limit" if capped else "",
    "passed": lambda passed: "passed its test" if passed else "did not pass its test",
    "active": lambda active: "" if active else " is over",
    "odds": lambda odds: "{:,} to {:,}".format(*odds),
    "roll": lambda roll: ", ".join(map(str, roll)),
}
"""How a field is written, by its name; every other is written as it is."""
