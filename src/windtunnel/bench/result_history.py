"""What earlier runs tell a plan: which cases need no measuring, and how long a case takes."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product
from statistics import median
from typing import Self

from windtunnel.model.benchmark import Benchmark, cases_of
from windtunnel.model.identity import CommitHash
from windtunnel.model.result import Measured, Row
from windtunnel.model.run import ResultsTree, Run
from windtunnel.model.run_format import RunRecord, State

DEFAULT_CASE_SECONDS = 1.5
"""What a case that never ran is expected to take: asv's own defaults give 0.7 s, this suite's quick cases 1 to 2 s."""

_Place = tuple[CommitHash, str, str, str]
"""Commit, environment, benchmark, version."""


@dataclass(slots=True, kw_only=True)
class ResultHistory:
    """What is known of cases; made by ``from_results``, asked by ``done`` and ``seconds``."""

    _done: dict[_Place, set[str]] = field(default_factory=lambda: defaultdict(set))
    _rows: dict[_Place, Row] = field(default_factory=dict)
    _dead: set[tuple[CommitHash, str]] = field(default_factory=set)
    _seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def from_results(cls, tree: ResultsTree, records: Iterable[RunRecord], machine: str, *, retry: bool) -> Self:
        """Gather what the results and run records of *machine* ("": of any) say.

        A results file cannot tell a case that was skipped from one that nobody asked for; run records can. With
        *retry*, failed and skipped cases and commits that could not be installed count as unknown.
        """
        known = cls()
        for run in tree.runs:
            known._add_run(run, here=machine in ("", run.machine))
        for record in records:
            if machine in ("", record.machine.name):
                known._add_record(record, retry=retry)
        return known

    def without_results(self) -> Self:
        """Return what is known of durations alone, so that everything is measured again."""
        return type(self)(_seconds=self._seconds)

    def done(self, commit: CommitHash, environment: str, benchmark: Benchmark) -> frozenset[str]:
        """Return the names of the cases of *benchmark* that need no measuring."""
        cases = cases_of(benchmark)
        if (commit, environment) in self._dead:
            return frozenset(case.name for case in cases)
        place = (commit, environment, benchmark.name, benchmark.version or "")
        done = set(self._done.get(place, ()))
        if row := self._rows.get(place):
            measured = {values for values, result in row.cases() if isinstance(result, Measured)}
            done |= {
                case.name for case, values in zip(cases, product(*benchmark.params), strict=True) if values in measured
            }
        return frozenset(done)

    def seconds(self, benchmark: Benchmark) -> float:
        """Return how long a case of *benchmark* takes: the median of what is known, else a guess."""
        known = self._seconds.get(benchmark.name)
        return median(known) if known else DEFAULT_CASE_SECONDS

    def _add_run(self, run: Run, *, here: bool) -> None:
        for row in run.rows:
            if here:
                self._rows[run.commit, run.environment.name, row.name, row.version or ""] = row
            measured = sum(isinstance(result, Measured) for result in row.results)
            if row.duration and measured:
                self._seconds[row.name].append(row.duration / measured)

    def _add_record(self, record: RunRecord, *, retry: bool) -> None:
        for task in record.tasks:
            if task.failure and not task.cases and not retry:
                self._dead.add((task.commit, task.environment))
            for case in task.cases:
                if case.state is not State.MEASURED and not retry:
                    self._done[task.commit, task.environment, case.benchmark, case.version].add(case.case)
