"""The two sides of an exchange, a results folder and a results branch: what they hold, checked before it is used."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from windtunnel.errors import DataError
from windtunnel.files import write_atomically
from windtunnel.git.branch import ObjectHash, ObjectKind, RemoteBranch, TreeEntry, blob_hash
from windtunnel.model.identity import CommitHash
from windtunnel.model.run import Problem
from windtunnel.results.branch.layout import MAX_FILE_BYTES, is_proof_of_results, is_results_file, name_problem

MAX_TREE_BYTES = 16 * 2**20
"""Of a git tree object; about 250,000 files."""
MAX_FOLDERS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedFile:
    """A file that is known by the hash of its content."""

    path: str
    """Relative, POSIX, safe to write below a folder."""
    object: ObjectHash
    """The hash that git gives to the content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsFile:
    """A file with its content."""

    path: str
    """Relative, POSIX."""
    content: bytes
    """The whole content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileListing:
    """The results files of a folder or branch."""

    location: str
    """For messages."""
    files: tuple[ListedFile, ...]
    """All of them."""
    read: Callable[[Sequence[ListedFile]], Iterator[bytes | None]]
    """Yields the contents of some of them, in order; None for one that is too large."""
    refused: tuple[str, ...] = ()
    """A message for each file that must not reach a disk; ``files`` has none of them."""

    def load(self, wanted: Sequence[ListedFile]) -> tuple[tuple[ResultsFile, ...], tuple[Problem, ...]]:
        """Return *wanted* with their contents, and a problem for each that is too large."""
        loaded, problems = list[ResultsFile](), list[Problem]()
        for file, content in zip(wanted, self.read(wanted), strict=True):
            if content is None:
                reason = f"has more than {MAX_FILE_BYTES} bytes; remove it there"
                problems.append(Problem(file=f"{self.location}: {file.path}", key="", reason=reason))
            else:
                loaded.append(ResultsFile(path=file.path, content=content))
        return tuple(loaded), tuple(problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsFolder:
    """A results folder on disk."""

    root: Path
    """The folder; a missing one is empty."""

    def listing(self) -> FileListing:
        """Return the results files that are there now."""
        files = tuple(ListedFile(path=path, object=blob_hash(self._read(path))) for path in self._paths())
        return FileListing(
            location=str(self.root), files=files, read=lambda wanted: (self._read(file.path) for file in wanted)
        )

    def write(self, files: Sequence[ResultsFile]) -> None:
        """Write *files*, each atomically; the caller holds the lock."""
        for file in files:
            write_atomically(self.root / file.path, file.content)

    def remove(self, paths: Sequence[str]) -> None:
        """Remove files; the caller holds the lock."""
        for path in paths:
            (self.root / path).unlink(missing_ok=True)

    def _paths(self) -> Iterator[str]:
        """Yield the results files at any depth; asv takes every folder with a machine.json for a machine's."""
        if not self.root.exists():
            return
        if not self.root.is_dir():
            raise DataError(f"{self.root} is not a folder; name a folder of results")
        for folder, folders, names in os.walk(self.root, onerror=_raise_unreadable):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                relative = (Path(folder) / name).relative_to(self.root).as_posix()
                if is_results_file(relative) and (self.root / relative).is_file():
                    yield self._checked(relative)

    def _checked(self, path: str) -> str:
        problem = next(filter(None, (name_problem(os.fsencode(part)) for part in path.split("/"))), None)
        if problem:
            raise DataError(f"{self.root} holds {path!r}, {problem}: it cannot be stored; rename or remove it")
        return path

    def _read(self, path: str) -> bytes:
        try:
            size = (self.root / path).stat().st_size
            content = (self.root / path).read_bytes() if size <= MAX_FILE_BYTES else b""
        except OSError as error:
            raise DataError(f"{self.root / path} cannot be read: {error.strerror}; repair or remove it") from None
        if size > MAX_FILE_BYTES:
            raise DataError(f"{self.root / path} has {size} bytes; at most {MAX_FILE_BYTES} are stored: remove it")
        return content


def _raise_unreadable(error: OSError) -> None:
    raise DataError(f"{error.filename} cannot be read: {error.strerror}; repair or remove it")


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchSnapshot:
    """The files of a results branch at one commit."""

    commit: CommitHash | None
    """None before the first push."""
    files: tuple[ListedFile, ...]
    """The results files."""
    orphans: tuple[str, ...]
    """Paths of files that are not part of the layout; they are left alone."""
    refused: tuple[str, ...] = ()
    """A message for each file or folder that must not reach a disk; they are left alone too."""

    def listing(self, branch: RemoteBranch) -> FileListing:
        """Return the results files; their contents are fetched from *branch*."""
        return FileListing(
            location=str(branch),
            files=self.files,
            read=lambda wanted: branch.files([file.object for file in wanted], MAX_FILE_BYTES),
            refused=self.refused,
        )


def take_snapshot(branch: RemoteBranch, folder: str = "") -> BranchSnapshot:
    """Fetch *branch* and list its files, or those of its *folder* that holds results.

    Names, kinds and sizes come from the remote and are not trusted: unsafe ones are left out. Raises DataError for a
    branch that holds no results.
    """
    commit = branch.fetch()
    if commit is None:
        return BranchSnapshot(commit=None, files=(), orphans=())
    refused = list[str]()
    files = list(_list_files(branch, f"{commit}:{folder}/" if folder else f"{commit}:", refused))
    results = tuple(file for file in files if is_results_file(file.path))
    if files and not any(is_proof_of_results(file.path) for file in results):
        names = ", ".join(sorted({file.path.partition("/")[0] for file in files})[:5])
        raise DataError(
            f"{branch} is not a results branch: it holds {names}; name another (results-branch in [tool.windtunnel]), "
            "or for an import the folder of it that holds results (--path)"
        )
    orphans = tuple(file.path for file in files if not is_results_file(file.path))
    return BranchSnapshot(commit=commit, files=results, orphans=orphans, refused=tuple(refused))


def _list_files(branch: RemoteBranch, root: str, refused: list[str]) -> Iterator[ListedFile]:
    """Yield the files of the folder *root* and of its subfolders; deeper ones are ignored.

    A message for each unsafe entry is added to *refused*.
    """
    entries = _safe_entries(branch, "", next(branch.folder_entries([root], MAX_TREE_BYTES)), refused)
    yield from _files("", entries)
    folders = [entry for entry in entries if entry.kind is ObjectKind.FOLDER]
    if len(folders) > MAX_FOLDERS:
        raise DataError(f"{branch} holds {len(folders)} folders; a results branch has at most {MAX_FOLDERS}")
    contents = branch.folder_entries([folder.object for folder in folders], MAX_TREE_BYTES)
    for folder, entries in zip(folders, contents, strict=True):
        prefix = f"{folder.name.decode()}/"
        yield from _files(prefix, _safe_entries(branch, prefix, entries, refused))


def _safe_entries(
    branch: RemoteBranch, prefix: str, entries: Sequence[TreeEntry], refused: list[str]
) -> tuple[TreeEntry, ...]:
    """Return those of *entries* that may reach a disk; of a name that occurs twice, none."""
    counts = Counter(entry.name for entry in entries)
    safe = list[TreeEntry]()
    for entry in entries:
        problem = name_problem(entry.name) or ("twice" if counts[entry.name] > 1 else None)
        if entry.kind not in {ObjectKind.FILE, ObjectKind.FOLDER}:
            problem = f"of kind {entry.kind}"
        if problem:
            shown = prefix + entry.name.decode("utf-8", "backslashreplace")
            refused.append(f"{branch} holds {shown!r}, {problem}: it is not read; remove it from the branch")
        else:
            safe.append(entry)
    return tuple(safe)


def _files(prefix: str, entries: Sequence[TreeEntry]) -> Iterator[ListedFile]:
    for entry in entries:
        if entry.kind is ObjectKind.FILE:
            yield ListedFile(path=prefix + entry.name.decode(), object=entry.object)
