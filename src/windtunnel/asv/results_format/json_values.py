"""Converts between bytes and JSON values, for files of any origin; collects the problems of a file."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from windtunnel.errors import DataError
from windtunnel.model.identity import Field
from windtunnel.model.run import Problem

MAX_FILE_BYTES = 64 * 2**20
"""The largest file of the known public histories has 8 MB."""

MAX_NESTING = 32
"""Levels of an unknown value; asv's own files have at most 5."""

_sorted = json.JSONEncoder(sort_keys=True).encode

_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class UnreadableError(DataError):
    """The content, or the value of *key* in it, is invalid."""

    def __init__(self, reason: str, key: str = "") -> None:
        """Store the *reason*, a sentence without subject, and the *key* (empty: the whole file)."""
        super().__init__(f"{key}: {reason}" if key else reason)
        self.reason, self.key = reason, key


def check_size(content: bytes) -> None:
    """Raise UnreadableError when *content* is larger than any results file."""
    if len(content) > MAX_FILE_BYTES:
        raise UnreadableError(f"has {len(content)} bytes; more than {MAX_FILE_BYTES} are not read")


def text_of(content: bytes) -> str:
    """Return *content* as text without a byte order mark; raises UnreadableError."""
    check_size(content)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"is not UTF-8 (byte {error.start})") from None


def loads(text: str) -> Any:
    """Return the value in *text*; raises UnreadableError.

    An integer that is too long for Python becomes the text of its digits, which no reader accepts as a number. Lone
    surrogates, which UTF-8 cannot encode, become U+FFFD.
    """
    if not text.strip():
        raise UnreadableError("is empty")
    try:
        value = _loads(text)
        if _ESCAPED_SURROGATE.search(text):
            value = json.loads(_SURROGATE.sub("\ufffd", json.dumps(value, ensure_ascii=False)))
    except json.JSONDecodeError as error:
        raise UnreadableError(f"is not JSON: {error}") from None
    except RecursionError:
        raise UnreadableError("is nested too deeply") from None
    return value


def object_in(content: bytes) -> dict[str, Any]:
    """Return the JSON object in *content*; raises UnreadableError."""
    value = loads(text_of(content))
    if not isinstance(value, dict):
        raise UnreadableError("is not a JSON object")
    return value


def dumps(value: object) -> str:
    """Return *value* as asv writes it: ASCII, with the literals ``NaN`` and ``Infinity``."""
    return json.dumps(value)


def dumps_pretty(value: object) -> str:
    """Return *value* indented and sorted, as asv writes benchmarks.json and machine.json."""
    return json.dumps(value, indent=4, sort_keys=True)


def field(name: str, value: object) -> Field:
    """Return the field *name* with its *value*, keys sorted; raises UnreadableError for deep nesting."""
    if _deeper_than(MAX_NESTING, value):
        raise UnreadableError(f"is nested more than {MAX_NESTING} levels deep", name)
    return Field(name=name, json=_sorted(value))


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # sys.get_int_max_str_digits
        return json.loads(text, parse_int=lambda digits: int(digits) if len(digits) < 1000 else digits)


def _deeper_than(levels: int, value: object) -> bool:
    layer = _inside(value)
    while layer and levels:
        layer = [inner for item in layer for inner in _inside(item)]
        levels -= 1
    return bool(layer)


def _inside(value: object) -> list[object]:
    match value:
        case dict():
            return list(value.values())
        case list():
            return value
        case _:
            return []


T = TypeVar("T")

MAX_PROBLEMS = 100
"""Problems of one file that are listed; the others are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded(Generic[T]):
    """The content of a file, and its problems."""

    value: T | None
    """None when nothing of the file is usable."""
    problems: tuple[Problem, ...] = ()


class Problems:
    """The problems of one file, in the order in which they were found."""

    def __init__(self, source: str) -> None:
        """Start without problems of the file called *source*."""
        self._source = source
        self._found: list[Problem] = []
        self._more = 0

    def add(self, key: str, reason: str) -> None:
        """Add the problem that the value of *key* is not usable."""
        if len(self._found) < MAX_PROBLEMS:
            self._found.append(Problem(file=self._source, key=key, reason=reason))
        else:
            self._more += 1

    def all(self) -> tuple[Problem, ...]:
        """Return the problems that were added."""
        if not self._more:
            return tuple(self._found)
        return (*self._found, Problem(file=self._source, key="", reason=f"has {self._more} more problems"))


def decoded(source: str, read: Callable[[Problems], T]) -> Decoded[T]:
    """Return the result of *read* for the file called *source*; its error is one more problem."""
    problems = Problems(source)
    value = None
    try:
        value = read(problems)
    except UnreadableError as error:
        problems.add(error.key, error.reason)
    except RecursionError:
        problems.add("", "is nested too deeply")
    return Decoded(value=value, problems=problems.all())
