"""The newest results of every benchmark at a place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, CommitHash, Parameters
from windtunnel.model.result import Failed, Measured, Result, Row
from windtunnel.model.target import MeasuredTarget


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Cases of one benchmark that belong together: they are shown from one run or not at all."""

    benchmark: Benchmark
    cases: tuple[Parameters, ...]

    @property
    def key(self) -> tuple[BenchmarkName, tuple[Parameters, ...]]:
        """What tells one from another within a results tree."""
        return self.benchmark.name, self.cases


@dataclass(frozen=True, slots=True, kw_only=True)
class Latest:
    """What the newest run that tried any of the wanted cases says of each; None where it has no such case."""

    commit: CommitHash
    results: tuple[Result | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Newest:
    """The newest results at *place* of everything that was wanted."""

    place: MeasuredTarget
    found: Mapping[tuple[BenchmarkName, tuple[Parameters, ...]], Latest]

    def of(self, wanted: Wanted) -> Latest | None:
        """Return the newest results of *wanted*, None where no run at the place tried it."""
        return self.found.get(wanted.key)


def newest(place: MeasuredTarget, wanted: Sequence[Wanted]) -> Newest:
    """Go through the runs of *place*, newest first and each at most once, until all of *wanted* is found."""
    found: dict[tuple[BenchmarkName, tuple[Parameters, ...]], Latest] = {}
    open_by_name: dict[BenchmarkName, list[Wanted]] = {}
    for each in wanted:
        open_by_name.setdefault(each.benchmark.name, []).append(each)
    for run in place.runs:
        if len(found) == len(wanted):
            break
        for row in run.rows:
            for each in open_by_name.get(row.name, ()):
                if each.key not in found and (entry := _latest(run.commit, row, each)):
                    found[each.key] = entry
    return Newest(place=place, found=found)


def _latest(commit: CommitHash, row: Row, wanted: Wanted) -> Latest | None:
    # as in asv: results of another version are not comparable; a row without a version fits every version
    if row.version is not None and row.version != wanted.benchmark.version:
        return None
    known = dict(row.cases())
    results = tuple(known.get(case) for case in wanted.cases)
    tried = any(isinstance(result, Measured | Failed) for result in results)
    return Latest(commit=commit, results=results) if tried else None
