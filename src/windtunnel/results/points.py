"""Every value of a history as columns, so that a million of them are sorted and written in a second."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, Instant, Parameters
from windtunnel.model.results_tree import ResultsTree

Numbers = NDArray[np.float64]
Places = NDArray[np.int32]


class CaseKey(NamedTuple):
    """A case of some version of a benchmark; a row of asv may not say the version."""

    benchmark: BenchmarkName
    version: BenchmarkVersion | None
    params: Parameters


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Columns:
    """Values of equal length: which case, and the value with its interval.

    A value that is NaN failed; an interval that is NaN is not known. What was skipped is not here.
    """

    case: Places
    value: Numbers
    low: Numbers
    high: Numbers

    def __len__(self) -> int:
        """Return how many values there are."""
        return len(self.case)

    def part(self, start: int, end: int) -> "Columns":
        """Return a part of the columns, sharing their memory."""
        return Columns(
            case=self.case[start:end], value=self.value[start:end], low=self.low[start:end], high=self.high[start:end]
        )


NOTHING = Columns(case=np.empty(0, np.int32), value=np.empty(0), low=np.empty(0), high=np.empty(0))


def joined(parts: Sequence[Columns]) -> Columns:
    """Return *parts* one after the other."""
    if not parts:
        return NOTHING
    return Columns(
        case=np.concatenate([part.case for part in parts]),
        value=np.concatenate([part.value for part in parts]),
        low=np.concatenate([part.low for part in parts]),
        high=np.concatenate([part.high for part in parts]),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResultsPoints:
    """A results tree with its values: *columns* are those of its runs, in their order, and number *cases*.

    *begun* is when the newest row of each run was begun, in milliseconds since 1970; 0 where none says so.
    """

    tree: ResultsTree
    columns: tuple[Columns, ...]
    cases: tuple[CaseKey, ...]
    begun: tuple[Instant, ...]

    @property
    def newest(self) -> Instant:
        """When the newest row of all was begun."""
        return max(self.begun, default=Instant(0))


@dataclass(slots=True, kw_only=True, eq=False)
class CaseBook:
    """Numbers for cases, given in the order in which they are met."""

    keys: list[CaseKey] = field(default_factory=list)
    _numbers: dict[CaseKey, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Number the cases that are known from the start."""
        self._numbers.update((key, number) for number, key in enumerate(self.keys))

    def number(self, key: CaseKey) -> int:
        """Return the number of *key*, a new one where it has none."""
        number = self._numbers.setdefault(key, len(self.keys))
        if number == len(self.keys):
            self.keys.append(key)
        return number
