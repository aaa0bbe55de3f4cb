"""Runs of workflows: their jobs, when these began and ended, and the artifacts they left."""

from dataclasses import dataclass

from windtunnel.github.request import MOST_A_PAGE, RepositoryName, Request, get

RUN = "/repos/{owner}/{repo}/actions/runs/{run}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowRun:
    """A run; times are ISO 8601, *conclusion* is null until it ends."""

    id: int
    head_sha: str
    event: str
    status: str | None
    conclusion: str | None
    created_at: str
    run_started_at: str | None = None
    """Of this attempt; a run that is repeated keeps its date of creation."""
    html_url: str
    run_attempt: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step of a job."""

    name: str
    started_at: str | None = None
    completed_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job of a run."""

    name: str
    started_at: str | None = None
    completed_at: str | None = None
    conclusion: str | None = None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Jobs:
    """A page of jobs."""

    jobs: tuple[Job, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """An artifact; ids grow with time."""

    id: int
    name: str
    size_in_bytes: int
    expired: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifacts:
    """A page of artifacts."""

    artifacts: tuple[Artifact, ...]


def workflow_run(repo: RepositoryName, run: int) -> Request[WorkflowRun]:
    """Ask for a run."""
    return get(RUN, WorkflowRun, owner=repo.owner, repo=repo.name, run=run)


def list_jobs(repo: RepositoryName, run: int) -> Request[Jobs]:
    """Ask for the jobs of a run's last attempt; has pages."""
    return get(RUN + "/jobs{?per_page}", Jobs, owner=repo.owner, repo=repo.name, run=run, per_page=MOST_A_PAGE)


def list_artifacts(repo: RepositoryName, run: int, name: str) -> Request[Artifacts]:
    """Ask for the artifacts of a run that are called *name*; has pages."""
    return get(
        RUN + "/artifacts{?name,per_page}",
        Artifacts,
        owner=repo.owner,
        repo=repo.name,
        run=run,
        name=name,
        per_page=MOST_A_PAGE,
    )


def download_artifact(repo: RepositoryName, artifact: int) -> Request[bytes]:
    """Ask for an artifact's zip file; GitHub redirects to where it lies."""
    return get(
        "/repos/{owner}/{repo}/actions/artifacts/{artifact}/zip",
        bytes,
        owner=repo.owner,
        repo=repo.name,
        artifact=artifact,
    )
