"""Splits a results file into its header, as values, and its rows, as JSON.

``NaN`` and ``Infinity`` are valid for asv and invalid for every fast JSON parser. They are masked by numbers of the
same length that programs do not write, and unmasked when a row is read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from windtunnel.asv.results_format.json_values import UnreadableError, check_size, dumps, object_in

NAN = b"0E0"
INFINITY = b"0E000000"

MAX_CANDIDATES = 1_000_000
"""Candidates to examine; more, in a hostile file, would need too much memory."""

_MAY_PRECEDE = np.isin(np.arange(256), list(b"[,: \t\r\n-"))
_MAY_FOLLOW = np.isin(np.arange(256), list(b",]} \t\r\n"))
"""For each character, whether it may precede or follow a literal."""

Chars = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked:
    """JSON in which NaN and Infinity are masked."""

    content: bytes | bytearray
    changed: bool
    """Whether there were any."""


def mask(content: bytes) -> Masked | None:
    """Return *content* with NaN and Infinity masked; None when that is impossible or cannot be undone.

    A literal inside a string is masked too when JSON's punctuation surrounds it; unmasking restores it.
    """
    chars = np.frombuffer(content, dtype=np.uint8)
    capitals = _capitals(chars)
    if capitals.size > MAX_CANDIDATES:
        return None
    nan, infinity = (_alone(chars, _positions(chars, capitals, word), len(word)) for word in (b"NaN", b"Infinity"))
    if not (nan.size or infinity.size):
        return Masked(content=content, changed=False)
    if _positions(chars, capitals, NAN, anchor=1).size or np.any(chars[nan - 1] == ord("-")):
        return None
    copy = bytearray(content)
    masked = np.frombuffer(copy, dtype=np.uint8)
    masked[_spans(nan, len(NAN))] = _chars(NAN)
    masked[_spans(infinity, len(INFINITY))] = _chars(INFINITY)
    return Masked(content=copy, changed=True)


def unmask(content: bytes) -> bytes:
    """Return masked *content* as it was."""
    return content.replace(INFINITY, b"Infinity").replace(NAN, b"NaN")


def _capitals(chars: Chars) -> Positions:
    """Return the positions of E to N: rare, and in every literal and mask."""
    return np.flatnonzero(chars - np.uint8(ord("E")) <= ord("N") - ord("E"))


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


class _File(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The fields of a results file in format 2; only the rows are parsed."""

    results: dict[str, msgspec.Raw]
    commit_hash: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    env_name: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    date: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    params: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    python: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    requirements: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    env_vars: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    result_columns: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    durations: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    version: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    windtunnel: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_file = msgspec.json.Decoder(_File).decode
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
    found = mask(content)
    try:
        parts = _split_fast(found) if found else None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        parts = None
    return parts or _split_slowly(content)


def _split_fast(found: Masked) -> Parts | None:
    try:
        file = _file(found.content)
    except msgspec.ValidationError:  # an unknown field, or results that are not an object
        return _with_more_fields(found)
    rows, file.results = file.results, {}
    return _parts(_header(msgspec.json.encode(file), found), rows, found)


def _with_more_fields(found: Masked) -> Parts | None:
    raws = _object(found.content)
    if "results" not in raws:
        return None
    results = _object(raws.pop("results"))
    return _parts(_header(msgspec.json.encode(raws), found), results, found)


def _parts(header: Mapping[str, Any], rows: Mapping[str, Json], found: Masked) -> Parts:
    if found.changed and _holds_mask(tuple(rows)):
        rows = {_name(name, found): raw for name, raw in rows.items()}
    return Parts(header=header, rows=rows, masked=found.changed)


@lru_cache(maxsize=256)
def _holds_mask(names: tuple[str, ...]) -> bool:
    """Return whether a mask is in any of *names*; the runs of a history share them."""
    return NAN.decode() in "".join(names)


def _header(content: bytes, found: Masked) -> dict[str, Any]:
    """Return the fields of *content*, a file without its rows."""
    header = object_in(unmask(content) if found.changed else content)
    header.pop("results", None)
    return header


def _name(name: str, found: Masked) -> str:
    return unmask(name.encode()).decode() if found.changed else name


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
