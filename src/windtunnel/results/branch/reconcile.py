"""Reconcile two sides of an exchange: find the files that differ, and what they merge with."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from windtunnel.git.objects import ObjectHash
from windtunnel.results.branch.layout import family


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
class Part:
    """The files of a side that take part in a merge, of all its *paths*; to read the *rest* is dear, seldom needed."""

    place: str
    paths: frozenset[str]
    files: tuple[File, ...]
    rest: Callable[[], Iterator[File]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Combined:
    """Two parts in one; a broken file is in none of them, and named in the notes."""

    files: tuple[File, ...]
    replaced: tuple[str, ...] = ()
    """Paths whose content is now, whole, in a file of another name."""
    notes: tuple[str, ...] = ()


Combine = Callable[[Part, Part], Combined]
"""Merges what the target has (first) with what the source has; where both can be read, the order does not matter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What is to be written to a side and removed from it."""

    written: tuple[File, ...]
    removed: tuple[str, ...]
    notes: tuple[str, ...]


def reconcile(source: Side, target: Side, combine: Combine) -> Changes:
    """Return the changes after which *target* holds everything of *source*, and nothing of its own less."""
    there = set(target.items)
    touched = {family(item.path) for item in source.items if item not in there}
    while True:
        ours = _part(target, touched)
        combined = combine(ours, _part(source, touched))
        places = {family(file.path) for file in combined.files}
        if places <= touched:
            return _changes(ours, combined)
        touched |= places  # content moved to where its own names say it belongs: what lies there takes part


def _part(side: Side, touched: set[str]) -> Part:
    families = {item: family(item.path) for item in side.items}
    rest = [item for item in side.items if families[item] not in touched]
    files = tuple(side.files([item for item in side.items if families[item] in touched]))
    paths = frozenset(item.path for item in side.items)
    return Part(place=side.place, paths=paths, files=files, rest=lambda: side.files(rest))


def _changes(ours: Part, combined: Combined) -> Changes:
    before = {file.path: file.content for file in ours.files}
    return Changes(
        written=tuple(file for file in combined.files if before.get(file.path) != file.content),
        removed=tuple(path for path in combined.replaced if path in before),
        notes=combined.notes,
    )
