"""The rate of wrong decisions on claims, by simulation of processes with a known ratio.

make study ARGS="calibration.claims"       # two minutes, seeded; the tables of docs/measurements/error-rates.md
"""

import math
import sys
from collections import Counter
from dataclasses import dataclass

import numpy as np

from windtunnel.claims.band import Band
from windtunnel.claims.claim import Statistic
from windtunnel.claims.evidence import Estimator, RatioEstimate
from windtunnel.claims.format import Decision
from windtunnel.model.result import Measured

MISS = 0.05
BAND = Band(low=1 / 1.05, high=1.05)
REPEATS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """How processes differ: standard deviations between processes and within them, and how late single ones are."""

    name: str
    contender: float
    baseline: float
    late: float = 0.0
    within: float = 0.01


NOISES = (
    Noise(name="0.1 % between processes, as waiting has", contender=0.001, baseline=0.001, within=0.001),
    Noise(name="1 % between processes", contender=0.01, baseline=0.01),
    Noise(name="3 % between processes", contender=0.03, baseline=0.03),
    Noise(name="contender 3 %, baseline 0.3 %", contender=0.03, baseline=0.003),
    Noise(name="one process in ten 30 % late", contender=0.01, baseline=0.01, late=0.3),
)
PROCESSES = (2, 3, 4, 8)


def a_side(generator, noise, spread, centre, processes):
    """The result of *processes* around *centre*, with three samples each."""
    shift = spread * generator.standard_normal(processes)
    shift += noise.late * (generator.random(processes) < 0.1)
    values = centre * np.exp(shift[:, None] + noise.within * generator.standard_normal((processes, REPEATS)))
    samples = tuple(map(float, values.ravel()))
    return Measured(value=float(np.median(samples)), samples=samples, process_sizes=(REPEATS,) * processes)


def decisions(noise, ratio, processes, trials, *, seed=7, pooled=False, against=False):
    """Count the decisions on a claim that a ratio lies within ± 5 %; the true one is *ratio*.

    With *against*, the ratio is divided by another one, which is 1 and as noisy.
    """
    generator = np.random.default_rng(seed)
    found = Counter()
    estimator = Estimator(statistic=Statistic.MEDIAN, miss=MISS)
    for _ in range(trials):
        sides = [
            a_side(generator, noise, spread, centre, processes)
            for spread, centre in ((noise.contender, ratio), *((noise.baseline, 1.0),) * (3 if against else 1))
        ]
        if pooled:
            sides = [Measured(value=side.value, samples=side.samples) for side in sides]
        estimate = estimator.ratio_of_results(sides, is_time=True)
        found[BAND.decide(estimate.interval) if isinstance(estimate, RatioEstimate) else Decision.UNDECIDED] += 1
    return found


def wrong(noise, processes, trials, **how):
    """Return the shares of wrong *holds* and *fails*; the true ratio is just outside and just inside an end."""
    outside, inside = (1.05 * math.exp(sign * 1e-9) for sign in (1, -1))
    holds = decisions(noise, outside, processes, trials, **how)[Decision.HOLDS]
    fails = decisions(noise, inside, processes, trials, **how)[Decision.FAILS]
    return holds / trials, fails / trials


def decided(noise, ratio, processes, trials):
    """The share of claims that were decided, rightly or not."""
    return 1 - decisions(noise, ratio, processes, trials)[Decision.UNDECIDED] / trials


def rows(trials):
    """Yield the lines of both tables."""
    yield "| noise | processes a side | wrong holds | wrong fails | decided: ratio 1 | ratio 1.2 |"
    yield "|---|---|---|---|---|---|"
    for noise in NOISES:
        for processes in PROCESSES:
            rates = *wrong(noise, processes, trials), *(decided(noise, each, processes, trials) for each in (1.0, 1.2))
            yield f"| {noise.name} | {processes} | " + " | ".join(f"{rate:.1%}" for rate in rates) + " |"
    yield ""
    yield "| processes not recorded | processes a side | wrong holds | wrong fails |"
    yield "|---|---|---|---|"
    for processes in (2, 4, 8):
        rates = wrong(NOISES[1], processes, trials, pooled=True)
        yield f"| {NOISES[1].name} | {processes} | " + " | ".join(f"{rate:.1%}" for rate in rates) + " |"


if __name__ == "__main__":
    for row in rows(4000):
        sys.stdout.write(row + "\n")
