"""bisect.json: the result of a bisection, and the state from which a later call continues."""

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from windtunnel.formats import Format
from windtunnel.model.result import Interval
from windtunnel.model.schedule import Process

SCHEMA = "windtunnel.bisect/1"


class BisectionAnswer(StrEnum):
    """The result of the search."""

    COMMIT = "commit"
    RANGE = "range"
    """The commits between cannot be decided: they cannot be built, or stay undecided."""
    NOTHING = "nothing"
    """Good and bad commit do not differ, or cannot be compared."""
    UNFINISHED = "unfinished"
    """Interrupted or out of time; the next call continues."""
    FAILED = "failed"
    """The search did not begin, for example because no case has the name."""


class CandidateCommit(Struct, frozen=True, kw_only=True):
    """A commit of the range."""

    hash: str
    subject: str
    """The first line of its message."""


class MeasuredCommit(Struct, frozen=True, kw_only=True):
    """A commit that was measured against the good one."""

    hash: str
    processes: tuple[Process, ...] = ()
    reason: str = ""
    """Why it could not be measured; empty if it was."""


class Bisection(Struct, frozen=True, kw_only=True):
    """The content of bisect.json."""

    schema: str = SCHEMA
    benchmark: str
    case: str
    """The name of the case, with its parameter values."""
    environment: str
    machine: str
    candidates: tuple[CandidateCommit, ...]
    """All commits of the range in order, the good one first and the bad one last; empty if the search failed."""
    error: float
    """The probability that the answer names a wrong commit, at most."""
    measured: tuple[MeasuredCommit, ...] = ()
    """The measured commits, in the order in which they were first requested; the bad commit is the first."""
    answer: BisectionAnswer = BisectionAnswer.UNFINISHED
    before: str = ""
    """The hash of the last commit that certainly precedes the change."""
    after: str = ""
    """The hash of the first commit that certainly contains the change; the commit itself if it follows *before*."""
    reason: str = ""
    """Why the answer is missing."""
    relative_change: float | None = None
    """Bad commit against good commit."""
    interval: Interval | None = None
    """The confidence interval of the relative change."""
    confidence: float = 0.0
    """The confidence of that interval, from 0 to 1."""


def _problems(found: Bisection) -> Iterator[str]:
    """Yield what would make a report on *found* fail."""
    if not found.candidates and found.answer is not BisectionAnswer.FAILED:
        yield "candidates is empty"
    if not 0 < found.error < 1:
        yield f"error is {found.error}, but must be a probability"
    if found.answer in {BisectionAnswer.COMMIT, BisectionAnswer.RANGE}:
        hashes = [one.hash for one in found.candidates]
        if found.before not in hashes or found.after not in hashes[hashes.index(found.before) + 1 :]:
            yield f"before and after of the answer {found.answer} are not two candidates in order"


BISECT_FORMAT = Format(
    name="bisect.json",
    type=Bisection,
    schema=SCHEMA,
    remedy="write it again with windtunnel bisect",
    check=_problems,
)
