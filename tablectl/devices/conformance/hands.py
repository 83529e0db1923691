"""People at the bench, or what stands for them."""

import asyncio
from collections.abc import Callable
from typing import Any

from tablectl.devices.bench import socket
from tablectl.devices.conformance.check import NotTried
from tablectl.devices.conformance.rig import Hands, NoHands
from tablectl.devices.link import Url
from tablectl.devices.world import Acted


class DoubleHands:
    """At a double of this process: its people act by themselves, and its power can be cut."""

    cuts_power = True

    def __init__(self, url: Url) -> None:
        self._url = url

    async def ask(self, what: str, act: str = "") -> None:  # noqa: ARG002 - its own people know
        """Leave it to the double's people, or do it in their place."""
        if act:
            double = socket(self._url).double
            double.hear(Acted(double.places[0], act), asyncio.get_running_loop().time())

    async def cut_power(self) -> None:
        """Cut it."""
        double: Any = socket(self._url).double
        double.cut_power(asyncio.get_running_loop().time())


class Person:
    """Somebody who reads what is to be done. tell: shows it."""

    cuts_power = True

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell

    async def ask(self, what: str, act: str = "") -> None:  # noqa: ARG002 - for doubles
        """Tell what is to be done; the device will say that it was."""
        if what:
            self._tell(f"please: {what}")

    async def cut_power(self) -> None:
        """Ask for it, and wait until it is said to be done.

        Raises:
            NotTried: nobody can say so, for there is no keyboard.
        """
        try:
            await asyncio.to_thread(input, "please: switch the device off and on, then press Enter ")
        except EOFError:
            raise NotTried("nobody said that its power was cut: there is no keyboard") from None


def hands_for(url: str, tell: Callable[[str], None] | None) -> Hands:
    """Return whoever is at the device of a URL; tell: shows a person what to do, None where nobody is there."""
    parsed = Url.parse(url)
    if parsed.scheme == "double":
        return DoubleHands(parsed)
    if parsed.scheme == "usb" and parsed.place.startswith("double:"):
        return DoubleHands(Url("double", parsed.place.removeprefix("double:"), parsed.query))
    return Person(tell) if tell else NoHands()
