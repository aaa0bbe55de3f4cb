"""Converts between bytes and values of ``benchmarks.json`` and ``machine.json``."""

from collections.abc import Iterable, Mapping
from typing import Any

from windtunnel.asv.results_format.json_values import (
    Decoded,
    Problems,
    UnreadableError,
    decoded,
    dumps_pretty,
    field,
    loads,
    object_in,
)
from windtunnel.asv.results_format.row_repair import params_of, version_text
from windtunnel.asv.results_format.run_file import fields, version_of
from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, Instant, MachineName
from windtunnel.model.run import Machine

LAST_SEEN = "windtunnel_last_seen"
"""Windtunnel's field in an entry; asv ignores it."""

_KNOWN = frozenset({"name", "type", "unit", "version", "param_names", "params", "code", LAST_SEEN})


def decode_benchmarks(content: bytes, source: str) -> Decoded[tuple[Benchmark, ...]]:
    """Return the benchmarks of a ``benchmarks.json`` of version 1 or 2, sorted by name."""
    return decoded(source, lambda problems: _read(content, problems))


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


def _read(content: bytes, problems: Problems) -> tuple[Benchmark, ...]:
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
        name=BenchmarkName(_text(entry, "name", key)),
        type_word=_text(entry, "type", ""),
        unit=None if entry.get("unit") is None else _text(entry, "unit", ""),
        version=None if version is None else BenchmarkVersion(version),
        param_names=_param_names(key, entry, len(params), problems),
        params=tuple(map(tuple, params)),
        code=_text(entry, "code", ""),
        extra=tuple(sorted(field(name, value) for name, value in entry.items() if name not in _KNOWN)),
        last_seen=Instant(seen) if type(seen) is int else None,
    )


def _text(entry: Mapping[str, Any], name: str, default: str) -> str:
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
