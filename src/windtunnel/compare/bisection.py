"""Which of many commits made a benchmark slower, when every answer is noisy.

The last good and the first bad commit known are compared first: half of the change between them parts *before* from
*after*. Each commit that is tried is then measured against the good one, in rounds, until the interval of its
difference lies on one side of that half, and the range is cut there. A commit that cannot be measured, or that stays on
the fence after the last look, is set aside and its nearest neighbour tried; when nothing else is left, or three were on
the fence, the answer is the range that is.

All answers together err with probability *error* at most, whichever commits are asked about (Boole's inequality, half
of it for the questions that a plain bisection needs, the rest over any further ones as 1/2 + 1/6 + 1/12 + ...). The
looks at one answer share its level as in `windtunnel.stats.error_rates`.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from windtunnel.compare.effects import effects, relative
from windtunnel.model.measure import Stage, Trial
from windtunnel.stats.error_rates import next_look, per_look
from windtunnel.stats.paired_differences import interval

LOOKS = (4, 6, 10, 16, 24, 36)
"""Numbers of rounds after which an answer is looked for; those of screening, and one more for changes hard to see."""

FENCES = 3
"""Commits on the fence after which the change is too small for what is measured: others would fare no better."""

ERROR = 0.05
"""Chance that a bisection names a wrong commit, though every level is measured honestly."""


class Side(StrEnum):
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
    trial: Trial | None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Ask for *rounds* more of the commit at *position*, against the good commit."""

    position: int
    rounds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The level changed after *before* and not later than *after*; *aside* lie between, tried but not told."""

    before: int
    after: int
    aside: tuple[Probe, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether one commit is left."""
        return self.after == self.before + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingToFind:
    """No difference between the good and the bad commit could be shown, so there is nothing to look for."""

    reason: str


Next = Measure | Found | NothingToFind


def next_step(commits: int, probes: Sequence[Probe], error: float = ERROR) -> Next:
    """Return what to measure next among *commits* in order, good first and bad last, or the answer.

    *probes* in the order in which their commits were first asked about; the first is that of the bad commit.
    """
    last = commits - 1
    if not probes:
        return Measure(position=last, rounds=LOOKS[0])
    levels = _levels(commits, error)
    whole = probes[0]
    if whole.trial is None:
        return NothingToFind(reason=whole.reason)
    alpha = next(levels)
    half = _half(whole.trial, alpha)
    if half == 0:
        return _more(whole, whole.trial) or NothingToFind(reason=_unseen(whole.trial))
    before, after, aside = 0, last, dict[int, Probe]()
    for probe in probes[1:]:
        alpha = next(levels)
        side = Side.UNDECIDED if probe.trial is None else side_of(probe.trial, half, alpha)
        if side is Side.UNDECIDED:
            if probe.trial is not None and (more := _more(probe, probe.trial)):
                return more
            aside[probe.position] = probe
        elif side is Side.BEFORE:
            before = probe.position
        else:
            after = probe.position
    untold = [position for position in range(before + 1, after) if position not in aside]
    fences = sum(probe.trial is not None for probe in aside.values())
    if untold and fences < FENCES:
        return Measure(position=_middle(untold, before, after), rounds=LOOKS[0])
    return Found(before=before, after=after, aside=_between(aside, before, after))


def side_of(trial: Trial, half: float, alpha: float) -> Side:
    """Return the side of *half* that *trial* lies on, as far as its interval at level *alpha* tells."""
    lower, upper = _interval(trial, alpha)
    towards = math.copysign(1.0, half)
    near, far = sorted((lower * towards, upper * towards))
    if far < abs(half):
        return Side.BEFORE
    return Side.AFTER if near > abs(half) else Side.UNDECIDED


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """How far good and bad lie apart as relative changes, null where the baseline is zero."""

    change: float | None
    low: float | None
    high: float | None
    confidence: float


def told(trial: Trial, commits: int, error: float = ERROR) -> Told:
    """Return how far good and bad lie apart, as the search among *commits* saw it."""
    alpha = next(_levels(commits, error))
    low, high = (relative(trial, end) for end in _interval(trial, alpha))
    return Told(change=relative(trial, _mean(trial)), low=low, high=high, confidence=1 - alpha)


def _mean(trial: Trial) -> float:
    return float(effects([trial], Stage.SCREENING).estimates.mean[0])


def _half(trial: Trial, alpha: float) -> float:
    """Return half of the difference of good and bad, zero while none is shown."""
    lower, upper = _interval(trial, alpha)
    shown = lower > 0 or upper < 0
    return _mean(trial) / 2 if shown else 0.0


def _interval(trial: Trial, alpha: float) -> tuple[float, float]:
    estimates = effects([trial], Stage.SCREENING).estimates
    lower, upper = interval(estimates, np.array([per_look(alpha, LOOKS)]))
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


def _more(probe: Probe, trial: Trial) -> Measure | None:
    done = sum(one.rounds for one in trial.at(Stage.SCREENING))
    look = next_look(LOOKS, done)
    return None if look is None else Measure(position=probe.position, rounds=look - done)


def _middle(untold: Sequence[int], before: int, after: int) -> int:
    """Return the commit nearest the middle; the earlier of two."""
    return min(untold, key=lambda position: abs(2 * position - before - after))


def _between(aside: dict[int, Probe], before: int, after: int) -> tuple[Probe, ...]:
    return tuple(aside[position] for position in sorted(aside) if before < position < after)


def _unseen(trial: Trial) -> str:
    rounds = sum(one.rounds for one in trial.at(Stage.SCREENING))
    seen = relative(trial, _mean(trial))
    size = "" if seen is None else f" ({seen:+.1%} measured)"
    return f"good and bad commit could not be told apart in {rounds} rounds{size}"
