"""What the owner of a suite expects of its cases: the relevant change, and which direction is better."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from windtunnel.errors import ConfigurationError
from windtunnel.model.identity import case_name
from windtunnel.model.measure import Better, CaseIdentity

THRESHOLD = 0.05
"""Relative change that matters unless the owner says otherwise: asv's own default for regressions in a history."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What holds of every case that the regular expression *match* is found in; None says nothing."""

    match: str
    threshold: float | None = None
    better: Better | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What holds of one case."""

    threshold: float = THRESHOLD
    better: Better = Better.LOWER


def expected(case: CaseIdentity, expectations: Sequence[Expectation]) -> Expected:
    """Return what holds of *case*; expressions are searched in ``benchmark(param, ...)``."""
    text = case_name(case.benchmark, case.params)
    matching = [one for one in expectations if re.search(one.match, text)]
    usual = Expected()
    return Expected(
        threshold=next((one.threshold for one in matching if one.threshold is not None), usual.threshold),
        better=next((one.better for one in matching if one.better is not None), usual.better),
    )


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
