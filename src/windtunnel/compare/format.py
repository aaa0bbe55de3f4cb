"""verdict.json: the types of the file, and its bytes; docs/verdict.schema.json is its published form."""

from dataclasses import dataclass
from enum import StrEnum

import msgspec

from windtunnel import formats
from windtunnel.errors import DataError
from windtunnel.model.measure import CaseIdentity, PairedSamples, Pairing, Stage
from windtunnel.model.result import Interval
from windtunnel.model.schedule import ComparedCommit

SCHEMA = "windtunnel.verdict/1"
"""Changes when a reader of the old form would misread the new one; docs/verdict.md has the history."""


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
    """How verdicts are reached; docs/statistics.md measures what these values are worth.

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


DESCRIPTION = "What windtunnel compare says of two commits; docs/verdict.md explains it."


def encode_report(report: ComparisonReport) -> bytes:
    """Return the content of verdict.json."""
    return formats.encode_pretty(report)


def decode_report(content: bytes, source: str) -> ComparisonReport:
    """Return the judgement that *content* holds; raises DataError, naming *source* and the place in it.

    Whoever wrote the file is not trusted: types are checked, and whatever judging it again would stumble on.
    """
    report = formats.decode(content, ComparisonReport, source)
    if report.schema != SCHEMA:
        raise DataError(f"{source} has the schema {report.schema[:80]!r}; this version reads {SCHEMA!r}")
    for stage in (report.rules.screening, report.rules.confirmation):
        _check_rules(stage, source)
    seen: set[tuple[str, tuple[str, ...], str]] = set()
    for one in report.comparisons:
        if one.identity in seen:
            raise DataError(f"{source} compares {one.benchmark[:200]!r} with the same parameters and environment twice")
        seen.add(one.identity)
        _check_trial(one, source)
    for overall, verdict in ((Overall.REGRESSED, Verdict.REGRESSED), (Overall.IMPROVED, Verdict.IMPROVED)):
        if report.overall is overall and not report.having(verdict):
            raise DataError(f"{source} contradicts itself: overall is {overall}, but no comparison is")
    return report


def schema() -> bytes:
    """Return the JSON schema of verdict.json (draft 2020-12)."""
    found = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCHEMA,
        "description": DESCRIPTION,
        **msgspec.json.schema(ComparisonReport),
    }
    return formats.encode_pretty(found)


def _check_rules(rules: StageRules, source: str) -> None:
    interim_analyses = rules.interim_analyses
    if not interim_analyses or any(
        later <= earlier for earlier, later in zip((0, *interim_analyses), interim_analyses, strict=False)
    ):
        raise DataError(
            f"{source}: looks are {list(interim_analyses)[:20]}; they are numbers of rounds, each above the one before"
        )
    if not 0 < rules.error < 1:
        raise DataError(f"{source}: an error rate is {rules.error}; it lies between 0 and 1")


def _check_trial(paired: PairedSamples, source: str) -> None:
    if not 0 < paired.threshold < float("inf"):
        raise DataError(
            f"{source}: the threshold of {paired.benchmark[:200]!r} is {paired.threshold}; it is above zero"
        )
    for one in paired.stage_samples:
        sizes = {len(side.values) for side in (one.baseline, one.contender)}
        if one.pairing is Pairing.INTERLEAVED and len(sizes) > 1:
            raise DataError(
                f"{source}: a pass of {paired.benchmark[:200]!r} has {min(sizes)} and {max(sizes)} processes"
            )
