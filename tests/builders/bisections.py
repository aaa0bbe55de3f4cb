"""A history of commits with known levels, and a bisection that measures it with noise."""

from dataclasses import replace

import numpy as np
from builders.trials import a_pass

from windtunnel.compare.bisection import Measure, Probe, next_step
from windtunnel.model.measure import Processes, Trial


def bisected(levels, *, spread=0.01, seed=0, broken=(), error=0.05):
    """Bisect commits that take *levels* seconds, those at *broken* not measurable; return the answer and the probes."""
    rng = np.random.default_rng(seed)
    probes = []
    while isinstance(step := next_step(len(levels), probes, error), Measure):
        known = [probe.position for probe in probes]
        if step.position in broken:
            probes.append(Probe(position=step.position, trial=None, reason="does not build"))
        elif step.position in known:
            place = known.index(step.position)
            probes[place] = longer(probes[place], levels, step.rounds, spread, rng)
        else:
            probe = Probe(position=step.position, trial=Trial(benchmark="b", passes=(a_pass((), ()),)))
            probes.append(longer(probe, levels, step.rounds, spread, rng))
    return step, probes


def longer(probe, levels, rounds, spread, rng):
    """The probe after *rounds* more."""
    one = probe.trial.passes[0]
    before = levels[0] * np.exp(rng.normal(0, spread, rounds))
    after = levels[probe.position] * np.exp(rng.normal(0, spread, rounds))
    more = replace(
        one,
        baseline=Processes(values=one.baseline.values + tuple(before)),
        contender=Processes(values=one.contender.values + tuple(after)),
    )
    return replace(probe, trial=replace(probe.trial, passes=(more,)))
