"""What a device remembers over a reset."""

import secrets
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import Self

from tablectl_drivers.otdp.wire import Answer, Event, Result

RING = 256
"""Events that are remembered."""
RESULTS = 64
"""Commands whose result is remembered."""


@dataclass
class Memory:
    """What survives a reset. number: new whenever the memory is; boot: counted in it; acknowledged: behind it events
    are sent; kept: the highest that was ever acknowledged.
    """

    number: int
    boot: int = 0
    last: int = 0
    acknowledged: int = 0
    kept: int = 0
    events: deque[Event] = field(default_factory=lambda: deque(maxlen=RING))
    answers: OrderedDict[str, Answer] = field(default_factory=OrderedDict)

    @classmethod
    def new(cls) -> Self:
        """Return a memory whose number no other has: not from a seed, or a new double would pass for an old."""
        return cls(secrets.randbelow(2**32 - 1) + 1)

    def acknowledge(self, number: int) -> None:
        """Send what is behind this number, which may be lower than before when a host begins anew."""
        self.acknowledged = min(number, self.last)
        self.kept = max(self.kept, self.acknowledged)

    def recall(self, command: str) -> Answer:
        """Return how a command stands."""
        return self.answers.get(command, Answer(command, Result.UNSEEN))

    def keep(self, command: str, result: Result, reason: str = "") -> Answer:
        """Remember how a command stands; the oldest is forgotten."""
        answer = self.answers[command] = Answer(command, result, reason)
        self.answers.move_to_end(command)
        if len(self.answers) > RESULTS:
            self.answers.popitem(last=False)
        return answer
