"""What a results folder or branch holds: which files belong to it, and their contents, checked before they are used.

    benchmarks.json                 asv: the benchmarks
    <machine>/machine.json          asv: the machine
    <machine>/<commit[:8]>-….json   asv: the results of one commit in one environment
    alerts.json                     Windtunnel: the alerts; the branch has the authoritative copy
    error-rates.json                Windtunnel: false alarms and found slowdowns of each run; kept like the alerts
    records/<anything>.record       Windtunnel: how runs went; never changed, never merged
    records/claims-<hash>.record    Windtunnel: values of claims; grows while they are measured, and the newer is kept
    records/reach-….record         Windtunnel: what cases run in one environment; those of the newest commits are kept

Other files are left alone and never copied between a folder and a branch.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from windtunnel.errors import DataError
from windtunnel.git.branch import ObjectHash, RemoteBranch, TreeEntry, blob_hash
from windtunnel.model.identity import CommitHash
from windtunnel.model.run import Problem
from windtunnel.results.record_files import CHANGING, SUFFIX
from windtunnel.results.tree import BENCHMARKS, MACHINE, RECORDS

ALERTS = "alerts.json"

ERROR_RATES = "error-rates.json"

EDITED = frozenset({ALERTS, ERROR_RATES})
"""Files that commands edit on the branch; a folder has copies, which are never pushed."""

MAX_FILE_BYTES = 64 * 2**20
"""The largest file of the public histories that we know has 8 MB."""

MAX_NAME_BYTES = 245
"""File systems allow 255; the temporary file of a write has ten more."""
MAX_TREE_BYTES = 16 * 2**20
"""Of a git tree object; about 250,000 files."""
MAX_FOLDERS = 10_000


def name_problem(name: bytes) -> str | None:
    """Return why a file or folder must not be called *name*, None for a safe name."""
    try:
        text = name.decode()
    except UnicodeDecodeError:
        return "whose name is not UTF-8"
    if text in {"", ".", ".."} or text.lower().rstrip(". ") in {".git", "git~1"}:
        return "a name with a special meaning for file systems or git"
    if "/" in text or "\\" in text or not text.isprintable() or len(name) > MAX_NAME_BYTES:
        return "which is not a plain file name"
    return None


def is_results_file(path: str) -> bool:
    """Return whether the file at *path* (relative, POSIX) is part of the layout."""
    *folders, name = path.split("/")
    if not folders:
        return name in {BENCHMARKS, *EDITED}
    hidden = any(part.startswith(".") for part in (*folders, name))
    suffix = SUFFIX if folders == [RECORDS] else ".json"
    return name.endswith(suffix) and name != BENCHMARKS and not hidden


def is_run_file(path: str) -> bool:
    """Return whether the file at *path* is asv's file of one run, by its location."""
    folder, _, name = path.rpartition("/")
    return is_results_file(path) and folder not in {"", RECORDS} and name != MACHINE


def is_merged(path: str) -> bool:
    """Return whether the file at *path* merges as results do: benchmarks, a machine or a run."""
    return path == BENCHMARKS or path.endswith(f"/{MACHINE}") or is_run_file(path)


def is_joined(path: str) -> bool:
    """Return whether two files at *path* are joined, by its name: values of claims, and reach maps."""
    folder, _, name = path.rpartition("/")
    return folder == RECORDS and bool(CHANGING.fullmatch(name))


def is_proof_of_results(path: str) -> bool:
    """Return whether only a results branch has a file at *path*; a branch of sources has none."""
    folder, _, name = path.rpartition("/")
    return name == MACHINE or folder == RECORDS or (not folder and is_results_file(path))


def merge_group(path: str) -> str:
    """Return a name that all files share which may have to be merged with the one at *path*.

    Runs of one commit may be filed under its first 8 digits or all 40, and two commits may share the 8.
    """
    folder, _, name = path.rpartition("/")
    alone = not folder or name == MACHINE or folder == RECORDS
    return path if alone else f"{folder}/{name[:8]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileListing:
    """The results files of a folder or branch."""

    location: str
    """For messages."""
    files: Mapping[str, ObjectHash]
    """The hash that git gives to each content, by path: relative, POSIX, safe to write below a folder."""
    read: Callable[[Iterable[str]], Iterator[bytes | None]]
    """Yields the contents of some paths, in order; None for one that is too large."""
    refused: tuple[str, ...] = ()
    """A message for each file or folder that must not reach a disk; ``files`` has none of them."""
    orphans: tuple[str, ...] = ()
    """Paths of files that are not part of the layout; they are left alone."""
    commit: CommitHash | None = None
    """That of a branch; None before the first push."""

    def load(self, wanted: Sequence[str]) -> tuple[dict[str, bytes], tuple[Problem, ...]]:
        """Return the contents of *wanted* by path, and a problem for each that is too large."""
        contents = dict(zip(wanted, self.read(wanted), strict=True))
        reason = f"has more than {MAX_FILE_BYTES} bytes; remove it there"
        return {path: content for path, content in contents.items() if content is not None}, tuple(
            Problem(file=f"{self.location}: {path}", key="", reason=reason)
            for path, content in contents.items()
            if content is None
        )


def list_folder(root: Path) -> FileListing:
    """Return the results files that are in the folder *root* now; a missing folder is empty."""
    return FileListing(
        location=str(root),
        files={path: blob_hash(_read(root, path)) for path in _paths(root)},
        read=lambda wanted: (_read(root, path) for path in wanted),
    )


def _paths(root: Path) -> Iterator[str]:
    """Yield the results files at any depth; asv takes every folder with a machine.json for a machine's."""
    if not root.exists():
        return
    if not root.is_dir():
        raise DataError(f"{root} is not a folder; name a folder of results")
    for folder, folders, names in os.walk(root, onerror=_raise_unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            relative = (Path(folder) / name).relative_to(root).as_posix()
            if is_results_file(relative) and (root / relative).is_file():
                yield _checked(root, relative)


def _checked(root: Path, path: str) -> str:
    problem = next(filter(None, (name_problem(os.fsencode(part)) for part in path.split("/"))), None)
    if problem:
        raise DataError(f"{root} holds {path!r}, {problem}: it cannot be stored; rename or remove it")
    return path


def _read(root: Path, path: str) -> bytes:
    try:
        size = (root / path).stat().st_size
        content = (root / path).read_bytes() if size <= MAX_FILE_BYTES else b""
    except OSError as error:
        raise DataError(f"{root / path} cannot be read: {error.strerror}; repair or remove it") from None
    if size > MAX_FILE_BYTES:
        raise DataError(f"{root / path} has {size} bytes; at most {MAX_FILE_BYTES} are stored: remove it")
    return content


def _raise_unreadable(error: OSError) -> None:
    raise DataError(f"{error.filename} cannot be read: {error.strerror}; repair or remove it")


def take_snapshot(branch: RemoteBranch) -> FileListing:
    """Fetch *branch* and list its files; contents are fetched when read.

    Names, kinds and sizes come from the remote and are not trusted: unsafe ones are left out. Raises DataError for a
    branch that holds no results.
    """
    commit = branch.fetch()
    refused = list[str]()
    files = dict(_list_files(branch, f"{commit}:", refused)) if commit else {}
    if files and not any(is_results_file(path) and is_proof_of_results(path) for path in files):
        names = ", ".join(sorted({path.partition("/")[0] for path in files})[:5])
        raise DataError(
            f"{branch} is not a results branch: it holds {names}; name another (results-branch in [tool.windtunnel])"
        )
    return FileListing(
        location=str(branch),
        files={path: file for path, file in files.items() if is_results_file(path)},
        read=lambda wanted: branch.files([files[path] for path in wanted], MAX_FILE_BYTES),
        refused=tuple(refused),
        orphans=tuple(path for path in files if not is_results_file(path)),
        commit=commit,
    )


def _list_files(branch: RemoteBranch, root: str, refused: list[str]) -> Iterator[tuple[str, ObjectHash]]:
    """Yield the files of the folder *root* and of its subfolders; deeper ones are ignored.

    A message for each unsafe entry is added to *refused*.
    """
    entries = _safe_entries(branch, "", next(branch.folder_entries([root], MAX_TREE_BYTES)), refused)
    yield from _files("", entries)
    folders = [entry for entry in entries if entry.kind == "folder"]
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
        if entry.kind not in {"file", "folder"}:
            problem = f"of kind {entry.kind}"
        if problem:
            shown = prefix + entry.name.decode("utf-8", "backslashreplace")
            refused.append(f"{branch} holds {shown!r}, {problem}: it is not read; remove it from the branch")
        else:
            safe.append(entry)
    return tuple(safe)


def _files(prefix: str, entries: Sequence[TreeEntry]) -> Iterator[tuple[str, ObjectHash]]:
    for entry in entries:
        if entry.kind == "file":
            yield prefix + entry.name.decode(), entry.object
