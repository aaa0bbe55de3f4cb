"""The rows of a results file, checked: good ones stay as they are, others are mended as far as they can be."""

from collections.abc import Mapping
from typing import Any

import msgspec

from windtunnel.asv.results_format.file_parts import Json, Parts
from windtunnel.asv.results_format.format1 import columns_of_format_1
from windtunnel.asv.results_format.known_rows import Shapes
from windtunnel.asv.results_format.lazy_rows import LazyRows, columns_in
from windtunnel.asv.results_format.nan_masking import unmask
from windtunnel.asv.results_format.note_validation import fitting
from windtunnel.asv.results_format.notes import NOTHING, FittingNote, Note, Superseded
from windtunnel.asv.results_format.row_codec import row_of
from windtunnel.asv.results_format.row_layout import NAMES
from windtunnel.asv.results_format.row_repair import checked
from windtunnel.asv.results_format.text import Problems, UnreadableError, dumps, loads, text_of
from windtunnel.model.identity import BenchmarkName
from windtunnel.model.result import Row


class RowReader:
    """Reads the rows of one file."""

    def __init__(self, header: Mapping[str, Any], version: int, problems: Problems) -> None:
        """Take how rows are laid out from the file's *header*; raises UnreadableError where it does not say."""
        self._header = header
        self._version = version
        self._problems = problems
        self._names = _result_columns(header) if version > 1 else ()

    def rows(self, parts: Parts, notes: Mapping[str, Note], shapes: Shapes) -> LazyRows:
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
            columns = checked(entry.name, dict(zip(NAMES, entry.row, strict=False)), self._problems)
        except UnreadableError as error:
            self._problems.add(f"results.{entry.name}", error.reason)
            return None
        note = fitting(entry.name, entry.note, columns, self._problems)
        return row_of(BenchmarkName(entry.name), columns, note)

    def _note(self, name: str, note: Note, raw: Json, parts: Parts) -> FittingNote:
        return fitting(name, note, columns_in(raw, masked=parts.masked), self._problems)

    def _mended(self, name: str, raw: Json, parts: Parts) -> tuple[Json, dict[str, Any]] | None:
        try:
            content = unmask(bytes(raw)) if parts.masked else bytes(raw)
            values = self._by_name(name, loads(text_of(content)))
            columns = msgspec.structs.astuple(checked(name, values, self._problems))
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
        joined[name] = msgspec.structs.replace(joined.get(name, NOTHING), extra=joined.get(name, NOTHING).extra | extra)
    return joined
