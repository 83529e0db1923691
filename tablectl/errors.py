"""The errors of tablectl: one root, four children that ask whose fault it was.

A reading that nobody awaited is no error but a fact, :class:`~tablectl.events.facts.IrregularityFound`.
"""


class TablectlError(Exception):
    """Anything that tablectl raises on purpose."""


class WireError(TablectlError):
    """Their bytes: a peer sent what its protocol does not allow."""


class LinkLost(TablectlError):  # noqa: N818 - what happened, in the words of the trade
    """The cable: the device does not answer. reason: one of the words in :mod:`tablectl.devices.contract`."""

    def __init__(self, reason: str, text: str = "") -> None:
        super().__init__(text or reason)
        self.reason = reason


class ConfigError(TablectlError):
    """The operator: a file asks for something that cannot be. Holds every mistake found, each with its place."""

    def __str__(self) -> str:
        return "\n".join(map(str, self.args))


class JournalError(TablectlError):
    """The record cannot be written or read: the table takes nothing more."""


def first_of(error: BaseException) -> BaseException:
    """Return the first error in a group of groups, or the error itself."""
    return first_of(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error
