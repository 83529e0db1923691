"""The published contract is what the types say."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from jsonschema import Draft7Validator, Draft202012Validator  # type: ignore[import-untyped]

from tablectl.events.announcements import PlaceWager
from tablectl.publisher import asyncapi
from tablectl.publisher.payloads import Command
from tablectl.publisher.schemas import PUBLISHED, documents, versioned
from tests.contract import faults

DOCS = Path(__file__).parents[2] / "docs"
OFFICIAL = Path(__file__).parents[1] / "asyncapi" / "3.0.0.json"
COMMAND = "tablectl/v1/demo/pit1/t01/cmd/dealer/place-wager"


def test_the_documents_are_those_of_the_types() -> None:
    """What stands in docs/ is what `tablectl schemas docs` would write, no file more and none less."""
    found = [*DOCS.glob("schemas/**/*.json"), DOCS / "asyncapi.yaml", DOCS / "commands.md"]

    assert {str(path.relative_to(DOCS)): path.read_text() for path in found} == asyncapi.texts()


@pytest.mark.parametrize("name", documents())
def test_every_schema_is_one(name: str) -> None:
    """Each is sound by JSON Schema 2020-12, names itself, and refers to nothing outside itself."""
    schema = documents()[name]
    Draft202012Validator.check_schema(schema)

    assert schema["$id"] == f"urn:tablectl:schema:{versioned(name)}"
    assert all(target.startswith("#/$defs/") and resolved(schema, target) for target in references(schema))


def test_every_payload_of_a_table_has_a_schema() -> None:
    """The ids in ``meta`` are those of all schemas but the commands'."""
    assert set(PUBLISHED) == {versioned(name) for name in documents() if not name.startswith("command/")}


def test_the_asyncapi_document_is_yaml_and_whole() -> None:
    """It reads back as what it was written from; every reference in it leads somewhere."""
    document = yaml.safe_load((DOCS / "asyncapi.yaml").read_text())

    assert document == asyncapi.document()
    for target in references(document):
        if target.startswith("#/"):
            assert resolved(document, target), target
        else:
            assert json.loads((DOCS / target).read_text())
    parts = {name for channel in document["channels"].values() for name in channel["messages"]}
    assert parts == set(document["components"]["messages"])


def test_the_asyncapi_document_is_one_by_the_official_schema() -> None:
    """The AsyncAPI Initiative's own schema of version 3.0.0 finds no fault in it, and would find one."""
    validator = Draft7Validator(json.loads(OFFICIAL.read_text()))
    document = asyncapi.document()

    assert [error.message for error in validator.iter_errors(document)] == []
    for part, field, wrong in (
        ("operations", "action", "shout"),
        ("channels", "address", 7),
        ("servers", "host", None),
    ):
        spoilt = copy.deepcopy(document)
        next(iter(spoilt[part].values()))[field] = wrong
        assert not validator.is_valid(spoilt), part


@pytest.mark.parametrize(
    ("spoilt", "place"),
    [
        ({"data": {"hand": "3"}}, "$.data"),
        ({"data": {"hand": "3", "wager": "raise", "amount": 12.5}}, "$.data.amount"),
        ({"data": {"hand": "3", "wager": "raise", "colour": "red"}}, "$.data"),
        ({"key": ""}, "$.key"),
        ({"v": 2}, "$.v"),
        ({"urgent": True}, "$"),
    ],
)
def test_a_schema_refuses_what_the_table_refuses(spoilt: dict[str, Any], place: str) -> None:
    """A command that misses a field, has one too many or a wrong one is found by its schema, and where."""
    right = {"v": 1, "key": "k", "data": {"hand": "3", "wager": "raise", "amount": 500}}

    assert faults(COMMAND, json.dumps(right).encode()) == []
    assert faults(COMMAND, json.dumps(right | spoilt).encode())[0].startswith(f"{COMMAND}: {place}: ")


def test_defaults_may_be_left_out() -> None:
    """A command needs no more than what its announcement has no default for."""
    schema = documents()["command/place-wager"]

    assert schema["required"] == ["v", "key", "data"]
    assert schema["properties"]["data"]["required"] == ["hand", "wager"]
    assert {"v", "key", "data", "by", "round", "expires", "reply_to"} == set(schema["properties"])
    assert set(schema["properties"]["data"]["properties"]) == set(PlaceWager.__struct_fields__)
    assert set(schema["properties"]) == set(Command.__struct_fields__)


def test_what_a_live_shoe_holds_is_promised_to_nobody() -> None:
    """The snapshot of an opening round, which knows the cards left, is in no schema."""
    assert "Snapshot" not in json.dumps(documents()["round.opened"])


def references(tree: Any) -> Iterator[str]:
    if isinstance(tree, dict) and isinstance(tree.get("$ref"), str):
        yield tree["$ref"]
    for part in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from references(part)


def resolved(tree: Any, target: str) -> Any:
    for name in target.removeprefix("#/").split("/"):
        tree = tree[name]
    return tree
