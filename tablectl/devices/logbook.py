"""What the log is told of one device: each loss, return and trouble once, so that a loose plug does not fill it."""

import structlog

from tablectl.devices.contract import Identity
from tablectl.errors import LinkLost
from tablectl.events.readings import (
    CommandRefused,
    CommandUnknown,
    DeviceConditionBegan,
    DeviceConditionEnded,
    Reading,
)

_log = structlog.get_logger()


class Logbook:
    """The log's page of one device. What was said already since the device was last here to stay is said to debug."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._said: set[str] = set()
        self._return_unsaid = False

    def found(self, identity: Identity) -> None:
        """Tell who answers."""
        self._return_unsaid = self._is_said("found")
        tell = _log.debug if self._return_unsaid else _log.info
        tell("device.found", device=self._device, model=identity.model, serial=identity.serial)

    def steady(self, identity: Identity) -> None:
        """Begin anew with a device that stays; its return is told now if it was not before."""
        self._said.clear()
        if self._return_unsaid:
            _log.info("device.steady", device=self._device, model=identity.model, serial=identity.serial)

    def lost(self, lost: LinkLost) -> None:
        """Tell why it does not answer."""
        tell = _log.debug if self._is_said(lost.reason) else _log.warning
        tell("device.lost", device=self._device, reason=str(lost.reason), text=str(lost))

    def note(self, reading: Reading) -> None:
        """Tell what stops it, when that is over, and what it would not do or cannot tell."""
        match reading:
            case DeviceConditionBegan(condition=condition):
                _log.warning("device.condition", device=self._device, condition=str(condition))
            case DeviceConditionEnded(condition=condition):
                _log.info("device.condition.over", device=self._device, condition=str(condition))
            case CommandRefused(reason=reason) | CommandUnknown(reason=reason):
                _log.warning(reading.name(), device=self._device, command=reading.command, reason=reason)

    def _is_said(self, what: str) -> bool:
        """Tell whether this was said, and note that it is now."""
        known = what in self._said
        self._said.add(what)
        return known
