"""Two results trees to a judgement: which runs belong together, and what is weaker than a live comparison."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from windtunnel.compare.decide import decide
from windtunnel.compare.format import (
    ComparedEnvironment,
    ComparedMachine,
    ComparisonContext,
    ComparisonReport,
    NotCompared,
    Rules,
    StageRules,
)
from windtunnel.errors import DataError
from windtunnel.model.benchmark import Benchmark, BenchmarkKind
from windtunnel.model.expectation import Expectation, expected
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
from windtunnel.model.run import Machine, ResultsTree, Run
from windtunnel.model.schedule import ComparedCommit

WEAKER = (
    "Stored results: base and head were measured in two runs, with who knows what between them, and nothing was "
    "measured again. Each change is held against how far all cases lie apart, so only large ones show."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCommit:
    """A results tree, which *commit* of it (a beginning will do; empty: the only one), and a *name* for messages."""

    tree: ResultsTree
    commit: str
    name: str

    def runs(self) -> tuple[Run, ...]:
        """Return the runs of the one commit that was asked for; raises DataError where that is none or not one."""
        runs = tuple(run for run in self.tree.runs if run.commit.startswith(self.commit.lower()))
        commits = sorted({run.commit for run in runs})
        if len(commits) == 1:
            return runs
        wanted = f" beginning with {self.commit!r}" if self.commit else ""
        if not commits:
            raise DataError(
                f"{self.name} has no results of a commit{wanted}; windtunnel compare --help shows how to name one"
            )
        shown = ", ".join(commit[:10] for commit in commits[:5]) + (" ..." if len(commits) > 5 else "")
        raise DataError(f"{self.name} has results of {len(commits)} commits{wanted} ({shown}); name one of them")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPair:
    """A run of each side that are compared, and what to call their environment."""

    base: Run
    head: Run
    label: str


def compare_stored(base: StoredCommit, head: StoredCommit, expectations: Sequence[Expectation]) -> ComparisonReport:
    """Judge what two results trees hold; raises DataError where they share no environment."""
    before, after = base.runs(), head.runs()
    pairs = _pairs(before, after)
    benchmarks = {str(one.name): one for side in (base, head) for one in side.tree.benchmarks}
    suite = StoredSuite(benchmarks=benchmarks, expectations=expectations)
    parts = [collect_samples(pair.base, pair.head, suite, pair.label) for pair in pairs]
    context = ComparisonContext(
        base=before[0].commit,
        head=after[0].commit,
        rules=RULES,
        machines=_machines((*base.tree.machines, *head.tree.machines), pairs),
        environments=tuple(ComparedEnvironment(name=pair.label) for pair in pairs),
        notes=(WEAKER, *_notes(pairs)),
        failed=tuple(one for part in parts for one in part.failed),
        added=tuple(one for part in parts for one in part.added),
        removed=tuple(one for part in parts for one in part.removed),
        skipped=tuple(one for part in parts for one in part.skipped),
        incomparable=tuple(one for part in parts for one in part.incomparable),
    )
    return decide(context, [one for part in parts for one in part.samples])


def _pairs(before: Sequence[Run], after: Sequence[Run]) -> tuple[RunPair, ...]:
    """Return runs of the same environment, on the same machine where there is one."""
    pairs = []
    for environment in sorted({run.environment.name for run in before} & {run.environment.name for run in after}):
        bases = {run.machine: run for run in before if run.environment.name == environment}
        heads = {run.machine: run for run in after if run.environment.name == environment}
        same = sorted({*bases} & {*heads})
        for machine in same:
            label = f"{environment} on {machine}" if len(same) > 1 else environment
            pairs.append(RunPair(base=bases[machine], head=heads[machine], label=label))
        if not same:
            pairs.append(RunPair(base=bases[min(bases)], head=heads[min(heads)], label=environment))
    if not pairs:
        raise DataError(
            f"base was measured in {_listed(before)} and head in {_listed(after)}: "
            "no environment has both; measure one commit again in an environment of the other"
        )
    return tuple(pairs)


def _listed(runs: Sequence[Run]) -> str:
    return ", ".join(sorted({run.environment.name for run in runs})[:5])


def _notes(pairs: Sequence[RunPair]) -> tuple[str, ...]:
    return tuple(
        f"{pair.label}: base was measured on {pair.base.machine}, head on {pair.head.machine}."
        for pair in pairs
        if pair.base.machine != pair.head.machine
    )


def _machines(known: Sequence[Machine], pairs: Sequence[RunPair]) -> tuple[ComparedMachine, ...]:
    details = {one.name: ", ".join(filter(None, (one.detail("cpu"), one.detail("os")))) for one in known}
    names = sorted({run.machine for pair in pairs for run in (pair.base, pair.head)})
    return tuple(ComparedMachine(name=name, description=details.get(name, "")) for name in names)


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
    wanted = expected(case, (*suite.expectations, Expectation(match="", better=unit_better(benchmark))))
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
