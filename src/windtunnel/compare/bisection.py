"""Which of many commits made a benchmark slower, when every answer is noisy.

The last good and the first bad commit known are compared first: half of the change between them parts *before* from
*after*. Each commit that is tried is then measured against the good one, in rounds, until the interval of its
difference lies on one side of that half, and the range is cut there. A commit that cannot be measured, or that stays on
the fence after the last look, is set aside and its nearest neighbour tried; when nothing else is left, or three were on
the fence, the answer is the range that is.

All answers together err with probability *error* at most, whichever commits are asked about (Boole's inequality, half
of it for the questions that a plain bisection needs, the rest over any further ones as 1/2 + 1/6 + 1/12 + ...). The
looks at one answer share its level as in `windtunnel.stats.multiple_testing`.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from windtunnel.compare.effects import effects, relative
from windtunnel.model.measure import PairedSamples, Stage
from windtunnel.stats.multiple_testing import level_per_analysis, next_analysis
from windtunnel.stats.paired_differences import interval

INTERIM_ANALYSES = (4, 6, 10, 16, 24, 36)
"""Numbers of rounds after which an answer is looked for; those of screening, and one more for changes hard to see."""

MAX_UNDECIDED = 3
"""Commits on the fence after which the change is too small for what is measured: others would fare no better."""

DEFAULT_ERROR = 0.05
"""Chance that a bisection names a wrong commit, though every level is measured honestly."""


class ChangeSide(StrEnum):
    """Where a commit lies."""

    BEFORE = "before"
    AFTER = "after"
    UNDECIDED = "undecided"
    """Nothing can be told of it: it could not be measured, or stayed on the fence after the last look."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What is known of the commit at *position* of the range; without a *trial* it could not be measured: *reason*.

    The baseline of *trial* is the good commit, the contender this one.
    """

    position: int
    paired: PairedSamples | None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureMore:
    """Ask for *rounds* more of the commit at *position*, against the good commit."""

    position: int
    rounds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeFound:
    """The level changed after *before* and not later than *after*; *aside* lie between, tried but not told."""

    before: int
    after: int
    aside: tuple[Probe, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether one commit is left."""
        return self.after == self.before + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class NoChangeFound:
    """No difference between the good and the bad commit could be shown, so there is nothing to look for."""

    reason: str


Next = MeasureMore | ChangeFound | NoChangeFound


def next_step(commits: int, probes: Sequence[Probe], error: float = DEFAULT_ERROR) -> Next:
    """Return what to measure next among *commits* in order, good first and bad last, or the answer.

    *probes* in the order in which their commits were first asked about; the first is that of the bad commit.
    """
    last = commits - 1
    if not probes:
        return MeasureMore(position=last, rounds=INTERIM_ANALYSES[0])
    levels = _levels(commits, error)
    whole = probes[0]
    if whole.paired is None:
        return NoChangeFound(reason=whole.reason)
    alpha = next(levels)
    half = _half(whole.paired, alpha)
    if half == 0:
        return _more(whole, whole.paired) or NoChangeFound(reason=_unseen(whole.paired))
    before, after, aside = 0, last, dict[int, Probe]()
    for probe in probes[1:]:
        alpha = next(levels)
        side = ChangeSide.UNDECIDED if probe.paired is None else side_of(probe.paired, half, alpha)
        if side is ChangeSide.UNDECIDED:
            if probe.paired is not None and (more := _more(probe, probe.paired)):
                return more
            aside[probe.position] = probe
        elif side is ChangeSide.BEFORE:
            before = probe.position
        else:
            after = probe.position
    untold = [position for position in range(before + 1, after) if position not in aside]
    fences = sum(probe.paired is not None for probe in aside.values())
    if untold and fences < MAX_UNDECIDED:
        return MeasureMore(position=_middle(untold, before, after), rounds=INTERIM_ANALYSES[0])
    return ChangeFound(before=before, after=after, aside=_between(aside, before, after))


def side_of(paired: PairedSamples, half: float, alpha: float) -> ChangeSide:
    """Return the side of *half* that *trial* lies on, as far as its interval at level *alpha* tells."""
    lower, upper = _interval(paired, alpha)
    towards = math.copysign(1.0, half)
    near, far = sorted((lower * towards, upper * towards))
    if far < abs(half):
        return ChangeSide.BEFORE
    return ChangeSide.AFTER if near > abs(half) else ChangeSide.UNDECIDED


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalChange:
    """How far good and bad lie apart as relative changes, null where the baseline is zero."""

    change: float | None
    low: float | None
    high: float | None
    confidence: float


def total_change(paired: PairedSamples, commits: int, error: float = DEFAULT_ERROR) -> TotalChange:
    """Return how far good and bad lie apart, as the search among *commits* saw it."""
    alpha = next(_levels(commits, error))
    low, high = (relative(paired, end) for end in _interval(paired, alpha))
    return TotalChange(change=relative(paired, _mean(paired)), low=low, high=high, confidence=1 - alpha)


def _mean(paired: PairedSamples) -> float:
    return float(effects([paired], Stage.SCREENING).estimates.mean[0])


def _half(paired: PairedSamples, alpha: float) -> float:
    """Return half of the difference of good and bad, zero while none is shown."""
    lower, upper = _interval(paired, alpha)
    shown = lower > 0 or upper < 0
    return _mean(paired) / 2 if shown else 0.0


def _interval(paired: PairedSamples, alpha: float) -> tuple[float, float]:
    estimates = effects([paired], Stage.SCREENING).estimates
    lower, upper = interval(estimates, np.array([level_per_analysis(alpha, INTERIM_ANALYSES)]))
    return float(lower[0]), float(upper[0])


def _levels(commits: int, error: float) -> Iterator[float]:
    """Yield the level of each question in turn; however many there are, they add up to *error* at most."""
    plain = math.ceil(math.log2(max(commits, 2))) + 1
    for _ in range(plain):
        yield error / 2 / plain
    further = 1
    while True:
        yield error / 2 / (further * (further + 1))
        further += 1


def _more(probe: Probe, paired: PairedSamples) -> MeasureMore | None:
    done = sum(one.rounds for one in paired.at(Stage.SCREENING))
    look = next_analysis(INTERIM_ANALYSES, done)
    return None if look is None else MeasureMore(position=probe.position, rounds=look - done)


def _middle(untold: Sequence[int], before: int, after: int) -> int:
    """Return the commit nearest the middle; the earlier of two."""
    return min(untold, key=lambda position: abs(2 * position - before - after))


def _between(aside: dict[int, Probe], before: int, after: int) -> tuple[Probe, ...]:
    return tuple(aside[position] for position in sorted(aside) if before < position < after)


def _unseen(paired: PairedSamples) -> str:
    rounds = sum(one.rounds for one in paired.at(Stage.SCREENING))
    seen = relative(paired, _mean(paired))
    size = "" if seen is None else f" ({seen:+.1%} measured)"
    return f"good and bad commit could not be told apart in {rounds} rounds{size}"
