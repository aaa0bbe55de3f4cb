"""Makes a results branch smaller: drops the samples of old commits."""

from dataclasses import dataclass, replace

from windtunnel.asv.results_format.files import decode_run, encode_run
from windtunnel.git.branch import RemoteBranch
from windtunnel.model.identity import CommitHash, Instant
from windtunnel.model.run import Measured, Result, Row
from windtunnel.results.branch.exchange import Update, update
from windtunnel.results.branch.listing import FileListing, is_run_file
from windtunnel.results.branch.reconcile import FileChanges
from windtunnel.results.branch.retry import RetryPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSizes:
    """Uncompressed bytes of the results."""

    files: int
    """How many files there are."""
    before: int
    """Bytes before."""
    after: int
    """Bytes after."""
    stripped: int = 0
    """How many files lost samples."""


def drop_samples(branch: RemoteBranch, keep: int, retry: RetryPolicy) -> tuple[Update, StoredSizes]:
    """Drop the samples of all commits on *branch* but the newest *keep*, by author date; their statistics stay."""
    sizes = StoredSizes(files=0, before=0, after=0)

    def propose(snapshot: FileListing) -> tuple[FileChanges, str]:
        nonlocal sizes
        smaller, sizes = _smaller(snapshot, keep)
        message = f"store: samples of the newest {keep} commits only\n\n{len(smaller)} files lose theirs"
        return FileChanges(written=smaller), message

    return update(branch, propose, retry), sizes


def _smaller(snapshot: FileListing, keep: int) -> tuple[dict[str, bytes], StoredSizes]:
    """Return the files of *snapshot* that lose their samples, and what they save."""
    sizes, commits = dict[str, int](), dict[str, CommitHash]()
    dates = dict[CommitHash, Instant]()
    for path, content in zip(snapshot.files, snapshot.read(snapshot.files), strict=True):
        sizes[path] = len(content or b"")
        run = decode_run(content or b"", path).value if is_run_file(path) else None
        if run is not None:
            commits[path] = run.commit
            dates[run.commit] = max(run.date, dates.get(run.commit, run.date))
    kept = set(sorted(dates, key=lambda commit: (dates[commit], commit), reverse=True)[:keep])
    old = [path for path, commit in commits.items() if commit not in kept]
    found = ((path, _without_samples(content or b"")) for path, content in zip(old, snapshot.read(old), strict=True))
    smaller = {path: content for path, content in found if content is not None}
    before, saved = sum(sizes.values()), sum(sizes[path] - len(content) for path, content in smaller.items())
    return smaller, StoredSizes(files=len(sizes), before=before, after=before - saved, stripped=len(smaller))


def _without_samples(content: bytes) -> bytes | None:
    """Return a results file without samples; None when it has none, or when rewriting it would lose something."""
    decoded = decode_run(content, "")
    if decoded.value is None or decoded.problems:
        return None
    run = decoded.value
    smaller = replace(run, rows=tuple(map(_strip_row, run.rows)), superseded=tuple(map(_strip_row, run.superseded)))
    return None if smaller == run else encode_run(smaller)


def _strip_row(row: Row) -> Row:
    return replace(row, results=tuple(map(_strip_result, row.results)))


def _strip_result(result: Result) -> Result:
    return replace(result, samples=None, process_sizes=None) if isinstance(result, Measured) else result
