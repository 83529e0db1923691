"""``tablectl`` under a wall clock that can be stepped: by the nanoseconds in the file that STEPPED_CLOCK names.

``python stepped_clock.py COMMAND...``
"""

import os
import time
from pathlib import Path

_FILE = Path(os.environ["STEPPED_CLOCK"])
_true = time.time_ns


def _stepped() -> int:
    return _true() + int(_FILE.read_text())


if __name__ == "__main__":
    time.time_ns, time.time = _stepped, lambda: _stepped() / 1e9
    from tablectl.__main__ import main

    main()
