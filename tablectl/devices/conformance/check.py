"""What a line of the report is made from."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tablectl.devices.contract import Kind
from tablectl.errors import TablectlError

if TYPE_CHECKING:
    from tablectl.devices.conformance.rig import Rig


class Broken(TablectlError):  # noqa: N818 - what was found
    """The device does not keep the claim; says what was awaited and what was found."""


class NotTried(TablectlError):  # noqa: N818 - what was found
    """The claim is not made by this device, or nobody is there to try it."""


@dataclass(frozen=True)
class Check:
    """One claim. name: of its line; claim: in a sentence; run: returns where it holds, and raises where it does not;
    each_kind: it is about what a device does, so that a machine which is several kinds must keep it as each.
    """

    name: str
    claim: str
    run: Callable[["Rig"], Coroutine[Any, Any, None]]
    each_kind: bool = False

    def tried_as(self, kind: Kind) -> "Check":
        """Return the same claim of a further kind that the machine is."""

        async def run(rig: "Rig") -> None:
            await self.run(replace(rig, kind=kind))

        return Check(f"{self.name}:{kind}", f"as a {kind}: {self.claim}", run)


def expect(holds: bool, text: str) -> None:  # noqa: FBT001 - reads as assert does
    """Go on if it holds.

    Raises:
        Broken: it does not.
    """
    if not holds:
        raise Broken(text)
