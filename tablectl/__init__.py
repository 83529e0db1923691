"""tablectl: the controller of a casino table.

A driver turns bytes into readings; the table turns readings and announcements into facts;
the journal keeps facts; the publisher tells them.
"""

__version__ = "0.1.0"
