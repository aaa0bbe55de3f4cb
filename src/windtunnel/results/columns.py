"""The values of a results tree as rows of numbers, in blocks that are read when they are used.

Machines of one kind, with names of their own, can be measured as one, such as hosted runners.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import isnan
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from windtunnel.asv.results_format.rows import Cell, Key, cells_of, field_of
from windtunnel.model.benchmark import COUNTED_WITH
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, Instant, MachineName, Parameters
from windtunnel.model.run import Machine, ResultsTree, Row

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]

VALUE = np.dtype([("case", "<i4"), ("run", "<i4"), ("value", "<f8"), ("low", "<f8"), ("high", "<f8")])
"""A value: the number of its case, that of its run in the block, NaN where the case failed, and the limits of its
interval, NaN where they are unknown. Skipped cases have none."""
Values = NDArray[np.void]
"""Rows of VALUE."""


class CaseKey(NamedTuple):
    """A case of one version of a benchmark."""

    benchmark: BenchmarkName
    version: BenchmarkVersion | None
    """None where asv's row has no version: it belongs to the present one."""
    params: Parameters


class RunFacts(Struct, frozen=True, array_like=True):
    """What is known of the rows of a run besides their values."""

    newest: Instant = Instant(0)
    """When the newest row was started, in milliseconds since 1970; 0 where no row records it."""
    counted_with: tuple[tuple[BenchmarkName, str], ...] = ()
    """The Python and the counter of each benchmark whose values are counts of instructions."""
    single_calls: tuple[BenchmarkName, ...] = ()
    """Benchmarks with calls that are too short for a sample, and were timed one by one all the same."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ValueBlock:
    """The values of some runs, mostly those of 64 commits."""

    runs: Indices
    """The index in the tree of each run by its number; -1, which comes last too, where the tree does not have it."""
    read: Callable[[], Values]
    """Returns the values, sorted by case and run."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResultsValues:
    """A results tree with its values."""

    tree: ResultsTree
    runs: tuple[RunFacts, ...]
    """What is known of each run of the tree, in its order."""
    cases: tuple[CaseKey, ...]
    """The cases by number. A cache may contribute cases that no run has."""
    blocks: tuple[ValueBlock, ...]
    new: int = 0
    """How many files were decoded, because no cache knew them."""

    @property
    def newest(self) -> Instant:
        """When the newest row of all was started, in milliseconds since 1970; 0 where no row records it."""
        return max((run.newest for run in self.runs), default=Instant(0))


class ValueReader:
    """Reads values from rows and numbers cases as it meets them; remembers grids, which the runs of a history share."""

    def __init__(self, numbers: dict[CaseKey, int]) -> None:
        """Number cases in *numbers*, which has those of earlier readings."""
        self.numbers = numbers
        self._grids: dict[Key, tuple[int, ...]] = {}

    def read(self, rows: Sequence[Row]) -> tuple[RunFacts, Values]:
        """Return the values of the *rows* of a run, whose number is 0."""
        cases, kept = array("i"), list[Cell]()
        newest, single = 0, list[BenchmarkName]()
        for key, started_at, cells, has_single_calls in cells_of(rows):
            newest = max(newest, started_at or 0)
            if has_single_calls:
                single.append(key[0])
            for case, cell in zip(self._case_numbers(key), cells, strict=True):
                if cell[0] is None or not isnan(cell[0]):  # NaN means skipped
                    cases.append(case)
                    kept.append(cell)
        found = np.zeros(len(cases), VALUE)
        found["case"] = cases
        found["value"], found["low"], found["high"] = np.array(kept, float).reshape(-1, 3).T  # None becomes NaN
        counted_with = tuple(field_of(rows, COUNTED_WITH))
        return RunFacts(newest=Instant(newest), counted_with=counted_with, single_calls=tuple(single)), found

    def _case_numbers(self, key: Key) -> tuple[int, ...]:
        known = self._grids.get(key)
        if known is None:
            name, version, grid = key
            keys = (CaseKey(name, version, params) for params in product(*grid))
            known = tuple(self.numbers.setdefault(each, len(self.numbers)) for each in keys)
            self._grids[key] = known
        return known


def sorted_values(parts: Sequence[Values]) -> Values:
    """Return the values of all *parts*, sorted by case and run; those of one case and run keep their order."""
    joined = np.concatenate([np.empty(0, VALUE), *parts])
    return joined[np.argsort((joined["case"].astype(np.int64) << 32) + joined["run"], kind="stable")]


def block_in_memory(parts: Sequence[Values], runs: Sequence[int]) -> ValueBlock:
    """Return a block with the values of *parts*, each those of the run with this index in the tree."""
    for number, part in enumerate(parts):
        part["run"] = number
    values = sorted_values(parts)
    return ValueBlock(runs=np.array([*runs, -1], np.int32), read=lambda: values)


def values_of(tree: ResultsTree) -> ResultsValues:
    """Return *tree* with all its values."""
    reader = ValueReader({})
    found = [reader.read(run.rows) for run in tree.runs]
    block = block_in_memory([values for _, values in found], range(len(found)))
    return ResultsValues(
        tree=tree, runs=tuple(facts for facts, _ in found), cases=tuple(reader.numbers), blocks=(block,)
    )


HOSTED_RUNNERS = (
    r"^fv-az\d+(-\d+)?$",
    r"^(runnervm|pkrvm)\w+$",
    r"^Mac-\d+(\.local)?$",
    r"^sat\d+-[\w-]+(\.local)?$",
    r"^runner-[\w-]+-project-\d+-concurrent-\d+$",
    r"^[0-9a-f]{12}$",
)
"""The host names of GitHub's runners (Linux and Windows, then macOS), of GitLab's runners, and of containers."""


def kind_of(name: MachineName, kinds: Mapping[str, str]) -> MachineName:
    """Return the first of *kinds* whose regular expression finds something in *name*; *name* without one."""
    return MachineName(next((kind for kind, pattern in kinds.items() if re.search(pattern, name)), name))


def propose_kinds(names: Iterable[MachineName], least: int = 2) -> Sequence[str]:
    """Return the patterns of hosted runners that fit at least *least* of *names*."""
    known = tuple(names)
    return [pattern for pattern in HOSTED_RUNNERS if sum(bool(re.search(pattern, name)) for name in known) >= least]


def join_machines(values: ResultsValues, kinds: Mapping[str, str]) -> ResultsValues:
    """Return *values* with one machine name for all machines of each of *kinds*, a pattern by name.

    A kind has the details of the first of its machines. Runs of one commit in one environment stay separate runs.
    """
    if not kinds:
        return values
    runs = [replace(run, machine=kind_of(run.machine, kinds)) for run in values.tree.runs]
    order = sorted(range(len(runs)), key=lambda index: runs[index].key)
    machines: dict[str, Machine] = {}
    for machine in values.tree.machines:
        name = kind_of(machine.name, kinds)
        machines.setdefault(name, replace(machine, name=name))
    tree = replace(
        values.tree,
        runs=tuple(runs[index] for index in order),
        machines=tuple(machines[name] for name in sorted(machines)),
    )
    position = np.full(len(runs) + 1, -1, np.int32)
    position[order] = np.arange(len(runs))
    return replace(
        values,
        tree=tree,
        runs=tuple(values.runs[index] for index in order),
        blocks=tuple(replace(block, runs=position[block.runs]) for block in values.blocks),
    )
