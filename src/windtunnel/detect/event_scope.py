"""Says what an event is about: how many cases, of which part of the suite, on which Pythons; and which case leads."""

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import TypeVar

from windtunnel.detect.alert_format import AlertedCase
from windtunnel.detect.format import Change
from windtunnel.model.identity import case_name
from windtunnel.model.result import LevelShares
from windtunnel.model.target import natural_order
from windtunnel.text import numbers

MAX_PYTHONS = 3
"""Pythons that are named; of more, the first and the last one are."""
MAX_PARTS = 2
"""Modules that are named, those with most cases; the others are counted."""

Member = TypeVar("Member", Change, AlertedCase)


def factor_size(relative_change: float | None) -> float:
    """Return the size of a change, the same for a factor and its inverse; infinite for a change from or to zero."""
    if relative_change is None or relative_change <= -1:
        return math.inf
    return abs(math.log1p(relative_change))


def by_size(members: Iterable[Member]) -> list[Member]:
    """Return *members*, the largest factor first, upwards or downwards."""
    return sorted(members, key=lambda member: -factor_size(member.relative_change))


def count_cases(members: Iterable[Change | AlertedCase]) -> int:
    """Return how many cases *members* are about; one that changed in several environments counts once."""
    return len({(member.benchmark, member.params) for member in members})


def common_part(benchmarks: Iterable[str]) -> str:
    """Return the part of the suite that all *benchmarks* belong to, or the only one of them; empty without one."""
    names = [name.split(".") for name in dict.fromkeys(benchmarks)]
    shared = itertools.takewhile(lambda levels: len({*levels}) == 1, zip(*names, strict=False))
    return ".".join(levels[0] for levels in shared)


def distinct_pythons(members: Iterable[Change | AlertedCase]) -> tuple[str, ...]:
    """Return the Pythons of *members*, oldest first."""
    return tuple(sorted({member.python for member in members if member.python}, key=natural_order))


def describe_scope(members: Sequence[Change | AlertedCase]) -> str:
    """Return the number of cases, the part of the suite and the Pythons, without escaping.

    For example ``14 cases of sorting.Sort on Python 3.11 and 3.12``.
    """
    pythons = _pythons(distinct_pythons(members))
    if count_cases(members) == 1:
        return f"{case_name(members[0].benchmark, members[0].params)}{pythons}"
    return f"{count_cases(members)} cases of {_part(members)}{pythons}"


def _part(members: Sequence[Change | AlertedCase]) -> str:
    if part := common_part(member.benchmark for member in members):
        return part
    cases: dict[str, set[tuple[str, ...]]] = {}
    for member in members:
        cases.setdefault(member.benchmark.partition(".")[0], set()).add((member.benchmark, *member.params))
    parts = sorted(cases, key=lambda part: (-len(cases[part]), part))
    if len(parts) <= MAX_PARTS:
        return " and ".join(parts)
    return f"{', '.join(parts[:MAX_PARTS])} and {numbers.count(len(parts) - MAX_PARTS, 'more module')}"


def _pythons(pythons: Sequence[str]) -> str:
    if not pythons:
        return ""
    if len(pythons) > MAX_PYTHONS:
        return f" on Python {pythons[0]} to {pythons[-1]}"
    *first, last = pythons
    return f" on Python {', '.join(first)} and {last}" if first else f" on Python {last}"


def format_shares(shares: LevelShares, unit: str | None) -> str:
    """Return how often the runs are on the upper of two levels, before and after, without escaping."""
    low, high = (numbers.quantity(level, None, unit or "unit").value for level in (shares.low, shares.high))
    arrow = "\N{RIGHTWARDS ARROW}"
    return f"{high} instead of {low} in {numbers.share(shares.before)} {arrow} {numbers.share(shares.after)} of runs"
