"""Results, rows, environments, machines and runs, the tree that holds them, and the commits of a branch in order."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import accumulate, pairwise, product
from operator import attrgetter
from typing import Annotated, NamedTuple

from msgspec import Meta

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import (
    BenchmarkName,
    BenchmarkVersion,
    CommitHash,
    EnvironmentName,
    Fields,
    Instant,
    MachineName,
    ParameterGrid,
    Parameters,
    text_of,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A range, in the unit of the value; asv writes infinite limits when there are too few samples."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelShares:
    """Two levels between which a series flips, and the shares of runs on the upper one."""

    low: float
    """The lower level, in the unit of the values."""
    high: float
    """The upper level, in the unit of the values."""
    before: Annotated[float, Meta(ge=0, le=1)]
    """The share of runs on the upper level before the change."""
    after: Annotated[float, Meta(ge=0, le=1)]
    """The share of runs on the upper level after the change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The value of a case and its statistics, in the benchmark's unit; None: not recorded."""

    value: float
    """Median of the samples, or what a ``track_`` benchmark returned; may be infinite, never NaN."""
    interval: Interval | None = None
    """asv's 99 % interval of the median."""
    quartiles: Interval | None = None
    """From 25 to 75 %."""
    number: int | None = None
    """Calls per sample."""
    repeat: int | None = None
    """Number of samples."""
    samples: tuple[float, ...] | None = None
    process_sizes: tuple[int, ...] | None = None
    """Number of samples of each process, in order: (5, 5) is two processes of five; asv does not record it."""

    @property
    def processes(self) -> tuple[tuple[float, ...], ...]:
        """The samples of each process; all in one process when the sizes are unknown."""
        if not self.samples:
            return ()
        if self.process_sizes is None:
            return (self.samples,)
        ends = accumulate(self.process_sizes, initial=0)
        return tuple(self.samples[start:end] for start, end in pairwise(ends))


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The benchmark raised, timed out, or could not be built: ``null`` in asv's files, which store no reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """The case was skipped or not requested: ``NaN`` in asv's files."""


Result = Measured | Failed | Skipped


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One job that measured a benchmark: its start and its seconds."""

    started_at: Instant | None
    duration: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The results of one benchmark on one commit."""

    name: BenchmarkName
    version: BenchmarkVersion | None = None
    params: ParameterGrid = ()
    results: tuple[Result, ...]
    """One for each combination of ``params``, in ``product`` order."""
    started_at: Instant | None = None
    """Start of the newest result."""
    duration: float | None = None
    """Seconds of all results."""
    case_started_at: tuple[Instant | None, ...] = ()
    """Start of each case, when a merge joined results of several times; else empty."""
    sessions: tuple[Session, ...] = ()
    """The jobs of the results, when a merge joined several; else empty."""
    profile: str | None = None
    """asv's base64 text."""
    extra: Fields = ()
    """Unknown columns."""

    def cases(self) -> Iterator[tuple[Parameters, Result]]:
        """Yield each combination of parameter values with its result."""
        return zip(product(*self.params), self.results, strict=True)

    def result(self, parameters: Parameters) -> Result | None:
        """Return the result for these parameter values; None without such a combination.

        Of a value that is in the grid twice, the last position counts, as in asv.
        """
        found = None
        for combination, result in self.cases():
            if combination == parameters:
                found = result
        return found


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
