"""verdict.json: the types of the file; docs/verdict.schema.json is generated from them."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from windtunnel.formats import Format
from windtunnel.model.measure import CaseIdentity, PairedSamples, Pairing, Stage
from windtunnel.model.result import Interval
from windtunnel.model.schedule import ComparedCommit

SCHEMA = "windtunnel.verdict/1"
"""Changes when a reader of the old form would misread the new one; docs/explanation/verdict.md has the history."""


class Verdict(StrEnum):
    """What is said of a case."""

    REGRESSED = "regressed"
    IMPROVED = "improved"
    UNCHANGED = "unchanged"
    INCONCLUSIVE = "inconclusive"


class Overall(StrEnum):
    """What is said of the head."""

    REGRESSED = "regressed"
    IMPROVED = "improved"
    UNCHANGED = "unchanged"
    INCONCLUSIVE = "inconclusive"
    SAME_ARTIFACT = "same_artifact"
    NOTHING_MEASURED = "nothing_measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmSummary:
    """One side of a comparison: mean of its processes (geometric where the change is a ratio) and its 95 % interval.

    *median* and *p95* are the medians over processes of each process's own; null where nobody recorded them.
    """

    value: float
    interval: Interval | None
    processes: int
    median: float | None = None
    p95: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(PairedSamples):
    """One case judged, with the trial it rests on.

    *relative_change* is contender / baseline - 1, null where the baseline is zero; *interval* holds it with
    *confidence*. *significant*: beyond noise by the error control of the whole suite. *confirmed*: shown again on
    fresh data. *smallest_detectable*: the change that four of five such comparisons would have seen.
    *rounds_needed*: how many more would decide an inconclusive case; null where none would or that cannot be known.
    """

    baseline: ArmSummary
    contender: ArmSummary
    relative_change: float | None
    interval: Interval | None
    confidence: float
    verdict: Verdict
    significant: bool
    confirmed: bool
    smallest_detectable: float | None
    rounds_needed: int | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCompared(CaseIdentity):
    """A case that has no verdict, and why; *on* are the commits that gave no value, none where that is not known."""

    reason: str = ""
    on: tuple[ComparedCommit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonChange:
    """Nearly everything moved by the same factor: *cases* of all compared lie close to *relative_change*.

    *removed*: the factor was divided out before judging, because base and head were measured apart.
    """

    relative_change: float
    cases: int
    removed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonCoverage:
    """How much of what was planned was compared."""

    planned: int
    compared: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FalseAlarms:
    """The A/A arm, base against base: every alarm there is false."""

    comparisons: int = 0
    alarms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRules:
    """*looks*: the numbers of rounds after which a case is looked at; *error*: what all looks together may err."""

    interim_analyses: tuple[int, ...]
    error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How verdicts are reached; docs/explanation/statistics.md measures what these values are worth.

    The error of screening is per case and only costs rounds; that of confirmation is the chance that a comparison
    without any change raises an alarm, however many cases it has. Without confirmation, screening alone is held to it.
    """

    screening: StageRules = StageRules(interim_analyses=(4, 6, 10, 16, 24), error=0.05)
    confirmation: StageRules = StageRules(interim_analyses=(8, 11, 15, 22, 30), error=0.01)
    confirm: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineTiming:
    """What one machine did of a comparison: *stage* is what it began with; building is of both commits."""

    stage: Stage
    building_seconds: float
    measuring_seconds: float

    @property
    def seconds(self) -> float:
        """Return what it took in all."""
        return self.building_seconds + self.measuring_seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What measuring took and was allowed; null where nothing was measured or nothing limited it."""

    seconds: float | None = None
    allowed_seconds: float | None = None
    processes: int = 0
    machine_timings: tuple[MachineTiming, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedMachine:
    """Where it was measured: the name that passes refer to, and a line for people."""

    name: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedEnvironment:
    """An environment by asv's name, and in what its two sides differ apart from the project itself."""

    name: str
    differences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonContext:
    """Everything about a comparison that judging does not decide; shards agree on base, head and rules."""

    schema: str = SCHEMA
    base: str
    head: str
    rules: Rules = Rules()
    machines: tuple[ComparedMachine, ...] = ()
    environments: tuple[ComparedEnvironment, ...] = ()
    budget: Budget = Budget()
    failed: tuple[NotCompared, ...] = ()
    added: tuple[NotCompared, ...] = ()
    removed: tuple[NotCompared, ...] = ()
    skipped: tuple[NotCompared, ...] = ()
    incomparable: tuple[NotCompared, ...] = ()
    same_artifact: bool = False
    aa: FalseAlarms = FalseAlarms()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonReport(ComparisonContext):
    """The content of verdict.json. What is new or gone was never planned, so *coverage* leaves it out."""

    overall: Overall
    common_change: CommonChange | None
    coverage: ComparisonCoverage
    comparisons: tuple[Comparison, ...]

    @property
    def broken(self) -> tuple[NotCompared, ...]:
        """Return what failed, as far as base is not known to have failed too."""
        return tuple(one for one in self.failed if ComparedCommit.BASE not in one.on)

    @property
    def failing_before(self) -> tuple[NotCompared, ...]:
        """Return what failed on base already: nothing that head did."""
        return tuple(one for one in self.failed if ComparedCommit.BASE in one.on)

    def having(self, verdict: Verdict) -> tuple[Comparison, ...]:
        """Return the comparisons that ended with *verdict*."""
        return tuple(one for one in self.comparisons if one.verdict is verdict)


def _problems(report: ComparisonReport) -> Iterator[str]:
    """Yield what would make deciding again from this file fail, or contradicts itself."""
    for stage in (report.rules.screening, report.rules.confirmation):
        yield from _rule_problems(stage)
    seen: set[tuple[str, tuple[str, ...], str]] = set()
    for one in report.comparisons:
        if one.identity in seen:
            yield f"{one.benchmark[:200]!r} is compared twice with the same parameters and environment"
        seen.add(one.identity)
        yield from _sample_problems(one)
    for overall, verdict in ((Overall.REGRESSED, Verdict.REGRESSED), (Overall.IMPROVED, Verdict.IMPROVED)):
        if report.overall is overall and not report.having(verdict):
            yield f"overall is {overall}, but no comparison is"


def _rule_problems(rules: StageRules) -> Iterator[str]:
    rounds = (0, *rules.interim_analyses)
    if len(rounds) == 1 or any(later <= earlier for earlier, later in pairwise(rounds)):
        yield f"interim_analyses are {list(rounds[1:21])}, but must be increasing numbers of rounds"
    if not 0 < rules.error < 1:
        yield f"an error rate is {rules.error}, but must be between 0 and 1"


def _sample_problems(paired: PairedSamples) -> Iterator[str]:
    if not 0 < paired.threshold < float("inf"):
        yield f"the threshold of {paired.benchmark[:200]!r} is {paired.threshold}, but must be above zero"
    for one in paired.stage_samples:
        sizes = {len(side.values) for side in (one.baseline, one.contender)}
        if one.pairing is Pairing.INTERLEAVED and len(sizes) > 1:
            yield f"a stage of {paired.benchmark[:200]!r} has {min(sizes)} and {max(sizes)} processes, not as many"


VERDICT_FORMAT = Format(
    name="verdict.json",
    type=ComparisonReport,
    schema=SCHEMA,
    remedy="write it again with windtunnel compare",
    check=_problems,
)
