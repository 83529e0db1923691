"""What all words of the system have in common: frozen, and named in JSON after their class."""

import re
from functools import cache
from typing import dataclass_transform

import msgspec


def kebab(name: str) -> str:
    """Write a class name as JSON and topics do: ``NoMoreBets`` is ``no-more-bets``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


def dotted(name: str) -> str:
    """Write a class name as domain and name: ``ShoeStackDispensed`` is ``shoe.stack-dispensed``."""
    return kebab(name).replace("-", ".", 1)


# Without gc: a word holds only what was there before it, so no cycle can lead back to it.
@dataclass_transform(frozen_default=True)
class Word(
    msgspec.Struct, frozen=True, tag_field="type", tag=dotted, omit_defaults=True, forbid_unknown_fields=True, gc=False
):
    """One thing said; ``type`` in JSON names it."""

    @classmethod
    @cache
    def name(cls) -> str:
        """Return the word's name in JSON, ``round.opened``."""
        return str(cls.__struct_config__.tag)
