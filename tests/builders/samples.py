"""Samples and contexts of comparisons."""

import numpy as np
from msgspec.structs import replace

from windtunnel.compare.decide import decide
from windtunnel.compare.format import EnvironmentFailure, ReportContext
from windtunnel.compare.samples_format import (
    Cause,
    ChangedFunction,
    PairedSamples,
    ProcessValues,
    StageSamples,
    WorkSamples,
)
from windtunnel.model.schedule import InstructionCounts


def stage_samples_of(baseline, contender, *, stage="screening", machine="m", in_loops=((), ())):
    """The samples of one stage, with one value per process."""
    before, after = (
        ProcessValues(values=tuple(map(float, values)), in_loops=tuple(map(float, looped)))
        for values, looped in zip((baseline, contender), in_loops, strict=True)
    )
    return StageSamples(stage=stage, machine=machine, baseline=before, contender=after)


def paired_samples(name="suite.time_it", ratio=1.0, *, seed=0, rounds=8, fresh=None, spread=0.01, **what):
    """Samples of *rounds* rounds whose contender takes *ratio* times as long; *fresh* is the ratio in confirmation."""
    rng = np.random.default_rng([seed, *name.encode(errors="surrogatepass")])

    def processes(factor):
        return np.exp(rng.normal(0, spread, rounds)) * factor

    stage_samples = [stage_samples_of(processes(1.0), processes(ratio))]
    if fresh is not None:
        stage_samples.append(stage_samples_of(processes(1.0), processes(fresh), stage="confirmation"))
    return PairedSamples(benchmark=name, stage_samples=tuple(stage_samples), **what)


def changed(name="suite.time_it", ratio=1.3, **what):
    """Confirmed samples whose head takes *ratio* times as long."""
    return paired_samples(name, ratio, fresh=ratio, **what)


def timed(statistic, **what):
    """Changed samples whose values are of *statistic*; medians and 95th percentiles are of wall time."""

    def of_arm(arm):
        return ProcessValues(values=arm.values, medians=arm.values, p95s=tuple(7 * one for one in arm.values))

    samples = changed(**what)
    stages = tuple(
        replace(one, statistic=statistic, baseline=of_arm(one.baseline), contender=of_arm(one.contender))
        for one in samples.stage_samples
    )
    return replace(samples, stage_samples=stages)


def exact_samples(name="suite.track_count", baseline=100.0, contender=100.0, *, confirm=True, **what):
    """A count that is equal in all processes of a commit."""
    stages = ("screening", "confirmation") if confirm else ("screening",)
    stage_samples = tuple(stage_samples_of([baseline] * 4, [contender] * 4, stage=stage) for stage in stages)
    return PairedSamples(benchmark=name, unit="count", kind="other", stage_samples=stage_samples, **what)


def a_context(**what):
    """A context of two commits."""
    return ReportContext(**{"base": "a" * 40, "head": "b" * 40} | what)


def a_report(*samples, **context):
    """The report on *samples*."""
    return decide(a_context(**context), samples)


def unbuilt(*failures, samples=()):
    """No environment was built where *failures* are the commits that cannot be."""
    found = tuple(EnvironmentFailure(name=f"py{at}", on=on, reason="no such") for at, on in enumerate(failures))
    return a_report(*samples, environment_failures=found)


def work_samples(ratio=1.0, *, seeds=5, spread=1e-4, seed=0, of_seeds=1e-3, **what):
    """Counts of both commits whose head executes *ratio* times the instructions.

    *of_seeds* is how much the hash seeds differ, in the same way on both commits; *spread* is what remains.
    """
    rng = np.random.default_rng(seed)
    level = 1e6 * np.exp(rng.normal(0, of_seeds, seeds))

    def counts(factor):
        per_call = level * factor * np.exp(rng.normal(0, spread, seeds))
        return InstructionCounts(per_call=tuple(per_call.tolist()), calls=10, **what)

    return WorkSamples(base=counts(1.0), head=counts(ratio))


def uncounted(reason="valgrind is missing"):
    """Counting was tried and gave nothing."""
    return WorkSamples(base=InstructionCounts(reason=reason), head=InstructionCounts(reason=reason))


def a_cause(name="normalise", calls=2000.0, **what):
    """A cause with one function that is called more often."""
    usual = {"head_file": "src/spam.py", "head_line": 7, "calls_base": 1.0, "calls_head": calls}
    return Cause(functions=(ChangedFunction(name=name, **usual | what),))
