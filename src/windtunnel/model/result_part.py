"""What became of one case: measured, failed or skipped."""

from dataclasses import dataclass
from itertools import accumulate, pairwise


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
