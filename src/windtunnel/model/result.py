"""One benchmark's results in a run."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from windtunnel.model.field import Fields
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, Instant, ParameterGrid, Parameters
from windtunnel.model.result_part import Result


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
