"""The check beside a commit."""

import re
from enum import StrEnum

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from windtunnel.github.client import Client, RepositoryName, Request, change, create, pages


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


EXTERNAL_ID = re.compile(r"(\d{1,20})\.(\d{1,9})")
"""The run and the attempt."""


def publish_check(client: Client, repo: RepositoryName, sha: str, check: Check) -> None:
    """Create or update the check run with *check*'s external id.

    A completed check run is not set back by a request that arrives late. Of several check runs of one name GitHub
    counts the newest, so a run that a later one cancelled does not add its own.
    """
    # GitHub's filter by name is not relied on.
    known = [one for one in client.entries(list_checks(repo, sha, check.name)) if one.name == check.name]
    found = next((one for one in known if _is_same(one, check.external_id)), None)
    if found is not None:
        if not (found.status == Progress.COMPLETED and check.status is not Progress.COMPLETED):
            client.send(update_check(repo, found.id, check))
    elif check.conclusion not in {UNSET, Conclusion.CANCELLED} or not any(
        is_older(check.external_id, one.external_id) for one in known
    ):
        client.send(create_check(repo, sha, check))


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
