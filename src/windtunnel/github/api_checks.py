"""What is shown beside a commit: check-runs, and statuses where a forge or token has no check-runs."""

from dataclasses import dataclass, replace
from enum import StrEnum

from msgspec import UNSET, UnsetType

from windtunnel.github.http import MOST_A_PAGE, RepositoryName, Request, change, create, get

CHECKS = "/repos/{owner}/{repo}/check-runs"
LONGEST_SUMMARY = 65_535
"""Characters of a check-run's summary (docs.github.com, REST API endpoints for check runs)."""
LONGEST_DESCRIPTION = 140
"""Characters of a status; GitHub refuses longer ones."""


class Progress(StrEnum):
    """How far a check-run is."""

    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"


class Conclusion(StrEnum):
    """How a check-run ended."""

    SUCCESS = "success"
    FAILURE = "failure"
    NEUTRAL = "neutral"
    CANCELLED = "cancelled"


class State(StrEnum):
    """What a status says."""

    PENDING = "pending"
    SUCCESS = "success"
    FAILURE = "failure"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRun:
    """A check-run as GitHub keeps it."""

    id: int
    name: str
    status: str
    head_sha: str = ""
    external_id: str | None = None
    conclusion: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRuns:
    """A page of check-runs."""

    check_runs: tuple[CheckRun, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOutput:
    """What a check-run shows; *summary* is Markdown."""

    title: str
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A check-run to set; *conclusion* belongs to a completed one, *head_sha* to a new one."""

    name: str
    details_url: str | UnsetType
    external_id: str
    output: CheckOutput
    status: Progress
    conclusion: Conclusion | UnsetType = UNSET
    head_sha: str | UnsetType = UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """A status to set; the newest of a *context* counts."""

    state: State
    target_url: str | UnsetType
    description: str
    context: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetStatus:
    """A status as GitHub keeps it."""

    id: int
    state: str


def list_checks(repo: RepositoryName, sha: str, name: str) -> Request[CheckRuns]:
    """Ask for the check-runs called *name* of a commit; has pages."""
    return get(
        "/repos/{owner}/{repo}/commits/{sha}/check-runs{?check_name,per_page}",
        CheckRuns,
        owner=repo.owner,
        repo=repo.name,
        sha=sha,
        check_name=name,
        per_page=MOST_A_PAGE,
    )


def create_check(repo: RepositoryName, sha: str, check: Check) -> Request[CheckRun]:
    """Add a check-run to the commit *sha*; the job needs ``checks: write``."""
    return create(CHECKS, CheckRun, replace(check, head_sha=sha), owner=repo.owner, repo=repo.name)


def update_check(repo: RepositoryName, number: int, check: Check) -> Request[CheckRun]:
    """Bring a check-run up to date."""
    return change(CHECKS + "/{number}", CheckRun, check, owner=repo.owner, repo=repo.name, number=number)


def set_status(repo: RepositoryName, sha: str, status: Status) -> Request[SetStatus]:
    """Set a status; the job needs ``statuses: write``."""
    return create("/repos/{owner}/{repo}/statuses/{sha}", SetStatus, status, owner=repo.owner, repo=repo.name, sha=sha)
