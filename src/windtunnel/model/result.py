"""The result of one case, and the row that holds one benchmark's results in a run."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise, product

from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, Fields, Instant, ParameterGrid, Parameters


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A range, in the unit of the value; asv writes infinite ends when there were too few samples."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The value of a case, in the benchmark's unit, with what asv recorded beside it; None is *not recorded*.

    *value* is the median of the samples, or what a ``track_`` benchmark returned (it may be infinite, never NaN).
    *interval* is asv's 99 % interval of the median, *quartiles* run from 25 to 75 %, *number* is how many calls one
    sample timed, *repeat* how many samples there are. *process_sizes* says how the samples fall to processes, in
    order: (5, 5) is two processes of five samples. None is *nobody knows*: asv does not record it.
    """

    value: float
    interval: Interval | None = None
    quartiles: Interval | None = None
    number: int | None = None
    repeat: int | None = None
    samples: tuple[float, ...] | None = None
    process_sizes: tuple[int, ...] | None = None

    @property
    def processes(self) -> tuple[tuple[float, ...], ...]:
        """The samples of each process; all in one where nobody knows better, none where there are no samples."""
        if not self.samples:
            return ()
        if self.process_sizes is None:
            return (self.samples,)
        ends = accumulate(self.process_sizes, initial=0)
        return tuple(self.samples[start:end] for start, end in pairwise(ends))


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The benchmark raised, ran out of time, or could not be built: ``null`` in asv's files, which keep no reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """The case was not meant to be measured: ``NaN`` in asv's files."""


Result = Measured | Failed | Skipped


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One time that asv worked on a benchmark: when it began and how many seconds it took."""

    started_at: Instant | None
    duration: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The results of one benchmark on one commit, one for each combination of *params* in ``product`` order.

    *started_at* is when the newest of them was started, *duration* the seconds that asv worked on all of them.
    Where a merge has brought together what was measured at several times, *case_started_at* says it case by case and
    *sessions* part by part; else both are empty. *profile* is asv's base64 text. *extra* holds columns that
    Windtunnel does not know.
    """

    name: BenchmarkName
    version: BenchmarkVersion | None = None
    params: ParameterGrid = ()
    results: tuple[Result, ...]
    started_at: Instant | None = None
    duration: float | None = None
    case_started_at: tuple[Instant | None, ...] = ()
    sessions: tuple[Session, ...] = ()
    profile: str | None = None
    extra: Fields = ()

    def cases(self) -> Iterator[tuple[Parameters, Result]]:
        """Yield each combination of parameter values with its result."""
        return zip(product(*self.params), self.results, strict=True)

    def result(self, parameters: Parameters) -> Result | None:
        """Return the result for these parameter values, None where the row has no such combination.

        A value that stands twice in the grid means its last place, as in asv.
        """
        found = None
        for combination, result in self.cases():
            if combination == parameters:
                found = result
        return found
