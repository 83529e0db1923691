"""Finds drivers and doubles by their entry points: a casino ships its own package, and nothing here changes."""

from functools import cache
from importlib.metadata import EntryPoints, entry_points
from typing import Any

from tablectl.devices.bench import Double
from tablectl.devices.contract import Driver, Identity, Kind
from tablectl.devices.family import Family
from tablectl.errors import ConfigError

DRIVERS = "tablectl.drivers"
DOUBLES = "tablectl.doubles"


@cache
def _there(group: str) -> EntryPoints:
    return entry_points(group=group)


def names(group: str) -> tuple[str, ...]:
    """Return what is installed of a group, in order."""
    return tuple(sorted(_there(group).names))


def driver(name: str) -> type[Driver]:
    """Return the driver of this name; it is made with an open link.

    Raises:
        ConfigError: there is none; says which there are.
    """
    found: type[Driver] = _load(DRIVERS, "driver", name)
    return found


def kinds(driver: type[Driver]) -> tuple[Kind, ...]:
    """Return everything that a driver drives in one machine."""
    found: tuple[Kind, ...] = getattr(driver, "kinds", (driver.kind,))
    return found


def double(name: str) -> type[Double]:
    """Return the double of this name.

    Raises:
        ConfigError: there is none; says which there are.
    """
    found: type[Double] = _load(DOUBLES, "double", name)
    return found


def families() -> dict[str, Family]:
    """Return the families of the drivers that are installed, by their names."""
    found = (getattr(driver(name), "family", None) for name in names(DRIVERS))
    return {family.name: family for family in found if isinstance(family, Family)}


def speechless() -> tuple[str, ...]:
    """Return the drivers of no family, whose devices only they themselves can ask who they are."""
    return tuple(name for name in names(DRIVERS) if not isinstance(getattr(driver(name), "family", None), Family))


def fitting(family: str, identity: Identity) -> tuple[str, ...]:
    """Return the drivers of a family that drive what a device says it is, first those that drive most of it."""
    fit = [name for name in names(DRIVERS) if _fits(driver(name), family, identity)]
    return tuple(sorted(fit, key=lambda name: -len(kinds(driver(name)))))


def _fits(candidate: type[Driver], family: str, identity: Identity) -> bool:
    of = getattr(candidate, "family", None)
    driven = all(kind in identity.kinds for kind in kinds(candidate))
    return isinstance(of, Family) and of.name == family and driven


def _load(group: str, what: str, name: str) -> Any:
    if name not in _there(group).names:
        raise ConfigError(f"no {what} {name!r} is installed; there are {', '.join(names(group)) or 'none'}")
    try:
        return _there(group)[name].load()
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"the {what} {name!r} cannot be loaded: {error}") from error
