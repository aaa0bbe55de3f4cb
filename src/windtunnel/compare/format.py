"""verdict.json: the types of the file; docs/verdict.schema.json is generated from them."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Annotated, Final, Literal, Self, get_args

from msgspec import Meta, Struct

from windtunnel.compare.samples_format import MAX_SEEDS, InstructionChange, PairedSamples, ProcessStatistic, Rules
from windtunnel.formats import Format
from windtunnel.model.benchmark import CaseIdentity, Identity
from windtunnel.model.run import Interval
from windtunnel.model.schedule import ComparedCommit, Stage

SCHEMA = "windtunnel.verdict/1"
"""Changes when a reader of the old format would misread the new one."""


OUT_OF_TIME = "The time limit was reached before every case was decided."
"""The note of a comparison that its time limit ended."""

RULES_CHANGED = (
    "The thresholds or directions of improvement in [tool.windtunnel] differ from those of base. This verdict uses the "
    "new ones: review that change."
)
"""A note that always causes a comment, because a pull request must not hide its own regression without a word."""


NOT_REPEATED = "suspected by screening, not measured again"
"""The note of a case whose suspected change was not tested on fresh data."""

Verdict = Literal["regressed", "improved", "unchanged", "undecided", "inconclusive"]
"""The result of one case; an undecided one excludes a doubling (or halving), an inconclusive one does not even that."""

VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)


UNDECIDED: Final[tuple[Verdict, ...]] = ("undecided", "inconclusive")
"""The results of cases that are neither changed nor unchanged."""

StoppedBy = Literal["", "noise", "time"]
"""What kept a case from a decision: its noise, or the end of measuring; empty if it is decided."""

Overall = Literal[
    "regressed", "improved", "unchanged", "undecided", "inconclusive", "same_artifact", "nothing_measured"
]
"""The result of the whole comparison; nothing is measured where both commits build the same artifact."""


UNTOUCHED = "it runs nothing that changed"
"""Why a case is left out that the change cannot reach."""

MissingKind = Literal["failed", "added", "removed", "skipped", "incomparable", "unaffected"]
"""Why a case has no verdict; each value is the field of the report that lists such cases."""

MISSING_KINDS: Final[tuple[MissingKind, ...]] = get_args(MissingKind)


class ArmSummary(Struct, frozen=True, kw_only=True):
    """One arm of a compared case; values are in the unit of the case."""

    value: float
    """The mean of the processes: geometric if the change is a ratio; within levels, at equal shares of both levels."""
    interval: Interval | None
    """The 95 % confidence interval of that mean."""
    processes: int
    median: float | None = None
    """The median over processes of each process's median; null if not recorded."""
    p95: float | None = None
    """The median over processes of each process's 95th percentile; null if not recorded."""


class Comparison(PairedSamples, frozen=True, kw_only=True):
    """The verdict on one case, with the samples that it is based on."""

    baseline: ArmSummary
    contender: ArmSummary
    statistic: ProcessStatistic = ""
    """What the values of both arms are; median and p95 are always of wall time."""
    relative_change: float | None
    """contender / baseline - 1; null if the baseline is zero."""
    interval: Interval | None
    """The confidence interval of the relative change."""
    confidence: float
    """The confidence of that interval, from 0 to 1."""
    verdict: Verdict
    significant: bool
    """Whether fresh data confirmed that the change exceeds noise, at the error rate of the whole suite."""
    smallest_detectable: float | None
    """The relative change that four of five such comparisons would detect."""
    rounds_needed: int | None
    """How many more rounds would decide the case; null if it is decided, if none would, or if that is unknown."""
    stopped_by: StoppedBy = ""
    instructions: InstructionChange | None = None
    """What counts of instructions show; null if counting was not tried. The verdict does not use it."""
    notes: tuple[str, ...] = ()

    @property
    def bound(self) -> float | None:
        """The change for the worse from which on the interval excludes all, at least the threshold; None if unknown."""
        if self.interval is None:
            return None
        if self.better == "lower":
            return max(self.interval.high, self.threshold)
        return min(self.interval.low, -self.threshold)

    def samples(self) -> PairedSamples:
        """Return the samples without the verdict, for example to decide again."""
        return PairedSamples(**{name: getattr(self, name) for name in PairedSamples.__struct_fields__})


class NotCompared(CaseIdentity, frozen=True, kw_only=True):
    """A case without a verdict."""

    reason: str = ""
    on: tuple[ComparedCommit, ...] = ()
    """The commits that gave no value; empty if unknown."""

    @classmethod
    def of(cls, case: CaseIdentity, reason: str = "", on: tuple[ComparedCommit, ...] = ()) -> Self:
        """Return the entry for *case*."""
        return cls(benchmark=case.benchmark, params=case.params, environment=case.environment, reason=reason, on=on)


class CommonChange(Struct, frozen=True, kw_only=True):
    """A factor by which nearly all cases changed."""

    relative_change: float
    cases: int
    """How many of the compared cases lie close to that change."""


class ComparisonCoverage(Struct, frozen=True, kw_only=True):
    """How many cases were compared; new, removed and unaffected cases are not counted."""

    planned: int
    compared: int


class FalseAlarms(Struct, frozen=True, kw_only=True):
    """The result of the A/A comparison, base against base, in which every alarm is false."""

    comparisons: Annotated[int, Meta(ge=0)] = 0
    alarms: Annotated[int, Meta(ge=0)] = 0
    suspects: tuple[PairedSamples, ...] = ()
    """Those of the comparisons that screening suspects, with their samples, for a confirmation."""


class SelfCheck(Struct, frozen=True, kw_only=True):
    """Base and head are the same commit, so each alarm is false unless a slowdown is built in."""

    slowdown: float = 0.0
    """The share by which the processes of head take longer on purpose; 0 for none."""
    achieved: float | None = None
    """The median over cases of the share that the processes took longer; null without a slowdown."""


class MachineTiming(Struct, frozen=True, kw_only=True):
    """How long one machine took."""

    stage: Stage
    """The stage that it began with."""
    building_seconds: float
    """Building both commits."""
    measuring_seconds: float
    """All that follows: finding what cases run, processes, counting and profiling."""
    mapping_seconds: float = 0.0
    """Finding what cases run."""
    import_seconds: float = 0.0
    """Starting parents, which import the suite."""
    setup_seconds: float = 0.0
    """Starting processes and setting up."""
    warmup_seconds: float = 0.0
    sample_seconds: float = 0.0
    work_seconds: float = 0.0
    """Counting instructions and profiling."""

    @property
    def seconds(self) -> float:
        """The total."""
        return self.building_seconds + self.measuring_seconds


class Budget(Struct, frozen=True, kw_only=True):
    """What the comparison cost."""

    seconds: float | None = None
    """The time it took on all machines; null if nothing was measured."""
    allowed_seconds: float | None = None
    """The time limit of measuring, without building; null if there was none."""
    processes: int = 0
    process_seconds: float = 0.0
    """How long these processes took together."""
    machine_timings: tuple[MachineTiming, ...] = ()


class ComparedMachine(Struct, frozen=True, kw_only=True):
    """A machine that measured."""

    name: str
    """The name that samples refer to."""
    description: str = ""
    """Processor, cores and operating system in one line."""


class ComparedEnvironment(Struct, frozen=True, kw_only=True):
    """An environment that both commits were built in."""

    name: str
    """asv's name."""
    differences: tuple[str, ...] = ()
    """How the Pythons and the installed packages of base and head differ, apart from the project itself."""
    base_python: str = ""
    """The Python that the caller prepared for base; empty if asv made the environment."""
    head_python: str = ""
    """The Python that the caller prepared for head; empty if asv made the environment."""


class EnvironmentFailure(Struct, frozen=True, kw_only=True):
    """An environment in which nothing was compared."""

    name: str
    """asv's name, or the Python that is not installed."""
    on: ComparedCommit | None = None
    """The commit that failed; null if the environment itself is missing."""
    reason: str
    """The step that failed, and the end of its output."""


class Reach(Struct, frozen=True, kw_only=True):
    """Which cases run code that differs between the commits."""

    cases: int = 0
    """The cases that could be compared."""
    reached: int = 0
    """Those of them that run a changed function, or may."""
    guard: tuple[CaseIdentity, ...] = ()
    """Cases drawn at random among the others; they are measured as a control."""
    imported: tuple[str, ...] = ()
    """Changed files whose code runs when the suite is imported, so that all cases of a module are reached."""
    unreached: tuple[str, ...] = ()
    """Changed files with code, or of any kind where no code changed, of which no case runs what changed."""
    unattributed: tuple[str, ...] = ()
    """Changed files that are not Python code, or that take part in the build, so that every case is reached."""
    map_commit: str = ""
    """The commit whose kept map says what cases run; empty if each of them ran with head's project to find out."""


class ReportContext(Struct, frozen=True, kw_only=True):
    """Everything in a report that the decision does not add; shards agree on base, head and rules."""

    schema: str = SCHEMA
    base: str
    """The hash of the base commit."""
    head: str
    """The hash of the head commit."""
    rules: Rules = Rules()
    machines: tuple[ComparedMachine, ...] = ()
    environments: tuple[ComparedEnvironment, ...] = ()
    environment_failures: tuple[EnvironmentFailure, ...] = ()
    """Environments in which nothing was compared, because a commit could not be built or a Python is missing."""
    budget: Budget = Budget()
    failed: tuple[NotCompared, ...] = ()
    """Cases that gave no value on at least one commit."""
    added: tuple[NotCompared, ...] = ()
    """Cases that only head has, or that only head's suite has and base cannot run."""
    removed: tuple[NotCompared, ...] = ()
    """Cases that only base has."""
    skipped: tuple[NotCompared, ...] = ()
    """Cases that the suite skips, that measuring did not reach, or that cannot be slowed down for a self-check."""
    incomparable: tuple[NotCompared, ...] = ()
    """Cases whose code differs although both commits run one suite, or that changed so that base cannot run them."""
    unaffected: tuple[NotCompared, ...] = ()
    """Cases that run none of the code that changed, or that ``--changed-only`` left out."""
    reach: Reach | None = None
    """Which cases the change can reach; null if all were to be measured."""
    control_change: float | None = None
    """How far the control moved together, as head / base - 1, while suspects were confirmed; null if it did not move
    beyond its error. Then the machine has changed, and no case is reported as changed."""
    unmeasured: Literal["irrelevant"] | None = None
    """Why nothing was measured, if that was decided beforehand."""
    same_artifact: bool = False
    """Whether both commits build the same artifact."""
    aa: FalseAlarms = FalseAlarms()
    self_check: SelfCheck | None = None
    """Set where a commit is compared with itself, to count false alarms and detected slowdowns."""
    notes: tuple[str, ...] = ()

    def missing(self, kind: MissingKind) -> tuple[NotCompared, ...]:
        """Return the cases that have no verdict because of *kind*."""
        found: tuple[NotCompared, ...] = getattr(self, kind)
        return found


class ComparisonReport(ReportContext, frozen=True, kw_only=True):
    """The content of verdict.json."""

    overall: Overall
    common_change: CommonChange | None
    coverage: ComparisonCoverage
    comparisons: tuple[Comparison, ...]

    @property
    def is_irrelevant(self) -> bool:
        """Whether nothing was measured because no changed file can affect a case."""
        all_unaffected = bool(self.unaffected) and self.coverage.planned == 0
        return self.unmeasured == "irrelevant" or all_unaffected

    @property
    def unbuilt_on_head(self) -> tuple[EnvironmentFailure, ...]:
        """The environments in which head could not be built."""
        return tuple(one for one in self.environment_failures if one.on == "head")

    @property
    def failed_on_head(self) -> tuple[NotCompared, ...]:
        """The cases that failed, except those known to fail on base."""
        return tuple(one for one in self.failed if "base" not in one.on)

    @property
    def failed_on_base(self) -> tuple[NotCompared, ...]:
        """The cases that fail on base already, so head did not cause it."""
        return tuple(one for one in self.failed if "base" in one.on)

    @property
    def breaks_cases(self) -> bool:
        """Whether cases that base can run fail on head, or head cannot be built in an environment."""
        return bool(self.failed_on_head or self.unbuilt_on_head)

    @property
    def instruction_regressions(self) -> tuple[Comparison, ...]:
        """The cases that execute more instructions than ``instructions_threshold`` allows, whatever their times."""
        return tuple(one for one in self.comparisons if one.instructions and one.instructions.regressed)

    @property
    def has_regressed(self) -> bool:
        """Whether a case regressed by time or by instructions."""
        return self.overall == "regressed" or bool(self.instruction_regressions)

    @property
    def is_empty(self) -> bool:
        """Whether no machine measured, no samples were compared, and no case has a reason."""
        reasons = self.environment_failures or any(self.missing(kind) for kind in MISSING_KINDS)
        return not (self.machines or self.comparisons or reasons)

    @property
    def changed(self) -> tuple[Comparison, ...]:
        """The cases that regressed, then those that improved."""
        return self.having("regressed") + self.having("improved")

    def having(self, *wanted: Verdict) -> tuple[Comparison, ...]:
        """Return the comparisons with one of the verdicts *wanted*."""
        return tuple(one for one in self.comparisons if one.verdict in wanted)


def _problems_of_samples(samples: Sequence[PairedSamples]) -> Iterator[str]:
    seen: set[Identity] = set()
    for one in samples:
        if one.work and max(len(one.work.base.per_call), len(one.work.head.per_call)) > MAX_SEEDS:
            yield f"{one.benchmark[:200]!r} has counts of more than {MAX_SEEDS} hash seeds"
        if one.identity in seen:
            yield f"{one.benchmark[:200]!r} is compared twice with the same parameters and environment"
        seen.add(one.identity)
        for each in one.stage_samples:
            fewer, more = sorted((len(each.baseline.values), len(each.contender.values)))
            if fewer != more:
                yield f"{one.benchmark[:200]!r} has {fewer} and {more} processes; the numbers must be equal"


def _problems(report: ComparisonReport) -> Iterator[str]:
    """Yield contradictions, and what would make deciding again fail."""
    for stage in (report.rules.screening, report.rules.confirmation):
        analyses = (*stage.interim_analyses, *stage.further_analyses)
        if any(later <= earlier for earlier, later in pairwise(analyses)):
            yield f"interim_analyses are {list(analyses)[:20]}, but must be ascending numbers of rounds"
    yield from _problems_of_samples(report.comparisons)
    yield from _problems_of_samples(report.aa.suspects)
    if report.aa.comparisons < max(report.aa.alarms, len(report.aa.suspects)):
        yield f"the A/A comparison has more alarms or suspects than its {report.aa.comparisons} comparisons"
    if report.overall in {"regressed", "improved"} and not any(
        one.verdict == report.overall for one in report.comparisons
    ):
        yield f"overall is {report.overall}, but no comparison is"


VERDICT_FORMAT = Format(
    name="verdict.json",
    type=ComparisonReport,
    schema=SCHEMA,
    remedy="write it again with windtunnel compare",
    check=_problems,
)
