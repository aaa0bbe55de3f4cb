"""A results folder on this disk: listed, read, and written file by file so that a kill leaves each one whole."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from windtunnel.errors import DataError
from windtunnel.files import write_atomically
from windtunnel.git.objects import blob_hash
from windtunnel.results.branch.layout import LARGEST_FILE, is_ours, name_trouble
from windtunnel.results.branch.reconcile import File, Item, Side


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
