"""A run to a results file, in the form that asv 0.6 writes."""

from collections.abc import Iterable

import msgspec

from windtunnel.asv.results_format.notes import FIELD, NOTHING, Notes, Superseded
from windtunnel.asv.results_format.row_codec import note_of, values_of
from windtunnel.asv.results_format.row_layout import NAMES
from windtunnel.asv.results_format.text import dumps, field
from windtunnel.model.field import Fields
from windtunnel.model.result import Row
from windtunnel.model.run import Run


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
    if notes := _notes(run):
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


def _notes(run: Run) -> str:
    notes = Notes(
        rows={row.name: note for row in run.rows if (note := note_of(row)) != NOTHING},
        superseded=[Superseded(name=row.name, row=values_of(row), note=note_of(row)) for row in run.superseded],
    )
    return dumps(msgspec.to_builtins(notes)) if notes != Notes() else ""
