"""What the first page of a site with claims leads with: its answers."""

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
