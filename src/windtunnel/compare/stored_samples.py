"""Two stored runs to trials: what asv's results files hold of both sides, made comparable as far as it can be."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from windtunnel.compare.format import NotCompared, Rules, StageRules
from windtunnel.model.benchmark import Benchmark, BenchmarkKind
from windtunnel.model.measure import (
    CaseIdentity,
    MeasureKind,
    PairedSamples,
    Pairing,
    ProcessValues,
    Stage,
    StageSamples,
    unit_better,
)
from windtunnel.model.result import Failed, Measured, Result, Row, Skipped
from windtunnel.model.run import Run
from windtunnel.model.schedule import ComparedCommit
from windtunnel.model.settings import Expectation, case_expectation

RULES = Rules(
    screening=StageRules(interim_analyses=(1,), error=0.05),
    confirmation=StageRules(interim_analyses=(1,), error=0.005),
    confirm=False,
)
"""One look at what is there, nothing measured afresh: only what the whole suite's error rate allows is a change.

Half a per cent, because cases are not equally noisy: where their spreads differ twofold, 1.3 % of comparisons held to
1 % alarmed, and 0.6 % of those held to this (calibration.tables)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSuite:
    """What both sides were measured with: benchmarks by name, and what their owner expects of them."""

    benchmarks: Mapping[str, Benchmark]
    expectations: Sequence[Expectation] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSamples:
    """What two stored runs have in common, and what they have not; grows while runs are gone through."""

    samples: list[PairedSamples] = field(default_factory=list)
    failed: list[NotCompared] = field(default_factory=list)
    added: list[NotCompared] = field(default_factory=list)
    removed: list[NotCompared] = field(default_factory=list)
    skipped: list[NotCompared] = field(default_factory=list)
    incomparable: list[NotCompared] = field(default_factory=list)


def collect_samples(base: Run, head: Run, suite: StoredSuite, environment: str) -> StoredSamples:
    """Return what *base* and *head* say of each case; *environment* names both in what comes out."""
    into = StoredSamples()
    before, after = ({row.name: row for row in run.rows} for run in (base, head))
    for name in sorted({*before, *after}):
        one, other = before.get(name), after.get(name)
        whole = CaseIdentity(benchmark=name, environment=environment)
        if one is None:
            into.added.append(_left_out(whole))
        elif other is None:
            into.removed.append(_left_out(whole, "not measured on head"))
        elif one.version != other.version and one.version is not None and other.version is not None:
            into.incomparable.append(_left_out(whole, "its version changed: it measures something else now"))
        else:
            _gather_cases(one, other, suite, into, environment)
    return into


def _gather_cases(base: Row, head: Row, suite: StoredSuite, into: StoredSamples, environment: str) -> None:
    before, after = dict(base.cases()), dict(head.cases())
    for params in {**before, **after}:
        case = CaseIdentity(benchmark=base.name, params=params, environment=environment)
        if params not in before:
            into.added.append(_left_out(case))
        elif params not in after:
            into.removed.append(_left_out(case, "not measured on head"))
        else:
            _gather_case(case, before[params], after[params], suite, into)


def _gather_case(case: CaseIdentity, before: Result, after: Result, suite: StoredSuite, into: StoredSamples) -> None:
    match before, after:
        case (Skipped(), _) | (_, Skipped()):
            into.skipped.append(_left_out(case))
        case (Failed(), Failed()):
            into.failed.append(_left_out(case, on=(ComparedCommit.BASE, ComparedCommit.HEAD)))
        case (_, Failed()):
            into.failed.append(_left_out(case, on=(ComparedCommit.HEAD,)))
        case (Failed(), _):
            into.failed.append(_left_out(case, on=(ComparedCommit.BASE,)))
        case (Measured(), Measured()):
            sides = _values(before), _values(after)
            if all(sides):
                into.samples.append(_trial(case, *sides, suite))
            else:
                into.failed.append(_left_out(case, "a value is not a finite number"))


def _values(measured: Measured) -> tuple[float, ...]:
    """Return the finite samples, or the value itself where asv kept no samples."""
    return tuple(value for value in measured.samples or (measured.value,) if math.isfinite(value))


def _trial(
    case: CaseIdentity, before: tuple[float, ...], after: tuple[float, ...], suite: StoredSuite
) -> PairedSamples:
    benchmark = suite.benchmarks.get(case.benchmark)
    wanted = case_expectation(case, (*suite.expectations, Expectation(match="", better=unit_better(benchmark))))
    timed = benchmark is None or benchmark.kind is BenchmarkKind.TIME or benchmark.unit == "seconds"
    return PairedSamples(
        benchmark=case.benchmark,
        params=case.params,
        environment=case.environment,
        unit=(benchmark and benchmark.unit) or ("seconds" if timed else "unit"),
        kind=MeasureKind.TIME if timed else MeasureKind.OTHER,
        better=wanted.better,
        threshold=wanted.threshold,
        stage_samples=(
            StageSamples(
                stage=Stage.SCREENING,
                pairing=Pairing.SEPARATE,
                baseline=ProcessValues(values=before),
                contender=ProcessValues(values=after),
            ),
        ),
    )


def _left_out(case: CaseIdentity, reason: str = "", on: tuple[ComparedCommit, ...] = ()) -> NotCompared:
    return NotCompared(benchmark=case.benchmark, params=case.params, environment=case.environment, reason=reason, on=on)
