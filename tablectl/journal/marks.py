"""How far the journal has come with each device."""

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
