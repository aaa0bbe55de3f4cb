"""``[tool.windtunnel.alerts]`` in pyproject.toml: from when on the watchdog says that something is wrong.

[tool.windtunnel.alerts]
stale-days = 14        # days without any result
vanished-days = 14     # days that one Python may be behind the others
least-coverage = 0.9   # of the cases that a plan holds
most-taken-back = 0.1  # of the series, whose alarms newer results took back
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

from windtunnel.errors import ConfigurationError


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """From when on something is wrong: days without a result, shares of cases."""

    stale_days: float = 14.0
    vanished_days: float = 14.0
    least_coverage: float = 0.9
    most_taken_back: float = 0.1
    """Of series, false within 200 looks: what docs/statistics.md promises and tests/calibration measures."""


SHARES = frozenset({"least-coverage", "most-taken-back"})


def read(table: Mapping[str, object], source: str) -> Thresholds:
    """Return the thresholds in the *table* ``[tool.windtunnel]`` of *source*; raises ConfigurationError."""
    given, where = table.get("alerts", {}), f"{source}: [tool.windtunnel.alerts]"
    if not isinstance(given, dict):
        raise ConfigurationError(f"{where} is {given!r}; write a table")
    known = {field.name.replace("_", "-"): field.name for field in fields(Thresholds)}
    if unknown := {*given} - {*known}:
        raise ConfigurationError(f"{where} has no key {min(unknown)!r}; there are {', '.join(sorted(known))}")
    return Thresholds(**{known[key]: _number(key, value, where) for key, value in given.items()})


def _number(key: str, value: object, where: str) -> float:
    most = 1.0 if key in SHARES else math.inf
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most or value == math.inf:
        what = "a share from 0 to 1" if key in SHARES else "a number of days"
        raise ConfigurationError(f"{where}: {key!r} is {value!r}; write {what}")
    return float(value)
