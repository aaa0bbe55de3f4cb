"""What bisect says: the nouns of bisect.json, which is also what a later call goes on from."""

from dataclasses import dataclass
from enum import StrEnum

from windtunnel.formats import Format
from windtunnel.model.result import Interval
from windtunnel.model.schedule import Process

SCHEMA = "windtunnel.bisect/1"


class BisectionAnswer(StrEnum):
    """What the search has come to."""

    COMMIT = "commit"
    RANGE = "range"
    """The commits between cannot be told apart: they cannot be built, or stay on the fence."""
    NOTHING = "nothing"
    """Good and bad commit do not differ, or cannot be compared."""
    UNFINISHED = "unfinished"
    """Interrupted or out of time; the next call goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateCommit:
    """A commit of the range, and its first line."""

    hash: str
    subject: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TestedCommit:
    """A commit that was measured against the good one: every process, or the reason why there is none."""

    hash: str
    processes: tuple[Process, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bisection:
    """The content of bisect.json.

    *candidates* in order, the good commit first and the bad one last; *tried* in the order in which they were first
    asked about, beginning with the bad one. *before* and *after* frame the answer: the level changed after *before*,
    at *after* when that is the next candidate. *relative_change* is that of bad against good, *interval* holds it
    with *confidence*.
    """

    schema: str = SCHEMA
    benchmark: str
    case: str
    environment: str
    machine: str
    candidates: tuple[CandidateCommit, ...]
    error: float
    tested: tuple[TestedCommit, ...] = ()
    answer: BisectionAnswer = BisectionAnswer.UNFINISHED
    before: str = ""
    after: str = ""
    reason: str = ""
    relative_change: float | None = None
    interval: Interval | None = None
    confidence: float = 0.0


BISECT_FORMAT = Format(
    name="bisect.json", type=Bisection, schema=SCHEMA, remedy="write it again with windtunnel bisect"
)
