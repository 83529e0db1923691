"""The kit as a pytest plugin: ``pytest --tablectl-device serial:/dev/... --tablectl-driver otdp-shoe``.

Each claim becomes a test of its own, and the fixture ``tablectl_rig`` gives the device to tests of your own.
"""

import asyncio
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tablectl.devices.conformance import Check, Rig


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the kit."""
    group = parser.getgroup("tablectl", "devices of casino tables")
    group.addoption("--tablectl-device", metavar="URL", help="the device to try; cards and dice will move")
    group.addoption("--tablectl-driver", metavar="NAME", help="its driver, otdp-shoe for example")
    group.addoption("--tablectl-patience", metavar="SECONDS", type=float, default=120.0, help="for what it is asked")
    group.addoption("--tablectl-quiet", metavar="SECONDS", type=float, default=3.0, help="in which wrong motion shows")
    group.addoption("--tablectl-idle", metavar="SECONDS", type=float, default=10.0, help="of listening to it at rest")
    group.addoption("--tablectl-by-hand", action="store_true", help="somebody is there to do what is asked (with -s)")


def rig(config: pytest.Config) -> "Rig":
    """Return the device that the command line names.

    Raises:
        UsageError: it names none, or what it names cannot be right.
    """
    from tablectl.devices import registry  # noqa: PLC0415 - a run without a device pays nothing
    from tablectl.devices.conformance import Rig  # noqa: PLC0415
    from tablectl.devices.conformance.hands import hands_for  # noqa: PLC0415
    from tablectl.devices.link import open_link  # noqa: PLC0415
    from tablectl.errors import ConfigError  # noqa: PLC0415

    url, driver = config.getoption("--tablectl-device"), config.getoption("--tablectl-driver")
    if not url or not driver:
        raise pytest.UsageError("--tablectl-device URL and --tablectl-driver NAME belong together")
    tell = (lambda text: print(text, file=sys.stderr)) if config.getoption("--tablectl-by-hand") else None  # noqa: T201
    try:
        return Rig(
            registry.driver(driver),
            lambda: open_link(url),
            hands_for(url, tell),
            patience=config.getoption("--tablectl-patience"),
            quiet=config.getoption("--tablectl-quiet"),
            idle=config.getoption("--tablectl-idle"),
        )
    except ConfigError as error:
        raise pytest.UsageError(str(error)) from error


@pytest.fixture
def tablectl_rig(request: pytest.FixtureRequest) -> "Rig":
    """Return the device of the command line; a run without one skips the test."""
    if not request.config.getoption("--tablectl-device"):
        pytest.skip("no --tablectl-device is given")
    return rig(request.config)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add one test for each claim, in the order in which they must be tried."""
    if config.getoption("--tablectl-device") or config.getoption("--tablectl-driver"):
        device = Device.from_parent(session, name="tablectl", rig=rig(config))
        items += session.genitems(device)


class Device(pytest.Collector):
    """The device under test."""

    def __init__(self, *, rig: "Rig", **rest: Any) -> None:
        super().__init__(**rest)
        self.rig = rig

    def collect(self) -> Iterator["Claim"]:
        """Yield its claims."""
        from tablectl.devices.conformance import checks_of  # noqa: PLC0415

        for check in checks_of(self.rig.driver):
            yield Claim.from_parent(self, name=check.name, check=check, rig=self.rig)


class Claim(pytest.Item):
    """One claim as a test."""

    def __init__(self, *, check: "Check", rig: "Rig", **rest: Any) -> None:
        super().__init__(**rest)
        self.check = check
        self.rig = rig

    def runtest(self) -> None:
        """Try it."""
        from tablectl.devices.conformance import NotTried, attempt  # noqa: PLC0415

        try:
            asyncio.run(attempt(self.check, self.rig))
        except NotTried as reason:
            pytest.skip(str(reason))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Say what was found; a traceback only of what is no finding."""
        from tablectl.errors import TablectlError  # noqa: PLC0415

        if isinstance(excinfo.value, TablectlError):
            return f"{self.check.claim}:\n{excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, None, str]:
        """Return the line of the report."""
        return self.path, None, f"{self.name}: {self.check.claim}"
