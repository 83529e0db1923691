"""What a rehearsal added up to."""

import time
from collections import Counter

from tablectl.events import facts as fact
from tablectl.events.facts import Fact
from tablectl.money import format_amount
from tablectl.publisher.payloads import Envelope
from tablectl.rehearsal.line import Line

MOST_LISTED = 10


class Tally:
    """Adds up a rehearsal from its events."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._began = time.monotonic()
        self.results: Counter[str] = Counter()
        self.money: Counter[str] = Counter()
        self.wagers = 0
        self.irregularities: list[str] = []
        self.suspensions: list[str] = []
        line.on_event(self._hear)

    @property
    def rounds(self) -> int:
        """Return how many rounds have ended."""
        return self.results.total()

    @property
    def seconds(self) -> float:
        """Return how long it took so far."""
        return time.monotonic() - self._began

    def _hear(self, _: Envelope, happened: Fact) -> None:
        match happened:
            case fact.WagerPlaced():
                self.wagers += 1
            case fact.RoundSettled():
                self.money.update(staked=happened.staked, paid=happened.paid, collected=happened.collected)
            case fact.RoundEnded(result=result):
                self.results[result] += 1
            case fact.IrregularityFound(text=text):
                self.irregularities.append(text)
            case fact.TableSuspended(reason=reason):
                self.suspensions.append(reason)

    def lines(self) -> list[str]:
        """Return the summary."""
        results = ", ".join(f"{count} {result}" for result, count in self.results.items()) or "none ended"
        currency = self._line.state.currency
        money = ", ".join(f"{what} {format_amount(amount, currency)}" for what, amount in self.money.items())
        known = f"{money} {currency}" if self.money["staked"] else "amounts not known to the table"
        refusals = [f"{body.name()}: {why.text}; awaited was {why.awaited}" for body, why in self._line.refused]
        return [
            f"Rounds          {self.rounds} in {self.seconds:.1f} s: {results}",
            f"Wagers          {self.wagers}: {known}",
            *_listed("Irregularities", self.irregularities),
            *_listed("Suspensions", self.suspensions),
            *_listed("Refusals", refusals),
        ]


def _listed(what: str, texts: list[str]) -> list[str]:
    """Return how many there were, and the last of them."""
    return [f"{what:<15} {len(texts)}", *(f"{'':<15} {text}" for text in texts[-MOST_LISTED:])]
