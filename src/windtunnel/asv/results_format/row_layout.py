"""The layout of a row in asv's format 2, and the note that Windtunnel stores beside it.

asv ignores the field ``windtunnel`` of a results file. Its ``rows`` map the name of a benchmark to a note; its
``superseded`` are rows that a merge replaced by those under ``results``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite, prod
from typing import Annotated, Any

import msgspec

from windtunnel.asv.results_format.json_values import Problems, UnreadableError, field
from windtunnel.model.identity import Field, Fields, Instant
from windtunnel.model.result import Session

NAMES = (
    "result",
    "params",
    "version",
    "started_at",
    "duration",
    "stats_ci_99_a",
    "stats_ci_99_b",
    "stats_q_25",
    "stats_q_75",
    "stats_number",
    "stats_repeat",
    "samples",
    "profile",
)
"""What asv 0.6 writes as ``result_columns``."""

MAX_COMBINATIONS = 100_000
"""Maximum number of combinations of parameters; the largest grid of 35 public histories has 2,091."""

MAX_INSTANT, MIN_INSTANT = 253_402_300_799_999, -62_135_596_800_000
"""Milliseconds since 1970: the years 9999 and 1, the limits of Python's calendar."""

Whole = Annotated[int, msgspec.Meta(ge=-(2**63) + 1, le=2**63 - 1)]
Milliseconds = Annotated[int, msgspec.Meta(ge=MIN_INSTANT, le=MAX_INSTANT)]
Number = Whole | float
Numbers = list[Number | None]
Wholes = list[Whole | None]


class Columns(msgspec.Struct, array_like=True, gc=False, forbid_unknown_fields=True):
    """One row; trailing columns may be missing. Only repaired rows hold NaN, never masked JSON."""

    result: Numbers | None = None
    params: list[list[str]] | None = None
    version: str | None = None
    started_at: Milliseconds | None = None
    duration: Number | None = None
    ci_99_a: Numbers | None = None
    ci_99_b: Numbers | None = None
    q_25: Numbers | None = None
    q_75: Numbers | None = None
    number: Wholes | None = None
    repeat: Wholes | None = None
    samples: list[list[Number] | None] | None = None
    profile: str | None = None


def combinations(params: list[list[str]] | None) -> int:
    """Return the number of combinations of the parameters."""
    return prod(map(len, params)) if params else 1


def is_consistent(row: Columns) -> bool:
    """Return whether every column has an entry for each combination, or is empty or null."""
    count = combinations(row.params)
    return (
        count <= MAX_COMBINATIONS
        and (not row.result or len(row.result) == count)
        and (not row.ci_99_a or len(row.ci_99_a) == count)
        and (not row.ci_99_b or len(row.ci_99_b) == count)
        and (not row.q_25 or len(row.q_25) == count)
        and (not row.q_75 or len(row.q_75) == count)
        and (not row.number or len(row.number) == count)
        and (not row.repeat or len(row.repeat) == count)
        and (not row.samples or len(row.samples) == count)
    )


FIELD = "windtunnel"


class Note(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Data of one row for which asv has no column."""

    process_sizes: list[list[Whole] | None] | None = None
    """Number of samples of each process, for each case."""
    started_at: list[Milliseconds | None] | None = None
    """Start of each case."""
    sessions: list[tuple[Milliseconds | None, Number]] = []
    """Start and seconds of each session."""
    extra: dict[str, Any] = {}
    """Unknown columns."""


class Superseded(msgspec.Struct, frozen=True, kw_only=True):
    """A row that a merge replaced by another of the same name."""

    name: str
    row: list[Any]
    note: Note = Note()


class Notes(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The field ``windtunnel`` of a results file."""

    rows: dict[str, Note] = {}
    superseded: list[Superseded] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidatedNote:
    """A note that is consistent with its row."""

    process_sizes: Sequence[Sequence[int] | None] | None = None
    started_at: Sequence[int | None] | None = None
    sessions: tuple[Session, ...] = ()
    extra: Fields = ()


EMPTY_NOTE = Note()
EMPTY_VALIDATED_NOTE = ValidatedNote()


def validate_note(name: str, note: Note, row: Columns, problems: Problems) -> ValidatedNote:
    """Return the parts of *note* that are consistent with the row called *name*; every other part is a problem."""
    key = f"{FIELD}.rows.{name}"
    count = combinations(row.params)
    sizes, started_at = note.process_sizes, note.started_at
    if sizes is not None and not _sizes_match(sizes, row, count):
        problems.add(f"{key}.process_sizes", "does not match the samples")
        sizes = None
    if started_at is not None and len(started_at) != count:
        problems.add(f"{key}.started_at", f"has {len(started_at)} entries for {count} parameter combinations")
        started_at = None
    return ValidatedNote(
        process_sizes=sizes,
        started_at=started_at,
        sessions=tuple(_session(start, seconds) for start, seconds in note.sessions if isfinite(seconds)),
        extra=tuple(sorted(_fields(key, note, problems))),
    )


def _sizes_match(sizes: list[list[int] | None], row: Columns, count: int) -> bool:
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
