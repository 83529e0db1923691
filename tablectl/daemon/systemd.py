"""What systemd is told (sd_notify(3))."""

import os
import socket

WATCHDOG = int(os.environ.get("WATCHDOG_USEC", "10000000")) / 2_000_000
"""Seconds between two signs of life: half of what systemd allows."""


def notify(state: str) -> None:
    """Tell systemd, where it asked to be told."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as to:
        to.sendto(state.encode(), address.replace("@", "\0", 1) if address.startswith("@") else address)
