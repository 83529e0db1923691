import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

Warp = Callable[[Coroutine[Any, Any, Any]], Any]


class _Selector(selectors.DefaultSelector):
    """Never waits for time: when nothing is ready, time has passed."""

    passed = 0.0
    breath = 0.0
    """Seconds of real time for what the kernel does in its own time, a terminal's bytes for example."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0 if timeout == 0 else self.breath)
        if timeout is None and not ready:
            return super().select(None)
        if timeout and not ready:
            self.passed += timeout + 1e-9
        return ready


class WarpLoop(asyncio.SelectorEventLoop):
    """An event loop in which an hour of waiting takes no time."""

    def __init__(self, breath: float = 0.0) -> None:
        self._warp = _Selector()
        self._warp.breath = breath
        super().__init__(self._warp)

    def time(self) -> float:
        return self._warp.passed


@pytest.fixture(scope="session")
def warp() -> Warp:
    def run(main: Coroutine[Any, Any, Any]) -> Any:
        with asyncio.Runner(loop_factory=WarpLoop) as runner:
            return runner.run(main)

    return run


@pytest.fixture(scope="session")
def slow_warp() -> Warp:
    """Warp for tests with terminals."""

    def run(main: Coroutine[Any, Any, Any]) -> Any:
        with asyncio.Runner(loop_factory=lambda: WarpLoop(breath=0.01)) as runner:
            return runner.run(main)

    return run
