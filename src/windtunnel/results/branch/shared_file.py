"""A file that several jobs change, such as alerts.json: on the results branch, or in a plain folder."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from windtunnel import files
from windtunnel.files import locked, write_atomically
from windtunnel.formats import Format
from windtunnel.git.branch import RemoteBranch
from windtunnel.results.branch.exchange import edit_file, read_file
from windtunnel.results.branch.retry import RetryPolicy
from windtunnel.results.branch.sides import take_snapshot

T = TypeVar("T")


class SharedFile(Protocol[T]):
    """Where the file is kept; concurrent updates do not get lost."""

    def read(self) -> T:
        """Return the stored value, an empty one if the file does not exist; raises DataError."""

    def update(self, change: Callable[[T], T]) -> T:
        """Write what *change* returns for the stored value, and return it.

        *change* is pure: it may be called again with what another job has written in the meantime.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOnBranch(Generic[T]):
    """The file on the results branch, under the name of its format."""

    branch: RemoteBranch
    form: Format[T]
    retry: RetryPolicy

    def read(self) -> T:
        """Return the stored value."""
        snapshot = self.retry.call(lambda: take_snapshot(self.branch))
        return self._decode(read_file(self.branch, snapshot, self.form.name))

    def update(self, change: Callable[[T], T]) -> T:
        """Write what *change* returns for the stored value, and return it."""
        results: list[T] = []

        def edit(content: bytes | None) -> bytes | None:
            before = self._decode(content)
            results.append(change(before))
            return content if results[-1] == before else self.form.encode(results[-1])

        edit_file(self.branch, self.form.name, edit, self.retry)
        return results[-1]

    def _decode(self, content: bytes | None) -> T:
        return self.form.type() if content is None else self.form.decode(content, f"{self.form.name} on {self.branch}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileInFolder(Generic[T]):
    """The file in a plain folder."""

    path: Path
    form: Format[T]

    def read(self) -> T:
        """Return the stored value."""
        return files.read(self.path, self.form) if self.path.exists() else self.form.type()

    def update(self, change: Callable[[T], T]) -> T:
        """Write what *change* returns for the stored value, and return it."""
        with locked(self.path.parent):
            before = self.read()
            after = change(before)
            if after != before:
                write_atomically(self.path, self.form.encode(after))
            return after
