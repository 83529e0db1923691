"""What a device model has to do when; the time is passed in."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Timers:
    """What is to happen when. now: the time that it is."""

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
