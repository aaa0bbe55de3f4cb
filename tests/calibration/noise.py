"""Simulated processes: what a benchmark measures on machines as they are, without one.

A process has a level of its own (memory layout, hash seed, core), and values that scatter about it. Everything is
multiplicative and seeded; base and head take turns in each round, in random order.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np


class Work(StrEnum):
    """What a case does, hence how its values scatter."""

    COMPUTING = "computing"
    WAITING = "waiting"


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Standard deviations are shares of the true value.

    *outliers* is the share of processes that something disturbs, by an exponential of mean *disturbance*; *drift* is
    how much slower the machine gets from one process to the next; *slow* is how much slower its second state is, and
    *stay* the chance to stay in it. *tick* is the clock's resolution, *loops* what a loop beside it shows of *slow*.
    """

    name: str
    between: float = 0.01
    within: float = 0.01
    outliers: float = 0.0
    disturbance: float = 0.3
    drift: float = 0.0
    slow: float = 0.0
    stay: float = 0.5
    tick: float = 0.0
    loops: float = 0.0
    work: Work = Work.COMPUTING
    values: int = 3


LEVELS = tuple(Noise(name=f"between {share:.1%}", between=share) for share in (0.0, 0.005, 0.01, 0.02))
"""Hierarchical noise: processes differ by so much, on 1 % within each."""

HARD = (
    Noise(name="heavy tails: 10 % of processes 30 % late", outliers=0.1),
    Noise(name="drift of 0.5 % a process", drift=0.005),
    Noise(name="two states 15 % apart, a coin each process", slow=0.15, stay=0.5),
    Noise(name="two states 15 % apart, kept for 10 processes", slow=0.15, stay=0.9),
    Noise(name="waiting, late by 1 %, between 0.2 %", work=Work.WAITING, between=0.002),
    Noise(name="a clock of 2 % ticks", tick=0.02, between=0.0),
)
"""What real machines do besides."""

SHARED = tuple(
    Noise(name=f"slower by 65 %, of which a loop shows {shown:.0%}", slow=0.5, stay=0.7, loops=shown, between=0.03)
    for shown in (1.0, 0.7, 0.0)
)
"""A processor whose other half works for someone else at times, as measured on two virtual machines."""


def processes(noise, rng, *, cases, rounds, changes=0.0):
    """Return the logarithms of all values, shape (cases, rounds, 2 sides, values); *changes* are logarithms too.

    With loops, a further axis of two has each value and the same in loops.
    """
    shape = (cases, rounds, 2)
    level, slowness = rng.normal(0, noise.between, shape), in_time_order(noise, rng, cases, rounds)
    level += disturbed(noise, rng, shape) + slowness
    level[..., 1] += np.broadcast_to(np.asarray(changes)[..., None], (cases, rounds))
    values = ticked(noise, level[..., None] + scatter(noise, rng, (*shape, noise.values)))
    if not noise.loops:
        return values
    loops = noise.loops * slowness[..., None] + scatter(noise, rng, values.shape)
    return np.stack([values, values - loops], axis=-1)


def disturbed(noise, rng, shape):
    """Return what befell single processes."""
    if not noise.outliers:
        return 0.0
    return np.where(rng.random(shape) < noise.outliers, rng.exponential(noise.disturbance, shape), 0.0)


def in_time_order(noise, rng, cases, rounds):
    """Return drift and state of the machine at each process, base and head in random order within a round."""
    steps = 2 * rounds
    course = np.broadcast_to(noise.drift * np.arange(steps), (cases, steps))
    if noise.slow:
        flips = rng.random((cases, steps)) > noise.stay
        flips[:, 0] = rng.random(cases) < 0.5
        course = course + noise.slow * (np.cumsum(flips, axis=1) % 2)
    pairs = course.reshape(cases, rounds, 2)
    swapped = rng.random((cases, rounds, 1)) < 0.5
    return np.where(swapped, pairs[..., ::-1], pairs)


def scatter(noise, rng, shape):
    """Return the scatter of values about the level of their process: waiting only ever ends late."""
    if noise.work is Work.WAITING:
        return rng.exponential(noise.within, shape)
    return rng.normal(0, noise.within, shape)


def ticked(noise, values):
    """Return *values* as a coarse clock shows them."""
    if not noise.tick:
        return values
    return np.log(np.maximum(np.round(np.exp(values) / noise.tick), 1) * noise.tick)


def statistic(values):
    """Return the one value that stands for each process: see docs/explanation/statistics.md for how it was chosen."""
    if values.ndim == 4:
        return values.min(axis=-1)
    return np.stack([values[..., 0].min(axis=-1), np.median(values[..., 1], axis=-1)], axis=-1)
