"""The supervisor: opens and closes the table, and comes when called."""

import asyncio

from tablectl.events.announcements import AnswerFloor, CloseTable, LiftSuspension, OpenTable, Role, VerifyPayout
from tablectl.events.facts import Fact, FloorCalled, RoundOpened, TableSuspended
from tablectl.publisher.payloads import Envelope
from tablectl.rehearsal.line import Line
from tablectl.rehearsal.plan import Plan
from tablectl.table.settling import VERIFIES


class Supervisor:
    """Plays the supervisor."""

    def __init__(self, plan: Plan, line: Line) -> None:
        self._plan, self._line = plan, line
        self._chance = plan.chance("supervisor")
        self._events: asyncio.Queue[Fact] = asyncio.Queue()
        line.on_event(self._hear)

    def _hear(self, _: Envelope, happened: Fact) -> None:
        if isinstance(happened, (RoundOpened, FloorCalled, TableSuspended)):
            self._events.put_nowait(happened)

    async def open(self) -> None:
        """Open the table."""
        await self._line.say(OpenTable(("supervisor", "dealer")), Role.SUPERVISOR)

    async def work(self) -> None:
        """Look after the table, for ever; in its last round, say that it closes."""
        while True:
            match await self._events.get():
                case RoundOpened(round=number) if number == self._plan.rounds:
                    await self._line.say(CloseTable("the rehearsal ends"), Role.SUPERVISOR)
                case FloorCalled():
                    await self._come()
                    await self._line.say(AnswerFloor(), Role.SUPERVISOR)
                case TableSuspended(reason=reason) if VERIFIES in reason:
                    await self._come()
                    await self._line.say(VerifyPayout("looked at, and in order"), Role.SUPERVISOR)
                case TableSuspended(reason=reason) if " refused: " in reason:
                    await self._come()
                    await self._line.say(LiftSuspension("looked at, and in order"), Role.SUPERVISOR)

    async def _come(self) -> None:
        await self._plan.pause(6.0, self._chance)
