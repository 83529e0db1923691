"""What ails a device, in words for whoever stands at the table, and what to do about it."""

from collections.abc import Mapping
from types import MappingProxyType

from tablectl.events.readings import Condition

LOSSES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "missing": ("nothing is plugged in at its place", "look at its cable and power"),
        "unplugged": ("its cable or its power went", "look at both"),
        "permission": ("its port may not be opened", "call a technician"),
        "port-busy": ("another program has its port", "call a technician"),
        "port-shared": ("another program uses its port too", "call a technician"),
        "unusable": ("its port cannot be used as the table file asks", "call a technician"),
        "silent": ("it does not answer", "look at its power, switch it off and on"),
        "stuck": ("it takes no orders", "switch it off and on"),
        "restarted": ("it was switched off and on, or reset itself", "wait until it is back"),
        "protocol": ("what it says is not understood", "call a technician"),
        "wrong-device": ("another device is in its place", "plug in the right one"),
        "same-device": ("it is another device of this table too", "call a technician"),
        "ambiguous": ("two adapters have its name", "call a technician"),
        "renumbered": ("another port has its name now", "wait until it is found"),
    }
)
"""By the reason of a loss: what happened, and what to do."""

CONDITIONS: Mapping[Condition, str] = MappingProxyType(
    {
        Condition.JAM: "jam; clear it, no card exposed",
        Condition.DOOR_OPEN: "door open; close it",
        Condition.BLOCKED: "blocked; take out what is in the way",
        Condition.HOPPER_EMPTY: "hopper empty; put the cards in",
        Condition.TAMPER: "tampered with; a supervisor looks and releases it",
        Condition.MAINTENANCE: "in maintenance; end that at the machine",
    }
)
"""Conditions under which a device that is needed holds the table; a jam that it is clearing by itself does not."""


def offline(device: str, reason: str, detail: str = "") -> str:
    """Say that a device does not answer. detail: who does in its place."""
    what, advice = LOSSES.get(reason, (reason, ""))
    return "; ".join(filter(None, (f"{device} is offline: {detail or what}", advice)))
