"""The board's power and heat, as a Raspberry Pi tells them: under-voltage drops devices from the bus."""

import os
from pathlib import Path

PATTERNS = ("devices/platform/soc*/*firmware*/get_throttled", "devices/platform/*firmware*/get_throttled")
"""Where under /sys the kernels of the boards have it."""
TROUBLES = {0: "under-voltage", 2: "throttled", 3: "too hot"}
"""What is wrong now, by the bit that says so."""
SINCE_BOOT = 16
"""Bits higher, the same is told of any time since the board was booted."""


class Power:
    """Looks at the board. place: the file in which it tells; else TABLECTL_THROTTLED, else where boards have it."""

    def __init__(self, place: Path | None = None) -> None:
        named = os.environ.get("TABLECTL_THROTTLED")
        self._place = place or (Path(named) if named else _found())
        self._known = 0

    def look(self) -> str:
        """Return what is wrong, or was for a moment since the last look; empty where all is well or nobody tells."""
        flags = _flags(self._place)
        passed = (flags & ~self._known) >> SINCE_BOOT
        self._known = flags
        now = [trouble for bit, trouble in TROUBLES.items() if flags >> bit & 1]
        then = [
            f"{trouble} for a moment" for bit, trouble in TROUBLES.items() if passed >> bit & 1 and trouble not in now
        ]
        return ", ".join(now + then)


def _found() -> Path | None:
    return next((path for pattern in PATTERNS for path in sorted(Path("/sys").glob(pattern))), None)


def _flags(place: Path | None) -> int:
    """Return the flags, a hexadecimal number; 0 where there are none."""
    try:
        return int(place.read_text(), 16) if place else 0
    except (OSError, ValueError):
        return 0
