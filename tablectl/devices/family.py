"""What the drivers of one family share: how a device is asked who it is, and how its bytes read for people."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tablectl.devices.contract import Identity, Link

if TYPE_CHECKING:
    from tablectl.devices.conformance.check import Check

Explain = Callable[[bytes], list[str]]
"""Takes the bytes of one direction in any pieces; returns a line of text for each message that they complete."""


@dataclass(frozen=True)
class Family:
    """A driver names its family in its attribute ``family``; one without is driven all the same.

    identify: asks who is at the other end of a link and closes it; nothing that it sends moves anything. It raises
    LinkLost or WireError where no device of this family answers. explain: makes a new :data:`Explain`.
    checks: what its devices must keep besides the contract. answers_in: seconds in which a device that is awake has
    answered; where several families may be there, who answers sooner is asked first.
    """

    name: str
    identify: Callable[[Link], Awaitable[Identity]]
    explain: Callable[[], Explain]
    checks: tuple["Check", ...] = field(default=())
    answers_in: float = 1.0
