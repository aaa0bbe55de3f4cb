"""The part of verdict.json that verdicts are decided from: the samples of each case, and the rules."""

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from windtunnel.model.benchmark import Better, CaseIdentity, MeasureKind
from windtunnel.model.run import Interval
from windtunnel.model.schedule import InstructionCounts, Stage
from windtunnel.text import numbers

MAX_SEEDS = 64
"""Hash seeds that a case can have counts of; a file with more is refused."""


class WorkSamples(Struct, frozen=True, kw_only=True):
    """The instructions of a case on both commits."""

    base: InstructionCounts
    head: InstructionCounts

    @property
    def counted(self) -> bool:
        """Whether both commits have counts."""
        return bool(self.base.per_call and self.head.per_call)


WorkChange = Literal["more", "less", "same", "unknown"]
"""Whether the code of a case does more work, by its instructions; a difference of 0.1 % counts as the same."""


class InstructionChange(Struct, frozen=True, kw_only=True):
    """What counts of instructions show of a case; the verdict on time does not depend on it."""

    base: float | None = None
    """Instructions per call on base, the geometric mean over the hash seeds; null if they were not counted."""
    head: float | None = None
    """Instructions per call on head."""
    relative_change: float | None = None
    """head / base - 1."""
    interval: Interval | None = None
    """The 99 % confidence interval of the relative change, from its spread over the hash seeds; null with one seed."""
    work: WorkChange
    regressed: bool = False
    """Whether head executes more instructions than ``instructions_threshold`` allows."""
    reason: str = ""
    """Why the change is unknown; empty if it is known."""


MAX_FUNCTIONS = 3
"""Functions that a cause names."""

MAX_TEXT = 300
"""Characters of a name, a path or a note; longer ones are cut in the middle."""

MAX_NOTES = 5

MAX_FACTOR = 1e9
"""Costs that differ by more are not divided: the file may come from outsiders."""

SMALLEST_CHANGE = 0.001
"""Relative changes of calls and of costs below this are not stated."""

TIME_RESOLUTION = 1e-6
"""Seconds; the profiler takes about as much for each call, so that shorter own times are not known."""

Text = Annotated[str, Meta(max_length=MAX_TEXT)]


CostUnit = Literal["instructions", "seconds"]
"""What the costs of functions are."""


class ChangedFunction(Struct, frozen=True, kw_only=True):
    """A function that explains a part of a change. Calls and costs are per call of the benchmark."""

    name: Text
    """Its qualified name on head; on base if head does not have it."""
    base_file: Text = ""
    """Its file on base; empty if it does not run there."""
    base_line: Annotated[int, Meta(ge=0)] = 0
    """The line of its definition on base; 0 if it has none."""
    head_file: Text = ""
    head_line: Annotated[int, Meta(ge=0)] = 0
    calls_base: Annotated[float, Meta(ge=0)] = 0.0
    """Calls on base."""
    calls_head: Annotated[float, Meta(ge=0)] = 0.0
    cost_base: float | None = None
    """Its own cost on base, in ``cost_unit``, without what it calls; null if unknown."""
    cost_head: float | None = None
    cost_unit: CostUnit = "instructions"
    share: float = 0.0
    """The part of the change that it explains: 1 for all of it."""
    touched: bool | None = None
    """Whether the diff changes it; null if the diff is unknown."""
    is_c: bool = False
    """Whether it is compiled code."""

    @property
    def place(self) -> str:
        """``file:line`` on head, and that on base where it differs; empty for compiled code."""
        base, head = (
            f"{file}:{line}" if file and line else file
            for file, line in ((self.base_file, self.base_line), (self.head_file, self.head_line))
        )
        if not base or not head or base == head:
            return head or base
        return f"{head}, on base {base.removeprefix(self.base_file) if self.base_file == self.head_file else base}"

    @property
    def calls_differ(self) -> bool:
        """Whether a run calls it more or less often on head."""
        return _differ(self.calls_base, self.calls_head)

    def figures(self) -> str:
        """Return what changed, such as ``calls 1 → 2,000 per run, instructions +38 %``."""
        parts = []
        if self.calls_differ:
            parts.append(f"calls {_calls(self.calls_base)} → {_calls(self.calls_head)} per run")
        if self.cost_base is not None and self.cost_head is not None:
            parts += filter(None, [_own(self.cost_base, self.cost_head, self.cost_unit)])
        return ", ".join(parts) or "its own calls and cost are the same"

    def sentence(self) -> str:
        """Return the function, its place and what changed as plain text; a caller escapes it for its page."""
        touched = {True: "changed by the diff", False: "not changed by the diff", None: ""}[self.touched]
        where = ", ".join(filter(None, (self.place or ("compiled code" if self.is_c else ""), touched)))
        return f"{self.name}{f' ({where})' if where else ''}: {self.figures()}"


class Cause(Struct, frozen=True, kw_only=True):
    """Why a case changed, as far as profiles of both commits show it."""

    functions: Annotated[tuple[ChangedFunction, ...], Meta(max_length=MAX_FUNCTIONS)] = ()
    """The functions that explain most of the change, the most important first; empty if none does."""
    relative_change: float | None = None
    """The change of the cost of the whole call of the benchmark in the profiles; null if unknown."""
    notes: Annotated[tuple[Text, ...], Meta(max_length=MAX_NOTES)] = ()
    """What is not explained, and why."""

    def sentences(self) -> tuple[str, ...]:
        """Return one line for each function, then the notes; plain text."""
        return (*(one.sentence() for one in self.functions), *self.notes)


def _differ(base: float, head: float) -> bool:
    return abs(head - base) > SMALLEST_CHANGE * max(abs(base), abs(head))


def _own(base: float, head: float, unit: CostUnit) -> str:
    """Return how the own cost changed; empty if it did not, or not by what can be measured."""
    noun = "instructions" if unit == "instructions" else "time"
    if unit == "seconds" and min(base, head) < TIME_RESOLUTION:
        return "" if max(base, head) < TIME_RESOLUTION else f"own time {_time(base)} → {_time(head)}"
    if not _differ(base, head):
        return ""
    if base > 0 and abs(head) < MAX_FACTOR * base:
        return f"own {noun} {numbers.relative_change(head / base - 1, None).value}"
    return f"own {noun} from 0"


def _time(seconds: float) -> str:
    return "below 1 µs" if seconds < TIME_RESOLUTION else numbers.quantity(seconds, None, "seconds").value


def _calls(calls: float) -> str:
    """Format a number of calls; fractions only below ten."""
    if calls >= 1e9:
        return f"{calls:.2e}"
    return f"{calls:,.0f}" if calls >= 10 or calls == int(calls) else f"{calls:.2g}"


SMALL_THRESHOLD = 0.015
"""The threshold up to which cases get further analyses: a change of 1 % takes 25 times the rounds of one of 5 %."""


LATER_ANALYSIS = 1.5
"""The rounds of an analysis, as a multiple of those of the one before, beyond the usual ones."""

LONGEST = 270
"""The rounds after which a case is analysed last, if a time limit leaves time for so many."""


SuiteChange = Literal["", "new", "changed"]
"""How head's suite changed a case: base's own suite does not have it, or has another version of the benchmark."""


ProcessStatistic = Literal["", "cpu_minimum", "wall_minimum"]
"""The value that stands for a process of a timing; empty if it differs between machines, or for another case."""


class ProcessValues(Struct, frozen=True, kw_only=True):
    """The processes of one arm, one entry each, in the order of the rounds."""

    values: tuple[float, ...]
    """The value that stands for the process, in the unit of the case; the verdict is based on it."""
    medians: tuple[float, ...] = ()
    """The median of each process, for readers only; empty if not recorded."""
    p95s: tuple[float, ...] = ()
    """The 95th percentile of each process, for readers only; empty if not recorded."""
    in_loops: tuple[float, ...] = ()
    """The median sample of each process, in units of what one and the same loop took beside it; empty if unknown."""


class StageSamples(Struct, frozen=True, kw_only=True):
    """The processes of one case in one stage on one machine."""

    stage: Stage
    machine: str = ""
    """The name of the machine, as in ``machines``."""
    statistic: ProcessStatistic = ""
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
    kind: MeasureKind = "time"
    better: Better = "lower"
    threshold: Annotated[float, Meta(gt=0)] = 0.05
    """The relative change that matters."""
    instructions_threshold: Annotated[float, Meta(ge=0)] = 0.0
    """The relative increase of instructions that fails the check; 0 if instructions do not decide."""
    suite_change: SuiteChange = ""
    """Whether head's suite adds or changes the benchmark; both commits run head's suite."""
    stage_samples: tuple[StageSamples, ...] = ()
    work: WorkSamples | None = None
    """Counts of instructions; null if counting was not tried. The verdict on time does not use them."""
    cause: Cause | None = None
    """The functions that explain a confirmed change; null if no profile was made."""

    def at(self, stage: Stage) -> tuple[StageSamples, ...]:
        """Return the samples of *stage*."""
        return tuple(one for one in self.stage_samples if one.stage == stage)

    def rounds(self, stage: Stage) -> int:
        """Return the number of rounds of *stage*."""
        return sum(one.rounds for one in self.at(stage))


class StageRules(Struct, frozen=True, kw_only=True):
    """When a stage analyses a case, and its error rate."""

    interim_analyses: Annotated[tuple[Annotated[int, Meta(ge=1)], ...], Meta(min_length=1)]
    """The numbers of rounds after which a case is analysed, ascending."""
    further_analyses: tuple[Annotated[int, Meta(ge=1)], ...] = ()
    """Further numbers of rounds, for cases whose threshold is 1.5 % or less."""
    timed: bool = False
    """Whether all cases have the further analyses, as far as a time limit leaves time for them."""
    error: Annotated[float, Meta(gt=0, lt=1)]
    """The error rate of all interim analyses together."""

    def analyses(self, threshold: float) -> tuple[int, ...]:
        """Return the numbers of rounds after which a case with this *threshold* is analysed."""
        return self.interim_analyses + (self.further_analyses if threshold <= SMALL_THRESHOLD or self.timed else ())

    def usual(self, threshold: float) -> tuple[int, ...]:
        """Return the analyses of a case before those that only a time limit with time left allows."""
        return replace(self, timed=False).analyses(threshold)

    def as_timed(self) -> "StageRules":
        """Return these rules with further analyses for all cases, up to LONGEST rounds."""
        analyses = self.until(LONGEST).interim_analyses
        return replace(self, further_analyses=analyses[len(self.interim_analyses) :], timed=True)

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

    def timed(self) -> "Rules":
        """Return these rules with further analyses for all cases, up to LONGEST rounds: the time limit ends them."""
        return replace(self, screening=self.screening.as_timed(), confirmation=self.confirmation.as_timed())

    def of(self, stage: Stage) -> StageRules:
        """Return the rules of *stage*."""
        return self.screening if stage == "screening" else self.confirmation
