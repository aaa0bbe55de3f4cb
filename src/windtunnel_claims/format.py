"""claims.json: what ``windtunnel claims`` decides (docs/how-to/claims.md)."""

from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Annotated, Literal

from msgspec import Meta, Struct

from windtunnel.formats import Format
from windtunnel.model.identity import BenchmarkName, CommitHash, EnvironmentName, MachineName, Parameters
from windtunnel.model.run import Interval

SCHEMA = "windtunnel.claims/1"
"""The version of the format. New fields have defaults and do not change the number; it changes when a reader of the old
form would misread the new one."""

Count = Annotated[int, Meta(ge=0)]
Text = Annotated[str, Meta(min_length=1)]
Probability = Annotated[float, Meta(ge=0, le=1)]


Condition = Literal["", "idle", "awake"]

CONDITIONS_DIFFER = "conditions differ: "
"""How the reason of a claim begins that holds in one condition and fails in the other."""


class Decision(StrEnum):
    """What the results say about a claim."""

    HOLDS = "holds"
    DIRECTION = "holds_in_direction"
    """It holds, but a ratio does not have the published size."""
    FAILS = "fails"
    ABOUT = "about_at_the_limit"
    """A ratio lies so near an end of its band that neither can be said."""
    UNDECIDED = "undecided"
    OUT_OF_SCOPE = "out_of_scope"


class Setting(Struct, frozen=True, kw_only=True):
    """A parameter and its value."""

    name: str
    """The name of the parameter."""
    value: str
    """The ``repr`` of the value, as asv stores it: a string keeps its quotes."""


class ClaimSource(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A publication that claims come from: an entry of ``[sources]``."""

    title: Text
    """The title, as shown."""
    url: Annotated[str, Meta(pattern="^https?://")] | None = None
    """Its web address; null if it has none."""
    about: str = ""
    """Its language, year and author, in a sentence."""
    own: bool = False
    """Whether these are questions of the suite itself, which no publication asked."""
    id: str = ""
    """The key that claims refer to."""


class ClaimStatement(Struct, frozen=True, kw_only=True):
    """A claim in words."""

    id: Text
    """A name that no other claim has."""
    source: Text
    """The id of the source."""
    sentence: Text
    """What is claimed."""
    published_text: str = ""
    """What the source says where it has no figure; the figures themselves are with the tests."""
    said_by: Literal["article", "readers", "suite"] = "article"
    """Whether an article says it, its readers ask it, or the authors of the suite do."""


class ClaimTarget(Struct, frozen=True, kw_only=True):
    """An environment on a machine, as far as the scope of claims depends on it."""

    name: str
    """A name that no other target of the file has."""
    python: str
    """The version of Python, as asv writes it."""
    machine: MachineName
    """The name of the machine."""
    environment: EnvironmentName
    """The name of the environment."""
    cores: Annotated[int, Meta(ge=1)] | None
    """The number of cores; null if the machine does not record it."""
    gil: bool
    """Whether the build has a global interpreter lock."""
    build: str = ""
    """The full version of Python, its compiler and the options of its ``configure``; empty if unknown."""

    @property
    def built(self) -> str:
        """How the Python was built; only Pythons that were built alike are compared with each other."""
        return self.build.partition(", ")[2]


class Measurement(Struct, frozen=True, kw_only=True):
    """One case of a test."""

    benchmark: BenchmarkName
    """The benchmark."""
    params: Parameters
    """The values of its parameters, as asv stores them."""
    value: float | None = None
    """The geometric mean over blocks; null if there is none."""
    unit: str | None = None
    """The unit of the value."""


class DecidedTest(Struct, frozen=True, kw_only=True):
    """A ratio, contender / baseline, and whether it lies within the claimed band."""

    contender: Measurement
    """The case in the numerator."""
    baseline: Measurement
    """The case in the denominator."""
    low: float | None
    """The lower end of the band; null if it has none."""
    high: float | None
    """The upper end of the band; null if it has none."""
    published: float | None
    """The ratio that the source reports; null if it has none."""
    decision: Decision
    """Whether the interval lies within the band."""
    reason: str
    """Why the test is undecided; else empty."""
    ratio: float | None
    """The measured ratio; null without an interval."""
    interval: Interval | None
    """The interval of the ratio; null if it cannot be computed."""
    blocks: Count = 0
    """How many blocks the interval is computed from; 0 without one."""
    block_ratios: tuple[float, ...] = ()
    """The ratio of each of these blocks, in the order of measuring, to five significant digits."""
    zone: Probability = 0.0
    """The share next to each end of the band within which the ratio is about at the limit."""
    days: Count = 0
    """Over how many days or boots the interval goes; 0 if it goes over blocks."""
    size: Decision | None = None
    """Whether the ratio is the published one, times or divided by 1.5; null without a published one."""
    levels: tuple[float, ...] = ()
    """The two ratios between which blocks jump; empty if they do not."""
    condition: Condition = ""
    """Whether the processors were kept awake; empty where that does not matter."""
    at: str = ""
    """The value of the parameter of a series; empty without a series."""


class FigureResult(Struct, frozen=True, kw_only=True):
    """A figure that accompanies a claim; it decides nothing."""

    name: str
    """What the figure is."""
    value: float | None = None
    """The figure; null if there is none."""
    unit: str | None = None
    """The unit of the figure; null for a ratio."""
    low: float | None = None
    """The lower end of the 95 % interval; null if it has none."""
    high: float | None = None
    """The upper end of the 95 % interval; null if it has none."""
    reason: str = ""
    """Why the figure is missing; else empty."""


class Crossing(Struct, frozen=True, kw_only=True):
    """Where the contender of a series begins to take less. Values are empty where there is none."""

    parameter: str
    """The parameter of the series."""
    low: str
    """The largest value up to which it is shown to take more."""
    high: str
    """The smallest value from which on it is shown to take less."""
    claimed: tuple[str, str]
    """The values that are claimed: it takes more at the first, and less at the second."""

    @property
    def words(self) -> str:
        """The crossing in words."""
        if self.low and self.high:
            return f"between {self.low} and {self.high}"
        return (
            f"from {self.high} on or earlier" if self.high else f"above {self.low} or never" if self.low else "unknown"
        )


class DecidedClaim(Struct, frozen=True, kw_only=True):
    """The decision on a claim at a target."""

    claim: str
    """The id of the claim."""
    target: str
    """The name of the target."""
    decision: Decision
    """The decision: the claim holds if all its tests hold."""
    reason: str
    """Why the claim is undecided or out of scope; else empty."""
    given: tuple[Setting, ...] = ()
    """The parameters that all cases share, such as the load."""
    commit: CommitHash | None = None
    """The commit that the decision is about; null if nothing was measured."""
    date: str = ""
    """The date of the commit, UTC, ISO 8601; empty without one."""
    decisive: Count = 0
    """The index of the test that decides: the first that fails, else the first undecided one, else the first. A claim
    that holds rests on all tests; reports show the first."""
    tests: tuple[DecidedTest, ...] = ()
    """The tests of the claim; empty if it is out of scope."""
    figures: tuple[FigureResult, ...] = ()
    """The figures of the claim."""
    measured: str = ""
    """The day of measuring, UTC, ISO 8601; empty without blocks."""
    p_value: Probability | None = None
    """The probability of evidence this strong if the decision is wrong, over all analyses; null if undecided."""
    crossing: Crossing | None = None
    """Where the series of the claim changes its direction; null without a series."""
    before: Decision | None = None
    """What the newest earlier commit that decided otherwise said; null if none did."""
    before_commit: CommitHash | None = None
    """That commit."""

    @property
    def is_measured(self) -> bool:
        """Whether any block tried the cases."""
        return self.commit is not None

    @property
    def is_decided(self) -> bool:
        """Whether the claim holds or fails."""
        return self.decision in (Decision.HOLDS, Decision.DIRECTION, Decision.FAILS)

    @property
    def answers(self) -> bool:
        """Whether the claim answers a question: if it is decided or about at the limit, and if conditions differ."""
        is_known = self.is_decided or self.decision is Decision.ABOUT
        return is_known or self.reason.startswith(CONDITIONS_DIFFER)

    @property
    def holds(self) -> bool:
        """Whether the claim holds, whatever the size of its ratios."""
        return self.decision in (Decision.HOLDS, Decision.DIRECTION)


class FindingAnswer(Struct, frozen=True, kw_only=True):
    """The answer to a finding's question at targets that agree."""

    sentence: str
    """The answer in words, with its numbers."""
    decision: Decision
    """Whether the test holds or fails at the targets."""
    targets: tuple[str, ...]
    """The names of the targets."""


class Question(Struct, frozen=True, kw_only=True):
    """A question of a reader that a claim answers."""

    id: Text
    """A name that no other finding has."""
    question: Text
    """What the reader does or asks."""
    claim: Text
    """The id of the claim that answers."""
    caveat: str = ""
    """What limits the answer; empty if nothing does."""
    quantity: str = ""
    """What the values are, such as "longest wait of another task"; empty if their unit says it."""
    group: str = ""
    """The heading that it stands under."""
    program: str = ""
    """What the reader's program does, in few words; empty for the question."""
    use: str = ""
    """What to use, in few words."""
    best: Literal["contender", "baseline"] = "baseline"
    """The side of the test that is recommended: the first page shows the other one divided by it."""


class DecidedFinding(Question, frozen=True, kw_only=True):
    """A question of a reader, with the answers that the first test of a claim gives."""

    answers: tuple[FindingAnswer, ...]
    """The answers: one if all decided targets agree, else one for each group; empty if no target decides."""
    figures: tuple[DecidedClaim, ...] = ()
    """On the first page: the decisions of the targets that measured the claim, each with the test that answers, and all
    values of a series."""


class Verdict(Struct, frozen=True, kw_only=True):
    """The question of the whole suite, and its answer."""

    question: Text
    """The question."""
    answer: Text
    """The answer in one or two sentences."""
    claims: tuple[Text, ...]
    """The ids of the claims that it rests on."""
    start: Text = "windtunnel bench"
    """The command of the main job."""
    next: tuple[tuple[str, str, str], ...] = ()
    """What a reader can measure next: in words, the command, how long it takes."""


class ClaimSummary(Struct, frozen=True, kw_only=True):
    """A board in short, for the first page."""

    answers: tuple[DecidedFinding, ...]
    """The findings in the order of the claims file; those that no target measured are left out."""
    targets: tuple[ClaimTarget, ...]
    """The targets at which claims are decided."""
    false_discovery_rate: Probability | None = None
    """The expected share of wrong decisions among those of a target."""
    claims: Count
    """The number of claims."""
    verdict: Verdict | None = None
    """The question of the whole suite, and its answer."""
    published: "ClaimSummary | None" = None
    """A board that was measured elsewhere and is stored in the repository; null without one."""
    flips: Count = 0
    """How many decisions changed from one commit to the next."""


class ClaimBoard(Struct, frozen=True, kw_only=True):
    """The content of claims.json."""

    schema: str
    """``windtunnel.claims/1``."""
    sources: tuple[ClaimSource, ...]
    """The sources of the claims."""
    claims: tuple[ClaimStatement, ...]
    """The claims, in the order of the claims file."""
    targets: tuple[ClaimTarget, ...]
    """The targets at which claims are decided."""
    decisions: tuple[DecidedClaim, ...]
    """One decision for each claim and target."""
    notes: tuple[str, ...]
    """Sentences about the data, such as commits that a control discards."""
    findings: tuple[DecidedFinding, ...] = ()
    """The findings, in the order of the claims file."""
    false_discovery_rate: Probability | None = None
    """The expected share of wrong decisions among those of a target."""
    analyses: tuple[Annotated[int, Meta(ge=2)], ...] = ()
    """The numbers of blocks after which a claim may be decided."""
    error: Probability | None = None
    """The probability that the interval of a test misses at one analysis."""
    awake: str = ""
    """How processors were kept awake for the tests with the condition ``awake``; empty without one."""

    @property
    def is_decided(self) -> bool:
        """Whether any claim holds or fails."""
        return any(decision.is_decided for decision in self.decisions)


def _problems(board: ClaimBoard) -> Iterator[str]:
    """Yield each name that is listed twice, each that is used but not listed, and each test that does not exist."""
    claims, targets = [each.id for each in board.claims], [each.name for each in board.targets]
    decided = board.decisions
    yield from _repeated("claim", claims)
    yield from _repeated("target", targets)
    yield from _repeated("decision", (f"{each.claim} at {each.target}" for each in decided))
    yield from _unlisted("target", [each.target for each in decided], targets)
    yield from _unlisted("claim", [each.claim for each in decided], claims)
    yield from _repeated("finding", [each.id for each in board.findings])
    yield from _unlisted("claim", [each.claim for each in board.findings], claims)
    answers = [answer for finding in board.findings for answer in finding.answers]
    yield from _unlisted("target", [name for answer in answers for name in answer.targets], targets)
    for each in decided:
        if each.decisive >= max(1, len(each.tests)):
            yield f"claim {each.claim[:80]!r} has no test {each.decisive}"


def _repeated(kind: str, names: Iterable[str]) -> Iterator[str]:
    yield from (f"the {kind} {name[:200]!r} is listed twice" for name, count in Counter(names).items() if count > 1)


def _unlisted(kind: str, used: Iterable[str], listed: Iterable[str]) -> Iterator[str]:
    yield from (f"the {kind} {name[:200]!r} is used but not listed" for name in sorted({*used}.difference(listed)))


CLAIMS_FORMAT = Format(
    name="claims.json", type=ClaimBoard, schema=SCHEMA, remedy="write it again with windtunnel claims", check=_problems
)
