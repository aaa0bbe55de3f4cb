"""Find which of many commits changed a benchmark, although every measurement is noisy.

The last good and the first bad commit are compared first. Half of the change between them separates *before* from
*after*. Each tested commit is then measured against the good one, in rounds, until the interval of its difference lies
on one side of that half; the range is cut there. A commit that cannot be measured, or that is still undecided after the
last interim analysis, is set aside and its nearest neighbour is tested. When no commit is left, or after MAX_UNDECIDED
undecided ones, the answer is the remaining range.

All answers together are wrong with probability *error* at most, whichever commits are tested (Boole's inequality): half
of it for the questions of a plain bisection, the rest for any further ones as 1/2 + 1/6 + 1/12 + ... The interim
analyses of one answer share its error rate as in `windtunnel.stats.paired_differences`.

Find which of many commits changed a benchmark, from instruction counts: one process decides a commit.

Counts are exact up to the hash seed, so the spread over the seeds is their whole noise. Counts decide where they differ
clearly between good and bad commit and explain the change of time. A change that they do not show, such as one of
caches, waiting or system calls, is decided from time (`windtunnel.compare.bisection`).
"""

import itertools
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from windtunnel.compare.effects import compute_effects, find_scale, to_relative_change
from windtunnel.compare.samples_format import PairedSamples
from windtunnel.model.run import Interval
from windtunnel.model.schedule import InstructionCounts
from windtunnel.stats.paired_differences import interval, level_per_analysis, next_analysis

MAX_UNDECIDED = 3
"""Undecided commits after which the search ends: the change is too small for the noise."""


ChangeSide = Literal["before", "after", "undecided"]
"""Where a commit lies relative to the change; undecided also where it could not be measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRange:
    """The value changed after the commit at *before*, and not later than that at *after*."""

    before: int
    after: int
    undecided: tuple[int, ...] = ()
    """The commits between that were tested."""
    next: int | None = None
    """The commit to test next; None if the search is over."""

    @property
    def exact(self) -> bool:
        """Whether one commit is left."""
        return self.after == self.before + 1


def narrow(last: int, tested: Mapping[int, ChangeSide], silent: Collection[int]) -> CommitRange:
    """Return what is left of the commits 0 to *last*; *tested* are in the order in which they were first tested.

    Those that are *silent* have no values, so they say nothing about the noise.
    """
    before, after = 0, last
    for position, side in tested.items():
        if side == "before":
            before = position
        elif side == "after":
            after = position
    undecided = [position for position, side in tested.items() if side == "undecided"]
    between = tuple(sorted(position for position in undecided if before < position < after))
    over = len({*undecided} - {*silent}) >= MAX_UNDECIDED
    return CommitRange(
        before=before, after=after, undecided=between, next=None if over else _middle(before, after, set(between))
    )


def _middle(before: int, after: int, tested: Collection[int]) -> int | None:
    """Return the position nearest to the middle that is not among *tested*; None without any."""
    untested = (position for position in range(before + 1, after) if position not in tested)
    return min(untested, key=lambda position: abs(2 * position - before - after), default=None)


MIN_COUNT_CHANGE = 0.005
"""The smallest relative change of counts that decides; counts of the same code differ by at most 0.15 %."""

MIN_SPREADS = 4.0
"""Good and bad commit differ clearly if their means lie this many times the spread over the seeds apart."""


def count_change(good: InstructionCounts | None, bad: InstructionCounts | None) -> float | None:
    """Return the relative change of the counts; None if they do not differ clearly, or do not see all work."""
    if good is None or bad is None or good.other_threads or bad.other_threads:
        return None
    if not _usable(good) or not _usable(bad):
        return None
    before, after = _mean_count(good), _mean_count(bad)
    change = after / before - 1
    clear = abs(after - before) > MIN_SPREADS * max(_spread(good), _spread(bad))
    return change if clear and abs(change) >= MIN_COUNT_CHANGE else None


def next_count(good: InstructionCounts, commits: int, counted: Mapping[int, InstructionCounts | None]) -> CommitRange:
    """Return what is left of the range of *commits*, and the commit to count next.

    *counted* has the counts by position, None for a commit that could not be built, in the order in which they were
    first counted; the first is the bad commit, which differs from *good*.
    """
    (_, bad), *others = counted.items()
    assert bad is not None
    tested = {position: count_side(good, bad, counts) for position, counts in others}
    return narrow(commits - 1, tested, [position for position, one in others if one is None or not _usable(one)])


def count_side(good: InstructionCounts, bad: InstructionCounts, counts: InstructionCounts | None) -> ChangeSide:
    """Return on which side of half of the change between *good* and *bad* the *counts* lie."""
    half = (_mean_count(good) + _mean_count(bad)) / 2
    if counts is None or not _usable(counts) or counts.other_threads:
        return "undecided"
    distance = _mean_count(counts) - half
    if abs(distance) <= max(map(_spread, (good, bad, counts))):
        return "undecided"
    return "after" if (distance > 0) is (_mean_count(bad) > _mean_count(good)) else "before"


def _usable(counts: InstructionCounts) -> bool:
    return bool(counts.per_call) and all(math.isfinite(one) and one > 0 for one in counts.per_call)


def _mean_count(counts: InstructionCounts) -> float:
    return math.fsum(counts.per_call) / len(counts.per_call)


def _spread(counts: InstructionCounts) -> float:
    return max(counts.per_call) - min(counts.per_call)


INTERIM_ANALYSES = (4, 6, 10, 16, 24, 36)
"""The numbers of rounds after which a commit is analysed: those of screening, and one more for small changes."""

DEFAULT_ERROR = 0.05
"""The probability that a bisection names a wrong commit, at most."""


Probes = Mapping[int, PairedSamples | str]
"""The samples of the tested commits, each against the good one, by its index in the range; why there are none.

They are in the order in which their commits were first tested; the first is that of the bad commit.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureMore:
    """What to measure of one commit next."""

    position: int
    """The index of the commit in the range."""
    rounds: int = 0
    """Rounds to time it against the good commit; 0 to count its instructions instead, of the bad one with the good."""


def next_step(commits: int, probes: Probes, error: float = DEFAULT_ERROR) -> MeasureMore | CommitRange | str:
    """Return what to measure next among *commits*, or the answer: a range, or why nothing is found.

    The good commit is the first and the bad one the last.
    """
    last = commits - 1
    if not probes:
        return MeasureMore(position=last, rounds=INTERIM_ANALYSES[0])
    levels = _levels(commits, error)
    (_, whole), *others = probes.items()
    if isinstance(whole, str):
        return whole
    half = _half(whole, next(levels))
    if half == 0:
        return _more_rounds(last, whole) or _not_shown(whole)
    tested: dict[int, ChangeSide] = {}
    for position, samples in others:
        alpha = next(levels)
        side: ChangeSide = "undecided" if isinstance(samples, str) else find_side(samples, half, alpha)
        if side == "undecided" and not isinstance(samples, str) and (more := _more_rounds(position, samples)):
            return more
        tested[position] = side
    left = narrow(last, tested, [position for position, samples in others if isinstance(samples, str)])
    if left.next is not None:
        return MeasureMore(position=left.next, rounds=INTERIM_ANALYSES[0])
    return left


def next_alone(
    commits: int, probes: Probes, alone: PairedSamples | None, error: float = DEFAULT_ERROR
) -> MeasureMore | ChangeSide:
    """Return the side of the last part of the change *alone*, without the parts before it, or what to measure next.

    It is one question more than those of *probes*.
    """
    levels = _levels(commits, error)
    whole = next(iter(probes.values()))
    assert not isinstance(whole, str)
    half = _half(whole, next(levels))
    alpha = next(itertools.islice(levels, len(probes) - 1, None))
    side: ChangeSide = "undecided" if alone is None else find_side(alone, half, alpha)
    return (_more_rounds(commits, alone) or side) if side == "undecided" else side


def find_side(samples: PairedSamples, half: float, alpha: float) -> ChangeSide:
    """Return on which side of *half* the interval of *samples* at error rate *alpha* lies."""
    lower, upper = _interval(samples, alpha)
    direction = math.copysign(1.0, half)
    near, far = sorted((lower * direction, upper * direction))
    if far < abs(half):
        return "before"
    return "after" if near > abs(half) else "undecided"


def total_change(
    samples: PairedSamples, commits: int, error: float = DEFAULT_ERROR
) -> tuple[float | None, Interval | None, float]:
    """Return the change between good and bad commit, its interval and its confidence, as the search estimates them.

    The change is relative; None if the baseline is zero. *commits* is the number of commits to search.
    """
    alpha, scale = next(_levels(commits, error)), find_scale(samples)
    low, high = (to_relative_change(end, scale) if math.isfinite(end) else None for end in _interval(samples, alpha))
    known = None if low is None or high is None else Interval(low=low, high=high)
    return _relative_mean(samples), known, 1 - alpha


def _mean(samples: PairedSamples) -> float:
    return float(compute_effects([samples], "screening").estimates.mean[0])


def _relative_mean(samples: PairedSamples) -> float | None:
    return to_relative_change(_mean(samples), find_scale(samples))


def _half(samples: PairedSamples, alpha: float) -> float:
    """Return half of the difference between good and bad, zero if none is shown."""
    lower, upper = _interval(samples, alpha)
    return _mean(samples) / 2 if lower > 0 or upper < 0 else 0.0


def _interval(samples: PairedSamples, alpha: float) -> tuple[float, float]:
    estimates = compute_effects([samples], "screening").estimates
    lower, upper = interval(estimates, np.array([level_per_analysis(alpha, INTERIM_ANALYSES)]))
    return float(lower[0]), float(upper[0])


def _levels(commits: int, error: float) -> Iterator[float]:
    """Yield the error rate of each question in turn; all of them add up to *error* at most."""
    plain = math.ceil(math.log2(max(commits, 2))) + 1
    for _ in range(plain):
        yield error / 2 / plain
    further = 1
    while True:
        yield error / 2 / (further * (further + 1))
        further += 1


def _more_rounds(position: int, samples: PairedSamples | None) -> MeasureMore | None:
    done = samples.rounds("screening") if samples else 0
    following = next_analysis(INTERIM_ANALYSES, done)
    return None if following is None else MeasureMore(position=position, rounds=following - done)


def _not_shown(samples: PairedSamples) -> str:
    measured = _relative_mean(samples)
    size = "" if measured is None else f" ({measured:+.1%} measured)"
    return f"{samples.rounds('screening')} rounds show no difference between good and bad commit{size}"
