"""Environments, machines and runs, the results tree that holds them, and the commits of a branch in order."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from operator import attrgetter
from typing import NamedTuple

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, CommitHash, EnvironmentName, Fields, Instant, MachineName, text_of
from windtunnel.model.result import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """Where a commit was installed."""

    name: EnvironmentName
    python: str
    """asv's name: ``3.12``, ``3.14t``, ``pypy3.11``."""
    requirements: Fields = ()
    """Packages with the required version; empty: any."""
    variables: Fields = ()
    """Environment variables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A machine as ``machine.json`` describes it; often only the name is known."""

    name: MachineName
    details: Fields = ()
    """Other fields; asv's are ``arch``, ``cpu``, ``num_cpu``, ``os`` and ``ram``."""
    source: str = field(default="", compare=False)
    """File that it was read from, for messages; not part of the value."""

    def detail(self, name: str) -> str | None:
        """Return the detail called *name*; None when the file does not have it."""
        return text_of(self.details, name)


class RunKey(NamedTuple):
    """The identity of a run; sorts in the order of results trees."""

    machine: MachineName
    commit: CommitHash
    environment: EnvironmentName


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One results file."""

    commit: CommitHash
    machine: MachineName
    environment: Environment
    date: Instant
    """Author date of the commit."""
    params: Fields = ()
    """What asv keys series by, besides the machine's name: details of the machine, Python and requirements."""
    rows: Sequence[Row] = ()
    """Sorted by name, each name once; the sequence may parse a row on access."""
    superseded: tuple[Row, ...] = ()
    """Rows of another version or other parameters that a merge replaced."""
    durations: Fields = ()
    """Seconds of steps (``<build>``, ``<setup_cache …>``)."""
    extra: Fields = ()
    """Unknown fields of the file."""
    source: str = field(default="", compare=False)
    """File that it was read from, for messages; not part of the value."""

    @property
    def key(self) -> RunKey:
        """The identity of the run."""
        return RunKey(self.machine, self.commit, self.environment.name)

    def __post_init__(self) -> None:
        """Sort the rows of a tuple; other sequences are sorted already."""
        if isinstance(self.rows, tuple):
            object.__setattr__(self, "rows", tuple(sorted(self.rows, key=attrgetter("name"))))

    def row(self, name: BenchmarkName) -> Row | None:
        """Return the row of the benchmark called *name*; None without one."""
        index = bisect_left(self.rows, name, key=attrgetter("name"))
        if index == len(self.rows):
            return None
        found = self.rows[index]
        return found if found.name == name else None


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Problem:
    """Something in a file that could not be used."""

    file: str
    key: str
    """Key in the file; empty: the whole file."""
    reason: str

    def __str__(self) -> str:
        """Return the problem as one line."""
        where = f"{self.file}: {self.key}" if self.key else self.file
        return f"{where}: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsTree:
    """Runs, benchmarks and machines, each sorted and unique; and what could not be used."""

    runs: tuple[Run, ...] = ()
    benchmarks: tuple[Benchmark, ...] = ()
    machines: tuple[Machine, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedCommit:
    """A commit with its date."""

    hash: CommitHash
    date: float
    """The author's date, in seconds since 1970; dates need not ascend along a branch."""

    @property
    def day(self) -> str:
        """The date in ISO 8601, UTC."""
        try:
            return datetime.fromtimestamp(self.date, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        except (OverflowError, ValueError, OSError):
            return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitHistory:
    """The commits of a branch along first parents."""

    commits: tuple[DatedCommit, ...]
    """Oldest first."""
    releases: tuple[int, ...] = ()
    """Indices of the commits with a tag, ascending."""


def history_by_date(runs: Iterable[Run]) -> CommitHistory:
    """Return the measured commits by date: an approximation for results without a repository."""
    dates: dict[CommitHash, float] = {}
    for run in runs:
        dates.setdefault(run.commit, run.date / 1000)
    ordered = sorted(dates.items(), key=lambda item: (item[1], item[0]))
    return CommitHistory(commits=tuple(DatedCommit(hash=commit, date=date) for commit, date in ordered))
