"""What earlier runs contribute to a plan: the finished cases, and how long a case takes."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product
from statistics import median
from typing import Self

from windtunnel.model.benchmark import Benchmark, cases_of
from windtunnel.model.identity import CommitHash
from windtunnel.model.run import Measured, ResultsTree, Row, Run
from windtunnel.model.run_format import RunRecord

DEFAULT_CASE_SECONDS = 1.5
"""Expected time of a case that never ran: asv's own defaults take 0.7 s, quick cases of this suite 1 to 2 s."""

MAX_LOST_RUNS = 3
"""Runs that may lose cases of a commit in an environment before these are left unmeasured."""

_Key = tuple[CommitHash, str, str, str]
"""Commit, environment, benchmark, version."""


@dataclass(slots=True, kw_only=True)
class ResultHistory:
    """Earlier results; created by ``from_results``."""

    _done: dict[_Key, set[str]] = field(default_factory=lambda: defaultdict(set))
    _rows: dict[_Key, Row] = field(default_factory=dict)
    _failed_installs: set[tuple[CommitHash, str]] = field(default_factory=set)
    _seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    _environments: set[tuple[CommitHash, str, str]] = field(default_factory=set)
    _process_seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    _lost: Counter[tuple[CommitHash, str]] = field(default_factory=Counter)
    incomplete: frozenset[CommitHash] = frozenset()
    """Commits whose newest run did not reach all its cases, unless that happened in too many runs."""
    build_seconds: dict[str, float] = field(default_factory=dict)
    """How long the latest build took in each environment, on any machine."""

    @classmethod
    def from_results(cls, tree: ResultsTree, records: Iterable[RunRecord], machine: str, *, retry: bool) -> Self:
        """Return the history of *machine* (empty: of any machine) from results and run records.

        A results file does not distinguish a skipped case from a case that was not requested; run records do. With
        *retry*, failed and skipped cases, failed installs and cases that too many runs lost count as not done.
        """
        history = cls()
        for run in tree.runs:
            history._add_run(run, is_here=machine in ("", run.machine))
        records = sorted(records, key=lambda record: record.started)
        newest: dict[tuple[CommitHash, str], RunRecord] = {}
        for record in records:
            history._add_builds(record)
            newest |= {(task.commit, task.environment): record for task in record.tasks}
            if record.lost and not retry:
                history._lost.update({(task.commit, task.environment) for task in record.tasks})
        history.incomplete = frozenset(
            cell[0] for cell, record in newest.items() if record.lost and history._lost[cell] < MAX_LOST_RUNS
        )
        if not retry:
            for record in records:
                if machine in ("", record.machine.name) and not record.lost:
                    history._add_record(record)
        return history

    def without_results(self) -> Self:
        """Return the durations alone, so that everything is measured again."""
        return type(self)(_seconds=self._seconds, build_seconds=self.build_seconds)

    @property
    def environments(self) -> int:
        """The largest number of environments that one Python has on one commit; 1 without results."""
        return max(Counter((commit, python) for commit, python, _ in self._environments).values(), default=1)

    @property
    def build_minutes(self) -> float | None:
        """The expected minutes to build two commits in the environments of one Python; None if nothing was built."""
        return 2 * self.environments * max(self.build_seconds.values()) / 60 if self.build_seconds else None

    def done(self, commit: CommitHash, environment: str, benchmark: Benchmark) -> frozenset[str]:
        """Return the names of the cases of *benchmark* that need no measuring."""
        cases = cases_of(benchmark)
        if (commit, environment) in self._failed_installs or self._lost[commit, environment] >= MAX_LOST_RUNS:
            return frozenset(case.name for case in cases)
        key = (commit, environment, benchmark.name, benchmark.version or "")
        done = set(self._done.get(key, ()))
        if row := self._rows.get(key):
            measured = {values for values, result in row.cases() if isinstance(result, Measured)}
            named = zip(cases, product(*benchmark.params), strict=True)
            done |= {case.name for case, values in named if values in measured}
        return frozenset(done)

    def seconds(self, benchmark: Benchmark) -> float:
        """Return the expected time of a case of *benchmark*: the median of earlier runs, else the default."""
        known = self._seconds.get(benchmark.name)
        return median(known) if known else DEFAULT_CASE_SECONDS

    def process_seconds(self, benchmark: Benchmark) -> float:
        """Return the expected time of one process of a case of *benchmark*.

        Where no result states its processes, the benchmark's own number of rounds counts, as in ``run``.
        """
        known = self._process_seconds.get(benchmark.name)
        rounds = benchmark.attribute("rounds")
        if known:
            return median(known)
        return self.seconds(benchmark) / (rounds if isinstance(rounds, int) and rounds > 0 else 1)

    def _add_run(self, run: Run, *, is_here: bool) -> None:
        self._environments.add((run.commit, run.environment.python, run.environment.name))
        for row in run.rows:
            if is_here:
                self._rows[run.commit, run.environment.name, row.name, row.version or ""] = row
            measured = sum(isinstance(result, Measured) for result in row.results)
            if row.duration and measured:
                self._seconds[row.name].append(row.duration / measured)
                sizes = [one.process_sizes for one in row.results if isinstance(one, Measured)]
                if all(sizes):
                    self._process_seconds[row.name].append(row.duration / sum(len(one or ()) for one in sizes))

    def _add_builds(self, record: RunRecord) -> None:
        """Add the longest build of *record* in each environment; an install that built nothing takes no second."""
        longest: dict[str, float] = defaultdict(float)
        for task in record.tasks:
            longest[task.environment] = max(longest[task.environment], task.install_seconds, task.elsewhere_seconds)
        self.build_seconds |= {environment: seconds for environment, seconds in longest.items() if seconds > 1}

    def _add_record(self, record: RunRecord) -> None:
        for task in record.tasks:
            if task.failure and not task.cases:
                self._failed_installs.add((task.commit, task.environment))
            for case in task.cases:
                if case.state != "measured":
                    self._done[task.commit, task.environment, case.benchmark, case.version].add(case.case)
