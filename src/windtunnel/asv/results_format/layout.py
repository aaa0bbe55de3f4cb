"""The layout of a row in asv's format 2, how valid rows are known, and the note that Windtunnel stores beside one.

asv ignores the field ``windtunnel`` of a results file. Its ``rows`` map the name of a benchmark to a note; its
``superseded`` are rows that a merge replaced by those under ``results``.
"""

from collections.abc import Mapping, Sequence
from math import isfinite, prod
from typing import Annotated, Any

import msgspec

from windtunnel.asv.results_format.json_values import INFINITY, NAN, Json, Problems, UnreadableError, field
from windtunnel.model.identity import Fields

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

INFINITE = 1e308
"""What stands for infinity while a row is checked."""

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
    """Return whether every column has an entry for each combination or is empty, and nothing of it would be lost."""
    count = combinations(row.params)
    known = [column for column in (row.result, *statistics_of(row)) if column]
    return (
        count <= MAX_COMBINATIONS
        and all(len(column) == count for column in known)
        and (row.duration is None or abs(row.duration) < INFINITE)
        and (_are_alike(row, known) or not any(strays(row)))
    )


def statistics_of(row: Columns) -> tuple[list[Any] | None, ...]:
    """Return the columns of *row* that asv fills only for cases with a value."""
    return row.ci_99_a, row.ci_99_b, row.q_25, row.q_75, row.number, row.repeat, row.samples


def _are_alike(row: Columns, known: Sequence[list[Any]]) -> bool:
    """Return whether the *known* columns of *row* are null for the same cases, as in most rows, and none is missing."""
    if len(known) > 1 and not (row.result and row.ci_99_a and row.ci_99_b and row.q_25 and row.q_75):
        return False
    failed = [case for case, value in enumerate(row.result or ()) if value is None]
    return all(column.count(None) == len(failed) and all(column[case] is None for case in failed) for column in known)


def strays(row: Columns) -> tuple[set[int], ...]:
    """Return for each of `statistics_of` the cases that have no value, or an interval of one limit.

    asv writes no such case, and a row has no place for it. NaN is not a value.
    """
    value, low, high, lower, upper, *others = (_known(column) for column in (row.result, *statistics_of(row)))
    pairs = (low - (value & high), high - (value & low), lower - (value & upper), upper - (value & lower))
    return *pairs, *(other - value for other in others)


def _known(column: list[Any] | None) -> set[int]:
    return {case for case, value in enumerate(column or ()) if value is not None and value == value}  # noqa: PLR0124


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


EMPTY_NOTE = Note()


def validate_note(name: str, note: Note, row: Columns, problems: Problems) -> Note:
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
    sessions = [session for session in note.sessions if isfinite(session[1])]
    if len(sessions) < len(note.sessions):
        problems.add(f"{key}.sessions", f"has {len(note.sessions) - len(sessions)} that took no finite time")
    return Note(
        process_sizes=sizes,
        started_at=started_at,
        sessions=sessions,
        extra={name: value for name, value in note.extra.items() if _is_field(key, name, value, problems)},
    )


def fields_of(note: Note) -> Fields:
    """Return the unknown columns of a *note* that was validated."""
    return tuple(sorted(field(name, value) for name, value in note.extra.items()))


def _is_field(key: str, name: str, value: object, problems: Problems) -> bool:
    try:
        return bool(field(name, value))
    except UnreadableError as error:
        problems.add(f"{key}.{name}", error.reason)
        return False


def _sizes_match(sizes: list[list[int] | None], row: Columns, count: int) -> bool:
    samples = row.samples or [None] * count
    return len(sizes) == count and all(
        size is None or (min(size, default=0) > 0 and sum(size) == len(values or ()))
        for size, values in zip(sizes, samples, strict=True)
    )


DIGITS = b"0123456789"

MAX_KNOWN_ROW_BYTES = 2000
"""Longer rows are not remembered: they have so many numbers that hardly two have the same layout."""

MAX_KNOWN_LAYOUTS = 50_000
"""Layouts to remember: 10 MB."""

MAX_EXTRA_DIGITS = 200
"""Digits by which a row of a known layout may be longer than the first; a number too large for a float has 309."""

parse_columns = msgspec.json.Decoder(Columns).decode

NO_PARAMETERS = b"[], "
"""The text before the version, in asv's spacing, when a benchmark has no parameters."""

OPEN, BEFORE = NO_PARAMETERS[0], len(NO_PARAMETERS)


class KnownLayouts:
    """The layouts of valid rows: their JSON without digits.

    Two rows of one layout have the same columns with the same numbers of values of the same types. An empty list and a
    list of one integer are the exception, so no layout with the first is known. Numbers may differ in range; reading a
    row checks that.
    """

    def __init__(self) -> None:
        """Start without layouts."""
        self._longest: dict[bytes, int] = {}
        self._without_params: set[bytes] = set()
        """Layouts without parameters; an invalid row with integers there would have the same layout."""

    def bad_rows(self, rows: Mapping[str, Json]) -> list[str]:
        """Return the names of those *rows*, in asv's own columns, that are not valid."""
        longest, without_params, bad = self._longest.get, self._without_params, []
        for name, raw in rows.items():
            row = bytes(raw)
            layout = row.translate(None, DIGITS)
            if len(row) > longest(layout, 0) or (row[row.find(b'"') - BEFORE] != OPEN and layout in without_params):
                columns = _valid_columns(raw)
                if columns is None:
                    bad.append(name)
                elif _is_distinctive(row, layout, columns):
                    self._remember(layout, len(row), columns)
        return bad

    def _remember(self, layout: bytes, length: int, columns: Columns) -> None:
        if len(self._longest) >= MAX_KNOWN_LAYOUTS:
            self._longest.clear()
            self._without_params.clear()
        self._longest[layout] = length + MAX_EXTRA_DIGITS
        if not columns.params:
            self._without_params.add(layout)


def _is_distinctive(row: bytes, layout: bytes, columns: Columns) -> bool:
    """Return whether the layout of a valid row proves that other rows are valid."""
    if len(row) > MAX_KNOWN_ROW_BYTES or b"\\u" in layout:  # the digits of an escape decide whether it is valid
        return False
    # Where this row has a number with an exponent, or an empty list, another may have NaN, or an integer.
    if layout.count(b"E") > row.count(NAN) + row.count(INFINITY) or row.count(b"[]") > (not columns.params):
        return False
    if columns.params:
        return all(columns.params)
    return columns.version is not None and row.startswith(NO_PARAMETERS, row.find(b'"') - BEFORE)


def _valid_columns(raw: Json) -> Columns | None:
    content = bytes(raw)
    if NAN in content or INFINITY in content:
        content = content.replace(NAN, b"null").replace(INFINITY, b"1e308")
    try:
        columns = parse_columns(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return columns if is_consistent(columns) else None
