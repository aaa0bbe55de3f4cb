"""A results file to a run."""

from dataclasses import replace

import msgspec

from windtunnel.asvjson.format1 import durations_of_format_1
from windtunnel.asvjson.header import fields, run_of, version_of
from windtunnel.asvjson.notes import FIELD, Notes, Superseded
from windtunnel.asvjson.parts import Parts, split
from windtunnel.asvjson.problems import Decoded, Problems, decoded
from windtunnel.asvjson.row_codec import row_of
from windtunnel.asvjson.row_reading import RowReader
from windtunnel.measurement import BenchmarkName, Row, Run


def decode_run(content: bytes, source: str) -> Decoded[Run]:
    """Return the run that a results file holds, of format 1 or 2; *source* is what messages call the file."""
    return decoded(source, lambda problems: _run(split(content), source, problems))


def _run(parts: Parts, source: str, problems: Problems) -> Run:
    version = version_of(parts.header, newest=2)
    run = run_of(parts.header, source)
    if version == 1:
        run = replace(run, durations=fields({"duration": durations_of_format_1(parts.header)}, "duration"))
    notes = _notes(parts, problems)
    reader = RowReader(parts.header, version, problems)
    rows = reader.rows(parts, notes.rows)
    return replace(run, rows=rows, superseded=_superseded(notes, reader))


def _notes(parts: Parts, problems: Problems) -> Notes:
    value = parts.header.get(FIELD)
    try:
        return Notes() if value is None else msgspec.convert(value, Notes)
    except (msgspec.ValidationError, RecursionError) as error:
        problems.add(FIELD, f"is not as Windtunnel writes it: {error}")
        return Notes()


def _superseded(notes: Notes, reader: RowReader) -> tuple[Row, ...]:
    found = (_superseded_row(entry, reader) for entry in notes.superseded)
    return tuple(row for row in found if row is not None)


def _superseded_row(entry: Superseded, reader: RowReader) -> Row | None:
    columns = reader.checked_list(entry.name, entry.row)
    return None if columns is None else row_of(BenchmarkName(entry.name), columns, entry.note)
