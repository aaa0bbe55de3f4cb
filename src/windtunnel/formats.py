"""The files of the tool: JSON in and out, TOML tables in, clear errors for both, and the docs of their fields."""

import ast
import enum
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar

import msgspec
from msgspec.inspect import (
    DictType,
    EnumType,
    LiteralType,
    Metadata,
    StructType,
    Type,
    UnionType,
    VarTupleType,
    type_info,
)

from windtunnel.errors import ConfigurationError, DataError

T = TypeVar("T")

MAX_BYTES = 64 * 1024 * 1024
"""Larger files are refused; a plan of 256 shards for 5,000 benchmarks takes 10 MB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format(Generic[T]):
    """One kind of file: its type, its schema, and what the types alone cannot check."""

    name: str
    """The usual name of the file, such as ``verdict.json``."""
    type: type[T]
    """The type of the whole content."""
    schema: str | int
    """The value of the field ``schema``; it changes when a reader of the old form would misread the new one."""
    remedy: str
    """What to do when a file is missing or broken: ``write it again with windtunnel compare``."""
    check: Callable[[T], Iterable[str]] = lambda _: ()
    """Yields what is wrong with a value of the right types, as phrases: ``place 'x' is listed twice``."""
    indented: bool = True
    """Whether people read the file; one that can have megabytes is a single line."""

    def encode(self, value: T) -> bytes:
        """Return the content of the file: JSON with the keys in the order of the fields."""
        return encode_pretty(value) if self.indented else encode(value) + b"\n"

    def decode(self, content: bytes, source: str) -> T:
        """Return the value that *content* holds; *source* names the file in messages.

        Raises DataError with the file, the key and the remedy when the content has another schema, lacks a field, has a
        value of another type, or contradicts itself.
        """
        found = schema_of(content, source, name=self.name, remedy=self.remedy)
        if found is not None and found != self.schema:
            raise DataError(
                f"{source} has the schema {found!r:.80}, but this version reads {self.schema!r}; {self.remedy}"
            )
        value = decode(content, self.type, source, name=self.name, remedy=self.remedy)
        for problem in self.check(value):
            raise DataError(f"{source} is not a valid {self.name}: {problem}; {self.remedy}")
        return value


class _Header(msgspec.Struct, frozen=True):
    """What all files have in common."""

    schema: str | int | None = None


def schema_of(content: bytes, source: str, *, name: str = "file of Windtunnel", remedy: str = "") -> str | int | None:
    """Return the value of the field ``schema``, None where the file has no such field; raises DataError."""
    return decode(content, _Header, source, name=name, remedy=remedy).schema


def encode(value: object) -> bytes:
    """Return *value* as one line of JSON, keys in the order of the fields."""
    return msgspec.json.encode(value)


def encode_pretty(value: object) -> bytes:
    """Return *value* as indented JSON for files that people read."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def decode(content: bytes, cls: type[T], source: str, *, name: str = "", remedy: str = "") -> T:
    """Return the *cls* that *content* holds.

    Raises DataError with *source*, the key and the *remedy* when *content* is too large, is not JSON, lacks a field or
    has a value of another type.
    """
    advice = f"; {remedy}" if remedy else ""
    if len(content) > MAX_BYTES:
        raise DataError(f"{source} has {len(content)} bytes, but at most {MAX_BYTES} are read{advice}")
    try:
        return msgspec.json.decode(content, type=cls)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"{source} is not a valid {name or cls.__name__}: {error}{advice}") from None


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
    if isinstance(value, dict) and not problem.startswith("Expected"):  # raised by the type itself
        return f"{where}{problem}"
    for each in _alternatives(expected):
        if isinstance(each, LiteralType):
            problem = f"write {' or '.join(map(repr, each.values))}"
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


def field_docs(cls: type) -> Mapping[str, str]:
    """Return the docs of the fields (or enum members) of *cls* and its bases: the string literals below them."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        found |= _class_docs(base.__module__).get(base.__name__, {})
    return found


@cache
def _class_docs(module: str) -> Mapping[str, Mapping[str, str]]:
    """Return, for each class in *module*, the string literals below its fields; nothing where it has no source."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError):
        return {}
    return {node.name: dict(_literals_below(node)) for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def _literals_below(node: ast.ClassDef) -> Iterable[tuple[str, str]]:
    for field, below in zip(node.body, node.body[1:], strict=False):
        match field, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, inspect.cleandoc(text)
            case _:
                pass


def type_doc(cls: type) -> str:
    """Return the docstring of *cls* itself, "" where it has none of its own."""
    doc = cls.__dict__.get("__doc__") or ""
    return "" if issubclass(cls, enum.Enum) and doc == enum.Enum.__doc__ else inspect.cleandoc(doc)
