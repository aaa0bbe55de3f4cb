"""Rows of asv's format 1 (before 2019): values, lists or objects by name, everything else in columns of the file.

asv 0.6.6 reads them only after ``asv update``; what that keeps, this keeps, and the statistics that it drops.
"""

from collections.abc import Mapping
from typing import Any

from windtunnel.asv.results_format.row_layout import EARLIEST, LATEST


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
    return isinstance(value, int | float) and EARLIEST <= value <= LATEST


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
