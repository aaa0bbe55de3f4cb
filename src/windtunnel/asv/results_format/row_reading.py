"""Checks the rows of a results file: valid rows stay JSON, the others are repaired.

In a history most rows differ from an earlier row in their digits only, which makes the check fast.
"""

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
    is_consistent,
    validate_note,
)
from windtunnel.asv.results_format.row_repair import columns_of_format_1, repaired_columns
from windtunnel.model.identity import BenchmarkName
from windtunnel.model.result import Row

DIGITS = b"0123456789"

MAX_KNOWN_ROW_BYTES = 2000
"""Longer rows are not remembered: they have so many numbers that hardly two have the same layout."""

MAX_KNOWN_LAYOUTS = 50_000
"""Layouts to remember: 10 MB."""

MAX_EXTRA_DIGITS = 200
"""Digits by which a row of a known layout may be longer than the first; a number too large for a float has 309."""

_columns = msgspec.json.Decoder(Columns).decode

NO_PARAMETERS = b"[], "
"""The text before the version, in asv's spacing, when a benchmark has no parameters."""

OPEN, BEFORE = NO_PARAMETERS[0], len(NO_PARAMETERS)


class KnownLayouts:
    """The layouts of valid rows: their JSON without digits.

    Two rows of one layout have the same columns with the same numbers of values of the same types. The exception is an
    empty list and a list of one integer. Numbers may differ in range; reading a row checks that.
    """

    def __init__(self) -> None:
        """Start without layouts."""
        self._longest: dict[bytes, int] = {}
        self._without_params: set[bytes] = set()
        """Layouts without parameters; an invalid row with integers there would have the same layout."""

    def bad_rows(self, rows: Mapping[str, Json]) -> list[str]:
        """Return the names of those *rows*, in asv's own columns, that are not valid."""
        longest, without_params, bad = self._longest.get, self._without_params, []
        for name, raw in rows.items():
            row = bytes(raw)
            layout = row.translate(None, DIGITS)
            if len(row) > longest(layout, 0) or (row[row.find(b'"') - BEFORE] != OPEN and layout in without_params):
                columns = _valid_columns(raw)
                if columns is None:
                    bad.append(name)
                elif _is_distinctive(row, layout, columns):
                    self._remember(layout, len(row), columns)
        return bad

    def _remember(self, layout: bytes, length: int, columns: Columns) -> None:
        if len(self._longest) >= MAX_KNOWN_LAYOUTS:
            self._longest.clear()
            self._without_params.clear()
        self._longest[layout] = length + MAX_EXTRA_DIGITS
        if not columns.params:
            self._without_params.add(layout)


def _is_distinctive(row: bytes, layout: bytes, columns: Columns) -> bool:
    """Return whether the layout of a valid row proves that other rows are valid."""
    if len(row) > MAX_KNOWN_ROW_BYTES or b"\\u" in layout:  # the digits of an escape decide whether it is valid
        return False
    if columns.params:
        return all(columns.params)
    return columns.version is not None and row.startswith(NO_PARAMETERS, row.find(b'"') - BEFORE)


def _valid_columns(raw: Json) -> Columns | None:
    try:
        columns = _columns(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return columns if is_consistent(columns) else None


class RowReader:
    """Reads the rows of one file."""

    def __init__(self, header: Mapping[str, Any], version: int, problems: Problems) -> None:
        """Read the names of the columns from the file's *header*; raises UnreadableError without them."""
        self._header = header
        self._version = version
        self._problems = problems
        self._names = _result_columns(header) if version > 1 else ()

    def rows(self, parts: Parts, notes: Mapping[str, Note], layouts: KnownLayouts) -> LazyRows:
        """Return the usable rows; the others are problems."""
        good: dict[str, Json] = dict(parts.rows)
        extras: dict[str, dict[str, Any]] = {}
        for name in layouts.bad_rows(parts.rows) if self._names == NAMES else tuple(good):
            if (repaired := self._repaired(name, good.pop(name), parts)) is not None:
                good[name], extra = repaired
                if extra:
                    extras[name] = extra
        joined = _joined(notes, extras, good)
        checked_notes = {name: self._note(name, joined[name], good[name], parts) for name in joined}
        return LazyRows(good, checked_notes, masked=parts.masked)

    def superseded(self, entry: Superseded) -> Row | None:
        """Return the row of *entry*; None, with a problem, when nothing of it is usable."""
        try:
            columns = repaired_columns(entry.name, dict(zip(NAMES, entry.row, strict=False)), self._problems)
        except UnreadableError as error:
            self._problems.add(f"results.{entry.name}", error.reason)
            return None
        note = validate_note(entry.name, entry.note, columns, self._problems)
        return row_of(BenchmarkName(entry.name), columns, note)

    def _note(self, name: str, note: Note, raw: Json, parts: Parts) -> ValidatedNote:
        return validate_note(name, note, columns_in(raw, masked=parts.masked), self._problems)

    def _repaired(self, name: str, raw: Json, parts: Parts) -> tuple[Json, dict[str, Any]] | None:
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
        """Return the columns of a row by asv's names."""
        if self._version == 1:
            return columns_of_format_1(name, value, self._header)
        if not isinstance(value, list):
            raise UnreadableError(f"is not a row of columns: {value!r:.60}")
        if len(value) > len(self._names):
            self._problems.add(f"results.{name}", f"has {len(value)} columns, result_columns names {len(self._names)}")
        return dict(zip(self._names, value, strict=False))


def _result_columns(header: Mapping[str, Any]) -> tuple[str, ...]:
    value = header.get("result_columns")
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise UnreadableError(
            "is missing" if value is None else f"is not a list of names: {value!r:.60}", "result_columns"
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
