"""The names of all topics of one table; nothing else knows how they are built."""

import re

import msgspec

ROOT = "tablectl/v1"

_FIT = re.compile(r"[^+#\0]{1,512}")
_LEVELS = 64  # a broker cuts the connection of whoever publishes on more than its limit, mosquitto's is 200


class Topics(msgspec.Struct, frozen=True):
    """The topics of the table ``site/pit/id``."""

    table: str

    @property
    def base(self) -> str:
        """Return what all topics of the table begin with."""
        return f"{ROOT}/{self.table}"

    @property
    def client_id(self) -> str:
        """Return the fixed client id, by which a broker lets a returning daemon take over its own connection."""
        return "tablectl-" + self.table.replace("/", "-")

    @property
    def status(self) -> str:
        """Return the topic of birth and last will."""
        return f"{self.base}/status"

    @property
    def meta(self) -> str:
        """Return the topic of what the table is."""
        return f"{self.base}/meta"

    @property
    def state(self) -> str:
        """Return the topic of the whole table in one message."""
        return f"{self.base}/state"

    @property
    def alarms(self) -> str:
        """Return the topic of the active alarms."""
        return f"{self.base}/alarms"

    def device(self, device: str) -> str:
        """Return the topic of one device's health; ``+`` for all."""
        return f"{self.base}/device/{device}"

    def event(self, word: str) -> str:
        """Return the topic of a fact: ``round.opened`` goes to ``evt/round/opened``."""
        return f"{self.base}/evt/{word.replace('.', '/', 1)}"

    @property
    def commands(self) -> str:
        """Return the filter of everything that may be said to the table."""
        return f"{self.base}/cmd/+/+"

    def command(self, topic: str) -> tuple[str, str] | None:
        """Return role and verb of a command topic, None for any other topic."""
        head, _, tail = topic.partition(f"{self.base}/cmd/")
        role, _, verb = tail.partition("/")
        return (role, verb) if not head and role and verb and "/" not in verb else None

    def reply(self, client: str) -> str:
        """Return where a client that gave no Response Topic is answered."""
        return f"{self.base}/rsp/{client}"

    def may_answer(self, topic: str) -> bool:
        """Tell whether a caller may name this as Response Topic: no other topic of any table, and no wildcard."""
        ours = topic.startswith(self.reply(""))
        fits = _FIT.fullmatch(topic) and topic.count("/") < _LEVELS
        return bool(fits) and (ours or not topic.startswith((f"{ROOT}/", "$")))
