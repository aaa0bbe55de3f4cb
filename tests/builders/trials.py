"""Trials and contexts of comparisons, as tests need them."""

import numpy as np

from windtunnel.compare.format import Context
from windtunnel.model.measure import Kind, Pairing, Pass, Processes, Stage, Trial


def a_pass(baseline, contender, *, stage=Stage.SCREENING, pairing=Pairing.INTERLEAVED, machine="m"):
    """A pass with one value a process."""
    return Pass(
        stage=stage,
        pairing=pairing,
        machine=machine,
        baseline=Processes(values=tuple(map(float, baseline))),
        contender=Processes(values=tuple(map(float, contender))),
    )


def a_trial(name="suite.time_it", ratio=1.0, *, seed=0, rounds=8, fresh=None, spread=0.01, **what):
    """A trial of *rounds* rounds whose contender takes *ratio* times as long; *fresh* is the ratio when confirming."""
    rng = np.random.default_rng([seed, *name.encode(errors="surrogatepass")])

    def processes(factor):
        return np.exp(rng.normal(0, spread, rounds)) * factor

    passes = [a_pass(processes(1.0), processes(ratio))]
    if fresh is not None:
        passes.append(a_pass(processes(1.0), processes(fresh), stage=Stage.CONFIRMATION))
    return Trial(benchmark=name, passes=tuple(passes), **what)


def an_exact_trial(name="suite.track_count", baseline=100.0, contender=100.0, *, confirm=True, **what):
    """A count that every process of a side agrees on."""
    stages = (Stage.SCREENING, Stage.CONFIRMATION) if confirm else (Stage.SCREENING,)
    passes = tuple(a_pass([baseline] * 4, [contender] * 4, stage=stage) for stage in stages)
    return Trial(benchmark=name, unit="count", kind=Kind.OTHER, passes=passes, **what)


def a_context(**what):
    """A context of two commits."""
    return Context(**{"base": "a" * 40, "head": "b" * 40} | what)
