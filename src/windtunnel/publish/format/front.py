"""What the first page of a site leads with: the answers of a suite with claims, or the map of recent changes."""

from typing import Annotated

import msgspec
from msgspec import Meta

from windtunnel.claims.format import CommitFlip, Decision, FindingAnswer

Index = Annotated[int, Meta(ge=0)]
Limits = tuple[float, float]
"""The lower and the upper limit of an interval."""


class AnswerCase(msgspec.Struct, frozen=True, kw_only=True):
    """A side of the test that answers a question."""

    benchmark: str
    """The benchmark."""
    params: tuple[str, ...]
    """The values of its parameters, as asv stores them."""


class AnswerFigure(msgspec.Struct, frozen=True, kw_only=True):
    """What the test found at a target."""

    target: str
    """The name of the target in claims.json."""
    decision: Decision
    """What the test decides there."""
    reason: str
    """Why it is undecided; else empty."""
    ratio: float | None
    """The ratio, contender / baseline; null where it has none."""
    interval: Limits | None
    """The interval of the ratio; null where it has none."""
    contender: float | None
    """The value of the contender; null where it has none, and where other cases divide the ratio."""
    baseline: float | None
    """The value of the baseline; null likewise."""
    commit: str | None
    """The commit that was measured."""
    date: str
    """The date of the commit, UTC, ISO 8601; empty without one."""
    measured: str
    """The day of measuring, UTC; empty where results do not state it."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A question of a reader, its answers, and the figures that they rest on."""

    id: str
    """The id of the finding in claims.json."""
    question: str
    """What the reader does or asks."""
    claim: str
    """The id of the claim that answers."""
    contender: AnswerCase
    """The case in the numerator of the ratio."""
    baseline: AnswerCase
    """The case in the denominator."""
    given: tuple[str, ...]
    """The values of the parameters that both cases share."""
    unit: str
    """The unit of the cases' values."""
    caveat: str
    """What limits the answer; empty if nothing does."""
    quantity: str
    """What the values are; empty if their unit says it."""
    answers: tuple[FindingAnswer, ...]
    """The sentences, each with the targets where it is the answer; empty if no target decides."""
    figures: tuple[AnswerFigure, ...]
    """The figures of the targets that measured the cases."""


class ClaimSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The claims in short: how many are decided, and the answers for the first page."""

    claims: Index
    """The number of claims."""
    holds: Index
    """The number of decisions, one for each claim and target, that a claim holds."""
    fails: Index
    """The number of decisions that a claim fails."""
    undecided: Index
    """The number of claims and targets that are in scope and undecided."""
    answers: tuple[Answer, ...]
    """The findings in the order of the claims file, the undecided ones last; those that no target measured are left
    out."""
    flips: tuple[CommitFlip, ...] = ()
    """The newest decisions that changed from one commit to the next, newest first."""


class MapCommit(msgspec.Struct, frozen=True, kw_only=True):
    """A column of the map."""

    commit: Index
    """The commit's index among all commits."""
    hash: str
    """The full hash."""
    subject: str | None
    """The first line of the message; null where the publishing clone does not have the commit."""
    date: int | None
    """The author's date, in seconds since 1970; null likewise."""


class MapRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the map: a benchmark."""

    benchmark: str
    """The benchmark."""
    changed: bool
    """Whether a change of it was detected at one of these commits."""
    higher_is_better: bool
    """Whether a larger value is an improvement."""
    least: Index
    """The smallest change that exceeds the noise of the benchmark, at least 5 %, in per mille."""
    changes: tuple[int | None, ...]
    """For each commit the relative change in per mille: the median over the series of the benchmark, each without what
    its machine did, divided by the median of the oldest third of its values here. Null where nothing has a value."""


class ChangeMap(msgspec.Struct, frozen=True, kw_only=True):
    """Benchmarks by recent commits."""

    commits: tuple[MapCommit, ...]
    """The newest commits with results, oldest first."""
    rows: tuple[MapRow, ...]
    """The benchmarks with a detected change, the largest first, then others that moved, the largest first."""
    moved: Index
    """The number of benchmarks with a detected change, or one that exceeds their noise; the rows are the first."""
    benchmarks: Index
    """The number of benchmarks that have values at these commits."""
    machine_shifts: Index
    """The number of shifts of a whole machine that were divided out of the times."""
