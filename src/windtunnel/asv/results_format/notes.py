"""What a results file keeps for Windtunnel beside asv's columns, in a field that asv ignores: ``windtunnel``.

``rows`` maps the name of a benchmark to its note; ``superseded`` lists rows that lost to the one under ``results``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from windtunnel.asv.results_format.row_layout import Moment, Number, Whole
from windtunnel.model.identity import Fields
from windtunnel.model.result import Session

FIELD = "windtunnel"


class Note(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What asv's columns cannot say of one row: *process_sizes* and *started_at* have an entry for every case.

    *sessions* are pairs of start and seconds, *extra* unknown columns.
    """

    process_sizes: list[list[Whole] | None] | None = None
    started_at: list[Moment | None] | None = None
    sessions: list[tuple[Moment | None, Number]] = []
    extra: dict[str, Any] = {}


class Superseded(msgspec.Struct, frozen=True, kw_only=True):
    """A row that is kept though another of its name stands in its place."""

    name: str
    row: list[Any]
    note: Note = Note()


class Notes(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The whole field."""

    rows: dict[str, Note] = {}
    superseded: list[Superseded] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class FittingNote:
    """A note that has been held against its row, ready for use."""

    process_sizes: Sequence[Sequence[int] | None] | None = None
    started_at: Sequence[int | None] | None = None
    sessions: tuple[Session, ...] = ()
    extra: Fields = ()


NOTHING = Note()
NOTHING_FITS = FittingNote()
