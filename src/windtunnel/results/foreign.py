"""Histories of pytest-benchmark and github-action-benchmark, as runs of a results tree.

pytest-benchmark saves a JSON file for each session (``.benchmarks/*/*.json``), and github-action-benchmark keeps all of
them in ``data.js``. Names and parameters are those that the suite of the same pytest tests has here. Environments have
names of their own, because the tools time differently. Files may be damaged: what can be read is kept.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import product
from pathlib import PurePosixPath
from typing import Any, NamedTuple, TypeVar

import msgspec

from windtunnel.asv.results_format.json_values import Problems, UnreadableError, decode_text, decoded, field, loads
from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, CommitHash, EnvironmentName, Instant, MachineName
from windtunnel.model.run import Environment, Interval, Machine, Measured, Problem, ResultsTree, Row, Run, RunKey

DATA_JS = re.compile(r"^\s*window\.BENCHMARK_DATA\s*=\s*")
HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")

SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0, "seconds": 1.0}
"""Units of time of github-action-benchmark, before ``/iter`` or ``/op``."""

MAX_SAMPLES = 1000
"""Samples of a case that are kept; with more, only its statistics are."""

MAX_NAME = 300
"""Characters of a name; longer ones are cut."""

UNKNOWN = "unknown"
"""The Python or machine that a file does not state."""

T = TypeVar("T")


class _MachineInfo(msgspec.Struct):
    python_version: str
    python_implementation: str = "CPython"
    machine: str = ""
    system: str = ""
    cpu: dict[str, Any] = {}


class _Commit(msgspec.Struct):
    id: str
    author_time: str | None = None
    time: str | None = None
    timestamp: str | None = None
    dirty: bool = False


class _Stats(msgspec.Struct):
    median: float
    q1: float = math.nan
    q3: float = math.nan
    rounds: int | None = None
    iterations: int | None = None
    data: list[float] = []


class _Test(msgspec.Struct):
    fullname: str
    stats: _Stats
    params: dict[str, Any] | None = None


class _Bench(msgspec.Struct):
    name: str
    value: float
    unit: str


class Value(NamedTuple):
    """The value of one case."""

    name: str
    """pytest's ID of the test with its parameters, or any other name."""
    arguments: tuple[str, ...]
    """The names of its parameters, as far as they are known."""
    result: Measured
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSession:
    """What a tool measured at once."""

    run: Run
    benchmarks: tuple[Benchmark, ...]
    machine: Machine
    moment: str
    """When; sorts like the time."""


def read_sessions(
    content: bytes, source: str, machine: str, python: str
) -> tuple[list[ImportedSession], tuple[Problem, ...]]:
    """Return the sessions in the file *source*, and what is wrong with it.

    *machine* and *python* replace what the file states, and what it does not state if they are not empty.
    """

    def read(problems: Problems) -> list[ImportedSession]:
        text = decode_text(content)
        if found := DATA_JS.match(text):
            return list(_of_action(loads(text[found.end() :].strip().rstrip(";")), machine, python, problems))
        return [_of_pytest(loads(text), machine, python, problems)]

    result = decoded(source, read)
    return result.value or [], result.problems


def build_tree(sessions: Iterable[ImportedSession]) -> ResultsTree:
    """Return the results tree of *sessions*; of two with the same benchmark of a run, the newer one counts."""
    runs, benchmarks, machines = dict[RunKey, Run](), dict[str, Benchmark](), dict[str, Machine]()
    for session in sorted(sessions, key=lambda one: one.moment):
        known = runs.get(session.run.key, session.run)
        rows = {row.name: row for row in (*known.rows, *session.run.rows)}
        runs[session.run.key] = replace(session.run, rows=tuple(rows.values()))
        benchmarks |= {benchmark.name: benchmark for benchmark in session.benchmarks}
        machines[session.machine.name] = session.machine
    return ResultsTree(
        runs=tuple(runs[key] for key in sorted(runs)),
        benchmarks=tuple(benchmarks[name] for name in sorted(benchmarks)),
        machines=tuple(machines[name] for name in sorted(machines)),
    )


def _of_pytest(data: Any, machine: str, python: str, problems: Problems) -> ImportedSession:
    """Return the session in a file of pytest-benchmark; raises UnreadableError."""
    if not isinstance(data, dict) or not isinstance(tests := data.get("benchmarks"), list):
        raise UnreadableError("is neither a file that pytest-benchmark saved nor a data.js of github-action-benchmark")
    info = _typed(data.get("machine_info"), _MachineInfo, "machine_info")
    commit = _typed(data.get("commit_info"), _Commit, "commit_info")
    if commit.dirty:
        raise UnreadableError("was measured with uncommitted changes, so its values are of no commit", "commit_info")
    cpu, cores = (str(info.cpu.get(key) or default) for key, default in (("brand_raw", info.machine), ("count", "")))
    details = {"arch": info.machine, "cpu": cpu, "num_cpu": cores, "os": info.system}
    implementation = "" if info.python_implementation == "CPython" else info.python_implementation.lower()
    python = python or implementation + ".".join(info.python_version.split(".")[:2])
    here = Machine(
        name=MachineName(machine or _slug(f"{cpu} {cores}cpu {info.system}")),
        details=tuple(field(*each) for each in sorted(details.items()) if each[1]),
    )
    values = list(_each(tests, "benchmarks", _test_value, problems))
    return _session(commit, str(data.get("datetime")), here, f"pytest-benchmark-py{python}", python, values)


def _of_action(data: Any, machine: str, python: str, problems: Problems) -> Iterator[ImportedSession]:
    """Yield the sessions in a data.js; raises UnreadableError."""
    if not isinstance(data, dict) or not isinstance(entries := data.get("entries"), dict):
        raise UnreadableError("has no entries", "entries")

    def session(name: str, each: Any, key: str) -> ImportedSession:
        each = _typed(each, dict[str, Any], key)
        commit = _typed(each.get("commit"), _Commit, f"{key}.commit")
        benches = _typed(each.get("benches"), list[Any], f"{key}.benches")
        read = partial(_bench_value, rate=each.get("tool") == "pytest")
        values = list(_each(benches, f"{key}.benches", read, problems))
        here, environment = Machine(name=MachineName(machine or UNKNOWN)), f"github-action-benchmark-{_slug(name)}"
        return _session(commit, f"{each.get('date')!s:0>20}", here, environment, python or UNKNOWN, values)

    for name, sessions in entries.items():
        listed = sessions if isinstance(sessions, list) else [sessions]
        yield from _each(listed, f"entries.{name[:80]}", partial(session, name), problems)


def _each(items: Sequence[Any], key: str, read: Any, problems: Problems) -> Iterator[Any]:
    """Yield what *read* returns for each of *items*; one that it cannot read is a problem."""
    for number, item in enumerate(items):
        try:
            yield read(item, f"{key}[{number}]")
        except UnreadableError as error:
            problems.add(error.key or f"{key}[{number}]", error.reason)


def _test_value(item: Any, key: str) -> Value:
    test = _typed(item, _Test, key)
    stats = test.stats
    quartiles = Interval(low=stats.q1, high=stats.q3) if math.isfinite(stats.q1 + stats.q3) else None
    samples = tuple(stats.data) if len(stats.data) <= MAX_SAMPLES and all(map(math.isfinite, stats.data)) else ()
    result = Measured(value=_finite(stats.median, key), quartiles=quartiles, samples=samples or None)
    result = replace(result, number=stats.iterations, repeat=stats.rounds)
    return Value(test.fullname, tuple(test.params or ()), result, "seconds")


def _bench_value(item: Any, key: str, *, rate: bool) -> Value:
    """Return a value of github-action-benchmark; that of a test of pytest is a *rate*, in calls a second."""
    bench = _typed(item, _Bench, key)
    unit, _, per = bench.unit.strip().partition("/")
    factor = SECONDS.get(unit.lower(), 0.0) if per in {"", "iter", "op"} else 0.0
    value = _finite(1 / (bench.value or math.nan) if rate else bench.value * (factor or 1.0), key)
    return Value(bench.name, (), Measured(value=value), "seconds" if rate or factor else bench.unit[:MAX_NAME])


def _finite(value: float, key: str) -> float:
    if not math.isfinite(value):
        raise UnreadableError("has a number that is zero or not finite", key)
    return value


def _typed(value: Any, kind: type[T], key: str) -> T:
    try:
        return msgspec.convert(value, kind, strict=False)
    except (msgspec.ValidationError, OverflowError) as error:
        raise UnreadableError(f"is not usable: {error}"[:MAX_NAME], key) from None


def _session(  # noqa: PLR0913, PLR0917 - what a session consists of
    commit: _Commit, moment: str, machine: Machine, environment: str, python: str, values: Sequence[Value]
) -> ImportedSession:
    """Return a session; raises UnreadableError if its commit has no hash or date."""
    date = commit.timestamp or commit.author_time or commit.time or ""
    if not HASH.fullmatch(commit.id):
        raise UnreadableError(f"is {commit.id[:80]!r}, not the hash of a commit", "commit")
    try:
        when = datetime.fromisoformat(date)
        milliseconds = int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError):
        raise UnreadableError(f"is {date[:80]!r}, not a date", "commit") from None
    tests = defaultdict[str, dict[str, Value]](dict)
    for value in values:
        name, _, case = value.name.partition("[") if "::" in value.name else (value.name, "", "")
        tests[name_of_test(name)][case.removesuffix("]")] = value
    made = [_benchmark(BenchmarkName(name), cases) for name, cases in tests.items()]
    run = Run(
        commit=CommitHash(commit.id),
        machine=machine.name,
        environment=Environment(name=EnvironmentName(environment), python=python),
        date=Instant(milliseconds),
        params=tuple(sorted((*machine.details, field("python", python)))),
        rows=tuple(row for _, row in made),
    )
    return ImportedSession(run=run, benchmarks=tuple(one for one, _ in made), machine=machine, moment=moment)


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip(".-")[:100] or UNKNOWN


def name_of_test(node: str) -> str:
    """Return the name here of the test with the ID *node*; of anything else, its printable characters."""
    path, *names = node.split("::")
    if not names:
        return "".join(filter(str.isprintable, node))[:MAX_NAME] or UNKNOWN
    module = [re.sub(r"\W", "_", part) for part in PurePosixPath(path).with_suffix("").parts]
    classes = ["_".join(names[:-1])] if names[:-1] else []
    return re.sub(r"[^\w.]", "_", ".".join((*module, *classes, names[-1])))[:MAX_NAME]


def _benchmark(name: BenchmarkName, cases: Mapping[str, Value]) -> tuple[Benchmark, Row]:
    """Return the benchmark with *cases* by pytest's names of their parameters, and its row.

    As in the suite of the tests, each ``parametrize`` is a parameter if the cases are all of their combinations.
    """
    first = next(iter(cases.values()))
    parts = [tuple(case.split("-")) for case in cases]
    sizes = [len(set(column)) for column in zip(*parts, strict=False)]
    names = first.arguments
    if {len(cell) for cell in parts} != {len(names)} or math.prod(sizes) != len(parts):
        names, parts = names if len(names) == 1 else ("case",), [(case,) for case in cases]
    if list(cases) == [""]:
        names, parts = (), [()]
    cells = [tuple(map(_literal, cell)) for cell in parts]
    params = tuple(tuple(dict.fromkeys(column)) for column in zip(*cells, strict=True))
    results = {cell: one.result for cell, one in zip(cells, cases.values(), strict=True)}
    row = Row(name=name, params=params, results=tuple(results[cell] for cell in product(*params)))
    kind = "time" if first.unit == "seconds" else "track"
    return Benchmark(name=name, type_word=kind, unit=first.unit, param_names=names, params=params), row


def _literal(text: str) -> str:
    """Return *text* as asv writes a parameter: a whole number, else the repr."""
    return text if re.fullmatch(r"0|-?[1-9]\d{0,17}", text, re.ASCII) else repr(text)
