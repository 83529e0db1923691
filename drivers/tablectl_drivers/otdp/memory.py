"""What a device remembers over a reset, and what it has to do when."""

import secrets
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

from tablectl_drivers.otdp.wire import Answer, Event, Result

RING = 256
"""Events that are remembered."""
RESULTS = 64
"""Commands whose result is remembered."""


@dataclass
class Memory:
    """What survives a reset. number: new whenever the memory is; boot: counted in it."""

    number: int
    boot: int = 0
    last: int = 0
    acknowledged: int = 0
    events: deque[Event] = field(default_factory=lambda: deque(maxlen=RING))
    answers: OrderedDict[str, Answer] = field(default_factory=OrderedDict)

    @classmethod
    def new(cls) -> Self:
        """Return a memory whose number no other has: not from a seed, or a new double would pass for an old."""
        return cls(secrets.randbelow(2**32 - 1) + 1)

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


@dataclass
class Timers:
    """What is to happen when; the time is passed in."""

    now: float
    _due: dict[str, tuple[float, Callable[[], None]]] = field(default_factory=dict)

    def set(self, name: str, seconds: float, act: Callable[[], None]) -> None:
        """Act once in so many seconds; a timer of the same name is replaced."""
        self._due[name] = self.now + seconds, act

    def stop(self, name: str) -> Callable[[], None] | None:
        """Forget a timer; return what it would have done."""
        return self._due.pop(name, (0.0, None))[1]

    def __contains__(self, name: str) -> bool:
        return name in self._due

    def clear(self, *, but: str = "") -> None:
        """Forget all timers but one."""
        self._due = {name: due for name, due in self._due.items() if name == but}

    def next(self) -> float | None:
        """Return when the next is due."""
        return min((when for when, _ in self._due.values()), default=None)

    def advance(self, now: float) -> None:
        """Do what is due until now, in order."""
        while (when := self.next()) is not None and when <= now:
            name = min(self._due, key=lambda each: self._due[each][0])
            self.now = max(self.now, when)
            self._due.pop(name)[1]()
        self.now = max(self.now, now)
