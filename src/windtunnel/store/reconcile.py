"""What one side must change to hold everything of the other: only files that differ, and what they merge with."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from windtunnel.git.tree import blob_hash
from windtunnel.store.layout import family
from windtunnel.store.side import File, Item, Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Combined:
    """Two sides' files in one; a broken file is in none of them, and named in the notes."""

    files: tuple[File, ...]
    replaced: tuple[str, ...] = ()
    """Paths whose content is now, whole, in a file of another name."""
    notes: tuple[str, ...] = ()


Combine = Callable[[Sequence[File], Sequence[File]], Combined]
"""Merges files of a side with those of the other; the order of the two does not matter to the result."""


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
        ours = _members(target.items, touched)
        combined = combine(tuple(_files(target, ours)), tuple(_files(source, _members(source.items, touched))))
        places = {family(file.path) for file in combined.files}
        if places <= touched:
            return _changes(ours, combined)
        touched |= places  # content moved to where its own names say it belongs: what lies there takes part


def _changes(ours: Sequence[Item], combined: Combined) -> Changes:
    before = {item.path: item.object for item in ours}
    return Changes(
        written=tuple(file for file in combined.files if before.get(file.path) != blob_hash(file.content)),
        removed=tuple(path for path in combined.replaced if path in before),
        notes=combined.notes,
    )


def _members(items: Iterable[Item], families: set[str]) -> tuple[Item, ...]:
    return tuple(item for item in items if family(item.path) in families)


def _files(side: Side, items: Sequence[Item]) -> Iterator[File]:
    for item, content in zip(items, side.read(items), strict=True):
        yield File(path=item.path, content=content)
