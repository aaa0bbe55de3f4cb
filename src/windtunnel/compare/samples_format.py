"""The part of verdict.json that verdicts are decided from: the samples of each case, and the rules."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from windtunnel.compare.cause_format import Cause
from windtunnel.compare.work_format import WorkSamples
from windtunnel.model.measure import Better, CaseIdentity, MeasureKind
from windtunnel.model.schedule import Stage

SMALL_THRESHOLD = 0.015
"""The threshold up to which cases get further analyses: a change of 1 % takes 25 times the rounds of one of 5 %."""


LATER_ANALYSIS = 1.5
"""The rounds of an analysis, as a multiple of those of the one before, beyond the usual ones."""


class SuiteChange(StrEnum):
    """How head's suite changed a case; both commits run head's suite."""

    NONE = ""
    NEW = "new"
    """Base's own suite does not have the case."""
    CHANGED = "changed"
    """The benchmark has another version in base's own suite."""


class ProcessStatistic(StrEnum):
    """The value that stands for a process of a timing."""

    UNKNOWN = ""
    """Not recorded, differs between machines, or the case is not a timing."""
    CPU_MINIMUM = "cpu_minimum"
    WALL_MINIMUM = "wall_minimum"


class ProcessValues(Struct, frozen=True, kw_only=True):
    """The processes of one arm, one entry each, in the order of the rounds."""

    values: tuple[float, ...]
    """The value that stands for the process, in the unit of the case; the verdict is based on it."""
    medians: tuple[float, ...] = ()
    """The median of each process, for readers only; empty if not recorded."""
    p95s: tuple[float, ...] = ()
    """The 95th percentile of each process, for readers only; empty if not recorded."""


class StageSamples(Struct, frozen=True, kw_only=True):
    """The processes of one case in one stage on one machine."""

    stage: Stage
    machine: str = ""
    """The name of the machine, as in ``machines``."""
    statistic: ProcessStatistic = ProcessStatistic.UNKNOWN
    """What the values are."""
    baseline: ProcessValues
    contender: ProcessValues

    @property
    def rounds(self) -> int:
        """The number of rounds in which both arms have a value."""
        return min(len(self.baseline.values), len(self.contender.values))


class PairedSamples(CaseIdentity, frozen=True, kw_only=True):
    """All samples of one case, and the settings that its verdict depends on."""

    unit: str = "seconds"
    kind: MeasureKind = MeasureKind.TIME
    better: Better = Better.LOWER
    threshold: Annotated[float, Meta(gt=0)] = 0.05
    """The relative change that matters."""
    instructions_threshold: Annotated[float, Meta(ge=0)] = 0.0
    """The relative increase of instructions that fails the check; 0 if instructions do not decide."""
    suite_change: SuiteChange = SuiteChange.NONE
    """Whether head's suite adds or changes the benchmark; both commits run head's suite."""
    stage_samples: tuple[StageSamples, ...] = ()
    work: WorkSamples | None = None
    """Counts of instructions; null if counting was not tried. The verdict on time does not use them."""
    cause: Cause | None = None
    """The functions that explain a confirmed change; null if no profile was made."""

    def at(self, stage: Stage) -> tuple[StageSamples, ...]:
        """Return the samples of *stage*."""
        return tuple(one for one in self.stage_samples if one.stage is stage)

    def rounds(self, stage: Stage) -> int:
        """Return the number of rounds of *stage*."""
        return sum(one.rounds for one in self.at(stage))


class StageRules(Struct, frozen=True, kw_only=True):
    """When a stage analyses a case, and its error rate."""

    interim_analyses: Annotated[tuple[Annotated[int, Meta(ge=1)], ...], Meta(min_length=1)]
    """The numbers of rounds after which a case is analysed, ascending."""
    further_analyses: tuple[Annotated[int, Meta(ge=1)], ...] = ()
    """Further numbers of rounds, for cases whose threshold is 1.5 % or less."""
    error: Annotated[float, Meta(gt=0, lt=1)]
    """The error rate of all interim analyses together."""

    def analyses(self, threshold: float) -> tuple[int, ...]:
        """Return the numbers of rounds after which a case with this *threshold* is analysed."""
        return self.interim_analyses + (self.further_analyses if threshold <= SMALL_THRESHOLD else ())

    def until(self, rounds: int) -> "StageRules":
        """Return these rules with the last analysis after *rounds* rounds, also if that is later, for all cases."""
        analyses = [*self.interim_analyses, *self.further_analyses]
        while analyses[-1] < rounds:
            analyses.append(round(LATER_ANALYSIS * analyses[-1]))
        earlier = [analysis for analysis in analyses if analysis < rounds]
        return replace(self, interim_analyses=(*earlier, rounds), further_analyses=())


class Rules(Struct, frozen=True, kw_only=True):
    """How verdicts are decided; docs/explanation/statistics.md has the measured error rates.

    The error rate of screening is per case and only costs rounds. That of confirmation is the probability that a
    comparison without any change raises an alarm, however many cases it has.
    """

    screening: StageRules = StageRules(interim_analyses=(4, 6, 10, 16, 24), further_analyses=(36, 54, 80), error=0.05)
    confirmation: StageRules = StageRules(
        interim_analyses=(8, 11, 15, 22, 30), further_analyses=(45, 66, 96), error=0.01
    )

    def until(self, rounds: int) -> "Rules":
        """Return these rules with at most *rounds* rounds of each stage."""
        return replace(self, screening=self.screening.until(rounds), confirmation=self.confirmation.until(rounds))

    def of(self, stage: Stage) -> StageRules:
        """Return the rules of *stage*."""
        return self.screening if stage is Stage.SCREENING else self.confirmation
