"""Two stored runs of one suite, simulated: another hour, perhaps another machine, samples pooled over two processes."""

from dataclasses import dataclass

import numpy as np

from windtunnel.compare.decide import decide
from windtunnel.compare.format import ReportContext
from windtunnel.compare.samples_format import PairedSamples, Pairing, ProcessValues, StageSamples
from windtunnel.compare.stored_runs import RULES
from windtunnel.model.schedule import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """How two runs differ: *shift* of every case by the same factor, and of each by its own, normal with *spread*.

    *uneven*: the spread of a case is itself drawn, log-normal with this sd about *spread*; *lottery*: the share of
    cases that come out *lost* slower for no reason of theirs.
    """

    name: str
    shift: float = 0.0
    spread: float = 0.02
    uneven: float = 0.0
    lottery: float = 0.0
    lost: float = 0.1


KINDS = (
    Runs(name="runs 2 % apart"),
    Runs(name="another machine, 30 % slower", shift=0.3, spread=0.05),
    Runs(name="cases unequally noisy", uneven=0.7),
    Runs(name="5 % of cases 10 % late by lottery", lottery=0.05),
)


def alarms(runs, rng, *, comparisons, changes, processes=2, samples=5, within=0.01):
    """Return which cases raised an alarm, shape (comparisons, cases)."""
    found = []
    for _ in range(comparisons):
        spread = runs.spread * np.exp(rng.normal(0, runs.uneven, changes.size))
        moved = runs.shift + rng.normal(0, spread) + np.log1p(changes)
        moved += runs.lost * (rng.random(changes.size) < runs.lottery)
        shape = (changes.size, 2, processes)
        values = rng.normal(0, 0.01, shape)[..., None] + rng.normal(0, within, (*shape, samples))
        values = np.exp(values).reshape(changes.size, 2, -1)
        values[:, 1] *= np.exp(moved)[:, None]
        trials = [paired_samples(index, *pair) for index, pair in enumerate(values.tolist())]
        verdicts = decide(ReportContext(base="a", head="b", rules=RULES), trials).comparisons
        found.append([one.significant and one.verdict in {"regressed", "improved"} for one in verdicts])
    return np.array(found)


def paired_samples(index, before, after):
    """One case as asv stores it."""
    sides = {"baseline": ProcessValues(values=tuple(before)), "contender": ProcessValues(values=tuple(after))}
    return PairedSamples(
        benchmark=f"time_{index:04}",
        stage_samples=(StageSamples(stage=Stage.SCREENING, pairing=Pairing.SEPARATE, **sides),),
    )
