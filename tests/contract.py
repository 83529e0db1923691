"""The published contract, for tests that listen: which schema a topic has, and whether a payload keeps it."""

import json
import re
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker  # type: ignore[import-untyped]

from tablectl.publisher.schemas import documents

_TOPIC = re.compile(r"tablectl/v1/[a-z0-9-]+/[a-z0-9-]+/[a-z0-9-]+/(?P<rest>.+)")


def schema_of(topic: str) -> str:
    """Return the name of the schema for what stands on a topic."""
    found = _TOPIC.fullmatch(topic)
    assert found, f"{topic} is no topic of a table"
    match found["rest"].split("/"):
        case ["status" | "meta" | "state" | "alarms" as name] | ["device" as name, _]:
            return name
        case ["evt", domain, name]:
            return f"{domain}.{name}"
        case ["cmd", _, verb]:
            return f"command/{verb}"
        case ["rsp", _]:
            return "reply"
    raise AssertionError(f"{topic} is no topic of the contract")


def faults(topic: str, payload: bytes) -> list[str]:
    """Return what is wrong with a payload; what the schema does not know is wrong as well."""
    if not payload:
        return []
    return [
        f"{topic}: {error.json_path}: {error.message}"
        for error in _validator(schema_of(topic)).iter_errors(json.loads(payload))
    ]


@cache
def _validator(name: str) -> Any:
    return Draft202012Validator(closed(_all()[name]), format_checker=FormatChecker())


_all = cache(documents)


def closed(tree: Any) -> Any:
    """Return a schema that refuses every field it does not name: nothing may be told that is not promised."""
    if isinstance(tree, list):
        return [closed(part) for part in tree]
    if not isinstance(tree, dict):
        return tree
    shut = {"additionalProperties": False} if tree.get("type") == "object" and "properties" in tree else {}
    return {name: closed(part) for name, part in tree.items()} | ({} if "additionalProperties" in tree else shut)
