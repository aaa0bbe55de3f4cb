"""What a results branch holds, checked before any of it is believed: names, kinds and sizes are the remote's word."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from windtunnel.errors import DataError
from windtunnel.git.branch import Branch
from windtunnel.git.objects import Entry, Kind
from windtunnel.model.identity import CommitHash
from windtunnel.results.branch.layout import LARGEST_FILE, is_ours, name_trouble, proves_results
from windtunnel.results.branch.reconcile import Item, Side

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
