"""The AsyncAPI 3 document of a table: which topics there are, what stands on them and who may write there."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tablectl import __version__
from tablectl.events.announcements import Announcement, Role
from tablectl.events.facts import FACTS
from tablectl.publisher import verbs
from tablectl.publisher.payloads import V
from tablectl.publisher.schemas import RETAINED, VERBS, command_name, documents, versioned
from tablectl.publisher.topics import Topics

Document = dict[str, Any]

TOPICS = Topics("{site}/{pit}/{table}")

_FORMAT = "application/schema+json;version=2020-12"
_PLAIN = re.compile(r"[A-Za-z][\w/-]*")

_PLACE = {
    "site": "The casino, as the table file names it.",
    "pit": "The pit, as the table file names it.",
    "table": "The table, as the table file names it.",
}
_TEXT = """\
What one table says over MQTT and what may be said to it. The table is the application described here: it sends what is
told, and receives commands. Every payload is UTF-8 JSON; one of no length clears a retained topic. Under MQTT 5 each
message carries its content type and the user property `schema`. Read `docs/mqtt.md` first."""


def document() -> Document:
    """Return the whole document, from the same types as the schemas in ``schemas/`` beside it."""
    channels, operations = dict(_channels()), dict(_operations())
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "tablectl",
            "version": __version__,
            "description": _TEXT,
            "license": {"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"},
        },
        "defaultContentType": "application/json",
        "servers": {
            "table": {
                "host": "localhost:1883",
                "protocol": "mqtt",
                "protocolVersion": "5.0",
                "description": "The broker on the table's own machine. MQTT 3.1.1 works as well.",
            },
        },
        "channels": channels,
        "operations": operations,
        "components": {"messages": dict(_messages()), "parameters": dict(_parameters())},
    }


def _channels() -> Iterator[tuple[str, Document]]:
    addresses = {"status": TOPICS.status, "meta": TOPICS.meta, "state": TOPICS.state, "alarms": TOPICS.alarms}
    for name in RETAINED:
        address = addresses.get(name) or TOPICS.device("{device}")
        yield name, _channel(address, name, retained=True)
    for fact in FACTS:
        yield _key(fact.name()), _channel(TOPICS.event(fact.name()), fact.name())
    for verb in VERBS:
        yield _command_key(verb), _channel(f"{TOPICS.base}/cmd/{{role}}/{verb.name()}", command_name(verb), verb=verb)
    yield "reply", _channel(TOPICS.reply("{client}"), "reply")


def _channel(address: str, schema: str, *, retained: bool = False, verb: type[Announcement] | None = None) -> Document:
    names = re.findall(r"{(\w+)}", address)
    parameters: Document = {name: {"$ref": f"#/components/parameters/{name}"} for name in names}
    if verb:
        parameters["role"] = {"description": "Who says it.", "enum": sorted(verb.roles - {Role.SYSTEM})}
    key = _key(schema)
    return {
        "address": address,
        "title": f"retained: {schema}" if retained else schema,
        "parameters": parameters,
        "messages": {key: {"$ref": f"#/components/messages/{key}"}},
    }


def _operations() -> Iterator[tuple[str, Document]]:
    for name in RETAINED:
        yield f"tell-{name}", _operation("send", name, retain=True)
    for fact in FACTS:
        yield f"tell-{_key(fact.name())}", _operation("send", _key(fact.name()))
    for verb in VERBS:
        reply = {
            "address": {
                "location": "$message.header#/responseTopic",
                "description": "The Response Topic of MQTT 5; without one, `rsp/{client}` with the payload's reply_to.",
            },
            "channel": {"$ref": "#/channels/reply"},
        }
        yield f"take-{_command_key(verb)}", _operation("receive", _command_key(verb)) | {"reply": reply}


def _operation(action: str, channel: str, *, retain: bool = False) -> Document:
    return {
        "action": action,
        "channel": {"$ref": f"#/channels/{channel}"},
        "bindings": {"mqtt": {"qos": 1, "retain": retain, "bindingVersion": "0.2.0"}},
    }


def _messages() -> Iterator[tuple[str, Document]]:
    for name, form in RETAINED.items():
        yield name, _message(name, f"{form.__doc__}")
    for fact in FACTS:
        yield _key(fact.name()), _message(fact.name(), f"{fact.__doc__}")
    for verb in VERBS:
        yield _command_key(verb), _message(command_name(verb), f"{verb.__doc__}")
    yield "reply", _message("reply", "What became of a command.")


def _message(schema: str, text: str) -> Document:
    return {
        "name": versioned(schema),
        "summary": re.split(r"\.\s", f"{text} ")[0].replace("\n", " ") + ".",
        "payload": {"schemaFormat": _FORMAT, "schema": {"$ref": f"./schemas/{schema}.json"}},
    }


def _parameters() -> Iterator[tuple[str, Document]]:
    for name, text in _PLACE.items():
        yield name, {"description": f"{text} 1 to 32 of a-z, 0-9 and -."}
    yield "device", {"description": "The device, as the table file names it."}
    yield "client", {"description": "What the command gave as reply_to."}


def _command_key(verb: type[Announcement]) -> str:
    return _key(command_name(verb))


def _key(name: str) -> str:
    """Return a schema's name as the document's keys may be written."""
    return name.replace(".", "-").replace("/", "-")


def to_yaml(tree: Any, depth: int = 0) -> str:
    r"""Write plain data as YAML; texts stand in quotes as JSON writes them, which YAML reads.

    >>> print(to_yaml({"a": {"b": 1}, "c": ["x y"]}), end="")
    a:
      b: 1
    c:
      - "x y"
    """
    indent = "  " * depth
    if isinstance(tree, Mapping) and tree:
        return "".join(f"{indent}{_scalar(name)}:{_value(part, depth)}" for name, part in tree.items())
    return "".join(f"{indent}-{_value(part, depth)}" for part in tree)


def _value(part: Any, depth: int) -> str:
    if part and isinstance(part, Mapping | list):
        return "\n" + to_yaml(part, depth + 1)
    return f" {_scalar(part)}\n"


def _scalar(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in ("true", "false", "null", "yes"):
        return value
    return json.dumps(value)


def texts() -> dict[str, str]:
    """Return every generated file by its path: ``asyncapi.yaml``, ``commands.md``, and those of ``schemas/``."""
    schemas = {f"schemas/{name}.json": json.dumps(schema, indent=2) + "\n" for name, schema in documents().items()}
    head = f"# Generated by `tablectl schemas`; payloads of version {V}.\n"
    return {"asyncapi.yaml": head + to_yaml(document()), "commands.md": verbs.page(), **schemas}
