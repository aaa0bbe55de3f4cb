"""A measured value as it is shown: never without its interval, or without the admission that there is none."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from windtunnel.model.result import Failed, Interval, Measured, Result, Skipped
from windtunnel.stats.medians import MedianEstimate, median_interval, ratio_of_medians

CONFIDENCE = 0.95
"""What every interval reaches at least: the customary level, and the highest one that six samples give."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A value in the benchmark's unit, or a ratio; *interval* is None where there are too few samples for one."""

    value: float
    interval: Interval | None
    samples: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """No run has this case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Infinite:
    """The benchmark returned no finite number: nothing to draw or to compare."""


Standing = Figure | Failed | Skipped | Missing | Infinite
"""What is known of a case."""


def standing(result: Result | None) -> Standing:
    """Return what is to be shown of *result*."""
    match result:
        case None:
            return Missing()
        case Measured():
            return _figure(result) if math.isfinite(result.value) else Infinite()
        case Failed() | Skipped():
            return result


def ratio(contender: Standing, baseline: Standing) -> Figure | None:
    """Return contender / baseline; None where one of them has no figure or the baseline is not above zero."""
    if not (isinstance(contender, Figure) and isinstance(baseline, Figure) and baseline.value > 0):
        return None
    bare = Figure(value=contender.value / baseline.value, interval=None)
    above, below = _estimate(contender), _estimate(baseline)
    known = above and below and ratio_of_medians(above, below)
    return Figure(value=known.value, interval=Interval(low=known.low, high=known.high)) if known else bare


def fastest(figures: Sequence[Figure | None]) -> tuple[int, ...]:
    """Return the place of the smallest of *figures* and of those that cannot be told from it, in their order.

    Told apart means disjoint intervals. Nobody is fastest of less than two, or while the smallest has no interval.
    """
    there = [(figure.value, place) for place, figure in enumerate(figures) if figure]
    least = figures[min(there)[1]] if len(there) > 1 else None
    if least is None or least.interval is None:
        return ()
    limit = least.interval.high
    return tuple(
        place
        for place, figure in enumerate(figures)
        if figure and (figure.interval.low if figure.interval else figure.value) <= limit
    )


def _figure(measured: Measured) -> Figure:
    samples = tuple(sample for sample in measured.samples or () if math.isfinite(sample))
    interval = measured.interval
    if samples:
        found = median_interval(samples, CONFIDENCE)
        interval = Interval(low=found.low, high=found.high) if found else None
    if interval and not (-math.inf < interval.low <= measured.value <= interval.high < math.inf):
        interval = None  # asv writes infinite limits; a value outside is no median of these samples
    return Figure(value=measured.value, interval=interval, samples=len(samples) or measured.repeat)


def _estimate(figure: Figure) -> MedianEstimate | None:
    if figure.interval is None:
        return None
    return MedianEstimate(value=figure.value, low=figure.interval.low, high=figure.interval.high)
