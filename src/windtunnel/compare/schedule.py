"""From what shall be measured to turns, and from what was measured to trials."""

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from windtunnel.compare.decision import CaseIntervals, confirming_alpha, positions, screened
from windtunnel.compare.effects import effects
from windtunnel.compare.format import Rules, StageRules
from windtunnel.compare.samples import ProcessTimings, processes, statistic
from windtunnel.model.benchmark import Case
from windtunnel.model.measure import (
    Better,
    CaseIdentity,
    MeasureKind,
    PairedSamples,
    ProcessValues,
    Stage,
    StageSamples,
)
from windtunnel.model.run_format import CaseState
from windtunnel.model.schedule import Arm, Process, ScheduledProcess
from windtunnel.stats.multiple_testing import next_analysis

Arms = tuple[Arm, Arm]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparableCase(CaseIdentity):
    """A case that takes part: where it stands in its suite, and what its owner said of it."""

    case: Case
    unit: str
    kind: MeasureKind
    better: Better
    threshold: float


def schedule_round(
    who: Sequence[tuple[ComparableCase, Stage, Arms]], rng: random.Random
) -> tuple[ScheduledProcess, ...]:
    """Return the turns of one round: all cases in random order, the two seats of a case side by side, either first."""
    pairs = [_pair(one, stage, arms, rng) for one, stage, arms in who]
    rng.shuffle(pairs)
    return tuple(scheduled for pair in pairs for scheduled in pair)


def _pair(compared: ComparableCase, stage: Stage, arms: Arms, rng: random.Random) -> list[ScheduledProcess]:
    processes = [
        ScheduledProcess(arm=arm, stage=stage, benchmark=compared.benchmark, case=compared.case) for arm in arms
    ]
    rng.shuffle(processes)
    return processes


@dataclass(slots=True, kw_only=True)
class ProcessCollection:
    """The processes of one comparison on one machine, as they come in."""

    machine: str
    by_case: dict[tuple[str, int], list[Process]] = field(default_factory=lambda: defaultdict(list))

    def add(self, found: Iterable[Process]) -> None:
        """Take *found* in, in the order of the rounds."""
        for process in found:
            self.by_case[process.scheduled.benchmark, process.scheduled.case.index].append(process)

    def stopped(self, compared: ComparableCase, arms: Arms) -> dict[Arm, Process]:
        """Return the process of each seat that gave no value, which ends the case; usually there is none."""
        return {
            one.scheduled.arm: one
            for one in self.by_case[compared.benchmark, compared.case.index]
            if one.scheduled.arm in arms and one.state is not CaseState.MEASURED
        }

    def paired(self, compared: ComparableCase, arms: Arms, earlier: Sequence[StageSamples] = ()) -> PairedSamples:
        """Return the trial of *entrant*: the passes measured here after *earlier* ones from elsewhere."""
        mine = [one for one in self.by_case[compared.benchmark, compared.case.index] if one.scheduled.arm in arms]
        stage_samples = tuple(
            StageSamples(stage=stage, machine=self.machine, baseline=sides[0], contender=sides[1])
            for stage in Stage
            if any(one.scheduled.stage is stage for one in mine)
            for sides in [_sides([one for one in mine if one.scheduled.stage is stage], mine, arms)]
        )
        return PairedSamples(
            benchmark=compared.benchmark,
            params=compared.params,
            environment=compared.environment,
            unit=compared.unit,
            kind=compared.kind,
            better=compared.better,
            threshold=compared.threshold,
            stage_samples=(*earlier, *stage_samples),
        )


def _sides(of_stage: Sequence[Process], of_case: Sequence[Process], arms: Arms) -> tuple[ProcessValues, ProcessValues]:
    """Return both sides of a pass, as long as both have rounds; one statistic stands for every process of the case."""
    rounds = min(sum(one.scheduled.arm is arm for one in of_stage) for arm in arms)
    of_stage = [one for arm in arms for one in [one for one in of_stage if one.scheduled.arm is arm][:rounds]]
    if any(one.value is not None for one in of_stage):
        first, second = (tuple(one.value or 0.0 for one in of_stage if one.scheduled.arm is arm) for arm in arms)
        return ProcessValues(values=first), ProcessValues(values=second)
    by = statistic(*(_timings(of_case, arm) for arm in arms))
    before, after = (processes(_timings(of_stage, arm), by) for arm in arms)
    return before, after


def _timings(found: Sequence[Process], arm: Arm) -> tuple[ProcessTimings, ...]:
    return tuple(ProcessTimings(wall=one.wall, cpu=one.cpu) for one in found if one.scheduled.arm is arm and one.wall)


@dataclass(frozen=True, slots=True, kw_only=True)
class NextRounds:
    """Measure so many more *rounds* of a case, for *stage*."""

    stage: Stage
    rounds: int


def next_steps(samples: Sequence[PairedSamples], rules: Rules, others: int = 0) -> tuple[NextRounds | None, ...]:
    """Return the next step of each of *trials*, None where it is decided or out of looks.

    *others* is the number of suspects in other shards: all share one error rate. Confirmation begins once every case
    is screened, when all suspects are known.
    """
    screening = effects(samples, Stage.SCREENING)
    first = screened(screening, rules.screening)
    steps = _steps(first, Stage.SCREENING, rules.screening)
    if any(steps) or not rules.confirm:
        return steps
    suspect = first.direction != 0
    fresh = effects(samples, Stage.CONFIRMATION)
    alpha = np.full(suspect.shape, confirming_alpha(int(suspect.sum()) + others, rules.confirmation))
    second = positions(fresh.estimates, alpha, fresh.thresholds)
    confirming = _steps(second, Stage.CONFIRMATION, rules.confirmation)
    return tuple(step if suspected else None for step, suspected in zip(confirming, suspect.tolist(), strict=True))


def suspects(samples: Sequence[PairedSamples], rules: Rules) -> tuple[PairedSamples, ...]:
    """Return the trials whose screening asks for confirmation."""
    found = screened(effects(samples, Stage.SCREENING), rules.screening).direction != 0
    return tuple(paired for paired, suspect in zip(samples, found.tolist(), strict=True) if suspect)


def _steps(where: CaseIntervals, stage: Stage, rules: StageRules) -> tuple[NextRounds | None, ...]:
    counts = where.estimates.count.astype(int).tolist()
    return tuple(
        None
        if over or (look := next_analysis(rules.interim_analyses, count)) is None
        else NextRounds(stage=stage, rounds=look - count)
        for over, count in zip(where.over(rules.interim_analyses).tolist(), counts, strict=True)
    )
