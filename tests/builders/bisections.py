"""A history of commits with known levels, and a bisection that measures it with noise."""

import numpy as np
from builders.samples import stage_samples_of
from msgspec import structs

from windtunnel.compare.bisect_format import Bisection
from windtunnel.compare.bisection import MeasureMore, next_alone, next_step
from windtunnel.compare.samples_format import PairedSamples, ProcessValues


def a_search(candidates=(), **what):
    """A search through *candidates* that has not begun; *what* may be its answer."""
    fields = {"benchmark": "m.time_it", "case": "m.time_it", "environment": "virtualenv-py3.12", "machine": "desk"}
    return Bisection(**(fields | {"candidates": tuple(candidates), "error": 0.05} | what))


EMPTY = PairedSamples(benchmark="b", stage_samples=(stage_samples_of((), ()),))


def bisected(levels, *, spread=0.01, seed=0, broken=(), error=0.05):
    """Bisect commits that take *levels* seconds, those at *broken* not measurable; return the answer and the probes."""
    rng = np.random.default_rng(seed)
    probes = {}
    while isinstance(step := next_step(len(levels), probes, error), MeasureMore):
        at = step.position
        probes[at] = (
            "does not build"
            if at in broken
            else longer(probes.get(at, EMPTY), levels[0], levels[at], step.rounds, spread, rng)
        )
    return step, probes


def longer(samples, good, level, rounds, spread, rng):
    """The samples after *rounds* more."""
    one = samples.stage_samples[0]
    before = good * np.exp(rng.normal(0, spread, rounds))
    after = level * np.exp(rng.normal(0, spread, rounds))
    more = structs.replace(
        one,
        baseline=ProcessValues(values=one.baseline.values + tuple(before)),
        contender=ProcessValues(values=one.contender.values + tuple(after)),
    )
    return structs.replace(samples, stage_samples=(more,))


def asked_alone(levels, level, *, spread=0.01, seed=0):
    """The side of a last part of the change that takes *level* seconds alone, after the bisection of *levels*."""
    rng = np.random.default_rng(seed)
    answer, probes = bisected(levels, spread=spread, seed=seed)
    alone = EMPTY
    while isinstance(step := next_alone(len(levels), probes, alone), MeasureMore):
        alone = longer(alone, levels[0], level, step.rounds, spread, rng)
    return answer, step
