"""What was found, for people and for machines."""

from collections import Counter
from enum import StrEnum

import msgspec


class Verdict(StrEnum):
    """What became of one claim."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_TRIED = "not tried"


class Line(msgspec.Struct, frozen=True):
    """One claim and what became of it. text: why it failed or was not tried."""

    name: str
    claim: str
    verdict: Verdict
    text: str = ""
    seconds: float = 0

    def __str__(self) -> str:
        why = f"\n{'':11}{self.text}" if self.text else ""
        return f"{self.verdict.value:9}  {self.name}: {self.claim}{why}"


class Report(msgspec.Struct, frozen=True):
    """A device on the day it was tried. v: of this form."""

    v: int
    link: str
    driver: str
    device: str
    program: str
    began: str
    lines: tuple[Line, ...]

    @property
    def conforms(self) -> bool:
        """Tell whether nothing failed and something was tried."""
        found = Counter(line.verdict for line in self.lines)
        return not found[Verdict.FAILED] and found[Verdict.PASSED] > 0

    def failed(self) -> tuple[str, ...]:
        """Return the names of the lines that failed."""
        return tuple(line.name for line in self.lines if line.verdict is Verdict.FAILED)

    def __str__(self) -> str:
        return "\n".join((self.head, *map(str, self.lines), self.sums))

    @property
    def head(self) -> str:
        """Tell which device it was."""
        return f"{self.device}, {self.driver} at {self.link}"

    @property
    def sums(self) -> str:
        """Tell what it came to."""
        found = Counter(line.verdict for line in self.lines)
        counts = ", ".join(f"{found[verdict]} {verdict.value}" for verdict in Verdict)
        return f"{'conforms' if self.conforms else 'does not conform'}: {counts}"
