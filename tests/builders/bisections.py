"""A history of commits with known levels, and a bisection that measures it with noise."""

from dataclasses import replace

import numpy as np
from builders.samples import stage_samples_of
from msgspec import structs

from windtunnel.compare.bisection import MeasureMore, Probe, next_alone, next_step
from windtunnel.compare.samples_format import PairedSamples, ProcessValues


def bisected(levels, *, spread=0.01, seed=0, broken=(), error=0.05):
    """Bisect commits that take *levels* seconds, those at *broken* not measurable; return the answer and the probes."""
    rng = np.random.default_rng(seed)
    probes = []
    while isinstance(step := next_step(len(levels), probes, error), MeasureMore):
        known = [probe.position for probe in probes]
        if step.position in broken:
            probes.append(Probe(position=step.position, samples=None, reason="does not build"))
        elif step.position in known:
            place = known.index(step.position)
            probes[place] = longer(probes[place], levels, step.rounds, spread, rng)
        else:
            probe = Probe(
                position=step.position, samples=PairedSamples(benchmark="b", stage_samples=(stage_samples_of((), ()),))
            )
            probes.append(longer(probe, levels, step.rounds, spread, rng))
    return step, probes


def longer(probe, levels, rounds, spread, rng):
    """The probe after *rounds* more."""
    one = probe.samples.stage_samples[0]
    before = levels[0] * np.exp(rng.normal(0, spread, rounds))
    after = levels[probe.position] * np.exp(rng.normal(0, spread, rounds))
    more = structs.replace(
        one,
        baseline=ProcessValues(values=one.baseline.values + tuple(before)),
        contender=ProcessValues(values=one.contender.values + tuple(after)),
    )
    return replace(probe, samples=structs.replace(probe.samples, stage_samples=(more,)))


def asked_alone(levels, level, *, spread=0.01, seed=0):
    """The side of a last part of the change that takes *level* seconds alone, after the bisection of *levels*."""
    rng = np.random.default_rng(seed)
    answer, probes = bisected(levels, spread=spread, seed=seed)
    probe = Probe(position=1, samples=PairedSamples(benchmark="b", stage_samples=(stage_samples_of((), ()),)))
    while isinstance(step := next_alone(len(levels), probes, probe.samples), MeasureMore):
        probe = longer(probe, (levels[0], level), step.rounds, spread, rng)
    return answer, step
