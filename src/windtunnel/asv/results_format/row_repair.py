"""A row that is not good as it stands: what of it can be used, and what is wrong with the rest."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from windtunnel.asv.results_format.row_layout import (
    EARLIEST,
    LATEST,
    MOST_COMBINATIONS,
    Columns,
    NoNumberError,
    combinations,
    number,
    whole,
)
from windtunnel.asv.results_format.text import Problems, UnreadableError, dumps


def checked(name: str, values: Mapping[str, Any], problems: Problems) -> Columns:
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
    if combinations(params) > MOST_COMBINATIONS:
        raise UnreadableError(f"has more than {MOST_COMBINATIONS} parameter combinations")
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
        except NoNumberError as error:
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
        except NoNumberError as error:
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
    if not EARLIEST <= moment <= LATEST:
        raise NoNumberError(f"is not between the years 1 and 9999: {value!r:.60}")
    return int(moment)


def _samples(value: Any) -> list[int | float]:
    if not isinstance(value, list):
        raise NoNumberError(f"is no list of samples: {value!r:.60}")
    return [number(item) for item in value]


def _profile(value: Any) -> str:
    if not isinstance(value, str):
        raise NoNumberError(f"is no text: {value!r:.60}")
    return value
