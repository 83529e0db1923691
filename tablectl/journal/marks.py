"""What was taken already: how far the journal has come with each device, and what people said under which key."""

from tablectl.events.codec import Input


class Marks:
    """The last event taken of each device, in each of its boots: an event up to there is a repeated one."""

    def __init__(self) -> None:
        self._taken: dict[tuple[str, str], int] = {}
        self._boot: dict[str, str] = {}

    def take(self, source: str, boot: str, event: int) -> None:
        """Note an event of the device's present boot."""
        self._taken[source, boot] = event
        self._boot[source] = boot

    def holds(self, said: Input) -> bool:
        """Tell whether this event, or a later one of its boot, was taken."""
        return said.number <= self._taken.get((said.source, said.boot), 0)

    def last(self, device: str) -> tuple[str, int]:
        """Return boot and number of the device's last event, ``("", 0)`` where none was taken."""
        boot = self._boot.get(device, "")
        return boot, self._taken.get((device, boot), 0)


class Keys:
    """Where each keyed announcement stands, of this volume and the one before: a repeated key has no second effect."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}

    def take(self, origin: str, number: int) -> None:
        """Note the row of an announcement, 0 while it waits for its commit."""
        self._rows[origin] = number

    def holds(self, origin: str) -> bool:
        """Tell whether this was said, or waits for its commit."""
        return origin in self._rows

    def row(self, origin: str) -> int:
        """Return where it stands, 0 where it does not yet."""
        return self._rows.get(origin, 0)

    def forget(self, up_to: int) -> None:
        """Forget what stands up to this row."""
        self._rows = {origin: row for origin, row in self._rows.items() if row == 0 or row > up_to}
