"""Artifacts of workflow runs in GitHub's REST API, and the files in them, which are not trusted."""

import zipfile
import zlib
from io import BytesIO

from msgspec import Struct

from windtunnel.errors import DataError
from windtunnel.github.api_runs import WorkflowRun
from windtunnel.github.client import Client, RepositoryName, Request, get, pages
from windtunnel.text.escaping import visible

MAX_ARCHIVE_BYTES = 16 * 1024 * 1024
"""Bytes; the verdict on 2,000 cases takes 1 MB compressed."""
MAX_FILE_BYTES = 32 * 1024 * 1024
"""Bytes, unpacked; the verdict on 2,000 cases takes 13 MB."""
MAX_ENTRIES = 1000
COMPRESSION_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""The methods GitHub uses; others may need unbounded memory before the first byte."""


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


def list_artifacts(repo: RepositoryName, run: int, name: str) -> Request[tuple[Artifact, ...]]:
    """Request the artifacts called *name* of a run; has pages."""
    return pages(repo.path("actions", "runs", run, "artifacts"), "artifacts", Artifact, name=name)


def download_artifact(repo: RepositoryName, artifact: int) -> Request[bytes]:
    """Request an artifact's zip file; GitHub redirects to its storage."""
    return get(repo.path("actions", "artifacts", artifact, "zip"), bytes)


def read_artifact_file(
    client: Client, repo: RepositoryName, run: WorkflowRun, artifact: str, file: str
) -> bytes | None:
    """Return the content of *file* in the newest artifact called *artifact* of a run, None where there is none.

    Raises DataError where the artifact is too large, is not a zip file, or does not contain the file.
    """
    every = client.entries(list_artifacts(repo, run.id, artifact))
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
