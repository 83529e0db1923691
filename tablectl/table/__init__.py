"""The table: takes what devices and people say, and states what therefore happened. No clock, no chance, no I/O."""

from tablectl.table.table import Table

__all__ = ["Table"]
