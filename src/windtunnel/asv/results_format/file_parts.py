"""A results file taken apart: its header as values, its rows still as JSON where that can be had quickly."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec

from windtunnel.asv.results_format.nan_masking import NAN, Masked, mask, unmask
from windtunnel.asv.results_format.text import UnreadableError, check_size, dumps, object_in

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
