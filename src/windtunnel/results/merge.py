"""Merges results trees without loss; the number, order and grouping of the trees do not change the result."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from windtunnel.asv.results_format.rows import LazyRows, starts
from windtunnel.errors import DataError
from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, Instant
from windtunnel.model.run import Environment, Machine, Problem, ResultsTree, Row, Run, RunKey
from windtunnel.results.merge_rows import RowKey, differences, key_of, merge_fields, merge_rows, winner

TIE_BREAK = "ties are broken by lexicographic order"


def merge_benchmarks(lists: Iterable[Iterable[Benchmark]]) -> tuple[Benchmark, ...]:
    """Return every benchmark of all *lists*, sorted by name.

    Of two entries with one name the one seen in the newest result is kept. So a suite that discovers fewer benchmarks
    removes none, and an older version of a benchmark does not hide newer results.
    """
    merged: dict[str, Benchmark] = {}
    for benchmarks in lists:
        for benchmark in benchmarks:
            merged[benchmark.name] = max(benchmark, merged.get(benchmark.name, benchmark), key=_rank)
    return tuple(merged[name] for name in sorted(merged))


def _rank(benchmark: Benchmark) -> tuple[int, str, str]:
    return benchmark.last_seen or 0, benchmark.version or "", repr(benchmark)


def merge_runs(*runs: Run) -> tuple[Run, tuple[Problem, ...]]:
    """Return one run with everything that *runs* (at least one) hold, and a conflict for what they disagree about.

    Rows with different versions or parameters are a conflict: the newest with a value is used, the others are kept as
    superseded. Raises DataError when the runs are not of one commit, machine and environment.
    """
    if len({run.key for run in runs}) != 1:
        titles = ", ".join(map(_title, runs))
        raise DataError(f"runs of different commits, machines or environments cannot be merged: {titles}")
    rows, superseded = _rows(runs)
    merged = Run(
        commit=runs[0].commit,
        machine=runs[0].machine,
        environment=_environment([run.environment for run in runs]),
        date=max(run.date for run in runs),
        params=merge_fields(run.params for run in runs),
        rows=rows,
        superseded=superseded,
        durations=merge_fields(run.durations for run in runs),
        extra=merge_fields(run.extra for run in runs),
        source=min(run.source for run in runs),
    )
    return merged, tuple(_conflicts(runs))


def _environment(environments: Sequence[Environment]) -> Environment:
    return Environment(
        name=environments[0].name,
        python=max(environment.python for environment in environments),
        requirements=merge_fields(environment.requirements for environment in environments),
        variables=merge_fields(environment.variables for environment in environments),
    )


def _rows(runs: Iterable[Run]) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """Return the row that is used for each benchmark, and the superseded ones."""
    alike: dict[RowKey, list[Row]] = defaultdict(list)
    for run in runs:
        for row in (*run.rows, *run.superseded):
            alike[key_of(row)].append(row)
    by_name: dict[str, list[Row]] = defaultdict(list)
    for key in sorted(alike):
        by_name[key[0]].append(merge_rows(alike[key]))
    winners = {name: winner(rows) for name, rows in by_name.items()}
    others = (row for name, rows in by_name.items() for row in rows if row is not winners[name])
    return tuple(winners.values()), tuple(others)


def _conflicts(runs: Sequence[Run]) -> Iterator[Problem]:
    """Yield the differences between each run and the first one with the same field or row."""
    first: dict[str, tuple[Run, Row]] = {}
    for run in runs:
        for name in differences(runs[0].params, run.params):
            yield _conflict(runs[0], run, f"{_title(run)}: params.{name}", TIE_BREAK)
        for row in run.rows:
            other, known = first.setdefault(row.name, (run, row))
            if key_of(row) != key_of(known):
                how = f"{_describe_version(known)}, {_describe_version(row)}; the newest with a value is used"
                yield _conflict(other, run, f"{_title(run)}: results.{row.name}", how)


def _conflict(one: Run | Machine, other: Run | Machine, key: str, reason: str) -> Problem:
    return Problem(file=other.source, key=key, reason=f"differs from {one.source}: {reason}")


def _describe_version(row: Row) -> str:
    return (
        f"version {row.version:.12} with parameters {row.params!r:.80}"
        if row.version
        else f"no version, {row.params!r:.80}"
    )


def _title(run: Run) -> str:
    return f"{run.commit[:8]} on {run.machine} in {run.environment.name}"


def merge_trees(trees: Iterable[ResultsTree]) -> tuple[ResultsTree, tuple[Problem, ...]]:
    """Return one tree with everything that *trees* hold, and a conflict for what they disagree about."""
    trees = tuple(trees)
    runs, conflicts = _merge_runs(run for tree in trees for run in tree.runs)
    machines, more = _merge_machines([machine for tree in trees for machine in tree.machines])
    merged = ResultsTree(
        runs=runs,
        benchmarks=merge_benchmarks(map(stamped, trees)),
        machines=machines,
        problems=tuple(sorted({problem for tree in trees for problem in tree.problems})),
    )
    return merged, tuple(sorted({*conflicts, *more}))


def _merge_runs(runs: Iterable[Run]) -> tuple[tuple[Run, ...], list[Problem]]:
    alike: dict[RunKey, list[Run]] = defaultdict(list)
    for run in runs:
        alike[run.key].append(run)
    merged, conflicts = list[Run](), list[Problem]()
    for key in sorted(alike):
        if _is_merged(alike[key]):
            merged += alike[key]
        else:
            run, found = merge_runs(*alike[key])
            merged.append(run)
            conflicts += found
    return tuple(merged), conflicts


def _is_merged(runs: Sequence[Run]) -> bool:
    """Return whether *runs* is one run as asv wrote it, which merging would not change."""
    return len(runs) == 1 and isinstance(runs[0].rows, LazyRows) and not runs[0].rows.notes and not runs[0].superseded


def _merge_machines(machines: Iterable[Machine]) -> tuple[tuple[Machine, ...], list[Problem]]:
    merged, conflicts = dict[str, Machine](), list[Problem]()
    for machine in machines:
        known = merged.get(machine.name, machine)
        for name in differences(known.details, machine.details):
            conflicts.append(_conflict(known, machine, f"machine {machine.name}: {name}", TIE_BREAK))
        merged[machine.name] = replace(known, details=merge_fields([known.details, machine.details]))
    return tuple(merged[name] for name in sorted(merged)), conflicts


def stamped(tree: ResultsTree) -> Iterator[Benchmark]:
    """Yield the benchmarks of *tree* with the time at which each was last seen in a result."""
    if all(benchmark.last_seen is not None for benchmark in tree.benchmarks):
        yield from tree.benchmarks
        return
    newest: dict[tuple[BenchmarkName, BenchmarkVersion | None], Instant] = {}
    for run in tree.runs:
        for name, version, started_at in starts(run.rows):
            if started_at is not None and started_at > newest.get((name, version), 0):
                newest[name, version] = started_at
    for benchmark in tree.benchmarks:
        seen = newest.get((benchmark.name, benchmark.version), Instant(0))
        yield benchmark if benchmark.last_seen is not None else replace(benchmark, last_seen=seen)
