"""The laws of the tree, kept by machine."""

import ast
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LAW = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
EDGES = {
    allowed.split(" ")[0].removesuffix(".**")
    for contract in LAW
    for allowed in contract.get("ignore_imports", ())
    if allowed.endswith("-> *")
}
"""The modules that the law lets near a clock, chance or I/O; all others of tablectl are rules."""
MODULES = sorted(path for top in ("tablectl", "drivers/tablectl_drivers") for path in (ROOT / top).rglob("*.py"))


def is_rules(path: Path) -> bool:
    top, child, *_ = (*path.relative_to(ROOT).with_suffix("").parts, "")
    return top == "tablectl" and f"{top}.{child}" not in EDGES


RULES = [path for path in MODULES if is_rules(path)]

SETS = {"set", "frozenset"}
ORDERED = {"dict", "enumerate", "iter", "list", "map", "next", "tuple", "zip"}
"""Builtins that keep the order of what they are given; sorted, len, sum, any, min and max do not care."""


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("lint-imports")
    path = f"{root}:{root / 'drivers'}"
    return subprocess.run(
        [program, "--no-cache", "--no-logo"],
        cwd=root,
        env={"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def is_set(node: ast.expr) -> bool:
    match node:
        case ast.Set() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in SETS
        case ast.BinOp(left=left, right=right, op=ast.BitAnd() | ast.BitOr() | ast.BitXor() | ast.Sub()):
            return is_set(left) or is_set(right)
        case _:
            return False


def iterated(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield each expression whose order of elements the code can see."""
    for node in ast.walk(tree):
        match node:
            case ast.For(iter=subject) | ast.comprehension(iter=subject) | ast.Starred(value=subject):
                yield subject
            case ast.Call(func=ast.Name(id=name), args=arguments) if name in ORDERED:
                yield from arguments
            case ast.Call(func=ast.Attribute(attr="join"), args=arguments):
                yield from arguments


def iterations_over_sets(source: str) -> list[int]:
    return [subject.lineno for subject in iterated(ast.parse(source)) if is_set(subject)]


def test_imports_obey_the_law() -> None:
    """Every contract in pyproject.toml is kept by the tree as it stands."""
    linted = lint_imports(ROOT)

    assert linted.returncode == 0, linted.stdout + linted.stderr


@pytest.mark.parametrize(
    ("module", "crime", "named_as"),
    [
        ("tablectl/cards.py", "import tablectl.events", "tablectl.cards -> tablectl.events"),
        ("tablectl/cards.py", "import random", "tablectl.cards -> random"),
        ("tablectl/view.py", "import asyncio", "tablectl.view -> asyncio"),
        ("tablectl/view.py", "import tablectl.devices", "tablectl.view -> tablectl.devices"),
        ("tablectl/devices/contract.py", "import tablectl.view", "tablectl.devices.contract -> tablectl.view"),
        ("tablectl/devices/contract.py", "import tablectl_drivers.otdp", "contract -> tablectl_drivers.otdp"),
        ("tablectl/stray.py", "", "- tablectl.stray"),
        ("drivers/tablectl_drivers/otdp/__init__.py", "import tablectl.money", "otdp -> tablectl.money"),
        ("drivers/tablectl_drivers/other.py", "import tablectl_drivers.otdp", "other -> tablectl_drivers.otdp"),
    ],
)
def test_the_law_is_not_asleep(tmp_path: Path, module: str, crime: str, named_as: str) -> None:
    """A module that breaks the law is found and named, whichever contract it breaks."""
    for name in ("tablectl", "drivers"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "static"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / module).open("a") as file:
        file.write(f"\n{crime}\n")

    linted = lint_imports(tmp_path)

    assert linted.returncode == 1, linted.stderr
    assert named_as in linted.stdout


@pytest.mark.parametrize("path", RULES, ids=named)
def test_rules_never_iterate_over_a_set(path: Path) -> None:
    """No rule depends on the order of a set, which changes with the hash seed and so between play and replay."""
    assert iterations_over_sets(path.read_text()) == []


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("for card in {1, 2}: ...", [1]),
        ("[card for card in set(hand)]", [1]),
        ("tuple(set(hand) - dealt)", [1]),
        ("', '.join({name for name in names})", [1]),
        ("first, = [*frozenset(hand)]", [1]),
        ("for card in sorted({1, 2}): ...", []),
        ("card in {1, 2}", []),
        ("len(set(hand))", []),
    ],
)
def test_the_eye_for_sets_sees(source: str, lines: list[int]) -> None:
    """An order taken from a set is seen; asking a set for membership, size or a sorted list is not one."""
    assert lines == iterations_over_sets(source)


@pytest.mark.parametrize("path", MODULES, ids=named)
def test_every_module_says_what_it_is(path: Path) -> None:
    """Each module opens with a docstring."""
    assert ast.get_docstring(ast.parse(path.read_text()))
