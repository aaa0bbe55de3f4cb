"""bisect.json: the result of a bisection, and the state from which a later call continues; and what a job searches."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from windtunnel.compare.samples_format import Cause
from windtunnel.formats import Format
from windtunnel.model.build_change import PACKAGE, VERSION, PackageChange
from windtunnel.model.run import Interval
from windtunnel.model.schedule import InstructionCounts, Process

SCHEMA = "windtunnel.bisect/1"
REQUEST_SCHEMA = "windtunnel.bisect-request/1"

MAX_PACKAGES = 500
"""Packages of a search; environments of real suites have at most 200."""


BisectionAnswer = Literal["commit", "range", "nothing", "unfinished", "failed"]
"""The result of the search.

One commit (or package), a range that cannot be decided, no difference between good and bad commit, an end that the
next call continues, or a search that did not begin, for example because no case has the name.
"""


DecidedBy = Literal["time", "instructions"]
"""What an answer is decided from: the times of processes by their intervals, or counts, which noise does not change."""


class CandidateCommit(Struct, frozen=True, kw_only=True):
    """A commit of the range; in a search over packages, a set of packages of which one more has moved."""

    hash: str
    """The full hash; of a set of packages, the name of the package that moves with it, or *(before)*."""
    subject: str
    """The first line of the message; of a set of packages, what moves with it."""


class MeasuredCommit(Struct, frozen=True, kw_only=True):
    """A commit that was measured against the good one."""

    hash: str
    processes: tuple[Process, ...] = ()
    counts: InstructionCounts | None = None
    """Its instructions; null if they were not counted."""
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
    packages: tuple[PackageChange, ...] = ()
    """The packages that a search over packages moves, in this order; empty in a search over commits."""
    commit: str = ""
    """In a search over packages, the commit of the project that all sets of packages are measured with."""
    commits_explain: str = ""
    """In a search over packages, why no commit is the cause."""
    good_counts: InstructionCounts | None = None
    """The instructions of the good commit; null if they were not counted."""
    measured: tuple[MeasuredCommit, ...] = ()
    """The measured commits, in the order in which they were first requested; the bad commit is the first."""
    alone: MeasuredCommit | None = None
    """In a search over packages, the measurements of the found package with all others as before."""
    answer: BisectionAnswer = "unfinished"
    decided_by: DecidedBy = "time"
    """What the answer is decided from."""
    before: str = ""
    """The hash of the last commit that certainly precedes the change."""
    after: str = ""
    """The hash of the first commit that certainly contains the change; the commit itself if it follows *before*."""
    alone_shows: bool | None = None
    """Whether the found package changes the case also without those that moved before it; null if that is unknown."""
    reason: str = ""
    """Why the answer is missing."""
    relative_change: float | None = None
    """Bad commit against good commit, by what decided: time or instructions."""
    interval: Interval | None = None
    """The confidence interval of the relative change; null if instructions decided."""
    confidence: float = 0.0
    """The confidence of that interval, from 0 to 1."""
    cause: Cause | None = None
    """The functions whose work changed with the found commit; null if they are not known."""


def _problems(found: Bisection) -> Iterator[str]:
    """Yield what would make a report on *found* fail."""
    if not found.candidates and found.answer != "failed":
        yield "candidates is empty"
    if not 0 < found.error < 1:
        yield f"error is {found.error}, but must be a probability"
    if found.answer in {"commit", "range"}:
        hashes = [one.hash for one in found.candidates]
        if found.before not in hashes or found.after not in hashes[hashes.index(found.before) + 1 :]:
            yield f"before and after of the answer {found.answer} are not two candidates in order"
    yield from _package_problems(found.packages)


def _package_problems(packages: tuple[PackageChange, ...]) -> Iterator[str]:
    for one in packages:
        versions = [version for version in (one.before, one.after) if version]
        if not PACKAGE.fullmatch(one.name) or not versions or not all(map(VERSION.fullmatch, versions)):
            yield f"{one.name[:80]!r} is not a package with a version"


BISECT_FORMAT = Format(
    name="bisect.json", type=Bisection, schema=SCHEMA, remedy="write it again with windtunnel bisect", check=_problems
)


class BisectionRequest(Struct, frozen=True, kw_only=True):
    """What a bisection searches; the content of bisect-request.json, the search that an alert asks for."""

    schema: str = REQUEST_SCHEMA
    alert: str = ""
    """The alert's id; empty for a search that a user asks for."""
    case: str
    """The case to measure: of an alert its largest regression, of a user also an expression that matches one case."""
    environment: str = ""
    """asv's name of the environment in which it changed; empty for the default."""
    python: str = ""
    """The Python of that environment, as asv names it; empty for the default."""
    good: str
    """A commit before the change: a full hash, or one with ``^`` for its parent."""
    bad: str
    """A commit after the change."""
    expected: float | None = None
    """The relative change of the case; null if it is not known."""
    packages: Annotated[tuple[PackageChange, ...], Meta(max_length=MAX_PACKAGES)] = ()
    """The packages that differ between the runs of the two commits."""
    minutes: Annotated[int, Meta(ge=1, lt=10**9)] | None = None
    """The runner-minutes that the search may take; null for no limit."""


def _request_problems(request: BisectionRequest) -> Iterator[str]:
    """Yield what must not reach a command line."""
    yield from _package_problems(request.packages)
    for name in ("good", "bad"):
        if not re.fullmatch(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\^?", getattr(request, name)):
            yield f"{name} is not the full hash of a commit"


REQUEST_FORMAT = Format(
    name="bisect-request.json",
    type=BisectionRequest,
    schema=REQUEST_SCHEMA,
    remedy="write it again with windtunnel bisect --next-alert",
    check=_request_problems,
)


BASE = "(before)"
"""Stands for the set of packages of the earlier run."""


def package_candidates(changes: Sequence[PackageChange]) -> tuple[CandidateCommit, ...]:
    """Return the sets of packages of a search: the earlier set, then each with one more package moved."""
    first = CandidateCommit(hash=BASE, subject="the packages of the earlier run")
    return (first, *(CandidateCommit(hash=one.name, subject=one.description) for one in changes))


def package_set(changes: Sequence[PackageChange], moved: Collection[int]) -> tuple[str, ...]:
    """Return what to install: those of *changes* at the positions *moved* as in the later run, the others as before.

    ``name==version`` is installed, ``-name`` is removed.
    """
    chosen = ((one.name, one.after if index in moved else one.before) for index, one in enumerate(changes))
    return tuple(f"{name}=={version}" if version else f"-{name}" for name, version in chosen)
