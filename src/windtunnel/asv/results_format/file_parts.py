"""The bare words ``NaN`` and ``Infinity``: valid for asv, invalid for every fast JSON parser.

They are masked by numbers of the same length that no writer of results writes, and unmasked when a row is looked at.
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
"""Candidates that are looked at; more, in a hostile file, would need too much memory."""

_MAY_PRECEDE = np.isin(np.arange(256), list(b"[,: \t\r\n-"))
_MAY_FOLLOW = np.isin(np.arange(256), list(b",]} \t\r\n"))
"""For each character, whether it may stand beside a word that is no part of a text or a longer word."""

Chars = npt.NDArray[np.uint8]
Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked:
    """JSON without bare words; *changed* says whether there were any."""

    content: bytes | bytearray
    changed: bool


def mask(content: bytes) -> Masked | None:
    """Return *content* with its bare words masked, None where that cannot be done or not be undone.

    A word inside a string is masked too where it stands alone between JSON's own signs; unmasking restores it.
    """
    chars = np.frombuffer(content, dtype=np.uint8)
    capitals = _capitals(chars)
    if capitals.size > MAX_CANDIDATES:
        return None
    nan, infinity = (_alone(chars, _places(chars, capitals, word), len(word)) for word in (b"NaN", b"Infinity"))
    if not (nan.size or infinity.size):
        return Masked(content=content, changed=False)
    if _places(chars, capitals, NAN, anchor=1).size or np.any(chars[nan - 1] == ord("-")):
        return None
    copy = bytearray(content)
    masked = np.frombuffer(copy, dtype=np.uint8)
    masked[_spans(nan, len(NAN))] = _chars(NAN)
    masked[_spans(infinity, len(INFINITY))] = _chars(INFINITY)
    return Masked(content=copy, changed=True)


def unmask(content: bytes) -> bytes:
    """Return *content*, masked before, as it was."""
    return content.replace(INFINITY, b"Infinity").replace(NAN, b"NaN")


def _capitals(chars: Chars) -> Places:
    """Return the places of E to N: rare, and in every word that is looked for."""
    return np.flatnonzero(chars - np.uint8(ord("E")) <= ord("N") - ord("E"))


def _places(chars: Chars, capitals: Places, word: bytes, anchor: int = 0) -> Places:
    """Return where *word* stands, the ends of *chars* apart; *anchor* is the position of its capital letter."""
    places = capitals[chars[capitals] == word[anchor]] - anchor
    inside = places[(places > 0) & (places < len(chars) - len(word))]
    found: Places = inside[np.all(chars[_spans(inside, len(word))] == _chars(word), axis=1)]
    return found


def _alone(chars: Chars, places: Places, length: int) -> Places:
    """Return those *places* of a word that have a sign of JSON's own on either side."""
    return places.compress(_MAY_PRECEDE[chars[places - 1]] & _MAY_FOLLOW[chars[places + length]])


def _spans(places: Places, length: int) -> npt.NDArray[np.intp]:
    """Return the places of *length* characters from each of *places* on, a row each."""
    return places[:, np.newaxis] + np.arange(length)


def _chars(word: bytes) -> Chars:
    return np.frombuffer(word, dtype=np.uint8)


Json = bytes | msgspec.Raw


class _File(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The fields of a results file in format 2; all but the rows are looked at later."""

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
    """*header* is everything but the rows. *rows* are JSON with masked bare words where *masked* says so."""

    header: Mapping[str, Any]
    rows: Mapping[str, Json]
    masked: bool


def split(content: bytes) -> Parts:
    """Take a results file apart; raises UnreadableError when it is no JSON object with an object of results."""
    check_size(content)
    found = mask(content)
    try:
        parts = _quickly(found) if found else None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        parts = None
    return parts or _thoroughly(content)


def _quickly(found: Masked) -> Parts | None:
    try:
        file = _file(found.content)
    except msgspec.ValidationError:  # a field that asv does not have, or results that are no object
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
    """Return whether any of *names*, which the runs of a history share, was masked."""
    return NAN.decode() in "".join(names)


def _header(content: bytes, found: Masked) -> dict[str, Any]:
    """Return the fields of a file whose *content* without its rows is left."""
    header = object_in(unmask(content) if found.changed else content)
    header.pop("results", None)
    return header


def _name(name: str, found: Masked) -> str:
    return unmask(name.encode()).decode() if found.changed else name


def _thoroughly(content: bytes) -> Parts:
    """Take the file apart with Python's own parser, which forgives more than the quick one."""
    data = object_in(content)
    results = data.pop("results", None)
    if not isinstance(results, dict):
        raise UnreadableError("is missing" if results is None else "is no object", "results")
    try:
        rows = {name: dumps(row).encode() for name, row in results.items()}
    except RecursionError:
        raise UnreadableError("is nested too deeply", "results") from None
    return Parts(header=data, rows=rows, masked=False)
