"""Compare two stored results trees: pair their runs and cases, and decide with weaker rules."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from windtunnel.compare.case_matching import ByVersion, Missing, pair_up, without_samples
from windtunnel.compare.decide import decide
from windtunnel.compare.format import (
    ComparedEnvironment,
    ComparedMachine,
    ComparisonReport,
    MissingKind,
    NotCompared,
    ReportContext,
)
from windtunnel.compare.samples_format import (
    PairedSamples,
    Pairing,
    ProcessStatistic,
    ProcessValues,
    Rules,
    StageRules,
    StageSamples,
)
from windtunnel.errors import DataError
from windtunnel.model.benchmark import Benchmark
from windtunnel.model.measure import MeasureKind
from windtunnel.model.result import Failed, Measured, Result, Skipped
from windtunnel.model.run import Machine, ResultsTree, Run
from windtunnel.model.schedule import ComparedCommit, Stage
from windtunnel.model.settings import Expectation

RULES = Rules(
    screening=StageRules(interim_analyses=(1,), error=0.05),
    confirmation=StageRules(interim_analyses=(1,), error=0.005),
    confirm=False,
)
"""One analysis of what is stored: a change has to exceed the error rate of the whole suite.

The rate is 0.5 % because cases are not equally noisy: with spreads that differ twofold, 1.3 % of comparisons at 1 %
raised an alarm, and 0.6 % of those at this rate (calibration.tables).
"""

WEAKER = (
    "Stored results: base and head were measured at different times, so conditions may differ, and nothing was "
    "measured again. Each change is compared with the spread of all cases, so only large changes show."
)

NOT_ON_HEAD = "not measured on head"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCommit:
    """One commit of a results tree."""

    tree: ResultsTree
    commit: str
    """The beginning of its hash; empty if the tree has only one commit."""
    name: str
    """The name of the tree in messages."""

    def runs(self) -> tuple[Run, ...]:
        """Return the runs of the commit; raises DataError if there are none, or if several commits match."""
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
    """The runs of base and head in one environment."""

    base: Run
    head: Run
    label: str
    """The name of the environment in the report."""


def compare_stored(base: StoredCommit, head: StoredCommit, expectations: Sequence[Expectation]) -> ComparisonReport:
    """Compare two stored commits; raises DataError if they have no environment in common."""
    before, after = base.runs(), head.runs()
    pairs = _pair_runs(before, after)
    benchmarks = {str(one.name): one for side in (base, head) for one in side.tree.benchmarks}
    samples: list[PairedSamples] = []
    missing: Missing = {kind: [] for kind in MissingKind}
    for pair in pairs:
        found, left_out = collect_samples(pair, benchmarks, expectations)
        samples += found
        for kind in MissingKind:
            missing[kind] += left_out[kind]
    left_out_fields: dict[str, Any] = {kind: tuple(missing[kind]) for kind in MissingKind}
    context = ReportContext(
        base=before[0].commit,
        head=after[0].commit,
        rules=RULES,
        machines=_machines((*base.tree.machines, *head.tree.machines), pairs),
        environments=tuple(ComparedEnvironment(name=pair.label) for pair in pairs),
        notes=(WEAKER, *_notes(pairs)),
        **left_out_fields,
    )
    return decide(context, samples)


def collect_samples(
    pair: RunPair, benchmarks: Mapping[str, Benchmark], expectations: Sequence[Expectation]
) -> tuple[list[PairedSamples], Missing]:
    """Return the samples of each case of *pair*, and the cases without a verdict."""
    cases, missing = pair_up(_by_name(pair.base), _by_name(pair.head), pair.label, NOT_ON_HEAD)
    samples = []
    for case, before, after in cases:
        match before, after:
            case (Skipped(), _) | (_, Skipped()):
                missing[MissingKind.SKIPPED].append(NotCompared.of(case))
            case (Measured(), Measured()):
                values = _finite(before), _finite(after)
                if all(values):
                    settings = without_samples(case, benchmarks.get(case.benchmark), expectations)
                    samples.append(_with_samples(settings, *values))
                else:
                    missing[MissingKind.FAILED].append(NotCompared.of(case, "a value is not a finite number"))
            case _:
                results = zip(ComparedCommit, (before, after), strict=True)
                on = tuple(commit for commit, result in results if isinstance(result, Failed))
                missing[MissingKind.FAILED].append(NotCompared.of(case, on=on))
    return samples, missing


def _by_name(run: Run) -> ByVersion[Result]:
    return {row.name: (row.version, dict(row.cases())) for row in run.rows}


def _finite(measured: Measured) -> tuple[float, ...]:
    """Return the finite samples, or the value itself if asv stored no samples."""
    return tuple(value for value in measured.samples or (measured.value,) if math.isfinite(value))


def _with_samples(settings: PairedSamples, before: tuple[float, ...], after: tuple[float, ...]) -> PairedSamples:
    stage_samples = StageSamples(
        stage=Stage.SCREENING,
        pairing=Pairing.SEPARATE,
        statistic=ProcessStatistic.WALL_MEDIAN if settings.kind is MeasureKind.TIME else ProcessStatistic.UNKNOWN,
        baseline=ProcessValues(values=before),
        contender=ProcessValues(values=after),
    )
    return replace(settings, stage_samples=(stage_samples,))


def _pair_runs(before: Sequence[Run], after: Sequence[Run]) -> tuple[RunPair, ...]:
    """Pair runs of the same environment, on the same machine if there is one."""
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
            f"base was measured in {_environments(before)} and head in {_environments(after)}, so no environment has "
            "both; measure one commit again in an environment of the other"
        )
    return tuple(pairs)


def _environments(runs: Sequence[Run]) -> str:
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
