"""A results folder or a results branch, as the other side of it sees them: names with hashes, contents on demand."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from windtunnel.git.tree import ObjectHash


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
