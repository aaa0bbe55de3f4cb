"""Workflow runs in GitHub's REST API: their jobs and minutes, their artifacts, and the files in an artifact."""

import math
import zipfile
import zlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO

from msgspec import Struct

from windtunnel.errors import DataError, RefusedError
from windtunnel.github.client import Client
from windtunnel.github.http import MAX_PER_PAGE, RepositoryName, Request, get
from windtunnel.github.pull_requests import BranchRepository
from windtunnel.text.escaping import visible

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


class RunPage(Struct, frozen=True, kw_only=True):
    """A page of runs."""

    total_count: int
    """The runs on all pages."""
    workflow_runs: tuple[WorkflowRun, ...]
    """The runs."""


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


class JobPage(Struct, frozen=True, kw_only=True):
    """A page of jobs."""

    jobs: tuple[WorkflowJob, ...]
    """The jobs."""


class Artifact(Struct, frozen=True, kw_only=True):
    """An artifact of a run."""

    id: int
    """Grows with time."""
    name: str
    """The name in the workflow."""
    size_in_bytes: int
    """The size of the archive, as GitHub reports it."""
    expired: bool
    """Whether the archive was deleted."""
    created_at: str | None = None
    """When it was uploaded; ISO 8601."""

    def is_from(self, since: str) -> bool:
        """Return whether it was uploaded at *since*, as GitHub writes times, or later."""
        return (self.created_at or since) >= since


class ArtifactPage(Struct, frozen=True, kw_only=True):
    """A page of artifacts."""

    artifacts: tuple[Artifact, ...]
    """The artifacts."""


class Workflow(Struct, frozen=True, kw_only=True):
    """A workflow of the repository."""

    path: str
    """The file, from the repository's root."""
    state: str = "active"
    """``active`` where it can run."""


class WorkflowPage(Struct, frozen=True, kw_only=True):
    """A page of workflows."""

    workflows: tuple[Workflow, ...]
    """The workflows."""


def list_workflows(repo: RepositoryName) -> Request[WorkflowPage]:
    """Request the workflows of the repository; has pages."""
    return get(repo.path("actions", "workflows"), WorkflowPage, per_page=MAX_PER_PAGE)


def get_run(repo: RepositoryName, run: int) -> Request[WorkflowRun]:
    """Request a run."""
    return get(repo.path("actions", "runs", run), WorkflowRun)


def list_jobs(repo: RepositoryName, run: int, attempts: str = "latest") -> Request[JobPage]:
    """Request the jobs of a run, of its last attempt or of ``all`` *attempts*; has pages."""
    return get(repo.path("actions", "runs", run, "jobs"), JobPage, filter=attempts, per_page=MAX_PER_PAGE)


def list_pull_request_runs(repo: RepositoryName, workflow: int | str, since: str, branch: str = "") -> Request[RunPage]:
    """Request the runs of a *workflow*, by number or file name, on pull requests, newest first; has pages.

    *since* is ISO 8601. *branch* is the head branch; empty for all.
    """
    narrowed = {"branch": branch} if branch else {}
    return get(
        repo.path("actions", "workflows", workflow, "runs"),
        RunPage,
        event="pull_request",
        created=f">={since}",
        per_page=MAX_PER_PAGE,
        **narrowed,
    )


def list_artifacts(repo: RepositoryName, run: int, name: str) -> Request[ArtifactPage]:
    """Request the artifacts called *name* of a run; has pages."""
    return get(repo.path("actions", "runs", run, "artifacts"), ArtifactPage, name=name, per_page=MAX_PER_PAGE)


def download_artifact(repo: RepositoryName, artifact: int) -> Request[bytes]:
    """Request an artifact's zip file; GitHub redirects to its storage."""
    return get(repo.path("actions", "artifacts", artifact, "zip"), bytes)


MAX_RUNS_READ = 30
"""Runs whose jobs are read; the mean of the newest stands for older ones. A token may send 1,000 requests an hour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerUsage:
    """The runner-minutes of some runs."""

    minutes: float
    """Each job counts in whole minutes, as GitHub bills it."""
    runs: int
    """The number of runs."""
    runs_read: int
    """The number of runs whose jobs were read; if it is smaller, the minutes are an estimate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageReader:
    """Reads how many runner-minutes the pull requests of one workflow used."""

    client: Client
    repo: RepositoryName
    workflow: int
    """The id of the workflow."""
    minutes: dict[int, int | None] = field(default_factory=dict)
    """The minutes of each run that was read; None if the run was deleted meanwhile."""

    def read(self, since: str, branch: str = "", repository: str = "") -> RunnerUsage:
        """Return the usage of the runs since *since* (ISO 8601), of all pull requests or of one.

        One pull request has a head *branch* in a *repository*, ``owner/name``.
        """
        page = self.client.send(list_pull_request_runs(self.repo, self.workflow, since, branch))
        runs = [run for run in page.workflow_runs if not repository or _repository_of(run) == repository]
        newest = sorted({run.id for run in runs}, reverse=True)[:MAX_RUNS_READ]
        read = [minutes for run in newest if (minutes := self._minutes(run)) is not None]
        deleted = len(newest) - len(read)
        count = (len(runs) if repository else max(page.total_count, len(runs))) - deleted
        mean = sum(read) / len(read) if read else 0.0
        return RunnerUsage(minutes=mean * count, runs=count, runs_read=len(read))

    def _minutes(self, run: int) -> int | None:
        if run not in self.minutes:
            try:
                pages = list(self.client.pages(list_jobs(self.repo, run, "all")))
            except RefusedError as refused:
                if refused.status != 404:
                    raise
                self.minutes[run] = None
            else:
                jobs = {job.id: job for page in pages for job in page.jobs}
                now = self.client.clock.now()
                self.minutes[run] = sum(count_minutes(job, now) for job in jobs.values())
        return self.minutes[run]


def _repository_of(run: WorkflowRun) -> str:
    return run.head_repository.full_name if run.head_repository else ""


def count_minutes(job: WorkflowJob, now: float) -> int:
    """Return the started minutes of *job* until *now*, in Unix time; 0 if it was skipped or has not started."""
    try:
        started = datetime.fromisoformat(job.started_at or "").timestamp()
        ended = datetime.fromisoformat(job.completed_at).timestamp() if job.completed_at else now
    except ValueError:
        return 0
    return 0 if job.conclusion == "skipped" else max(0, math.ceil((ended - started) / 60))


def format_instant(moment: datetime) -> str:
    """Return *moment* as GitHub writes times."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


MAX_ARCHIVE_BYTES = 16 * 1024 * 1024
"""Bytes; the verdict on 2,000 cases takes 1 MB compressed."""
MAX_FILE_BYTES = 32 * 1024 * 1024
"""Bytes, unpacked; the verdict on 2,000 cases takes 13 MB."""
MAX_ENTRIES = 1000
COMPRESSION_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""The methods GitHub uses; others may need unbounded memory before the first byte."""


def read_artifact_file(
    client: Client, repo: RepositoryName, run: WorkflowRun, artifact: str, file: str
) -> bytes | None:
    """Return the content of *file* in the newest artifact called *artifact* of a run, None where there is none.

    Raises DataError where the artifact is too large, is not a zip file, or does not contain the file.
    """
    pages = client.pages(list_artifacts(repo, run.id, artifact))
    every = (one for page in pages for one in page.artifacts)
    found = [one for one in every if one.name == artifact and not one.expired and one.is_from(run.artifacts_since)]
    if not found:
        return None
    newest = max(found, key=lambda one: one.id)
    if newest.size_in_bytes > MAX_ARCHIVE_BYTES:
        raise DataError(
            f"the artifact {artifact} has {newest.size_in_bytes} bytes; at most {MAX_ARCHIVE_BYTES} are read"
        )
    archive = client.download(download_artifact(repo, newest.id), MAX_ARCHIVE_BYTES)
    return extract(archive, file, f"the artifact {artifact}")


def extract(archive: bytes, name: str, source: str) -> bytes:
    """Return the content of the file *name* at the root of the zip file *archive*.

    Nothing is written to disk. Raises DataError naming *source*.
    """
    try:
        with zipfile.ZipFile(BytesIO(archive)) as opened:
            entries = opened.infolist()
            if len(entries) > MAX_ENTRIES:
                raise DataError(f"{source} has {len(entries)} entries; only {name} is expected")
            return _content(opened, [one for one in entries if one.filename == name], name, source)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, OSError, OverflowError) as error:
        raise DataError(f"{source} is not a readable zip file: {visible(str(error), 200)}") from None


def _content(opened: zipfile.ZipFile, found: list[zipfile.ZipInfo], name: str, source: str) -> bytes:
    if len(found) != 1:
        raise DataError(f"{source} holds {len(found)} files called {name}; one is expected")
    if found[0].compress_type not in COMPRESSION_METHODS:
        raise DataError(f"{source}: {name} uses compression method {found[0].compress_type}; only deflate is read")
    with opened.open(found[0]) as file:
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise DataError(f"{source}: {name} unpacks to more than {MAX_FILE_BYTES} bytes; it is not read")
    return content
