"""What each table of one pit last told, and since when it is silent. No clock and no I/O: both are passed in."""

import re
from collections.abc import Callable
from typing import Any

import structlog

from tablectl.pit.heard import READERS, UNREADABLE, Link, Silence, Table

MOST_TABLES = 64
PARTS = ("silent", "meta", "state", "devices", "alarms", "events", "faults")
"""What a page gets of a table."""

LINK = ("", "link")
GONE = "gone"

Key = tuple[str, str]
"""What changed: a table and one of its PARTS or GONE, or LINK."""

log = structlog.get_logger(__name__)


class Board:
    """Every table of one pit. changed: called with the key of each part that is no longer what it was."""

    def __init__(self, site: str, pit: str, changed: Callable[[Key], None], now: str) -> None:
        self.site, self.pit = site, pit
        self.link = Link(up=False, since=now, reason="not connected to the broker yet")
        self.tables: dict[str, Table] = {}
        self._changed = changed

    def connected(self, now: str) -> None:
        """Take it that the broker answers: each table is live once its status is heard on this connection.

        Devices are forgotten, since one that was cleared while nobody listened would linger; all else is overwritten.
        """
        for table_id, table in self.tables.items():
            table.status, table.bridge, table.devices = None, "", {}
            self._changed((table_id, "devices"))
        self._set_link(Link(up=True, since=now), now)

    def disconnected(self, reason: str, now: str) -> None:
        """Take it that nothing is heard any more; a further failure to connect does not change since when."""
        self._set_link(Link(up=False, since=now if self.link.up else self.link.since, reason=reason), now)

    def hear(self, topic: str, payload: bytes, now: str) -> None:
        """Take one message, ``tablectl/v1/site/pit/table/part…``. What cannot be read becomes a fault of that part."""
        table_id, _, rest = topic.removeprefix(f"tablectl/v1/{self.site}/{self.pit}/").partition("/")
        part, _, name = rest.partition("/")
        if part not in READERS or not re.fullmatch(r"[a-z0-9-]{1,32}", table_id):
            log.warning("topic.unknown", topic=topic)
        elif not payload and (part == "status" or table_id not in self.tables):
            self._forget(table_id)
        elif table := self._table(table_id):
            self._read(table_id, table, part, name, payload)
            self._judge(table_id, table, now)

    def part(self, key: Key) -> Any:
        """Return what a page is to show for a key, None where it is gone."""
        table_id, part = key
        return self.link if key == LINK else getattr(self.tables.get(table_id), part, None)

    def whole(self) -> dict[str, Any]:
        """Return everything, as a page gets it first."""
        tables = {name: {part: getattr(table, part) for part in PARTS} for name, table in self.tables.items()}
        return {"site": self.site, "pit": self.pit, "link": self.link, "tables": tables}

    def _table(self, table_id: str) -> Table | None:
        if table_id not in self.tables:
            if len(self.tables) >= MOST_TABLES:
                log.warning("tables.too-many", table=table_id, most=MOST_TABLES)
                return None
            self.tables[table_id] = Table(silent=Silence("", "status not heard yet"))
        return self.tables[table_id]

    def _forget(self, table_id: str) -> None:
        """Drop a table: an empty ``status`` says that it left the pit."""
        if self.tables.pop(table_id, None):
            self._changed((table_id, GONE))

    def _read(self, table_id: str, table: Table, part: str, name: str, payload: bytes) -> None:
        reader, faults = READERS[part], {place: text for place, text in table.faults.items() if place != part}
        try:
            reader.read(table, name, payload)
        except UNREADABLE as error:
            log.warning("payload.unreadable", table=table_id, part=part, name=name, error=str(error))
            faults[part] = f"{part} cannot be read: {error}"
        if faults != table.faults:
            table.faults = faults
            self._changed((table_id, "faults"))
        if reader.shown:
            self._changed((table_id, reader.shown))

    def _judge(self, table_id: str, table: Table, now: str) -> None:
        """Settle whether the table is silent; it stays silent since it first was, whatever the reason is now."""
        reason = table.why_silent(self.link)
        silent = Silence(_since(table, now), reason) if reason else None
        if silent != table.silent:
            table.silent = silent
            self._changed((table_id, "silent"))

    def _set_link(self, link: Link, now: str) -> None:
        self.link = link
        self._changed(LINK)
        for table_id, table in self.tables.items():
            self._judge(table_id, table, now)


def _since(table: Table, now: str) -> str:
    """Say since when: now if it was live, as said before, or, never heard live, since the time of its last state."""
    if table.silent is None:
        return now
    return table.silent.since or (table.state.ts if table.state else "")
