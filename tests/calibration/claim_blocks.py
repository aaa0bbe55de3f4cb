"""The rate of wrong decisions on claims that are measured in blocks, by simulation of blocks with a known ratio.

The long tables are those of ``studies.claim_error_rates``.
"""

from dataclasses import dataclass

import numpy as np

from windtunnel.claims.band import Band
from windtunnel.claims.claims_file import Measuring
from windtunnel.claims.replay import ReplayRule, replay

BAND = Band(low=1 / 1.25, high=1.25)
ANALYSES = Measuring().analyses
ERROR = Measuring().error
FLOOR = 0.0014
"""The floor of two times, as in ``windtunnel.claims.block_values``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """How the logarithm of the ratio differs between blocks."""

    name: str
    spread: float
    """The standard deviation; the scale for heavy tails."""
    tails: float = 0.0
    """The degrees of freedom of Student's t, for heavy tails; 0 for normal noise."""
    late: float = 0.0
    """The mean of the exponential by which one visit in ten is late."""


NORMAL = tuple(Noise(name=f"normal, {share:.0%}", spread=share) for share in (0.01, 0.03, 0.10))
HARD = (
    *(
        Noise(name=f"Student's t with 3 degrees of freedom, scale {share:.0%}", spread=share, tails=3)
        for share in (0.01, 0.10)
    ),
    Noise(name="normal, 1 %; one visit in ten late by 30 %", spread=0.01, late=0.3),
    Noise(name="normal, 10 %; one visit in ten late by 30 %", spread=0.1, late=0.3),
)


def differences(noise: Noise, generator: np.random.Generator, ratio: float, trials: int) -> np.ndarray:
    """The logarithm of the ratio in each block, shape (trials, blocks): two visits of each side make a block."""
    shape = (trials, ANALYSES[-1])
    base = generator.standard_t(noise.tails, shape) if noise.tails else generator.standard_normal(shape)
    rows = np.log(ratio) + noise.spread * base
    if noise.late:
        hit = generator.random((2, 2, *shape)) < 0.1
        late = np.log1p(np.where(hit, generator.exponential(noise.late, hit.shape), 0.0)).mean(axis=1)
        rows = rows + late[0] - late[1]
    return rows


def replays(noise, ratio, trials, *, tests=1, indifference=0.0, band=BAND, seed=11):
    """What each of *trials* series of blocks decides about a test whose true ratio is *ratio*."""
    rule = ReplayRule(analyses=ANALYSES, error=ERROR, band=band, indifference=indifference, tests=tests, floor=FLOOR)
    rows = differences(noise, np.random.default_rng(seed), ratio, trials)
    return [replay(row, rule) for row in rows.tolist()]
