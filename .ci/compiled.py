"""Compile the table to machine code for a wheel, where ``HATCH_BUILD_HOOK_ENABLE_CUSTOM`` asks for it (make fast)."""
# ruff: noqa: INP001 - a script of the build, no part of a package

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MODULES = ("ledger.py", "custody.py", "table/[a-z]*.py")
"""What takes most of the time of an input. Words and rulebooks stay: their classes are made by a library in C."""


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds to the wheel, beside each of these modules, what mypyc made of it; Python takes that first."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile a copy of the package, and name what came of it."""
        del version
        self._work = TemporaryDirectory()
        work = Path(self._work.name)
        shutil.copytree(Path(self.root, "tablectl"), work / "tablectl")
        modules = [str(path) for pattern in MODULES for path in sorted(work.joinpath("tablectl").glob(pattern))]
        command = [sys.executable, "-m", "mypyc", *modules]
        subprocess.run(command, cwd=work, check=True)  # noqa: S603 - our own files alone
        made = [*work.glob("*.so"), *work.glob("tablectl/**/*.so")]
        build_data["force_include"] |= {str(path): str(path.relative_to(work)) for path in made}
        build_data |= {"pure_python": False, "infer_tag": True}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Take the copy away."""
        del version, build_data, artifact_path
        self._work.cleanup()
