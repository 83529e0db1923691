"""One table between its devices, its journal and its broker: wires the parts together, and tells systemd how it is."""

from tablectl.daemon.controller import Controller, PortBusy
from tablectl.daemon.process import run

__all__ = ["Controller", "PortBusy", "run"]
