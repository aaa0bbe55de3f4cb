"""Acknowledged regressions of a pull request: kept in a hidden line of the comment with the verdict.

A later verdict whose regressions are all acknowledged, and not clearly larger than they were, does not fail the check.
Only comments of Windtunnel's own author are read.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec
from msgspec import Struct

from windtunnel import formats
from windtunnel.compare.format import Comparison, ComparisonReport, Verdict
from windtunnel.errors import DataError, UsageError
from windtunnel.model.identity import case_name
from windtunnel.model.measure import Better
from windtunnel.text import numbers
from windtunnel.text.escaping import code, plain

MAX_KEPT = 5
"""Acknowledgements in a comment; older ones are dropped."""
MAX_CASES = 200
"""Regressions that one acknowledgement names; more do not fit into a comment beside the verdict."""
MAX_REASON_LENGTH = 300
"""Characters of a reason in a comment."""
MAX_NAMED = 3
"""Regressions that are named because they are not acknowledged."""

HIDDEN = re.compile(r"<!-- windtunnel:acknowledged ([A-Za-z0-9_=-]{1,60000}) -->")


class AcknowledgedCase(Struct, frozen=True, array_like=True):
    """A regressed case."""

    digest: str
    """Identifies the case."""
    limit: float | None
    """How much worse the case may be: the end of the interval of that time; None where the base is zero."""


class Acknowledgement(Struct, frozen=True, array_like=True):
    """What a person acknowledged."""

    author: str
    """The login."""
    reason: str
    """Why."""
    cases: tuple[AcknowledgedCase, ...]
    """The cases that had regressed then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Regression:
    """What a person can acknowledge: that a case takes longer, or that it executes more instructions than allowed."""

    case: Comparison
    digest: str
    low: float | None
    """The least by which it may have become worse, as a share of the base; None where the base is zero."""
    high: float | None


def _regressions(report: ComparisonReport) -> Iterator[_Regression]:
    for one in report.having(Verdict.REGRESSED):
        low, high = _worse(one)
        yield _Regression(case=one, digest=_digest(one), low=low, high=high)
    for one in report.instruction_regressions:
        ends = one.instructions and one.instructions.interval
        low, high = (ends.low, ends.high) if ends else (None, None)
        yield _Regression(case=one, digest=_digest(one, "instructions"), low=low, high=high)


def acknowledge(report: ComparisonReport, author: str, reason: str) -> Acknowledgement:
    """Return the acknowledgement of all regressions of *report*; raises UsageError where there are none or too many."""
    regressed = tuple(_regressions(report))
    if not regressed:
        raise UsageError("the verdict has no regression, so there is nothing to acknowledge")
    if len(regressed) > MAX_CASES:
        raise UsageError(f"{len(regressed)} cases regressed; at most {MAX_CASES} can be acknowledged in a comment")
    cases = tuple(AcknowledgedCase(digest=one.digest, limit=one.high) for one in regressed)
    return Acknowledgement(author=author, reason=reason[:MAX_REASON_LENGTH], cases=cases)


def find_unacknowledged(report: ComparisonReport, given: Sequence[Acknowledgement]) -> tuple[Comparison, ...]:
    """Return the regressions that were not acknowledged, or that are clearly larger than when they were."""
    limits: dict[str, float] = {}
    for case in (case for one in given for case in one.cases):
        limit = float("inf") if case.limit is None else case.limit
        limits[case.digest] = max(limit, limits.get(case.digest, limit))
    left = (one.case for one in _regressions(report) if not _is_within(one, limits.get(one.digest)))
    return tuple({one.identity: one for one in left}.values())


def render_acknowledgements(report: ComparisonReport, given: Sequence[Acknowledgement]) -> str:
    """Return the lines of a comment on what was acknowledged of the regressions of *report*; "" where none was."""
    regressed = {one.digest: one.case.identity for one in _regressions(report)}
    text = ""
    for one in given:
        count = len({regressed[case.digest] for case in one.cases if case.digest in regressed})
        if count:
            cases = numbers.count(count, "case")
            text += f"> Acknowledged by {plain(one.author, 60)} ({cases}): {plain(one.reason, MAX_REASON_LENGTH)}\n\n"
    left = find_unacknowledged(report, given)
    if text and left:
        names = ", ".join(code(case_name(one.benchmark, one.params)) for one in left[:MAX_NAMED])
        more = f" and {len(left) - MAX_NAMED} more" if len(left) > MAX_NAMED else ""
        text += f"> Not acknowledged, or clearly larger than then: {names}{more}\n\n"
    return text


def encode_hidden(given: Sequence[Acknowledgement]) -> str:
    """Return the hidden line, "" where there is nothing to keep."""
    if not given:
        return ""
    content = base64.urlsafe_b64encode(msgspec.json.encode(list(given[-MAX_KEPT:]))).decode()
    return f"<!-- windtunnel:acknowledged {content} -->\n"


def decode_hidden(line: str) -> tuple[Acknowledgement, ...]:
    """Return what the hidden *line* holds, nothing where it is another line or damaged."""
    found = HIDDEN.fullmatch(line)
    try:
        content = base64.urlsafe_b64decode(found[1]) if found else b"[]"
        return formats.decode(content, tuple[Acknowledgement, ...], "a comment")[:MAX_KEPT]
    except (DataError, binascii.Error, ValueError):
        return ()


def _digest(one: Comparison, *what: str) -> str:
    return hashlib.sha256(formats.encode((*one.identity, *what))).hexdigest()[:16]


def _worse(one: Comparison) -> tuple[float | None, float | None]:
    """Return the interval of how much worse the case became, as a share of the base; larger is worse."""
    if one.relative_change is None:
        return None, None
    ends = (one.interval.low, one.interval.high) if one.interval else (one.relative_change, one.relative_change)
    return ends if one.better is Better.LOWER else (-ends[1], -ends[0])


def _is_within(one: _Regression, limit: float | None) -> bool:
    return limit is not None and (one.low is None or one.low <= limit)
