"""Converts between a results file and a ``Run``; writes files as asv 0.6 does."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import msgspec

from windtunnel.asv.results_format.file_parts import Parts, split
from windtunnel.asv.results_format.json_values import Decoded, Problems, UnreadableError, decoded, dumps, field
from windtunnel.asv.results_format.names import environment_name
from windtunnel.asv.results_format.row_codec import note_of, values_of
from windtunnel.asv.results_format.row_layout import (
    EMPTY_NOTE,
    FIELD,
    MAX_INSTANT,
    MIN_INSTANT,
    NAMES,
    Notes,
    Superseded,
)
from windtunnel.asv.results_format.row_reading import KnownLayouts, RowReader
from windtunnel.asv.results_format.row_repair import durations_of_format_1
from windtunnel.model.identity import CommitHash, EnvironmentName, Field, Fields, Instant, MachineName
from windtunnel.model.result import Row
from windtunnel.model.run import Environment, Run

_KNOWN_FIELDS = frozenset(
    {
        *("commit_hash", "env_name", "date", "params", "python", "requirements", "env_vars"),
        *("result_columns", "results", "durations", "version", "windtunnel"),
        *("benchmark_version", "started_at", "ended_at", "duration", "profiles"),
    }
)
"""Fields of formats 1 and 2; others pass through."""

_HASH = re.compile(r"[0-9a-fA-F]{4,64}")


def run_of(header: Mapping[str, Any], source: str) -> Run:
    """Return the run without its rows; raises UnreadableError, with the key, when commit or environment is missing."""
    params = fields(header, "params")
    python = _text(header, "python")
    requirements = fields(header, "requirements")
    name = header.get("env_name") or environment_name(python, requirements)
    if not isinstance(name, str):
        raise UnreadableError(_wrong(name, "a text"), "env_name")
    return Run(
        commit=_commit(header),
        machine=MachineName(_text(header.get("params") or {}, "machine", "params.machine")),
        environment=Environment(
            name=EnvironmentName(name), python=python, requirements=requirements, variables=fields(header, "env_vars")
        ),
        date=_date(header),
        params=tuple(param for param in params if param.name != "machine"),
        durations=fields(header, "durations"),
        extra=tuple(sorted(field(key, value) for key, value in header.items() if key not in _KNOWN_FIELDS)),
        source=source,
    )


def fields(header: Mapping[str, Any], key: str) -> Fields:
    """Return the object in *key* as fields; empty when the key is missing."""
    value = header.get(key)
    if value is None:
        return ()
    if not isinstance(value, dict):
        raise UnreadableError(_wrong(value, "an object"), key)
    return tuple(sorted(_field(key, name, inner) for name, inner in value.items()))


def version_of(header: Mapping[str, Any], newest: int) -> int:
    """Return the version of the file's format; raises UnreadableError unless it is 1 to *newest*."""
    version = header.get("version")
    if type(version) is not int:
        raise UnreadableError(
            "is missing: not a file of asv" if version is None else _wrong(version, "1 or 2"), "version"
        )
    if not 1 <= version <= newest:
        raise UnreadableError(f"is {version}, known are 1 to {newest}; a newer Windtunnel may read it", "version")
    return version


def _field(key: str, name: str, value: object) -> Field:
    try:
        return field(name, value)
    except UnreadableError as error:
        raise UnreadableError(error.reason, f"{key}.{name}") from None


def _commit(header: Mapping[str, Any]) -> CommitHash:
    commit = _text(header, "commit_hash")
    if not _HASH.fullmatch(commit):
        raise UnreadableError(f"{commit[:80]!r} is not a commit hash", "commit_hash")
    return CommitHash(commit)


def _date(header: Mapping[str, Any]) -> Instant:
    date = header.get("date")
    if isinstance(date, bool) or not isinstance(date, int | float):
        raise UnreadableError(_wrong(date, "a number of milliseconds"), "date")
    if not MIN_INSTANT <= date <= MAX_INSTANT:
        raise UnreadableError("is not between the years 1 and 9999", "date")
    return Instant(int(date))


def _text(values: Mapping[str, Any], name: str, key: str = "") -> str:
    value = values.get(name)
    if not isinstance(value, str) or not value:
        raise UnreadableError(_wrong(value, "a text"), key or name)
    return value


def _wrong(value: object, wanted: str) -> str:
    if value is None:
        return f"is missing; {wanted} is needed"
    return f"is {value!r:.80}, not {wanted}" if value != "" else f"is empty; {wanted} is needed"


class RunDecoder:
    """Reads the results files of one history; the more alike they are, the faster."""

    def __init__(self) -> None:
        """Start without known layouts."""
        self._layouts = KnownLayouts()

    def decode(self, content: bytes, source: str) -> Decoded[Run]:
        """Return the run in a results file of format 1 or 2; messages call the file *source*."""
        return decoded(source, lambda problems: self._run(split(content), source, problems))

    def _run(self, parts: Parts, source: str, problems: Problems) -> Run:
        version = version_of(parts.header, newest=2)
        run = run_of(parts.header, source)
        if version == 1:
            run = replace(run, durations=fields({"duration": durations_of_format_1(parts.header)}, "duration"))
        notes = _notes(parts, problems)
        reader = RowReader(parts.header, version, problems)
        rows = reader.rows(parts, notes.rows, self._layouts)
        superseded = [reader.superseded(entry) for entry in notes.superseded]
        return replace(run, rows=rows, superseded=tuple(row for row in superseded if row is not None))


def decode_run(content: bytes, source: str) -> Decoded[Run]:
    """Return the run in a single results file."""
    return RunDecoder().decode(content, source)


def _notes(parts: Parts, problems: Problems) -> Notes:
    value = parts.header.get(FIELD)
    try:
        return Notes() if value is None else msgspec.convert(value, Notes)
    except (msgspec.ValidationError, RecursionError) as error:
        problems.add(FIELD, f"is not in Windtunnel's format: {error}")
        return Notes()


def encode_run(run: Run) -> bytes:
    """Return the results file of *run* in format 2: one line, rows sorted by name; equal runs give equal bytes.

    Data without a column of asv is in the field ``windtunnel``, which asv ignores.
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
    """Return a JSON object of names and JSON values."""
    return "{" + ", ".join(f"{dumps(name)}: {value}" for name, value in fields) + "}"


def _fields(fields: Fields) -> str:
    """Return a JSON object of *fields*."""
    return _object((field.name, field.json) for field in fields)


def _rows(rows: Iterable[Row]) -> str:
    return _object((row.name, dumps(values_of(row))) for row in rows)


def _encoded_notes(run: Run) -> str:
    notes = Notes(
        rows={row.name: note for row in run.rows if (note := note_of(row)) != EMPTY_NOTE},
        superseded=[Superseded(name=row.name, row=values_of(row), note=note_of(row)) for row in run.superseded],
    )
    return dumps(msgspec.to_builtins(notes)) if notes != Notes() else ""
