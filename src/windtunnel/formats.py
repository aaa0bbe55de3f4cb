"""Frozen values to JSON and back, checked against their types; for the files that are ours, not asv's (asvjson)."""

import re
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec
from msgspec.inspect import DictType, EnumType, Metadata, StructType, Type, UnionType, VarTupleType, type_info

from windtunnel.errors import ConfigurationError, DataError

T = TypeVar("T")

LIMIT = 64 * 1024 * 1024
"""Bytes; a plan of 256 shards for 5,000 benchmarks takes 10 MB."""


def encode(value: object) -> bytes:
    """Return *value* as one line of JSON, keys in the order of the fields."""
    return msgspec.json.encode(value)


def encode_pretty(value: object) -> bytes:
    """Return *value* as indented JSON for files that people read."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def decode(content: bytes, cls: type[T], source: str) -> T:
    """Return the *cls* that *content* holds.

    Raises DataError, naming *source* and the place in it, where a field is missing or has another type.
    """
    if len(content) > LIMIT:
        raise DataError(f"{source} has {len(content)} bytes; more than {LIMIT} are not read")
    try:
        return msgspec.json.decode(content, type=cls)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"{source} is not what it should be ({cls.__name__}): {error}") from None


def convert(data: object, cls: type[T], file: str, table: str = "") -> T:
    """Return the *cls* that *data* holds: the *table* of *file* (the whole file where *table* is empty).

    Raises ConfigurationError, which names the file, the key and what to write, where *data* does not fit *cls*.
    """
    try:
        return msgspec.convert(data, cls)
    except msgspec.ValidationError as error:
        raise ConfigurationError(f"{file}: {explain(error, data, cls, table)}") from None


STEP = re.compile(r"\.([^.\[\]`]+)|\[(\d+|\.\.\.)\]")
"""A step in the paths of msgspec's messages: a key, the index of an array, or any key of a table (``...``)."""

UNKNOWN_KEY = re.compile("Object contains unknown field `(.*)`")
MISSING_KEY = re.compile("Object missing required field `(.*)`")

MAX_SHOWN = 80
"""Characters of a value that an error message shows."""

TYPE_NAMES = {
    "array": "an array",
    "bool": "true or false",
    "float": "a number",
    "int": "an integer",
    "object": "a table",
    "str": "a string",
}
"""Types of msgspec's messages, as someone who writes TOML calls them."""


def explain(error: msgspec.ValidationError, data: object, cls: type, table: str) -> str:
    """Return the key in *data* that does not fit *cls*, its value, and what to write instead."""
    problem, _, path = str(error).partition(" - at `$")
    value, expected, key = data, type_info(cls), table
    for name, index in STEP.findall(path):
        value, expected = _step(value, expected, name, index)
        key += f".{name}" if name else f"[{index}]"
    key = key.removeprefix(".")
    where = f"{key}: " if key else ""
    if unknown := UNKNOWN_KEY.fullmatch(problem):
        return f"{where}there is no key {unknown[1]!r}; the keys are {', '.join(sorted(_keys(expected)))}"
    if missing := MISSING_KEY.fullmatch(problem):
        return f"{where}the key {missing[1]!r} is missing; add it"
    for each in _alternatives(expected):
        if isinstance(each, EnumType):
            problem = f"write {' or '.join(repr(member.value) for member in each.cls)}"
    shown = repr(value)
    shown = shown if len(shown) <= MAX_SHOWN else f"{shown[:MAX_SHOWN]}..."
    return f"{key or 'the content'} is {shown}; {_plain(problem)}"


def _step(value: Any, expected: Type, name: str, index: str) -> tuple[Any, Type]:
    """Return the value and the expected type one step further down."""
    for each in _alternatives(expected):
        if isinstance(each, StructType):
            for field in each.fields:
                if field.encode_name == name:
                    return value[name], field.type
        if isinstance(each, VarTupleType) and index.isdigit():
            return value[int(index)], each.item_type
        if isinstance(each, DictType):
            return value, each.value_type
    return value, expected


def _alternatives(expected: Type) -> tuple[Type, ...]:
    plain = expected.type if isinstance(expected, Metadata) else expected
    return plain.types if isinstance(plain, UnionType) else (plain,)


def _keys(expected: Type) -> Iterator[str]:
    return (
        field.encode_name for each in _alternatives(expected) if isinstance(each, StructType) for field in each.fields
    )


def _plain(problem: str) -> str:
    """Return msgspec's *problem* with types in the words of TOML."""
    words = re.sub(
        "`([^`]*)`",
        lambda types: " or ".join(TYPE_NAMES.get(each, each) for each in types[1].split(" | ") if each != "null"),
        problem,
    )
    return words[:1].lower() + words[1:]
