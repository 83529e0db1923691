"""JSON Schemas (2020-12) of all that is written on the topics, made from the types that write and read it."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from tablectl.events.announcements import ANNOUNCEMENTS, Announcement, Role
from tablectl.events.facts import FACTS, Fact
from tablectl.publisher.payloads import UNTOLD, Alarms, Command, DeviceHealth, Envelope, Meta, Reply, Status, V
from tablectl.view import State

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"

RETAINED: dict[str, type[msgspec.Struct]] = {
    "status": Status,
    "meta": Meta,
    "state": State,
    "device": DeviceHealth,
    "alarms": Alarms,
}
"""What stands on the retained topics, by the first word of its topic."""

VERBS: tuple[type[Announcement], ...] = tuple(word for word in ANNOUNCEMENTS if word.roles != {Role.SYSTEM})
"""Everything that may be said on a ``cmd`` topic."""

_FORMS: dict[str, Schema] = {
    "v": {"const": V},
    "ts": {"type": "string", "format": "date-time"},
    "since": {"type": "string", "format": "date-time"},
}
"""Fields of which the types say too little."""

_ROLE = re.compile(r":\w+:`~?(?:[\w.]+\.)?(\w+)`")


def versioned(name: str) -> str:
    """Return the id of a schema, which MQTT 5 messages carry as the user property ``schema``: ``round.opened/1``."""
    return f"{name}/{V}"


PUBLISHED: tuple[str, ...] = tuple(map(versioned, (*RETAINED, "reply", *(word.name() for word in FACTS))))
"""The ids of all payloads that a table publishes."""


def documents() -> dict[str, Schema]:
    """Return every schema by its name: ``state``, ``reply``, ``round.opened``, ``command/no-more-bets``."""
    found = {name: _schema(name, form) for name, form in RETAINED.items()}
    found["reply"] = _schema("reply", Reply)
    found |= {word.name(): _event(word) for word in FACTS}
    return found | {command_name(word): _command(word) for word in VERBS}


def command_name(word: type[Announcement]) -> str:
    """Return the name of a command's schema."""
    return f"command/{word.name()}"


def _schema(name: str, form: type[msgspec.Struct], told: bool = True) -> Schema:  # noqa: FBT001, FBT002 - see _open
    (top,), parts = msgspec.json.schema_components([form], ref_template="#/$defs/{name}")
    body = parts.pop(top["$ref"].rpartition("/")[2])
    schema = {"$schema": DIALECT, "$id": f"urn:tablectl:schema:{versioned(name)}", **body}
    _refine(schema)
    if parts:
        schema["$defs"] = parts
    for part in _parts(schema):
        _explain(part)
        if told:
            _open(part)
    return schema


def _event(word: type[Fact]) -> Schema:
    """Return the envelope around one kind of fact."""
    fact = _schema(word.name(), word)
    schema = _schema(word.name(), Envelope) | {"title": word.__name__, "description": fact["description"]}
    schema["properties"]["type"] = {"const": word.name()}
    schema["properties"]["data"] = _data(fact, UNTOLD.get(word.name(), ()))
    return _with_parts(schema, fact)


def _command(word: type[Announcement]) -> Schema:
    """Return the command that says one kind of announcement; the table refuses fields that it does not know."""
    name = command_name(word)
    said = _schema(name, word, told=False)
    schema = _schema(name, Command, told=False) | {"title": word.__name__, "description": said["description"]}
    data = schema["properties"]["data"] = _data(said, ())
    if data.get("required"):
        schema["required"] = [*schema["required"], "data"]
    return _with_parts(schema, said)


def _data(word: Schema, untold: tuple[str, ...]) -> Schema:
    """Return the fields of a word: its name stands outside, in ``type`` or in the topic."""
    left = {name: field for name, field in word["properties"].items() if name not in ("type", *untold)}
    required = [name for name in word["required"] if name in left]
    return {"type": "object", "properties": left, "required": required} | (
        {"additionalProperties": False} if "additionalProperties" in word else {}
    )


def _with_parts(schema: Schema, word: Schema) -> Schema:
    """Add those parts of a word that are still referred to."""
    parts, wanted = word.get("$defs", {}), list(_references(schema["properties"]))
    kept: Schema = {}
    while wanted:
        name = wanted.pop()
        if name not in kept:
            kept[name] = parts[name]
            wanted += _references(parts[name])
    return schema | ({"$defs": {name: kept[name] for name in parts if name in kept}} if kept else {})


def _references(tree: Any) -> Iterator[str]:
    return (part["$ref"].rpartition("/")[2] for part in _parts(tree) if "$ref" in part)


def _parts(tree: Any) -> Iterator[Schema]:
    """Yield every object in a schema, outermost first."""
    if isinstance(tree, dict):
        yield tree
    for part in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _parts(part)


def _refine(schema: Schema) -> None:
    for name, form in _FORMS.items():
        if name in schema["properties"]:
            schema["properties"][name] = dict(form)


def _explain(part: Schema) -> None:
    """Write a docstring as readers of another language want it, without what only its program raises."""
    text = part.get("description")
    if isinstance(text, str):
        plain = re.split(r"\n\s*(?:>>>|Raises:)", text)[0].strip()
        part["description"] = _ROLE.sub(r"`\1`", plain).replace("``", "`")


def _open(part: Schema) -> None:
    """Let a later version say more: what is told may grow, and whoever reads it overlooks what it does not know."""
    if part.get("additionalProperties") is False:
        del part["additionalProperties"]
