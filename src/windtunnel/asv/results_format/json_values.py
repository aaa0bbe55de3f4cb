"""Converts between bytes and JSON values, for files of any origin; collects the problems of a file.

``NaN`` and ``Infinity`` are valid for asv and invalid for every fast JSON parser. In a results file they are masked by
numbers of the same length that programs do not write, and unmasked when a row is read.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

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


def decode_text(content: bytes) -> str:
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
    value = loads(decode_text(content))
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


def count_numbers(value: object) -> int:
    """Return how many numbers are in *value*."""
    inside = _inside(value)
    return sum(map(count_numbers, inside)) if inside else int(type(value) in {int, float})


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


NAN = b"0E0"
INFINITY = b"0E-00000"

MAX_CANDIDATES = 1_000_000
"""Candidates to examine; more, in a hostile file, would need too much memory."""

_MAY_PRECEDE = np.isin(np.arange(256), list(b"[,: \t\r\n-"))
_MAY_FOLLOW = np.isin(np.arange(256), list(b",]} \t\r\n"))
"""For each character, whether it may precede or follow a literal."""

Chars = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.intp]


def mask(content: bytes) -> bytes | bytearray | None:
    """Return *content* with NaN and Infinity masked, itself without any; None when that is impossible or not undoable.

    A literal inside a string is masked too when JSON's punctuation surrounds it; unmasking restores it.
    """
    chars = np.frombuffer(content, dtype=np.uint8)
    capitals = np.flatnonzero(chars - np.uint8(ord("E")) <= ord("N") - ord("E"))  # E to N: rare, in literals and masks
    if capitals.size > MAX_CANDIDATES:
        return None
    nan, infinity = (_alone(chars, _positions(chars, capitals, word), len(word)) for word in (b"NaN", b"Infinity"))
    if not (nan.size or infinity.size):
        return content
    known = (_positions(chars, capitals, literal, anchor=1).size for literal in (NAN, INFINITY))
    if any(known) or np.any(chars[nan - 1] == ord("-")):
        return None
    copy = bytearray(content)
    masked = np.frombuffer(copy, dtype=np.uint8)
    masked[_spans(nan, len(NAN))] = _chars(NAN)
    masked[_spans(infinity, len(INFINITY))] = _chars(INFINITY)
    return copy


def unmask(content: bytes) -> bytes:
    """Return masked *content* as it was."""
    return content.replace(INFINITY, b"Infinity").replace(NAN, b"NaN")


def _positions(chars: Chars, capitals: Positions, word: bytes, anchor: int = 0) -> Positions:
    """Return the positions of *word*, except at the ends of *chars*; *anchor* is the index of its capital letter."""
    positions = capitals[chars[capitals] == word[anchor]] - anchor
    inside = positions[(positions > 0) & (positions < len(chars) - len(word))]
    found: Positions = inside[np.all(chars[_spans(inside, len(word))] == _chars(word), axis=1)]
    return found


def _alone(chars: Chars, positions: Positions, length: int) -> Positions:
    """Return those *positions* of a word that have JSON's punctuation on both sides."""
    return positions.compress(_MAY_PRECEDE[chars[positions - 1]] & _MAY_FOLLOW[chars[positions + length]])


def _spans(positions: Positions, length: int) -> npt.NDArray[np.intp]:
    """Return the positions of *length* characters from each of *positions*, a row each."""
    return positions[:, np.newaxis] + np.arange(length)


def _chars(word: bytes) -> Chars:
    return np.frombuffer(word, dtype=np.uint8)


Json = bytes | msgspec.Raw


_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A results file in parts."""

    header: Mapping[str, Any]
    """All fields except the rows."""
    rows: Mapping[str, Json]
    """JSON of each row, by name."""
    masked: bool
    """Whether NaN and Infinity are masked in the rows."""


def split(content: bytes) -> Parts:
    """Split a results file; raises UnreadableError unless it is a JSON object with an object ``results``."""
    check_size(content)
    masked = mask(content)
    try:
        parts = None if masked is None else _split_fast(masked, has_masks=masked is not content)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        parts = None
    return parts or _split_slowly(content)


def _split_fast(content: bytes | bytearray, *, has_masks: bool) -> Parts | None:
    raws = _object(content)
    if "results" not in raws:
        return None
    rows: Mapping[str, Json] = _object(raws.pop("results"))
    header = msgspec.json.encode(raws)
    if has_masks and _holds_mask(tuple(rows)):
        rows = {unmask(name.encode()).decode(): raw for name, raw in rows.items()}
    return Parts(header=object_in(unmask(header) if has_masks else header), rows=rows, masked=has_masks)


@lru_cache(maxsize=256)
def _holds_mask(names: tuple[str, ...]) -> bool:
    """Return whether a mask is in any of *names*; the runs of a history share them."""
    joined = "".join(names).encode()
    return NAN in joined or INFINITY in joined


def _split_slowly(content: bytes) -> Parts:
    """Split the file with Python's own parser, which accepts more than the fast one."""
    data = object_in(content)
    results = data.pop("results", None)
    if not isinstance(results, dict):
        raise UnreadableError("is missing" if results is None else "is not an object", "results")
    try:
        rows = {name: dumps(row).encode() for name, row in results.items()}
    except RecursionError:
        raise UnreadableError("is nested too deeply", "results") from None
    return Parts(header=data, rows=rows, masked=False)
