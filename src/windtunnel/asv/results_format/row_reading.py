"""Which rows are good as they stand, found quickly in a history: most differ from a known good one in digits only."""

from collections.abc import Mapping
from typing import Any

import msgspec

from windtunnel.asv.results_format.file_parts import Json, Parts, unmask
from windtunnel.asv.results_format.json_values import Problems, UnreadableError, dumps, loads, text_of
from windtunnel.asv.results_format.lazy_rows import LazyRows, columns_in
from windtunnel.asv.results_format.row_codec import row_of
from windtunnel.asv.results_format.row_layout import (
    EMPTY_NOTE,
    NAMES,
    Columns,
    Note,
    Superseded,
    ValidatedNote,
    fits,
    validate_note,
)
from windtunnel.asv.results_format.row_repair import columns_of_format_1, repaired_columns
from windtunnel.model.identity import BenchmarkName
from windtunnel.model.result import Row

DIGITS = b"0123456789"

MAX_KNOWN_ROW_BYTES = 2000
"""Bytes; longer rows have so many numbers that hardly two have the same shape."""

MAX_KNOWN_LAYOUTS = 50_000
"""KnownLayouts that are remembered: 10 MB."""

MAX_EXTRA_DIGITS = 200
"""A row of known shape may have so many more digits than the first; a number that no float holds has 309."""

_columns = msgspec.json.Decoder(Columns).decode

NO_PARAMETERS = b"[], "
"""What stands before the version, the first text of a row, where a benchmark has no parameters, in asv's spacing."""

OPEN, BEFORE = NO_PARAMETERS[0], len(NO_PARAMETERS)


class KnownLayouts:
    """The shapes of good rows: what is left of their JSON without its digits.

    Two rows of one shape have the same columns with the same numbers of values of the same types; only an empty list
    and one of a single integer look alike. Their numbers may differ in range, which the reading of a row minds.
    """

    def __init__(self) -> None:
        """Know no shape yet."""
        self._longest: dict[bytes, int] = {}
        self._bare: set[bytes] = set()
        """KnownLayouts without parameters; integers in their place, which are none, would leave the same shape."""

    def bad_rows(self, rows: Mapping[str, Json]) -> list[str]:
        """Return the names of those *rows*, in asv's own columns, that cannot stay as they are."""
        longest, bare, bad = self._longest.get, self._bare, []
        for name, raw in rows.items():
            row = bytes(raw)
            shape = row.translate(None, DIGITS)
            if len(row) > longest(shape, 0) or (row[row.find(b'"') - BEFORE] != OPEN and shape in bare):
                columns = _good(raw)
                if columns is None:
                    bad.append(name)
                elif _is_telling(row, shape, columns):
                    self._remember(shape, len(row), columns)
        return bad

    def _remember(self, shape: bytes, length: int, columns: Columns) -> None:
        if len(self._longest) >= MAX_KNOWN_LAYOUTS:
            self._longest.clear()
            self._bare.clear()
        self._longest[shape] = length + MAX_EXTRA_DIGITS
        if not columns.params:
            self._bare.add(shape)


def _is_telling(row: bytes, shape: bytes, columns: Columns) -> bool:
    """Return whether the shape of a good row proves others to be good, and is worth remembering."""
    if len(row) > MAX_KNOWN_ROW_BYTES or b"\\u" in shape:  # the digits of an escape decide whether it is good
        return False
    if columns.params:
        return all(columns.params)
    return columns.version is not None and row.startswith(NO_PARAMETERS, row.find(b'"') - BEFORE)


def _good(raw: Json) -> Columns | None:
    try:
        columns = _columns(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return columns if fits(columns) else None


class RowReader:
    """Reads the rows of one file."""

    def __init__(self, header: Mapping[str, Any], version: int, problems: Problems) -> None:
        """Take how rows are laid out from the file's *header*; raises UnreadableError where it does not say."""
        self._header = header
        self._version = version
        self._problems = problems
        self._names = _result_columns(header) if version > 1 else ()

    def rows(self, parts: Parts, notes: Mapping[str, Note], shapes: KnownLayouts) -> LazyRows:
        """Return the rows that can be used; the others are problems."""
        good: dict[str, Json] = dict(parts.rows)
        extras: dict[str, dict[str, Any]] = {}
        for name in shapes.bad_rows(parts.rows) if self._names == NAMES else tuple(good):
            if (mended := self._mended(name, good.pop(name), parts)) is not None:
                good[name], extra = mended
                if extra:
                    extras[name] = extra
        joined = _joined(notes, extras, good)
        checked_notes = {name: self._note(name, joined[name], good[name], parts) for name in joined}
        return LazyRows(good, checked_notes, masked=parts.masked)

    def superseded(self, entry: Superseded) -> Row | None:
        """Return the row of *entry*, None with a problem where nothing of it can be used."""
        try:
            columns = repaired_columns(entry.name, dict(zip(NAMES, entry.row, strict=False)), self._problems)
        except UnreadableError as error:
            self._problems.add(f"results.{entry.name}", error.reason)
            return None
        note = validate_note(entry.name, entry.note, columns, self._problems)
        return row_of(BenchmarkName(entry.name), columns, note)

    def _note(self, name: str, note: Note, raw: Json, parts: Parts) -> ValidatedNote:
        return validate_note(name, note, columns_in(raw, masked=parts.masked), self._problems)

    def _mended(self, name: str, raw: Json, parts: Parts) -> tuple[Json, dict[str, Any]] | None:
        try:
            content = unmask(bytes(raw)) if parts.masked else bytes(raw)
            values = self._by_name(name, loads(text_of(content)))
            columns = msgspec.structs.astuple(repaired_columns(name, values, self._problems))
        except UnreadableError as error:
            self._problems.add(f"results.{name}", error.reason)
            return None
        except RecursionError:
            self._problems.add(f"results.{name}", "is nested too deeply")
            return None
        extra = {key: value for key, value in values.items() if key not in NAMES and not _is_empty(value)}
        return dumps(columns).encode(), extra

    def _by_name(self, name: str, value: Any) -> dict[str, Any]:
        """Return the columns of a row under asv's names."""
        if self._version == 1:
            return columns_of_format_1(name, value, self._header)
        if not isinstance(value, list):
            raise UnreadableError(f"is no row of columns: {value!r:.60}")
        if len(value) > len(self._names):
            self._problems.add(f"results.{name}", f"has {len(value)} columns, {len(self._names)} are named")
        return dict(zip(self._names, value, strict=False))


def _result_columns(header: Mapping[str, Any]) -> tuple[str, ...]:
    value = header.get("result_columns")
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise UnreadableError(
            "is missing" if value is None else f"is no list of names: {value!r:.60}", "result_columns"
        )
    if "result" not in value:
        raise UnreadableError("names no column for results", "result_columns")
    return tuple(value)


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, list) and all(inner is None for inner in value))


def _joined(
    notes: Mapping[str, Note], extras: Mapping[str, dict[str, Any]], good: Mapping[str, Json]
) -> dict[str, Note]:
    joined = {name: note for name, note in notes.items() if name in good}
    for name, extra in extras.items():
        joined[name] = msgspec.structs.replace(
            joined.get(name, EMPTY_NOTE), extra=joined.get(name, EMPTY_NOTE).extra | extra
        )
    return joined
