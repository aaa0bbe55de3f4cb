"""Whole results trees to one."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from windtunnel.asv.results_format.lazy_rows import LazyRows, starts
from windtunnel.model.benchmark import Benchmark
from windtunnel.model.environment import Machine
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, Instant
from windtunnel.model.results_tree import ResultsTree
from windtunnel.model.run import Run, RunKey
from windtunnel.results.benchmarks import merge_benchmarks
from windtunnel.results.conflicts import Conflict
from windtunnel.results.fields import differences, merge_fields
from windtunnel.results.merge import merge_runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """One tree, and what its sources disagree about."""

    tree: ResultsTree
    conflicts: tuple[Conflict, ...]


def merge_trees(trees: Iterable[ResultsTree]) -> Merged:
    """Return one tree with everything that *trees* hold; of none, an empty one."""
    trees = tuple(trees)
    runs, conflicts = _merge_runs(run for tree in trees for run in tree.runs)
    machines, more = _merge_machines([machine for tree in trees for machine in tree.machines])
    merged = ResultsTree(
        runs=runs,
        benchmarks=merge_benchmarks(map(stamped, trees)),
        machines=machines,
        problems=tuple(sorted({problem for tree in trees for problem in tree.problems})),
    )
    return Merged(tree=merged, conflicts=tuple(sorted({*conflicts, *more})))


def _merge_runs(runs: Iterable[Run]) -> tuple[tuple[Run, ...], list[Conflict]]:
    alike: dict[RunKey, list[Run]] = defaultdict(list)
    for run in runs:
        alike[run.key].append(run)
    merged: list[Run] = []
    conflicts: list[Conflict] = []
    for key in sorted(alike):
        if _is_merged(alike[key]):
            merged += alike[key]
        else:
            result = merge_runs(*alike[key])
            merged.append(result.run)
            conflicts += result.conflicts
    return tuple(merged), conflicts


def _is_merged(runs: Sequence[Run]) -> bool:
    """Return whether *runs* is one run that merging would not change: it has nothing but what asv wrote."""
    return len(runs) == 1 and isinstance(runs[0].rows, LazyRows) and not runs[0].rows.notes and not runs[0].superseded


def _merge_machines(machines: Iterable[Machine]) -> tuple[tuple[Machine, ...], list[Conflict]]:
    merged: dict[str, Machine] = {}
    conflicts: list[Conflict] = []
    for machine in machines:
        known = merged.get(machine.name, machine)
        sources = known.source, machine.source
        reason = "the greater text stands, as if by lot"
        conflicts += [
            Conflict(key=f"machine {machine.name}: {name}", sources=sources, reason=reason)
            for name in differences(known.details, machine.details)
        ]
        merged[machine.name] = replace(known, details=merge_fields([known.details, machine.details]))
    return tuple(merged[name] for name in sorted(merged)), conflicts


def stamped(tree: ResultsTree) -> Iterator[Benchmark]:
    """Yield the benchmarks of *tree*, each with when it was last seen in a result."""
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
