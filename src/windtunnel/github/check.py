"""The check beside a commit: a check run, or a commit status where the forge or token has no check runs."""

import re
from collections.abc import Mapping
from enum import StrEnum

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from windtunnel.errors import RefusedError
from windtunnel.github.client import Client, RepositoryName, Request, change, create, pages

MAX_DESCRIPTION_LENGTH = 140
"""Characters of a status; GitHub refuses longer ones."""


class Progress(StrEnum):
    """The progress of a check run; only GitHub itself may set further ones, such as ``waiting``."""

    QUEUED = "queued"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"


class Conclusion(StrEnum):
    """The result of a check run."""

    SUCCESS = "success"
    FAILURE = "failure"
    NEUTRAL = "neutral"
    CANCELLED = "cancelled"


class StatusState(StrEnum):
    """The state of a commit status."""

    PENDING = "pending"
    SUCCESS = "success"
    FAILURE = "failure"
    ERROR = "error"


class CheckRun(Struct, frozen=True, kw_only=True):
    """A check run as GitHub returns it."""

    id: int
    """The identifier."""
    name: str
    """The name beside the commit."""
    status: str
    """The progress."""
    head_sha: str = ""
    """The commit."""
    external_id: str | None = None
    """Our identifier."""
    conclusion: str | None = None
    """The result; None before."""


class CheckOutput(Struct, frozen=True, kw_only=True):
    """What a check run shows."""

    title: str
    """Plain text."""
    summary: str
    """Markdown, at most 65,535 characters (docs.github.com, REST API endpoints for check runs)."""


class Check(Struct, frozen=True, kw_only=True):
    """A check run to create or update."""

    name: str
    """The name beside the commit."""
    details_url: str | UnsetType
    """The page of the run."""
    external_id: str
    """Our identifier; one check run per workflow run and attempt."""
    output: CheckOutput
    """What it shows."""
    status: Progress
    """The progress."""
    conclusion: Conclusion | UnsetType = UNSET
    """The result of a completed check."""
    head_sha: str | UnsetType = UNSET
    """The commit of a new check."""


class Status(Struct, frozen=True, kw_only=True):
    """A commit status to set; the newest of a context counts."""

    state: StatusState
    """The state."""
    target_url: str | UnsetType
    """The page of the run."""
    description: str
    """Plain text of at most 140 characters."""
    context: str
    """The name beside the commit."""


class StatusReply(Struct, frozen=True, kw_only=True):
    """A commit status as GitHub returns it."""

    id: int
    """The identifier."""
    state: str
    """The state."""


def list_checks(repo: RepositoryName, sha: str, name: str) -> Request[tuple[CheckRun, ...]]:
    """Request all check runs called *name* of a commit, not only the newest; has pages."""
    path = repo.path("commits", sha, "check-runs")
    return pages(path, "check_runs", CheckRun, check_name=name, filter="all")


class Annotation(Struct, frozen=True, kw_only=True):
    """A message beside a check run; the steps of a job write them with ``::error::``."""

    annotation_level: str | None = None
    """notice, warning or failure."""
    message: str | None = None
    """The text, which is not trusted."""


def list_annotations(repo: RepositoryName, check: int) -> Request[tuple[Annotation, ...]]:
    """Request the messages beside a check run; a job's check run has the number of the job. Has pages."""
    return pages(repo.path("check-runs", check, "annotations"), "", Annotation)


def create_check(repo: RepositoryName, sha: str, check: Check) -> Request[CheckRun]:
    """Request a new check run on the commit *sha*; the job needs ``checks: write``."""
    return create(repo.path("check-runs"), CheckRun, replace(check, head_sha=sha))


def update_check(repo: RepositoryName, number: int, check: Check) -> Request[CheckRun]:
    """Request the update of a check run."""
    return change(repo.path("check-runs", number), CheckRun, check)


def set_status(repo: RepositoryName, sha: str, status: Status) -> Request[StatusReply]:
    """Request a new status; the job needs ``statuses: write``."""
    return create(repo.path("statuses", sha), StatusReply, status)


EXTERNAL_ID = re.compile(r"(\d{1,20})\.(\d{1,9})")
"""The run and the attempt."""

NO_CHECK_RUNS = frozenset({403, 404, 405, 410, 501})
"""Statuses of forges that have no check runs, and of tokens that belong to no app."""

STATUS_STATES: Mapping[Conclusion, StatusState] = {
    Conclusion.SUCCESS: StatusState.SUCCESS,
    Conclusion.NEUTRAL: StatusState.SUCCESS,
    Conclusion.FAILURE: StatusState.FAILURE,
    Conclusion.CANCELLED: StatusState.ERROR,
}


def publish_check(client: Client, repo: RepositoryName, sha: str, check: Check) -> str:
    """Create or update the check run with *check*'s external id; return ``check`` or ``status``, whichever was used.

    A completed check run is not set back by a request that arrives late. Of several check runs of one name GitHub
    counts the newest, so a run that a later one cancelled does not add its own.
    """
    try:
        known = _read(client, repo, sha, check.name)
        found = next((one for one in known if _is_same(one, check.external_id)), None)
        if found is not None:
            if not (found.status == Progress.COMPLETED and check.status is not Progress.COMPLETED):
                client.send(update_check(repo, found.id, check))
        elif check.conclusion not in {UNSET, Conclusion.CANCELLED} or not any(
            is_older(check.external_id, one.external_id) for one in known
        ):
            client.send(create_check(repo, sha, check))
    except RefusedError as refused:
        if refused.status not in NO_CHECK_RUNS:
            raise
        client.send(set_status(repo, sha, _status(check)))
        return "status"
    return "check"


def _is_same(one: CheckRun, external_id: str) -> bool:
    """Return whether *one* is of the same attempt, or of an attempt of the same run that left it unfinished."""
    unfinished = one.status != Progress.COMPLETED and is_older(one.external_id or "", external_id)
    same_run = (one.external_id or "").partition(".")[0] == external_id.partition(".")[0]
    return one.external_id == external_id or (unfinished and same_run)


def is_older(one: str, other: str | None) -> bool:
    """Return whether the external id *one*, ``run.attempt``, is that of an earlier run or attempt than *other*."""
    found = EXTERNAL_ID.fullmatch(one), EXTERNAL_ID.fullmatch(other or "")
    mine, theirs = (tuple(map(int, each.groups())) if each else None for each in found)
    return mine is not None and theirs is not None and mine < theirs


def _read(client: Client, repo: RepositoryName, sha: str, name: str) -> tuple[CheckRun, ...]:
    """Return the check runs called *name*; GitHub's filter is not relied on."""
    return tuple(one for one in client.entries(list_checks(repo, sha, name)) if one.name == name)


def _status(check: Check) -> Status:
    concluded = check.conclusion if isinstance(check.conclusion, Conclusion) else None
    return Status(
        state=StatusState.PENDING if concluded is None else STATUS_STATES[concluded],
        target_url=check.details_url,
        description=check.output.title[:MAX_DESCRIPTION_LENGTH],
        context=check.name,
    )
