"""The log: for people on a terminal, as JSON lines for machines; each line says which table and round it is of."""

import logging
import sys
from collections.abc import Callable, Collection
from enum import StrEnum
from typing import Any, TextIO

import msgspec
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

HIDDEN = "***"
"""What stands in place of a secret."""

_SECRET_KEYS = frozenset({"password", "passwd", "secret", "token", "pin", "badge", "authorization", "credential"})


class Style(StrEnum):
    """How lines look."""

    CONSOLE = "console"
    JSON = "json"

    @classmethod
    def of(cls, stream: TextIO) -> "Style":
        """Return what fits whoever reads this stream."""
        return cls.CONSOLE if stream.isatty() else cls.JSON


class Where:
    """What each line is about. round: asked at each line; devices are named by those who log of them."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.round: Callable[[], int] = lambda: 0

    def __call__(self, _: WrappedLogger, __: str, line: EventDict) -> EventDict:
        """Add table and round to a line that does not name them."""
        return {"table": self.table, "round": self.round(), **line}


class Redact:
    """Hides secrets: those it is told, wherever they stand in a line, and whatever goes by a telling name."""

    def __init__(self, secrets: Collection[str]) -> None:
        self._secrets = sorted(filter(None, secrets), key=len, reverse=True)  # one may be part of another

    def __call__(self, _: WrappedLogger, __: str, line: EventDict) -> EventDict:
        """Hide what is secret in a line."""
        return {name: self._shown(name, value) for name, value in line.items()}

    def _shown(self, name: str, value: Any) -> Any:
        if name.lower() in _SECRET_KEYS:
            return HIDDEN
        match value:
            case dict():
                return {key: self._shown(str(key), part) for key, part in value.items()}
            case list() | tuple():
                return [self._shown("", part) for part in value]
            case bool() | int() | float() | None:
                return value
        text = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return text


def begin(style: Style, table: str, secrets: Collection[str] = (), stream: TextIO = sys.stdout) -> Where:
    """Write all logs of the process to a stream, those of libraries included; returns what tells their round."""
    where = Where(table)
    common: list[Processor] = [
        where,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        Redact(secrets),
    ]
    write = structlog.stdlib.ProcessorFormatter.wrap_for_formatter
    structlog.configure(
        processors=[*common, write],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    _hand_over(common, _renderer(style, colors=stream.isatty()), stream)
    return where


def _hand_over(common: list[Processor], renderer: Processor, stream: TextIO) -> None:
    """Have the standard library's root logger write to the stream, in the same form."""
    strip = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    formatter = structlog.stdlib.ProcessorFormatter(foreign_pre_chain=common, processors=[strip, renderer])
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)


def _renderer(style: Style, *, colors: bool) -> Processor:
    if style is Style.CONSOLE:
        return structlog.dev.ConsoleRenderer(colors=colors, sort_keys=False)
    return _as_json


def _as_json(_: WrappedLogger, __: str, line: EventDict) -> str:
    return msgspec.json.encode(line, enc_hook=str).decode()
