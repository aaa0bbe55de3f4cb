"""The files of a results tree, as asv 0.6 names and writes them: results, ``benchmarks.json`` and ``machine.json``."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from windtunnel.asv.results_format.json_values import (
    Decoded,
    Parts,
    Problems,
    UnreadableError,
    count_numbers,
    decoded,
    dumps,
    dumps_pretty,
    field,
    loads,
    object_in,
    split,
)
from windtunnel.asv.results_format.layout import (
    EMPTY_NOTE,
    FIELD,
    MAX_INSTANT,
    MIN_INSTANT,
    NAMES,
    KnownLayouts,
    Notes,
    Superseded,
)
from windtunnel.asv.results_format.repair import RowReader, durations_of_format_1, params_of, version_text
from windtunnel.asv.results_format.rows import LazyRows, note_of, row_of, values_of
from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import (
    BenchmarkName,
    BenchmarkVersion,
    CommitHash,
    EnvironmentName,
    Field,
    Fields,
    Instant,
    MachineName,
)
from windtunnel.model.run import Environment, Machine, Row, Run, RunKey

MAX_ENVIRONMENT_NAME = 128
"""Characters from which asv replaces the name by its hash."""

MAX_NAME_BYTES = 180
"""Leaves room for a hash, a suffix and a temporary suffix within the 255 bytes of most file systems."""

SHORT_HASH = 8

_UNSAFE = re.compile(r'[<>:"/\\^|?*\x00-\x1f\x7f]')
_TAKEN = re.compile(r"(?:CON|PRN|AUX|NUL|(?:COM|LPT)[1-9])(?:\..*)?|git~1|records", re.IGNORECASE)
"""Names that are reserved by Windows, git or Windtunnel."""


def environment_name(python: str, requirements: Fields) -> EnvironmentName:
    """Return asv's name of an environment, for files that do not hold it."""
    parts = [f"py{python}", *(requirement.name + _version(requirement.text) for requirement in requirements)]
    return EnvironmentName(_UNSAFE.sub("_", "-".join(parts)))


def machine_folder(machine: MachineName) -> str:
    """Return the folder of *machine*: its name, or a hash when a folder cannot have that name."""
    return machine if _is_safe(machine) else f"machine-{_digest(machine)}"


def run_files(keys: Sequence[RunKey]) -> tuple[str, ...]:
    """Return the path of every run in its tree, with ``/``; commits that share eight digits have their full hash."""
    uses = Counter(_run_file(key, SHORT_HASH) for key in keys)
    return tuple(_run_file(key, SHORT_HASH if uses[_run_file(key, SHORT_HASH)] == 1 else None) for key in keys)


def long_run_file(key: RunKey) -> str:
    """Return the path of a run with its full hash."""
    return _run_file(key, None)


def _run_file(key: RunKey, digits: int | None) -> str:
    return f"{machine_folder(key.machine)}/{key.commit[:digits]}-{environment_part(key.environment)}.json"


def environment_part(name: str) -> str:
    """Return what stands for an environment in a path: its name, or a hash when a path cannot have that name."""
    if len(name) >= MAX_ENVIRONMENT_NAME or not _is_safe(name):
        return f"env-{_digest(name)}"
    return name


def _is_safe(name: str) -> bool:
    return (
        not _UNSAFE.search(name)
        and not name.startswith(".")
        and not name.endswith((".", " ", ".json"))
        and not _TAKEN.fullmatch(name)
        and name.isprintable()
        and len(name.encode()) <= MAX_NAME_BYTES
    )


def _digest(name: str) -> str:
    return hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()


def _version(text: str) -> str:
    return "" if text == "null" else text


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


def decode_run(content: bytes, source: str, layouts: KnownLayouts | None = None) -> Decoded[Run]:
    """Return the run in a results file of format 1 or 2; messages call the file *source*.

    The files of one history share *layouts*: the more alike they are, the faster they are read.
    """
    return decoded(source, lambda problems: _run(split(content), source, layouts or KnownLayouts(), problems))


def _run(parts: Parts, source: str, layouts: KnownLayouts, problems: Problems) -> Run:
    version = version_of(parts.header, newest=2)
    run = run_of(parts.header, source)
    if version == 1:
        run = replace(run, durations=fields({"duration": durations_of_format_1(parts.header)}, "duration"))
    notes = _notes(parts.header.get(FIELD), problems)
    reader = RowReader(parts.header, version, problems)
    rows = LazyRows(*reader.rows(parts, notes.rows, layouts), masked=parts.masked)
    superseded = ((entry.name, reader.superseded(entry)) for entry in notes.superseded)
    found = (row_of(BenchmarkName(name), *row) for name, row in superseded if row is not None)
    return replace(run, rows=rows, superseded=tuple(found))


def _notes(value: object, problems: Problems) -> Notes:
    try:
        return Notes() if value is None else msgspec.convert(value, Notes)
    except (msgspec.ValidationError, RecursionError) as error:
        lost = f"{count_numbers(value)} numbers of it are not kept"
        problems.add(FIELD, f"is not in Windtunnel's format: {error}; {lost}")
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


LAST_SEEN = "windtunnel_last_seen"
"""Windtunnel's field in an entry; asv ignores it."""

_KNOWN_KEYS = frozenset({"name", "type", "unit", "version", "param_names", "params", "code", LAST_SEEN})


def decode_benchmarks(content: bytes, source: str) -> Decoded[tuple[Benchmark, ...]]:
    """Return the benchmarks of a ``benchmarks.json`` of version 1 or 2, sorted by name."""
    return decoded(source, lambda problems: _read_benchmarks(content, problems))


def encode_benchmarks(benchmarks: Iterable[Benchmark]) -> bytes:
    """Return a ``benchmarks.json`` of version 2, formatted and sorted as asv does."""
    entries: dict[str, Any] = {benchmark.name: entry_of(benchmark) for benchmark in benchmarks}
    return dumps_pretty(entries | {"version": 2}).encode()


def entry_of(benchmark: Benchmark) -> dict[str, Any]:
    """Return the entry of *benchmark* in asv's form."""
    entry = {extra.name: loads(extra.json) for extra in benchmark.extra}
    entry |= {
        "name": benchmark.name,
        "type": benchmark.type_word,
        "unit": benchmark.unit,
        "param_names": list(benchmark.param_names),
        "params": [list(values) for values in benchmark.params],
        "code": benchmark.code,
    }
    if benchmark.version is not None:
        entry["version"] = benchmark.version
    if benchmark.last_seen is not None:
        entry[LAST_SEEN] = benchmark.last_seen
    return entry


def _read_benchmarks(content: bytes, problems: Problems) -> tuple[Benchmark, ...]:
    data = object_in(content)
    version_of(data, newest=2)
    del data["version"]
    by_name = {benchmark.name: benchmark for benchmark in _benchmarks(data, problems)}
    return tuple(by_name[name] for name in sorted(by_name))


def _benchmarks(entries: Mapping[str, Any], problems: Problems) -> Iterable[Benchmark]:
    for key, value in entries.items():
        try:
            yield _benchmark(key, value, problems)
        except UnreadableError as error:
            problems.add(key, f"{error.key} {error.reason}".strip())


def _benchmark(key: str, entry: Any, problems: Problems) -> Benchmark:
    if not isinstance(entry, dict):
        raise UnreadableError(f"is not the description of a benchmark: {entry!r:.60}")
    version = version_text(entry.get("version"))
    params = params_of(entry.get("params"))
    seen = entry.get(LAST_SEEN)
    return Benchmark(
        name=BenchmarkName(_entry_text(entry, "name", key)),
        type_word=_entry_text(entry, "type", ""),
        unit=None if entry.get("unit") is None else _entry_text(entry, "unit", ""),
        version=None if version is None else BenchmarkVersion(version),
        param_names=_param_names(key, entry, len(params), problems),
        params=tuple(map(tuple, params)),
        code=_entry_text(entry, "code", ""),
        extra=tuple(sorted(field(name, value) for name, value in entry.items() if name not in _KNOWN_KEYS)),
        last_seen=Instant(seen) if type(seen) is int else None,
    )


def _entry_text(entry: Mapping[str, Any], name: str, default: str) -> str:
    value = entry.get(name)
    if value is None:
        return default
    if not isinstance(value, str):
        raise UnreadableError(f"is {value!r:.60}, not a text", name)
    return value


def _param_names(key: str, entry: Mapping[str, Any], count: int, problems: Problems) -> tuple[str, ...]:
    """Return a name for each parameter; asv does not publish a list of another length."""
    value = entry.get("param_names") or []
    names = value if isinstance(value, list) else []
    if len(names) != count or not all(isinstance(name, str) for name in names):
        problems.add(key, f"has {count} parameters and the names {value!r:.60}; names were added or dropped")
    known = [name if isinstance(name, str) else f"param{number}" for number, name in enumerate(names[:count], start=1)]
    return (*known, *(f"param{number}" for number in range(len(known) + 1, count + 1)))


def decode_machine(content: bytes, source: str) -> Decoded[Machine]:
    """Return the machine of a ``machine.json``."""
    return decoded(source, lambda _: _read_machine(content, source))


def encode_machine(machine: Machine) -> bytes:
    """Return the ``machine.json`` of *machine*, formatted and sorted as asv does."""
    details = {detail.name: loads(detail.json) for detail in machine.details}
    return dumps_pretty(details | {"machine": machine.name, "version": 1}).encode()


def _read_machine(content: bytes, source: str) -> Machine:
    data = object_in(content)
    version_of(data, newest=1)
    del data["version"]
    name = data.pop("machine", None)
    if not isinstance(name, str) or not name:
        raise UnreadableError(f"is {name!r:.60}, not the name of a machine", "machine")
    return Machine(name=MachineName(name), details=fields({"": data}, ""), source=source)
