"""Who may read and write what at a broker: the access list of mosquitto, for the tables of a site."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from tablectl.errors import ConfigError
from tablectl.events.announcements import Role
from tablectl.publisher.topics import ROOT, Topics

TOLD = ("status", "meta", "state", "alarms", "device/+", "evt/+/+", "bridge")
"""What a table tells, below its name; the last is its bridge's own word."""

ANSWERED = "rsp/+"
"""Where a table answers who gave no Response Topic."""

HEARD = ("cmd/+/+", "status", "state", "device/+")
"""What a table reads of its own: what it is asked, and what an earlier start left behind."""

_HEAD = f"""\
# /etc/mosquitto/tablectl.acl, made by `tablectl broker-acl`: a role is a user, and what a role may ask for is a topic.
# Fits a table's own broker and the pit's, where the bridge of each table is the table's user.

# Whoever asks reads the replies to its own client id, and nobody else's.
pattern read {ROOT}/+/+/+/rsp/%c
"""


class Account(msgspec.Struct, frozen=True):
    """A table, ``site/pit/id``, and its user at the broker."""

    table: str
    user: str


def access_list(accounts: Sequence[Account]) -> str:
    """Return the whole list, in mosquitto's form.

    Raises:
        ConfigError: two of all its users have the same name.
    """
    sections = list(_sections(accounts))
    users = [user for user, _, _ in sections]
    twice = sorted({user for user in users if users.count(user) > 1})
    if twice:
        raise ConfigError(f"{', '.join(twice)}: more than one user of this name; give each table its own mqtt.username")
    return _HEAD + "".join(f"\n# {text}\n{_section(user, rights)}" for user, text, rights in sections)


Rights = Iterable[tuple[str, str]]


def _sections(accounts: Sequence[Account]) -> Iterator[tuple[str, str, Rights]]:
    """Yield each user, what it is, and its rights."""
    for account in accounts:
        yield account.user, f"The table {account.table}, and its bridge.", _table(account.table)
        dealer = f"dealer-{account.user}"
        yield dealer, "Its dealer's console: asks for what a dealer may.", _role([account.table], Role.DEALER)
    tables = [account.table for account in accounts]
    yield Role.SUPERVISOR, "Rules on every table.", _role(tables, Role.SUPERVISOR)
    yield Role.SERVICE, "Looks after the devices of every table.", _role(tables, Role.SERVICE)
    yield "display", "Shows every table, and asks for nothing.", _told(tables)
    for pit in dict.fromkeys(table.rpartition("/")[0] for table in tables):
        inside = [table for table in tables if table.startswith(f"{pit}/")]
        yield f"display-{pit.partition('/')[2]}", f"Shows the tables of {pit}, and asks for nothing.", _told(inside)
    yield (
        Role.AUDITOR,
        "Reads what is told, asked and answered, says what it read, and changes nothing.",
        _audit(tables),
    )


def _section(user: str, rights: Rights) -> str:
    return f"user {user}\n" + "".join(f"topic {right} {topic}\n" for right, topic in rights)


def _table(table: str) -> Rights:
    base = Topics(table).base
    yield from (("write", f"{base}/{topic}") for topic in (*TOLD, ANSWERED))
    yield from (("read", f"{base}/{topic}") for topic in HEARD)


def _role(tables: Iterable[str], role: Role) -> Rights:
    for table in tables:
        yield from _told([table])
        yield "write", f"{Topics(table).base}/cmd/{role}/+"


def _told(tables: Iterable[str]) -> Rights:
    return (("read", f"{Topics(table).base}/{topic}") for table in tables for topic in TOLD)


def _audit(tables: Iterable[str]) -> Rights:
    for table in tables:
        yield "read", f"{Topics(table).base}/#"
        yield "write", f"{Topics(table).base}/cmd/{Role.AUDITOR}/+"
