"""Workflow runs in GitHub's REST API, with their jobs."""

from msgspec import Struct

from windtunnel.github.client import RepositoryName, Request, get, pages
from windtunnel.github.pull_requests import BranchRepository

BROKEN = frozenset({"failure", "timed_out", "cancelled"})
"""Conclusions of jobs and runs that did not finish their work."""


class WorkflowRun(Struct, frozen=True, kw_only=True):
    """A run of a workflow; times are ISO 8601."""

    id: int
    """Grows with time."""
    head_sha: str
    """The commit."""
    event: str
    """What started the run, such as ``pull_request``."""
    status: str | None
    """``completed`` when the run has ended."""
    conclusion: str | None
    """How the run ended; None before."""
    created_at: str
    """When the first attempt was created."""
    run_started_at: str | None = None
    """When this attempt started."""
    html_url: str
    """The page."""
    run_attempt: int = 1
    """Counts from 1."""
    workflow_id: int = 0
    """The workflow."""
    head_branch: str | None = None
    """The branch of the commit."""
    head_repository: BranchRepository | None = None
    """The repository of the commit; None where the fork was deleted."""

    @property
    def awaits_approval(self) -> bool:
        """Whether GitHub holds the run until a maintainer approves it.

        Such a run of a fork is *completed* with the conclusion ``action_required`` from its first event on; once it is
        approved, the same run starts (docs.github.com, Approving workflow runs from forks; pytorch/test-infra 8029).
        """
        return self.conclusion == "action_required" or self.status in {"action_required", "waiting"}

    @property
    def artifacts_since(self) -> str:
        """The time from which on artifacts belong to this attempt, as GitHub writes times; empty if all do.

        A repeated run keeps the artifacts of its earlier attempts; of an attempt that broke, they are not its results.
        """
        return self.run_started_at or "" if self.run_attempt > 1 and self.conclusion in BROKEN else ""

    @property
    def source(self) -> str:
        """The owner and branch of the commit, ``owner:branch``; empty where GitHub names none."""
        owner = self.head_repository.full_name.partition("/")[0] if self.head_repository else ""
        return f"{owner}:{self.head_branch}" if owner and self.head_branch else ""


class Step(Struct, frozen=True, kw_only=True):
    """A step of a job."""

    name: str
    """The name in the workflow."""
    started_at: str | None = None
    """ISO 8601."""
    completed_at: str | None = None
    """ISO 8601."""
    conclusion: str | None = None
    """How the step ended; None before."""


class WorkflowJob(Struct, frozen=True, kw_only=True):
    """A job of a run."""

    id: int
    """The identifier."""
    name: str
    """The name in the workflow."""
    started_at: str | None = None
    """ISO 8601."""
    completed_at: str | None = None
    """ISO 8601."""
    conclusion: str | None = None
    """How the job ended; None before."""
    steps: tuple[Step, ...] = ()
    """In order."""


def get_run(repo: RepositoryName, run: int) -> Request[WorkflowRun]:
    """Request a run."""
    return get(repo.path("actions", "runs", run), WorkflowRun)


def list_jobs(repo: RepositoryName, run: int) -> Request[tuple[WorkflowJob, ...]]:
    """Request the jobs of the last attempt of a run; has pages."""
    return pages(repo.path("actions", "runs", run, "jobs"), "jobs", WorkflowJob, filter="latest")
