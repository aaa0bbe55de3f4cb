"""Whether a note fits the row that it is about; it may have been written by anyone, or for an older row."""

from collections.abc import Iterator
from math import isfinite

from windtunnel.asv.results_format.notes import FIELD, FittingNote, Note
from windtunnel.asv.results_format.row_layout import Columns, combinations
from windtunnel.asv.results_format.text import Problems, UnreadableError, field
from windtunnel.model.identity import Field, Instant
from windtunnel.model.result import Session


def fitting(name: str, note: Note, row: Columns, problems: Problems) -> FittingNote:
    """Return what of *note* fits the row called *name*; the rest is a problem each."""
    key = f"{FIELD}.rows.{name}"
    count = combinations(row.params)
    sizes, started_at = note.process_sizes, note.started_at
    if sizes is not None and not _sizes_fit(sizes, row, count):
        problems.add(f"{key}.process_sizes", "does not fit the samples")
        sizes = None
    if started_at is not None and len(started_at) != count:
        problems.add(f"{key}.started_at", f"has {len(started_at)} entries for {count} parameter combinations")
        started_at = None
    return FittingNote(
        process_sizes=sizes,
        started_at=started_at,
        sessions=tuple(_session(start, seconds) for start, seconds in note.sessions if isfinite(seconds)),
        extra=tuple(sorted(_fields(key, note, problems))),
    )


def _sizes_fit(sizes: list[list[int] | None], row: Columns, count: int) -> bool:
    samples = row.samples or [None] * count
    return len(sizes) == count and all(
        size is None or (min(size, default=0) > 0 and sum(size) == len(values or ()))
        for size, values in zip(sizes, samples, strict=True)
    )


def _session(started_at: int | None, seconds: float) -> Session:
    return Session(started_at=None if started_at is None else Instant(started_at), duration=seconds)


def _fields(key: str, note: Note, problems: Problems) -> Iterator[Field]:
    for name, value in note.extra.items():
        try:
            yield field(name, value)
        except UnreadableError as error:
            problems.add(f"{key}.{name}", error.reason)
