"""Simulated counts of instructions: how often the gate fails without cause, and which changes the counts show."""

from typing import get_args

import numpy as np

from windtunnel.compare.samples_format import PairedSamples, WorkChange, WorkSamples
from windtunnel.compare.significance import decide_work
from windtunnel.model.schedule import InstructionCounts

SEEDS = 5
CASES = 40
THRESHOLD = 0.005

NOISES = {
    "normal, 0.01 %": lambda rng, shape: rng.normal(0, 1e-4, shape),
    "normal, 0.1 %": lambda rng, shape: rng.normal(0, 1e-3, shape),
    "heavy tails (t, 2 degrees of freedom), 0.05 %": lambda rng, shape: 5e-4 * rng.standard_t(2, shape),
    "two levels 0.2 % apart, a coin each seed": lambda rng, shape: 2e-3 * (rng.random(shape) < 0.5),
}
"""The differences between seeds that remain after pairing, as logarithms."""


def simulated(rng, noise, change, cases=CASES):
    """Cases whose head executes 1 + *change* times the instructions."""
    base, head = (1e6 * np.exp(NOISES[noise](rng, (cases, SEEDS))) for _ in range(2))
    head = head * (1 + change)
    return [
        PairedSamples(
            benchmark=f"suite.time_{number}",
            instructions_threshold=THRESHOLD,
            work=WorkSamples(
                base=InstructionCounts(per_call=tuple(before), calls=10),
                head=InstructionCounts(per_call=tuple(after), calls=10),
            ),
        )
        for number, (before, after) in enumerate(zip(base.tolist(), head.tolist(), strict=True))
    ]


def gate_rate(noise, change, comparisons, seed=1):
    """Return the share of *comparisons* of CASES cases in which the gate fails, if each case changed by *change*."""
    rng = np.random.default_rng(seed)
    failed = (any(one.regressed for one in decide_work(simulated(rng, noise, change))) for _ in range(comparisons))
    return sum(failed) / comparisons


def found_shares(noise, change, cases, seed=2):
    """Return the share of *cases* with each change of work, and of those that fail the gate if they are alone."""
    samples = simulated(np.random.default_rng(seed), noise, change, cases)
    work = [one.work for one in decide_work(samples)]
    alone = sum(decide_work([one])[0].regressed for one in samples[:1000])
    return {name: work.count(name) / cases for name in get_args(WorkChange)} | {"gate": alone / min(cases, 1000)}
