"""Whether what a file holds fits its form: every misfit, where msgspec tells only the first."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from tablectl.rulebook import Key, Problem

_WORDS = {str: "text in quotes", int: "a whole number", bool: "true or false", Any: "anything"}


def misfits(value: Any, form: Any, key: Key = ()) -> Iterator[Problem]:
    """Yield everything in a value of TOML that does not fit a type: what was awaited there, and what was found."""
    inner, origin = _plain(form), get_origin(_plain(form))
    if _is_struct(inner) and isinstance(value, dict):
        yield from _fields(value, inner, key)
    elif origin in (Union, UnionType) and isinstance(value, dict) and (struct := _struct_in(inner)):
        yield from _fields(value, struct, key)
    elif origin in (Union, UnionType) and isinstance(value, list) and (listed := _list_in(inner)):
        yield from misfits(value, listed, key)
    elif origin is tuple and isinstance(value, list) and value:
        for index, each in enumerate(value):
            yield from misfits(each, get_args(inner)[0], (*key, index))
    elif origin in (dict, Mapping) and isinstance(value, dict):
        for name, each in value.items():
            yield from misfits(each, get_args(inner)[1], (*key, name))
    else:
        yield from _misfit(value, form, key)


def _fields(value: dict[str, Any], form: type[msgspec.Struct], key: Key) -> Iterator[Problem]:
    fields = {field.encode_name: field for field in msgspec.structs.fields(form)}
    for name in value:
        if name not in fields:
            yield Problem((*key, name), f"nothing of that name is awaited here{nearest(name, fields)}")
    for name, field in fields.items():
        if name in value:
            yield from misfits(value[name], field.type, (*key, name))
        elif field.required:
            yield Problem((*key, name), f"missing; awaited {awaited(field.type)}")


def _misfit(value: Any, form: Any, key: Key) -> Iterator[Problem]:
    try:
        msgspec.convert(value, form)
    except msgspec.ValidationError:
        near = nearest(value, _texts(form)) if isinstance(value, str) else ""
        yield Problem(key, f"awaited {awaited(form)}, found {shown(value)}{near}")


def nearest(found: str, known: Any) -> str:
    """Return the question that helps with a misspelling, empty where nothing is like it."""
    names = {str(each).casefold(): str(each) for each in known}
    close = get_close_matches(found.casefold(), names, 1)
    return f'; did you mean "{names[close[0]]}"?' if close else ""


def awaited(form: Any) -> str:
    """Return in words what a type takes."""
    meta, inner = _meta(form), _plain(form)
    if meta and meta.description:
        return meta.description
    if get_origin(inner) in (Union, UnionType):
        return ", or ".join(awaited(each) for each in get_args(inner) if each is not NoneType)
    if listed := choices(form):
        written = str if len(_texts(form)) == len(listed) else shown
        return ("one of " if len(listed) > 1 else "") + ", ".join(map(written, listed))
    if _is_struct(inner):
        return f"a table of {', '.join(inner.__struct_fields__)}"
    if get_origin(inner) is tuple:
        filled = " that is not empty" if meta and meta.min_length else ""
        return f"a list{filled}, each {awaited(get_args(inner)[0])}"
    return _WORDS.get(inner, "a table")


def choices(form: Any) -> tuple[Any, ...]:
    """Return every value that a type takes, where they can be told."""
    meta, inner = _meta(form), _plain(form)
    if meta and meta.extra:
        return tuple(meta.extra["choices"])
    if get_origin(inner) is Literal:
        return get_args(inner)
    if get_origin(inner) in (Union, UnionType):
        return sum((choices(each) for each in get_args(inner) if not _is_struct(each)), ())
    return tuple(inner) if isinstance(inner, type) and issubclass(inner, Enum) else ()


def _texts(form: Any) -> list[Any]:
    """Return those values that are no numbers, which a file writes without quotes."""
    return [each for each in choices(form) if not isinstance(each, int)]


def shown(value: Any) -> str:
    """Return a value as the file writes it; of tables and lists only what they are."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case dict():
            return "a table"
        case list():
            return "a list"
        case _:
            return str(value)


def _meta(form: Any) -> msgspec.Meta | None:
    return get_args(form)[1] if get_origin(form) is Annotated else None


def _plain(form: Any) -> Any:
    return get_args(form)[0] if get_origin(form) is Annotated else form


def _is_struct(form: Any) -> bool:
    return isinstance(form, type) and issubclass(form, msgspec.Struct)


def _list_in(union: Any) -> Any:
    return next((each for each in get_args(union) if get_origin(_plain(each)) is tuple), None)


def _struct_in(union: Any) -> Any:
    return next((each for each in get_args(union) if _is_struct(each)), None)
