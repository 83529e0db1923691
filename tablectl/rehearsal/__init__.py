"""A rehearsal: bots play dealer, supervisor and players at a real table, with doubles in place of its devices.

Everything but the people and the machines is what a live floor runs: the daemon, its drivers on serial ports, a broker,
the pit display. The bots know what the table publishes and what lies on the layout, and nothing else.
"""

from tablectl.rehearsal.plan import SETUPS, Plan
from tablectl.rehearsal.stage import rehearse

__all__ = ["SETUPS", "Plan", "rehearse"]
