"""Whether a device keeps what its driver's contract promises, tried on the device itself, real or simulated."""

from tablectl.devices.conformance.check import Broken, Check, NotTried
from tablectl.devices.conformance.report import Line, Report, Verdict
from tablectl.devices.conformance.rig import Hands, Rig
from tablectl.devices.conformance.run import attempt, checks_of, conform

__all__ = [
    "Broken",
    "Check",
    "Hands",
    "Line",
    "NotTried",
    "Report",
    "Rig",
    "Verdict",
    "attempt",
    "checks_of",
    "conform",
]
