"""The pit display: every table of a pit on one page, live. Its own process; it only listens to the broker."""

from tablectl.pit.server import running, serve

__all__ = ["running", "serve"]
