"""Workflow runs in GitHub's REST interface: their jobs, their artifacts, and files in an artifact's archive."""

import zipfile
import zlib
from dataclasses import dataclass
from io import BytesIO

from windtunnel.errors import DataError
from windtunnel.github.http import MOST_A_PAGE, RepositoryName, Request, get
from windtunnel.text.escaping import visible

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


LARGEST_ARCHIVE = 16 * 1024 * 1024
"""Bytes; the verdict on 2,000 cases takes 1 MB compressed."""
LARGEST_FILE = 32 * 1024 * 1024
"""Bytes, unpacked; the verdict on 2,000 cases takes 13 MB."""
MOST_ENTRIES = 1000
METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""How GitHub compresses; others may ask for more memory than there is before the first byte."""


def extract(archive: bytes, name: str, source: str) -> bytes:
    """Return the content of the file *name* at the root of the zip file *archive*.

    No path in it is ever used on this machine's disk. Raises DataError naming *source*.
    """
    try:
        with zipfile.ZipFile(BytesIO(archive)) as opened:
            entries = opened.infolist()
            if len(entries) > MOST_ENTRIES:
                raise DataError(f"{source} has {len(entries)} entries; {name} alone is expected")
            return _content(opened, [one for one in entries if one.filename == name], name, source)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, OSError, OverflowError) as error:
        raise DataError(f"{source} is no zip file that can be read: {visible(str(error), 200)}") from None


def _content(opened: zipfile.ZipFile, found: list[zipfile.ZipInfo], name: str, source: str) -> bytes:
    if len(found) != 1:
        raise DataError(f"{source} holds {len(found)} files called {name}; one is expected")
    if found[0].compress_type not in METHODS:
        raise DataError(f"{source}: {name} is compressed by method {found[0].compress_type}; GitHub's are deflated")
    with opened.open(found[0]) as file:
        content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise DataError(f"{source}: {name} unpacks to more than {LARGEST_FILE} bytes; it is not read")
    return content
