"""Results of another repository: finds the folder of a branch that holds them, and the asv configuration above it."""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from windtunnel.errors import DataError, UsageError
from windtunnel.git.branch import RemoteBranch
from windtunnel.git.objects import ObjectHash, ObjectKind, TreeEntry
from windtunnel.model.identity import CommitHash
from windtunnel.results.branch.exchange import pull
from windtunnel.results.branch.layout import name_problem
from windtunnel.results.branch.reconcile import FileChanges, merge_files
from windtunnel.results.branch.retry import RetryPolicy
from windtunnel.results.branch.sides import MAX_TREE_BYTES, ResultsFolder
from windtunnel.results.tree import BENCHMARKS, MACHINE
from windtunnel.text.escaping import visible

MAX_DEPTH = 4
"""Folders above the results; ``.asv/results`` has two."""
MAX_FOLDERS_SEARCHED = 5_000
"""A repository of sources has fewer in its first levels."""
MAX_CONFIGURATION_BYTES = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteResults:
    """What was fetched."""

    path: str
    """The folder on the branch, "" for its root."""
    changes: FileChanges
    """The files that were written, and what was left out."""
    configuration: bytes | None
    """The nearest asv configuration in the folder or above it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _SearchedFolder:
    path: str
    entries: tuple[TreeEntry, ...]

    def find(self, name: str) -> ObjectHash | None:
        """Return the file *name*."""
        wanted = name.encode()
        found = (each.object for each in self.entries if each.name == wanted and each.kind is ObjectKind.FILE)
        return next(found, None)


def fetch_results(
    branch: RemoteBranch, folder: Path, path: str | None, configurations: tuple[str, ...]
) -> RemoteResults:
    """Copy the results of *branch* into *folder*; without a *path*, from the only folder that holds any.

    *configurations* are the names of configuration files. Raises UsageError where several folders hold results, and
    DataError where none does.
    """
    commit = branch.fetch()
    if commit is None:
        raise DataError(f"there is no {branch}; name another with --from-branch")
    searched = _search(branch, commit)
    path = _only_results(branch, searched) if path is None else path
    pulled = pull(branch, ResultsFolder(root=folder), merge_files, RetryPolicy(timeout=0), path)
    above = [str(each) for each in (PurePosixPath(path), *PurePosixPath(path).parents)]
    known = {each.path or ".": each for each in searched}
    found = (known[each].find(name) for each in above if each in known for name in configurations)
    configuration = next(filter(None, found), None)
    content = None if configuration is None else next(branch.files([configuration], MAX_CONFIGURATION_BYTES))
    return RemoteResults(path=path, changes=pulled.changes, configuration=content)


def _search(branch: RemoteBranch, commit: CommitHash) -> list[_SearchedFolder]:
    """Return the folders of *commit* in the first levels, the upper ones first."""
    level = [("", f"{commit}:")]
    searched: list[_SearchedFolder] = []
    for _ in range(MAX_DEPTH + 1):
        level = level[: MAX_FOLDERS_SEARCHED - len(searched)]
        listed = branch.folder_entries([name for _, name in level], MAX_TREE_BYTES)
        found = [_SearchedFolder(path=path, entries=each) for (path, _), each in zip(level, listed, strict=True)]
        searched += found
        level = [
            (f"{each.path}/{entry.name.decode()}".lstrip("/"), entry.object)
            for each in found
            for entry in each.entries
            if entry.kind is ObjectKind.FOLDER and name_problem(entry.name) is None
        ]
    return searched


def _only_results(branch: RemoteBranch, searched: list[_SearchedFolder]) -> str:
    """Return the path of the folder above those of machines; a list of benchmarks alone counts where no machine is."""
    machines = {each.path.rpartition("/")[0] for each in searched if each.path and each.find(MACHINE)}
    found = sorted(machines or {each.path for each in searched if each.find(BENCHMARKS)})
    if not found:
        raise DataError(f"{branch} holds no asv results; name another branch with --from-branch")
    if len(found) > 1:
        listed = "".join(f"\n  --path {visible(each or '.', 200)}" for each in found[:10])
        raise UsageError(f"{branch} holds results in several folders; name one:{listed}")
    return found[0]
