"""Reads rows, and repairs those that are not valid as written: keeps the usable values and reports the others.

Also converts rows of asv's format 1 (before 2019). Such a row is a value, a list or an object; everything else is in
columns of the file. asv 0.6.6 reads such files only after ``asv update``, which drops their statistics.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from math import isfinite
from typing import Any

import msgspec

from windtunnel.asv.results_format.json_values import (
    Json,
    Parts,
    Problems,
    UnreadableError,
    count_numbers,
    decode_text,
    dumps,
    loads,
    unmask,
)
from windtunnel.asv.results_format.layout import (
    EMPTY_NOTE,
    FIELD,
    MAX_COMBINATIONS,
    MAX_INSTANT,
    MIN_INSTANT,
    NAMES,
    Columns,
    KnownLayouts,
    Note,
    Superseded,
    combinations,
    parse_columns,
    statistics_of,
    strays,
    validate_note,
)
from windtunnel.text import numbers

MAX_INTEGER = 2**63 - 1

KINDS = {str: "a text", list: "a list", dict: "an object", type(None): "null"}


def number(value: Any) -> int | float:
    """Return *value* as a number (true is 1); raises UnreadableError."""
    match value:
        case bool():
            return int(value)
        case int():
            return value if abs(value) <= MAX_INTEGER else _float(value)
        case float():
            return value
        case _:
            raise UnreadableError(f"is {KINDS[type(value)]}, not a number: {value!r:.60}")


def whole(value: Any) -> int:
    """Return *value* as an integer; raises UnreadableError."""
    result = number(value)
    if result != result or int(min(max(result, -1), MAX_INTEGER)) != result:  # noqa: PLR0124 - NaN
        raise UnreadableError(f"is not an integer: {value!r:.60}")
    return int(result)


def _float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        raise UnreadableError("is too large for a number") from None


def repaired_columns(name: str, values: Mapping[str, Any], problems: Problems) -> Columns:
    """Return the usable values of the row called *name*; *values* are its columns by asv's names.

    A value that is not a number becomes a failure and a problem. Raises UnreadableError when nothing is usable.
    """
    values = {column: value for column, value in values.items() if value not in ({}, [])}  # nothing is lost with them
    params = params_of(values.get("params"))
    row = _Row(key=f"results.{name}", values=values, params=params, problems=problems)
    columns = Columns(
        result=row.for_each_case("result", number),
        params=params,
        version=version_text(values.get("version")),
        started_at=row.single("started_at", _instant),
        duration=row.single("duration", _seconds),
        ci_99_a=row.for_each_case("stats_ci_99_a", number),
        ci_99_b=row.for_each_case("stats_ci_99_b", number),
        q_25=row.for_each_case("stats_q_25", number),
        q_75=row.for_each_case("stats_q_75", number),
        number=row.for_each_case("stats_number", whole),
        repeat=row.for_each_case("stats_repeat", whole),
        samples=row.for_each_case("samples", _samples),
        profile=row.single("profile", _profile),
    )
    _drop_strays(columns, row.key, problems)
    return columns


def _drop_strays(row: Columns, key: str, problems: Problems) -> None:
    """Remove `strays` from *row*; what is removed is counted in a problem."""
    removed = []
    for column, cases in zip(statistics_of(row), strays(row), strict=True):
        entries = column or []
        removed.append([entries[case] for case in cases])
        for case in cases:
            entries[case] = None
    if any(removed):
        *statistics, samples = removed
        lost = [numbers.count(sum(map(len, samples)), "sample"), numbers.count(sum(map(len, statistics)), "statistic")]
        problems.add(key, f"has {' and '.join(lost)} without a value or a second limit; they are not kept")


def params_of(value: Any) -> list[list[str]]:
    """Return the values of each parameter; raises UnreadableError for anything but a list of lists, or too many."""
    if value is None or value != value:  # noqa: PLR0124 - NaN
        return []
    if not isinstance(value, list) or not all(isinstance(inner, list) for inner in value):
        raise UnreadableError(f"has params that are not a list of lists: {value!r:.60}")
    params = [[item if isinstance(item, str) else dumps(item) for item in inner] for inner in value]
    if combinations(params) > MAX_COMBINATIONS:
        raise UnreadableError(f"has more than {MAX_COMBINATIONS} parameter combinations")
    return params


def version_text(value: Any) -> str | None:
    """Return a benchmark's version, a number as text; raises UnreadableError for anything else."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return dumps(value)
    raise UnreadableError(f"has a version that is not a text: {value!r:.60}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """One row during its repair."""

    key: str
    values: Mapping[str, Any]
    params: list[list[str]]
    problems: Problems

    def single(self, column: str, convert: Callable[[Any], Any]) -> Any:
        """Return the single value of *column*; None, with a problem, when *convert* rejects it."""
        return self._one(column, self.values.get(column), convert)

    def for_each_case(self, column: str, convert: Callable[[Any], Any]) -> list[Any] | None:
        """Return a value for each case; None, with a problem, for a value that *convert* rejects."""
        count = combinations(self.params)
        values = self._list(column, count)
        if values is None or all(value is None for value in values):
            return None
        if len(values) != count:
            reason = f"has {len(values)} entries for {count} parameter combinations"
            self.problems.add(f"{self.key}.{column}", reason + _lost(values[count:]))
        padded = [*values[:count], *[None] * (count - len(values))]
        return [self._one(column, value, convert, index) for index, value in enumerate(padded)]

    def _list(self, column: str, count: int) -> list[Any] | None:
        value = self.values.get(column)
        if value is None or (isinstance(value, list) and not (count == 1 and _is_flat(column, value))):
            return value
        if count == 1:
            return [value]
        reason = f"is {value!r:.60}, not a list for {count} parameter combinations"
        self.problems.add(f"{self.key}.{column}", reason + _lost(value))
        return None

    def _one(self, column: str, value: Any, convert: Callable[[Any], Any], index: int | None = None) -> Any:
        try:
            is_unknown = value is None or (column != "result" and value != value)  # noqa: PLR0124 - NaN
            return None if is_unknown else convert(value)
        except UnreadableError as error:
            parameters = () if index is None else next(islice(product(*self.params), index, None), ())
            case = f" (case {', '.join(parameters)})" if parameters else ""
            self.problems.add(f"{self.key}.{column}", error.reason + case + _lost(value))
            return None


def _lost(value: Any) -> str:
    """Return what a problem says of the numbers in *value*, which is not kept."""
    count = count_numbers(value)
    return f"; {numbers.count(count, 'number')} of it {'is' if count == 1 else 'are'} not kept" if count else ""


def _is_flat(column: str, value: Sequence[Any]) -> bool:
    """Return whether *value* holds the samples of a single case, without the list of cases."""
    return column == "samples" and bool(value) and not any(inner is None or isinstance(inner, list) for inner in value)


def _instant(value: Any) -> int:
    instant = number(value)
    if not MIN_INSTANT <= instant <= MAX_INSTANT:
        raise UnreadableError(f"is not between the years 1 and 9999: {value!r:.60}")
    return int(instant)


def _seconds(value: Any) -> int | float:
    seconds = number(value)
    if not isfinite(seconds):
        raise UnreadableError(f"is not a finite number of seconds: {value!r:.60}")
    return seconds


def _samples(value: Any) -> list[int | float]:
    if not isinstance(value, list):
        raise UnreadableError(f"is not a list of samples: {value!r:.60}")
    return [number(item) for item in value]


def _profile(value: Any) -> str:
    if not isinstance(value, str):
        raise UnreadableError(f"is not a text: {value!r:.60}")
    return value


def columns_of_format_1(name: str, value: Any, header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of format 2 for the *value* of *name*; *header* holds the other fields of the file."""
    row = value if isinstance(value, dict) else {"result": value}
    columns = {key: inner for key, inner in row.items() if key not in ("result", "stats")}
    columns["result"] = _as_list(row.get("result"))
    columns |= _statistics(_as_list(row.get("stats")))
    columns["version"] = _column("benchmark_version", name, header)
    columns["started_at"] = _column("started_at", name, header)
    columns["duration"] = _duration(name, header)
    columns["profile"] = _column("profiles", name, header)
    return columns


def durations_of_format_1(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the durations of steps such as ``<build>``."""
    durations = header.get("duration")
    if not isinstance(durations, dict):
        return {}
    return {name: seconds for name, seconds in durations.items() if name.startswith("<")}


def _duration(name: str, header: Mapping[str, Any]) -> Any:
    duration = _column("duration", name, header)
    started_at, ended_at = _column("started_at", name, header), _column("ended_at", name, header)
    if duration is None and _is_instant(started_at) and _is_instant(ended_at) and ended_at >= started_at:
        return (ended_at - started_at) / 1000
    return duration


def _is_instant(value: Any) -> bool:
    return isinstance(value, int | float) and MIN_INSTANT <= value <= MAX_INSTANT


def _column(column: str, name: str, header: Mapping[str, Any]) -> Any:
    values = header.get(column)
    return values.get(name) if isinstance(values, dict) else None


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _statistics(stats: list[Any]) -> dict[str, list[Any]]:
    """Return a column for each statistic of any case; what is none is kept as it is, in columns that asv has not."""
    cases = [case if isinstance(case, dict) else {} for case in stats]
    columns = {
        f"stats_{key}": [case.get(key) for case in cases]
        for key in dict.fromkeys(key for case in cases for key in case)
    }
    given = columns.pop("stats_ci_99", [])
    intervals = [ci if isinstance(ci, list) and len(ci) == 2 else [None, None] for ci in given]
    if intervals:
        columns["stats_ci_99_a"] = [low for low, _ in intervals]
        columns["stats_ci_99_b"] = [high for _, high in intervals]
    if any(ci not in (None, interval) for ci, interval in zip(given, intervals, strict=True)):
        columns["stats_ci_99"] = given
    if any(not isinstance(case, dict | None) for case in stats):
        columns["stats"] = stats
    return columns


def columns_in(raw: Json, *, masked: bool) -> Columns:
    """Return the columns of a row that has been checked."""
    content = unmask(bytes(raw)) if masked else bytes(raw)
    try:
        return parse_columns(content)
    except msgspec.DecodeError:  # NaN, Infinity, or numbers out of range
        return repaired_columns("", dict(zip(NAMES, loads(content.decode()), strict=False)), Problems(""))


class RowReader:
    """Reads the rows of one file."""

    def __init__(self, header: Mapping[str, Any], version: int, problems: Problems) -> None:
        """Read the names of the columns from the file's *header*; raises UnreadableError without them."""
        self._header = header
        self._version = version
        self._problems = problems
        self._names = _result_columns(header) if version > 1 else ()
        for key in ("benchmark_version", "started_at", "ended_at", "duration", "profiles"):
            if version == 1 and not isinstance(header.get(key), dict | None):
                problems.add(key, f"is not an object: {header[key]!r:.60}")

    def rows(
        self, parts: Parts, notes: Mapping[str, Note], layouts: KnownLayouts
    ) -> tuple[dict[str, Json], dict[str, Note]]:
        """Return the JSON of the usable rows in format 2, and their notes; the others are problems."""
        good: dict[str, Json] = dict(parts.rows)
        extras: dict[str, dict[str, Any]] = {}
        for name in layouts.bad_rows(parts.rows) if self._names == NAMES else tuple(good):
            if (repaired := self._repaired(name, good.pop(name), parts)) is not None:
                good[name], extra = repaired
                if extra:
                    extras[name] = extra
        joined = {name: note for name, note in notes.items() if name in good}
        for name in notes.keys() - parts.rows.keys():
            self._problems.add(f"{FIELD}.rows.{name}", "belongs to no row; it is not kept")
        for name, extra in extras.items():
            note = joined.get(name, EMPTY_NOTE)
            joined[name] = msgspec.structs.replace(note, extra=note.extra | extra)
        return good, {name: self._note(name, joined[name], good[name], parts) for name in joined}

    def superseded(self, entry: Superseded) -> tuple[Columns, Note] | None:
        """Return the columns and the note of *entry*; None, with a problem, when nothing of it is usable."""
        try:
            columns = repaired_columns(entry.name, self._named(entry.name, entry.row, NAMES), self._problems)
        except UnreadableError as error:
            self._lost_row(entry.name, error.reason, entry.row)
            return None
        return columns, validate_note(entry.name, entry.note, columns, self._problems)

    def _note(self, name: str, note: Note, raw: Json, parts: Parts) -> Note:
        return validate_note(name, note, columns_in(raw, masked=parts.masked), self._problems)

    def _repaired(self, name: str, raw: Json, parts: Parts) -> tuple[Json, dict[str, Any]] | None:
        value = None
        try:
            content = unmask(bytes(raw)) if parts.masked else bytes(raw)
            value = loads(decode_text(content))
            value = values = self._by_name(name, value)
            columns = msgspec.structs.astuple(repaired_columns(name, values, self._problems))
        except UnreadableError as error:
            self._lost_row(name, error.reason, value)
            return None
        except RecursionError:
            self._problems.add(f"results.{name}", "is nested too deeply")
            return None
        extra = {key: value for key, value in values.items() if key not in NAMES and not _is_empty(value)}
        return dumps(columns).encode(), extra

    def _by_name(self, name: str, value: Any) -> dict[str, Any]:
        """Return the columns of a row by asv's names."""
        if self._version == 1:
            return columns_of_format_1(name, value, self._header)
        if not isinstance(value, list):
            raise UnreadableError(f"is not a row of columns: {value!r:.60}")
        return self._named(name, value, self._names)

    def _named(self, name: str, row: Sequence[Any], names: Sequence[str]) -> dict[str, Any]:
        if len(row) > len(names):
            reason = f"has {len(row)} columns, result_columns names {len(names)}"
            self._problems.add(f"results.{name}", reason + _lost(row[len(names) :]))
        return dict(zip(names, row, strict=False))

    def _lost_row(self, name: str, reason: str, row: Any) -> None:
        self._problems.add(
            f"results.{name}", f"{reason}; the row is not kept, with {numbers.count(count_numbers(row), 'number')}"
        )


def _result_columns(header: Mapping[str, Any]) -> tuple[str, ...]:
    value = header.get("result_columns")
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise UnreadableError(
            "is missing" if value is None else f"is not a list of names: {value!r:.60}", "result_columns"
        )
    if "result" not in value:
        raise UnreadableError("names no column for results", "result_columns")
    return tuple(value)


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, list) and all(inner is None for inner in value))
