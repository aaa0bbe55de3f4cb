"""A results file to a run, and a run to a results file in the form that asv 0.6 writes."""

from collections.abc import Iterable
from dataclasses import replace

import msgspec

from windtunnel.asv.results_format.file_parts import Parts, split
from windtunnel.asv.results_format.format1 import durations_of_format_1
from windtunnel.asv.results_format.header import fields, run_of, version_of
from windtunnel.asv.results_format.known_rows import Shapes
from windtunnel.asv.results_format.notes import FIELD, NOTHING, Notes, Superseded
from windtunnel.asv.results_format.row_codec import note_of, values_of
from windtunnel.asv.results_format.row_layout import NAMES
from windtunnel.asv.results_format.row_reading import RowReader
from windtunnel.asv.results_format.text import Decoded, Problems, decoded, dumps, field
from windtunnel.model.identity import Fields
from windtunnel.model.result import Row
from windtunnel.model.run import Run


class RunDecoder:
    """Reads the results files of one history, the quicker the more alike they are."""

    def __init__(self) -> None:
        """Know nothing of the history yet."""
        self._shapes = Shapes()

    def decode(self, content: bytes, source: str) -> Decoded[Run]:
        """Return the run that a results file holds, of format 1 or 2; *source* is what messages call the file."""
        return decoded(source, lambda problems: self._run(split(content), source, problems))

    def _run(self, parts: Parts, source: str, problems: Problems) -> Run:
        version = version_of(parts.header, newest=2)
        run = run_of(parts.header, source)
        if version == 1:
            run = replace(run, durations=fields({"duration": durations_of_format_1(parts.header)}, "duration"))
        notes = _notes(parts, problems)
        reader = RowReader(parts.header, version, problems)
        rows = reader.rows(parts, notes.rows, self._shapes)
        superseded = [reader.superseded(entry) for entry in notes.superseded]
        return replace(run, rows=rows, superseded=tuple(row for row in superseded if row is not None))


def decode_run(content: bytes, source: str) -> Decoded[Run]:
    """Return the run that a single results file holds, as ``RunDecoder`` does."""
    return RunDecoder().decode(content, source)


def _notes(parts: Parts, problems: Problems) -> Notes:
    value = parts.header.get(FIELD)
    try:
        return Notes() if value is None else msgspec.convert(value, Notes)
    except (msgspec.ValidationError, RecursionError) as error:
        problems.add(FIELD, f"is not as Windtunnel writes it: {error}")
        return Notes()


def encode_run(run: Run) -> bytes:
    """Return the results file of *run* in format 2: one line, rows by name; equal runs give equal bytes.

    What asv has no column for stands in the field ``windtunnel``, which asv ignores.
    """
    fields: dict[str, str] = {
        "commit_hash": dumps(run.commit),
        "env_name": dumps(run.environment.name),
        "date": dumps(run.date),
        "params": _fields((field("machine", run.machine), *run.params)),
        "python": dumps(run.environment.python),
        "requirements": _fields(run.environment.requirements),
        "env_vars": _fields(run.environment.variables),
        "result_columns": dumps(NAMES),
        "results": _rows(run.rows),
        "durations": _fields(run.durations),
        "version": "2",
    }
    if notes := _encoded_notes(run):
        fields[FIELD] = notes
    extra = {extra.name: extra.json for extra in run.extra}
    return _object((extra | fields).items()).encode()


def _object(fields: Iterable[tuple[str, str]]) -> str:
    """Return a JSON object of names and values that are JSON already."""
    return "{" + ", ".join(f"{dumps(name)}: {value}" for name, value in fields) + "}"


def _fields(fields: Fields) -> str:
    """Return a JSON object of *fields*."""
    return _object((field.name, field.json) for field in fields)


def _rows(rows: Iterable[Row]) -> str:
    return _object((row.name, dumps(values_of(row))) for row in rows)


def _encoded_notes(run: Run) -> str:
    notes = Notes(
        rows={row.name: note for row in run.rows if (note := note_of(row)) != NOTHING},
        superseded=[Superseded(name=row.name, row=values_of(row), note=note_of(row)) for row in run.superseded],
    )
    return dumps(msgspec.to_builtins(notes)) if notes != Notes() else ""
