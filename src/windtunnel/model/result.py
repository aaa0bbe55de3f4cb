"""The result of one case, and the row that holds one benchmark's results in a run."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise, product
from typing import Annotated

from msgspec import Meta

from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, Fields, Instant, ParameterGrid, Parameters


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
