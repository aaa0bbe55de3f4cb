"""A row that is not good as it stands: what of it can be used, and what is wrong with the rest."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from windtunnel.asv.results_format.json_values import Problems, UnreadableError, dumps
from windtunnel.asv.results_format.row_layout import (
    MAX_COMBINATIONS,
    MAX_INSTANT,
    MIN_INSTANT,
    Columns,
    NotANumberError,
    combinations,
    number,
    whole,
)


def repaired_columns(name: str, values: Mapping[str, Any], problems: Problems) -> Columns:
    """Return what can be used of the row called *name*; *values* are its columns under asv's names.

    A poisoned value (no number) becomes a failure and a problem. Raises UnreadableError when nothing can be used.
    """
    params = params_of(values.get("params"))
    row = _Row(key=f"results.{name}", values=values, params=params, problems=problems)
    return Columns(
        result=row.for_each_case("result", number),
        params=params,
        version=version_text(values.get("version")),
        started_at=row.single("started_at", _moment),
        duration=row.single("duration", number),
        ci_99_a=row.for_each_case("stats_ci_99_a", number),
        ci_99_b=row.for_each_case("stats_ci_99_b", number),
        q_25=row.for_each_case("stats_q_25", number),
        q_75=row.for_each_case("stats_q_75", number),
        number=row.for_each_case("stats_number", whole),
        repeat=row.for_each_case("stats_repeat", whole),
        samples=row.for_each_case("samples", _samples),
        profile=row.single("profile", _profile),
    )


def params_of(value: Any) -> list[list[str]]:
    """Return the values of each parameter; raises UnreadableError where they are no list of lists, or far too many."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(inner, list) for inner in value):
        raise UnreadableError(f"has params that are no list of lists: {value!r:.60}")
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
    raise UnreadableError(f"has a version that is no text: {value!r:.60}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """One row while it is looked through."""

    key: str
    values: Mapping[str, Any]
    params: list[list[str]]
    problems: Problems

    def single(self, column: str, convert: Callable[[Any], Any]) -> Any:
        """Return the one value in *column*, None with a problem where *convert* refuses it."""
        value = self.values.get(column)
        try:
            return None if value is None else convert(value)
        except NotANumberError as error:
            self.problems.add(f"{self.key}.{column}", str(error))
            return None

    def for_each_case(self, column: str, convert: Callable[[Any], Any]) -> list[Any] | None:
        """Return a value for each case, None where *convert* refuses it, which is a problem."""
        count = combinations(self.params)
        values = self._list(column, count)
        if values is None or all(value is None for value in values):
            return None
        if len(values) != count:
            self.problems.add(f"{self.key}.{column}", f"has {len(values)} entries for {count} parameter combinations")
        padded = [*values[:count], *[None] * (count - len(values))]
        return [self._one(column, place, value, convert) for place, value in enumerate(padded)]

    def _list(self, column: str, count: int) -> list[Any] | None:
        value = self.values.get(column)
        if value is None or (isinstance(value, list) and not (count == 1 and _is_flat(column, value))):
            return value
        if count == 1:
            return [value]
        self.problems.add(f"{self.key}.{column}", f"is {value!r:.60}, not a list for {count} parameter combinations")
        return None

    def _one(self, column: str, place: int, value: Any, convert: Callable[[Any], Any]) -> Any:
        try:
            return None if value is None else convert(value)
        except NotANumberError as error:
            self.problems.add(f"{self.key}.{column}", f"{error}{self._case(place)}")
            return None

    def _case(self, place: int) -> str:
        parameters = next(islice(product(*self.params), place, None), ())
        return f" (case {', '.join(parameters)})" if parameters else ""


def _is_flat(column: str, value: Sequence[Any]) -> bool:
    """Return whether *value* is the samples of one case without a list around them."""
    return column == "samples" and bool(value) and not any(inner is None or isinstance(inner, list) for inner in value)


def _moment(value: Any) -> int:
    moment = number(value)
    if not MIN_INSTANT <= moment <= MAX_INSTANT:
        raise NotANumberError(f"is not between the years 1 and 9999: {value!r:.60}")
    return int(moment)


def _samples(value: Any) -> list[int | float]:
    if not isinstance(value, list):
        raise NotANumberError(f"is no list of samples: {value!r:.60}")
    return [number(item) for item in value]


def _profile(value: Any) -> str:
    if not isinstance(value, str):
        raise NotANumberError(f"is no text: {value!r:.60}")
    return value


def columns_of_format_1(name: str, value: Any, header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of format 2 for the *value* under *name*; *header* is the rest of the file."""
    row = value if isinstance(value, dict) else {"result": value}
    columns = {key: inner for key, inner in row.items() if key not in ("result", "stats")}
    columns["result"] = _as_list(row.get("result"))
    columns |= _statistics(_as_list(row.get("stats")))
    columns["version"] = _of("benchmark_version", name, header)
    columns["started_at"] = _of("started_at", name, header)
    columns["duration"] = _duration(name, header)
    columns["profile"] = _of("profiles", name, header)
    return columns


def durations_of_format_1(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the durations of steps: ``<build>`` and the like, among those of benchmarks."""
    durations = header.get("duration")
    if not isinstance(durations, dict):
        return {}
    return {name: seconds for name, seconds in durations.items() if name.startswith("<")}


def _duration(name: str, header: Mapping[str, Any]) -> Any:
    duration = _of("duration", name, header)
    started_at, ended_at = _of("started_at", name, header), _of("ended_at", name, header)
    if duration is None and _is_moment(started_at) and _is_moment(ended_at) and ended_at >= started_at:
        return (ended_at - started_at) / 1000
    return duration


def _is_moment(value: Any) -> bool:
    return isinstance(value, int | float) and MIN_INSTANT <= value <= MAX_INSTANT


def _of(column: str, name: str, header: Mapping[str, Any]) -> Any:
    values = header.get(column)
    return values.get(name) if isinstance(values, dict) else None


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _statistics(stats: list[Any]) -> dict[str, list[Any]]:
    """Return a column for each statistic that any case has."""
    cases = [case if isinstance(case, dict) else {} for case in stats]
    columns = {
        f"stats_{key}": [case.get(key) for case in cases]
        for key in dict.fromkeys(key for case in cases for key in case)
    }
    intervals = [ci if isinstance(ci, list) and len(ci) == 2 else [None, None] for ci in columns.pop("stats_ci_99", [])]
    if intervals:
        columns["stats_ci_99_a"] = [low for low, _ in intervals]
        columns["stats_ci_99_b"] = [high for _, high in intervals]
    return columns
