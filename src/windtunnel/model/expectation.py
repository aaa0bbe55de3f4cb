"""``[[tool.windtunnel.expect]]`` in pyproject.toml: what the owner of a suite says of its cases.

[tool.windtunnel]
threshold = 0.05               # a change below 5 % does not matter

[[tool.windtunnel.expect]]
match = "throughput|track_hits"  # searched in benchmark(param, ...); the first match that says something counts
better = "higher"
threshold = 0.1
"""

import math
import re
from collections.abc import Mapping

from windtunnel.errors import ConfigurationError
from windtunnel.model.expectation_part import Expectation
from windtunnel.model.measure import Better

KEYS = {"match", "threshold", "better"}


def read(table: Mapping[str, object], source: str) -> tuple[Expectation, ...]:
    """Return the expectations in the *table* ``[tool.windtunnel]`` of *source*; raises ConfigurationError."""
    entries = table.get("expect", [])
    if not isinstance(entries, list):
        raise ConfigurationError(f"{source}: 'expect' is {entries!r}; write [[tool.windtunnel.expect]] tables")
    found = [
        _expectation(entry, f"{source}: [[tool.windtunnel.expect]] {place}") for place, entry in enumerate(entries, 1)
    ]
    if "threshold" in table:
        found.append(Expectation(match="", threshold=_threshold(table["threshold"], f"{source}: [tool.windtunnel]")))
    return tuple(found)


def _expectation(entry: object, where: str) -> Expectation:
    if not isinstance(entry, dict):
        raise ConfigurationError(f"{where} is {entry!r}; write a table with the key 'match'")
    if unknown := {*entry} - KEYS:
        raise ConfigurationError(f"{where} has no key {min(unknown)!r}; there are {', '.join(sorted(KEYS))}")
    return Expectation(
        match=_match(entry.get("match"), where),
        threshold=_threshold(entry["threshold"], where) if "threshold" in entry else None,
        better=_better(entry["better"], where) if "better" in entry else None,
    )


def _match(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise ConfigurationError(f"{where}: 'match' is {value!r}; write a regular expression")
    try:
        re.compile(value)
    except re.error as error:
        raise ConfigurationError(f"{where}: 'match' is {value!r}, no regular expression: {error}") from None
    return value


def _threshold(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise ConfigurationError(f"{where}: 'threshold' is {value!r}; write a share above zero, 0.05 for 5 %")
    return float(value)


def _better(value: object, where: str) -> Better:
    if not isinstance(value, str) or value not in {*Better}:
        raise ConfigurationError(f"{where}: 'better' is {value!r}; write 'lower' or 'higher'")
    return Better(value)
