"""A results folder on this disk: listed, read, and written file by file so that a kill leaves each one whole."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from windtunnel.errors import DataError
from windtunnel.files import write_atomically
from windtunnel.git.branch import Branch
from windtunnel.git.objects import Entry, Kind, ObjectHash, blob_hash
from windtunnel.model.identity import CommitHash
from windtunnel.results.branch.layout import LARGEST_FILE, is_ours, name_trouble, proves_results


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A file's place (relative, POSIX, safe to write below a folder) and the hash that git gives to its content."""

    path: str
    object: ObjectHash


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file's place and its content."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What is at *place* (for messages), and how to *read* the contents of some of it, in order."""

    place: str
    items: tuple[Item, ...]
    read: Callable[[Sequence[Item]], Iterator[bytes]]

    def files(self, wanted: Sequence[Item]) -> Iterator[File]:
        """Read *wanted*."""
        for item, content in zip(wanted, self.read(wanted), strict=True):
            yield File(path=item.path, content=content)


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """The results folder *root*."""

    root: Path

    def side(self) -> Side:
        """List what belongs to the results, now; a folder that is not there is empty."""
        items = tuple(Item(path=path, object=blob_hash(self._read(path))) for path in self._paths())
        return Side(place=str(self.root), items=items, read=lambda wanted: (self._read(item.path) for item in wanted))

    def write(self, files: Sequence[File]) -> None:
        """Write *files*, each at once or not at all; to be done under the lock."""
        for file in files:
            write_atomically(self.root / file.path, file.content)

    def remove(self, paths: Sequence[str]) -> None:
        """Remove files."""
        for path in paths:
            (self.root / path).unlink(missing_ok=True)

    def _paths(self) -> Iterator[str]:
        """Yield the results files, at any depth: asv takes every folder with a machine.json for a machine's."""
        if not self.root.exists():
            return
        if not self.root.is_dir():
            raise DataError(f"{self.root} is no folder; name a folder of results")
        for place, folders, names in os.walk(self.root, onerror=_unreadable):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                relative = (Path(place) / name).relative_to(self.root).as_posix()
                if is_ours(relative) and (self.root / relative).is_file():
                    yield self._checked(relative)

    def _checked(self, path: str) -> str:
        trouble = next(filter(None, (name_trouble(os.fsencode(part)) for part in path.split("/"))), None)
        if trouble:
            raise DataError(f"{self.root} holds {path!r}, {trouble}: it cannot be stored; rename or remove it")
        return path

    def _read(self, path: str) -> bytes:
        try:
            size = (self.root / path).stat().st_size
            content = (self.root / path).read_bytes() if size <= LARGEST_FILE else b""
        except OSError as error:
            raise DataError(f"{self.root / path} cannot be read: {error.strerror}; mend or remove it") from None
        if size > LARGEST_FILE:
            raise DataError(f"{self.root / path} has {size} bytes; at most {LARGEST_FILE} are stored: remove it")
        return content


def _unreadable(error: OSError) -> None:
    raise DataError(f"{error.filename} cannot be read: {error.strerror}; mend or remove it")


LARGEST_FOLDER = 16 * 2**20
"""Bytes of a git tree: about 250,000 files."""
MOST_FOLDERS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A results branch at one commit; *commit* is ``None`` before the first push."""

    commit: CommitHash | None
    items: tuple[Item, ...]
    orphans: tuple[str, ...]
    """Files that asv's format does not know; left as they are."""

    def side(self, branch: Branch) -> Side:
        """Return what the branch holds, to be fetched from *branch* itself."""
        return Side(
            place=str(branch),
            items=self.items,
            read=lambda wanted: branch.files([item.object for item in wanted], LARGEST_FILE),
        )


def take_snapshot(branch: Branch, folder: str = "") -> Snapshot:
    """Fetch *branch* and list it, or the *folder* of it that holds results; refuse what is no results branch."""
    commit = branch.fetch()
    if commit is None:
        return Snapshot(commit=None, items=(), orphans=())
    files = list(_files(branch, f"{commit}:{folder}/" if folder else f"{commit}:"))
    ours = tuple(item for item in files if is_ours(item.path))
    if files and not any(proves_results(item.path) for item in ours):
        names = ", ".join(sorted({item.path.partition("/")[0] for item in files})[:5])
        raise DataError(
            f"{branch} is no results branch: it holds {names}; name another (results-branch in [tool.windtunnel]), "
            "or for an import the folder of it that holds results (--path)"
        )
    return Snapshot(commit=commit, items=ours, orphans=tuple(item.path for item in files if not is_ours(item.path)))


def _files(branch: Branch, place: str) -> Iterator[Item]:
    """Yield the files of the folder at *place* and of its folders; what lies deeper is nobody's business here."""
    root = next(branch.folder_entries([place], LARGEST_FOLDER))
    _check(branch, "", root)
    yield from _items("", root)
    folders = [entry for entry in root if entry.kind is Kind.FOLDER]
    if len(folders) > MOST_FOLDERS:
        raise DataError(f"{branch} holds {len(folders)} folders, more than {MOST_FOLDERS}; no results branch does")
    contents = branch.folder_entries([entry.object for entry in folders], LARGEST_FOLDER)
    for folder, entries in zip(folders, contents, strict=True):
        prefix = f"{folder.name.decode()}/"
        _check(branch, prefix, entries)
        yield from _items(prefix, entries)


def _items(prefix: str, entries: Sequence[Entry]) -> Iterator[Item]:
    return (Item(path=prefix + e.name.decode(), object=e.object) for e in entries if e.kind is Kind.FILE)


def _check(branch: Branch, prefix: str, entries: Sequence[Entry]) -> None:
    """Refuse a folder with an entry that must not reach a disk."""
    seen = set[bytes]()
    for entry in entries:
        trouble = name_trouble(entry.name) or ("twice" if entry.name in seen else None)
        if entry.kind not in {Kind.FILE, Kind.FOLDER}:
            trouble = f"of kind {entry.kind}"
        if trouble:
            shown = prefix + entry.name.decode("utf-8", "backslashreplace")
            raise DataError(f"{branch} holds {shown!r}, {trouble}: refused; remove that from the branch")
        seen.add(entry.name)
