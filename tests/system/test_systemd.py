"""The units of systemd/, judged by systemd itself."""

import subprocess
import sys
from pathlib import Path

import pytest

SYSTEMD = Path(__file__).parents[2] / "systemd"
PROGRAM = Path(sys.executable).with_name("tablectl")
UNITS = {"tablectl@.service": "tablectl@t01.service", "tablectl-pit.service": "tablectl-pit.service"}
"""Each unit file and the name of a unit made of it."""
EXPOSURE = 20
"""The most that systemd-analyze may find, in tenths: 2.0 of 10."""


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(params=UNITS)
def unit(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A unit that starts the program of this environment."""
    text = (SYSTEMD / request.param).read_text()
    unit = tmp_path / UNITS[request.param]
    unit.write_text(text.replace("/usr/bin/tablectl", str(PROGRAM)))
    return unit


def test_units_are_sound(unit: Path) -> None:
    """systemd finds nothing to say about a unit: no unknown word, no missing program, no missing unit."""
    verified = run("systemd-analyze", "verify", "--man=no", unit)

    assert verified.returncode == 0
    assert verified.stderr == ""


def test_units_are_hardened(unit: Path) -> None:
    """A unit exposes no more than 2.0 of 10, as systemd counts it."""
    judged = run("systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE}", "--no-pager", unit)

    assert judged.returncode == 0, judged.stdout + judged.stderr


def test_the_judge_of_units_is_awake(unit: Path) -> None:
    """A unit that lost its hardening is found: the limit is one that systemd really compares with."""
    words = ("Protect", "Private", "Restrict", "SystemCall", "CapabilityBoundingSet", "NoNewPrivileges")
    unit.write_text("\n".join(line for line in unit.read_text().splitlines() if not line.startswith(words)))

    judged = run("systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE}", "--no-pager", unit)

    assert judged.returncode != 0


def test_accounts_that_units_name_are_created(tmp_path: Path, unit: Path) -> None:
    """Every user and group of a unit stands in the accounts that systemd-sysusers makes of our file."""
    (tmp_path / "etc").mkdir()
    made = run("systemd-sysusers", f"--root={tmp_path}", SYSTEMD / "tablectl.sysusers.conf")
    accounts = {
        line.split(":")[0] for name in ("passwd", "group") for line in (tmp_path / "etc" / name).read_text().split()
    }
    settings = [line.partition("=") for line in unit.read_text().splitlines()]
    named = {
        name for key, _, names in settings if key in {"User", "Group", "SupplementaryGroups"} for name in names.split()
    }

    assert made.returncode == 0, made.stderr
    assert named <= accounts


def test_no_modem_is_looked_for_on_a_table_s_line() -> None:
    """ModemManager writes to whatever new line it is not told to ignore, by device and by port."""
    rules = (SYSTEMD / "70-tablectl.rules").read_text().replace("\\\n", "").splitlines()
    vendors = [line for line in rules if "0403|067b" in line and not line.startswith("#")]

    assert len(vendors) == 2
    assert all('ENV{ID_MM_DEVICE_IGNORE}="1"' in line or 'ENV{ID_MM_PORT_IGNORE}="1"' in line for line in vendors)


def test_group_of_the_devices_is_that_of_the_tables() -> None:
    """The group that udev gives the devices to is the one that a table's unit joins."""
    rules = (SYSTEMD / "70-tablectl.rules").read_text()
    groups = {word.split('"')[1] for word in rules.split() if word.startswith("GROUP=")}

    assert groups == {"tablectl-devices"}
    assert "SupplementaryGroups=tablectl-devices\n" in (SYSTEMD / "tablectl@.service").read_text()
