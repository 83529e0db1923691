"""What the publisher tells of the table and its devices, beside the view."""

from collections.abc import Callable, Iterator

from tablectl import __version__
from tablectl.config import Device, Settings
from tablectl.events.facts import Device as KnownDevice
from tablectl.publisher.payloads import DeviceHealth, DeviceMeta, Meta
from tablectl.publisher.schemas import PUBLISHED
from tablectl.terms import Terms, Wagers
from tablectl.upkeep import Upkeep


def meta(terms: Terms, settings: Settings, meant: Callable[[str], str]) -> Meta:
    """Return what the table is, and what it cannot check. meant: returns the serial number that a device must have."""
    return Meta(
        v=1,
        table=terms.table,
        program=__version__,
        game=terms.game.name,
        variant=terms.variant,
        mode=terms.mode,
        positions=terms.positions,
        wagers=terms.wagers,
        cards={area: str(sight) for area, sight in terms.cards.items()},
        currency=terms.currency,
        devices=tuple(_device(device, meant(device.id)) for device in settings.devices),
        unconfirmed=tuple(terms.rules.uncertain()),
        checks_off=tuple(_checks_off(terms)),
        schemas=PUBLISHED,
        title=terms.rules.title,
    )


def _checks_off(terms: Terms) -> Iterator[str]:
    """Yield what rests on amounts that the table does not know; what one of them decides is asked of the dealer."""
    if terms.wagers is Wagers.PRESENCE:
        yield "limits by amount"
        if terms.hold.amount is not None:
            yield "hold_amount"


def _device(device: Device, meant: str) -> DeviceMeta:
    return DeviceMeta(device.id, device.kinds, device.driver, meant, None if meant == device.serial else device.serial)


def health(table: str, kinds: tuple[str, ...], upkeep: Upkeep, known: KnownDevice | None, since: str) -> DeviceHealth:
    """Return how a device is. known: as the record shows it; since: when it came online or went."""
    return DeviceHealth(
        v=1,
        table=table,
        device=upkeep.device.id,
        kinds=kinds,
        online=bool(known and known.online),
        state=upkeep.state,
        reason=known.reason if known else "not seen yet",
        detail=known.detail if known else "",
        since=since,
        model=known.model if known else "",
        serial=known.serial if known else "",
        firmware=known.firmware if known else "",
        boot=upkeep.identity.boot if upkeep.identity else "",
        line=upkeep.settings,
        conditions=known.conditions if known else (),
        counters=upkeep.counters,
    )
