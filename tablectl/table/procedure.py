"""How a step of a script is carried out: one procedure for each kind of step."""

from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from tablectl.events.codec import Input
from tablectl.events.facts import RoundStepAwaited
from tablectl.script import Step

if TYPE_CHECKING:
    from tablectl.table.round import Round
    from tablectl.table.table import Table

WAIT: Final = object()
"""What :meth:`Procedure.advance` returns while something is still awaited."""

Kind = TypeVar("Kind", bound=Step[Any])


class Procedure(Generic[Kind]):
    """Carries out one step. A refused input changes nothing: check first, change afterwards."""

    def __init__(self, table: "Table", round_: "Round", step: Kind) -> None:
        self.table = table
        self.round = round_
        self.step = step
        self.begin()

    def begin(self) -> None:
        """Look at what the step is about, before the first :meth:`advance`."""

    def advance(self) -> Any:
        """Do what can be done now; return the step's answer, or WAIT. Not called while the table is suspended."""
        raise NotImplementedError

    def take(self, said: Input) -> bool:
        """Take an input, and tell whether this step awaited it.

        Raises:
            Refused: an announcement of the right kind that may not be.
        """
        del said
        return False

    def by_hand(self) -> "Procedure[Kind]":
        """Return what carries the step on where a device of it is out of service."""
        return self

    def awaited(self) -> RoundStepAwaited:
        """Say what comes next, for the dealer."""
        return RoundStepAwaited(type(self.step).__name__, "device", "Please wait.")
