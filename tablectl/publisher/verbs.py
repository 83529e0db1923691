"""Everything that people may say, as a page."""

import inspect
import re

from tablectl.events.announcements import Announcement, Role
from tablectl.publisher.commands import takes
from tablectl.publisher.schemas import VERBS

HEAD = """# Commands

Who may say what on `cmd/{role}/{verb}`, and with which `data`; what stands in brackets may be left out.
How a command is sent is told in [mqtt.md](mqtt.md#commands). `tablectl schemas docs` writes this page.

| verb | role | data | what it says |
|---|---|---|---|
"""


def page() -> str:
    """Return the page: one line for each verb."""
    return HEAD + "\n".join(map(_line, VERBS)) + "\n"


def _line(word: type[Announcement]) -> str:
    roles = ", ".join(role for role in Role if role in word.roles - {Role.SYSTEM})
    verb = f"[`{word.name()}`](schemas/command/{word.name()}.json)"
    return f"| {verb} | {roles} | `{takes(word)}` | {_told(word)} |"


def _told(word: type[Announcement]) -> str:
    text = " ".join((inspect.getdoc(word) or "").split())
    return re.sub("``", "`", text).replace("|", "\\|")
