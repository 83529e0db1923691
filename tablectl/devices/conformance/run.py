"""Tries one claim after the other and writes down what was found."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import chain

from tablectl.devices.conformance.check import Broken, Check, NotTried
from tablectl.devices.conformance.checks import CHECKS
from tablectl.devices.conformance.report import Line, Report, Verdict
from tablectl.devices.conformance.rig import Rig
from tablectl.devices.contract import Driver, Kind, Mark
from tablectl.devices.family import Family
from tablectl.devices.registry import kinds
from tablectl.errors import ConfigError, LinkLost, TablectlError, WireError

LONGEST = 600.0
"""Seconds after which one check is given up."""


def checks_of(driver: type[Driver]) -> tuple[Check, ...]:
    """Return what a driver's devices must keep: the contract, and what its family adds; as each kind that it drives."""
    family = getattr(driver, "family", None)
    checks = CHECKS + (family.checks if isinstance(family, Family) else ())
    _, *further = kinds(driver)
    return tuple(chain.from_iterable(_of_each(check, further) for check in checks))


def _of_each(check: Check, further: Iterable[Kind]) -> Iterator[Check]:
    yield check
    if check.each_kind:
        yield from map(check.tried_as, further)


async def conform(
    rig: Rig,
    driver: str,
    link: str,
    *,
    only: tuple[str, ...] = (),
    tell: Callable[[Line], None] = lambda _: None,
) -> Report:
    """Try a device. only: the names of the lines to try, all where it is empty; tell: hears each line as it is found.

    Raises:
        ConfigError: the link's URL cannot be right, or there is no such line.
    """
    checks = checks_of(rig.driver)
    names = [check.name for check in checks]
    if strange := set(only) - set(names):
        raise ConfigError(f"there is no line {', '.join(sorted(strange))}; there are {', '.join(names)}")
    began = datetime.now(UTC).isoformat(timespec="seconds")
    device = await _device(rig)
    lines = []
    for check in checks:
        if not only or check.name in only:
            lines.append(await _line(check, rig))
            tell(lines[-1])
        if rig.stranger:
            break
    return Report(1, link, driver, device, _program(), began, tuple(lines))


def _program() -> str:
    from importlib.metadata import version  # noqa: PLC0415 - asked once

    return f"tablectl {version('tablectl')}"


async def _device(rig: Rig) -> str:
    try:
        driver = rig.driver(await rig.plug())
    except LinkLost as lost:
        return f"nothing ({lost})"
    try:
        identity = await driver.open(Mark())
    except (LinkLost, WireError) as error:
        return f"a device that does not say who it is ({error})"
    finally:
        await driver.close()
    return f"{identity.model}, serial {identity.serial}, firmware {identity.firmware}"


async def attempt(check: Check, rig: Rig) -> None:
    """Try one claim; behind an identity that does not hold, none.

    Raises:
        NotTried: it cannot be tried.
        TablectlError: it does not hold.
    """
    if rig.stranger:
        raise NotTried("its identity does not hold")
    try:
        await check.run(rig)
    except (TablectlError, TimeoutError):
        rig.stranger = check is CHECKS[0]
        raise


async def _line(check: Check, rig: Rig) -> Line:
    clock = asyncio.get_running_loop().time
    began = clock()
    verdict, text = await _verdict(check, rig)
    text += "; nothing else is tried" if rig.stranger else ""
    return Line(check.name, check.claim, verdict, text, round(clock() - began, 3))


async def _verdict(check: Check, rig: Rig) -> tuple[Verdict, str]:
    try:
        async with asyncio.timeout(LONGEST):
            await attempt(check, rig)
    except NotTried as reason:
        return Verdict.NOT_TRIED, str(reason)
    except Broken as broken:
        return Verdict.FAILED, str(broken)
    except LinkLost as lost:
        return Verdict.FAILED, f"the link was lost ({lost.reason}): {lost}"
    except TimeoutError:
        return Verdict.FAILED, "it did not end in time"
    except TablectlError as error:
        return Verdict.FAILED, str(error)
    return Verdict.PASSED, ""
