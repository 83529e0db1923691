"""What people say over MQTT: each command is checked, done once and answered."""

import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from difflib import get_close_matches

import msgspec
import structlog

from tablectl.errors import JournalError
from tablectl.events.announcements import ANNOUNCEMENTS, Announcement, Role
from tablectl.events.codec import Input, decode_announcement
from tablectl.events.facts import AnnouncementRefused, Fact
from tablectl.events.record import TurnAway
from tablectl.journal import Journal
from tablectl.publisher.payloads import Command, Refusal, Reply, V, read

MEMORY = 600.0
"""Seconds for which a refusal is repeated to the same key; what reached the journal is repeated for ever."""

KEY_REUSED = "key-reused"
RECORDED = frozenset({"retained", "expired", "other-round", "role-not-allowed", KEY_REUSED})
"""Why a command is turned away that is well formed: such a refusal stands in the record."""

_REMEMBERED = 10_000  # refusals; more than any floor asks in that time

LARGEST = 16 * 1024
"""Bytes of a command; what it says is kept in the record, done or refused."""

_log = structlog.get_logger()
_VERBS = {word.name(): word for word in ANNOUNCEMENTS}


class Refused(Exception):  # noqa: N818 - what happened
    """The command is not passed on to the table."""

    def __init__(self, code: str, text: str, awaited: str) -> None:
        super().__init__(text)
        self.refusal = Refusal(code=code, awaited=awaited, clause="", text=text)


class Request(msgspec.Struct, frozen=True):
    """A command as it arrived on ``cmd/{role}/{verb}``."""

    role: str
    verb: str
    payload: bytes
    retained: bool = False


class Desk:
    """Takes commands in. submit: gives an input to the table and returns its facts once they are durable.

    present_round: of the table, as shown.
    """

    def __init__(
        self,
        journal: Journal,
        submit: Callable[[Input], Awaitable[tuple[Fact, ...]]],
        present_round: Callable[[], int],
    ) -> None:
        self._journal = journal
        self._submit = submit
        self._round = present_round
        self._refusals: dict[tuple[str, str], tuple[float, Reply]] = {}

    async def answer(self, request: Request) -> tuple[Reply, str | None]:
        """Do what the request asks, unless it was done before, and return the reply and the client it names."""
        command: Command | None = None
        try:
            command = _read(request)
            return await self._done(request, command), command.reply_to
        except Refused as refused:
            why = refused.refusal
            _log.warning("command.refused", role=request.role, verb=request.verb, why=why.code, text=why.text)
            if command is None:
                return self._reply("", why), None
            return await self._turn_away(request, command, why), command.reply_to
        except JournalError as error:
            why = Refusal("journal-failed", "a table that can keep its record", "", str(error))
            return (self._reply(command.key, why), command.reply_to) if command else (self._reply("", why), None)

    async def _turn_away(self, request: Request, command: Command, why: Refusal) -> Reply:
        """Refuse a command, for the record too where it is one that could have been done."""
        if why.code in RECORDED:
            data = msgspec.json.encode(command.data).decode()
            words = (request.verb, request.role, command.by, command.key, data, why.code, why.awaited, why.text)
            with suppress(JournalError):  # a record that cannot be kept is told by its own alarm
                await self._submit(Input(TurnAway(*words), time.time_ns(), Role.SYSTEM))
        reply = self._reply(command.key, why)
        if why.code != KEY_REUSED:  # the key has its answer
            self._remember(request.role, reply)
        return reply

    async def _done(self, request: Request, command: Command) -> Reply:
        earlier = self._earlier(request, command)
        if earlier is not None:
            return earlier
        self._check(request, command)
        announcement = _announcement(request, command)
        said = Input(announcement, time.time_ns(), source=request.role, by=command.by, key=command.key)
        facts = await self._submit(said)
        return self._told(request, command) or self._reply(command.key, _refusal(facts))

    def _earlier(self, request: Request, command: Command) -> Reply | None:
        """Return the first reply to this key, None where it is new."""
        deadline, refusal = self._refusals.get((request.role, command.key), (0.0, None))
        return refusal if time.monotonic() < deadline else self._told(request, command)

    def _told(self, request: Request, command: Command) -> Reply | None:
        """Return what the journal says of this key, None where it says nothing."""
        entry = self._journal.keyed(request.role, command.key)
        if entry is None:
            return None
        verb = type(entry.said.body).name()
        if verb != request.verb:
            raise Refused(KEY_REUSED, f"the key {command.key} stands for {verb}", "a key of its own for each command")
        seq = entry.facts[-1].seq if entry.facts else self._journal.head.seq
        return self._reply(command.key, _refusal(tuple(stated.fact for stated in entry.facts)), seq)

    def _check(self, request: Request, command: Command) -> None:
        if request.retained:
            raise Refused("retained", "a retained command would be done again at each start", "a command not retained")
        if command.expires is not None and command.expires <= datetime.now(UTC):
            raise Refused(
                "expired", f"the command expired at {command.expires.isoformat()}", "a command still in force"
            )
        present = self._round()
        if command.round not in (None, present):
            raise Refused("other-round", f"the command is for round {command.round}", f"round {present}")

    def _reply(self, key: str, error: Refusal | None, seq: int | None = None) -> Reply:
        return Reply(v=V, key=key, ok=error is None, seq=self._journal.head.seq if seq is None else seq, error=error)

    def _remember(self, role: str, reply: Reply) -> None:
        now = time.monotonic()
        while self._refusals:
            oldest = next(iter(self._refusals))
            if self._refusals[oldest][0] > now and len(self._refusals) < _REMEMBERED:
                break
            del self._refusals[oldest]
        self._refusals.setdefault((role, reply.key), (now + MEMORY, reply))


def _read(request: Request) -> Command:
    if len(request.payload) > LARGEST:
        raise Refused("malformed", f"{len(request.payload)} bytes", f"at most {LARGEST} bytes")
    try:
        return read(request.payload, Command)
    except msgspec.DecodeError as error:
        raise Refused("malformed", str(error), "{v, key, by, round, expires, data, reply_to}") from error


def _announcement(request: Request, command: Command) -> Announcement:
    """Return what is to be said, if this role may say it."""
    try:
        announcement = decode_announcement(msgspec.json.encode({**command.data, "type": request.verb}))
    except msgspec.DecodeError as error:
        if str(error).endswith("`$.type`"):
            near = ", ".join(get_close_matches(request.verb, _VERBS, 3)) or "a verb of the protocol"
            raise Refused("unknown-verb", f"nobody can say {request.verb}", near) from error
        raise Refused("malformed", f"data of {request.verb}: {error}", takes(_VERBS[request.verb])) from error
    roles = announcement.roles - {Role.SYSTEM}
    if request.role not in roles:
        awaited = " or ".join(sorted(roles)) or "the table itself"
        raise Refused("role-not-allowed", f"{request.role} may not say {request.verb}", awaited)
    return announcement


def takes(verb: type[Announcement]) -> str:
    """Return the data that a verb takes: ``{hand, wager, [amount]}``, with what may be left out in brackets."""
    fields = msgspec.structs.fields(verb)
    return f"{{{', '.join(each.name if each.required else f'[{each.name}]' for each in fields)}}}"


def _refusal(facts: tuple[Fact, ...]) -> Refusal | None:
    """Return why the table did not take it, None where it did."""
    for fact in facts:
        if isinstance(fact, AnnouncementRefused):
            return Refusal(code=fact.code, awaited=fact.awaited, clause=fact.clause, text=fact.text)
    return None
