"""The results of one case, measured several times, to one."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite
from statistics import quantiles

from asv_runner.statistics import compute_stats

from windtunnel.model.identity import Instant
from windtunnel.model.result_part import Failed, Interval, Measured, Result, Skipped

DIGITS = 5
"""Significant digits that asv keeps of an interval or a quartile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A result of the case and when it was started."""

    result: Result
    started_at: Instant | None


def merge_case(candidates: Sequence[Candidate]) -> Candidate:
    """Return what the *candidates* (at least one) say together.

    Samples stay, each process once; statistics are computed anew from all of them. Without samples the newest value
    stands. A value is never lost to a failure, nor a failure to a skip: asv writes *skipped* also for what nobody
    asked for.
    """
    sampled = [each for each in candidates if isinstance(each.result, Measured) and _finite(each.result.samples)]
    if not sampled:
        return max(candidates, key=_rank)
    results = [each.result for each in sampled if isinstance(each.result, Measured)]
    return Candidate(result=_united(results), started_at=max((each.started_at for each in sampled), key=moment))


def moment(started_at: Instant | None) -> float:
    """Return *started_at* for comparing; unknown is before everything."""
    return -inf if started_at is None else started_at


def _rank(candidate: Candidate) -> tuple[int, float, str]:
    kind = {Measured: 2, Failed: 1, Skipped: 0}[type(candidate.result)]
    return kind, moment(candidate.started_at), repr(candidate.result)


def _united(results: Sequence[Measured]) -> Measured:
    """Return one result with the processes of all; one that stands in several results is the same process."""
    times: Counter[str] = Counter()
    by_text: dict[str, tuple[float, ...]] = {}
    for result in results:
        by_text |= {repr(process): process for process in result.processes}
        times |= Counter(map(repr, result.processes))
    processes = [by_text[text] for text in sorted(times.elements())]
    if len(processes) == 1:
        return max(results, key=repr)
    numbers = [result.number for result in results if result.number is not None]
    return _from_processes(processes, max(numbers, default=None))


def _from_processes(processes: Sequence[tuple[float, ...]], number: int | None) -> Measured:
    samples = tuple(value for process in processes for value in process)
    value, interval, quartiles = _statistics(_finite(samples))
    return Measured(
        value=value,
        interval=interval,
        quartiles=quartiles,
        number=number,
        repeat=len(samples),
        samples=samples,
        process_sizes=tuple(map(len, processes)),
    )


def _statistics(samples: Sequence[float]) -> tuple[float, Interval, Interval]:
    """Return median, interval and quartiles as asv computes them."""
    try:
        value, stats = compute_stats(samples, None)
    except ArithmeticError:  # numbers at the edge of what a float holds
        low, value, high = quantiles(samples, n=4, method="inclusive")
        return value, Interval(low=-inf, high=inf), Interval(low=low, high=high)
    ends = [float(f"{stats[name]:.{DIGITS - 1}e}") for name in ("ci_99_a", "ci_99_b", "q_25", "q_75")]
    return value, Interval(low=ends[0], high=ends[1]), Interval(low=ends[2], high=ends[3])


def _finite(samples: Sequence[float] | None) -> tuple[float, ...]:
    return tuple(value for value in samples or () if isfinite(value))
