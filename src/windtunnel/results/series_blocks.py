"""The table of series at two levels of detail: recent commits one by one, older ones 64 to a point.

A hundred million values do not fit into memory. So they are read in blocks of 64 neighbouring commits, from the newest
to the oldest, and of an older block only a summary stays.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from windtunnel.model.identity import BenchmarkName, CommitHash
from windtunnel.model.target import Target
from windtunnel.results.columns import Indices, ResultsValues
from windtunnel.results.series_table import SeriesTable, TableBuilder, coarsen, group_starts, index_targets, join_tables

BLOCK_SIZE = 64
"""Commits of a block."""
MAX_EXACT = 1_000_000
"""Values of the newest blocks that are held one by one."""
MIN_EXACT_BLOCKS = 2
"""The newest blocks that are held one by one, however many values they have."""
MAX_PART = 65_536
"""Values of a part of a block; a part is one file of the site."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitBlock:
    """What is known of one target on 64 neighbouring commits without the values."""

    target: int
    """Index of the target."""
    number: int
    """The first commit is *number* times 64."""
    digest: bytes
    """Of the cases and their values."""
    commits: tuple[int, ...]
    """The commits with values, ascending."""
    parts: tuple[tuple[BenchmarkName, int], ...]
    """The first benchmark of each part, and its number of values."""


class SeriesBlocks:
    """The values of a history, block by block."""

    def __init__(self, values: ResultsValues, targets: Sequence[Target], commits: Sequence[CommitHash]) -> None:
        """Read every block; *commits* are the oldest first.

        Rows of other versions than the suite's are left out, as in asv.
        """
        order = {commit: index for index, commit in enumerate(commits)}
        run_targets = index_targets(values.tree.runs, [target.key for target in targets])
        self._builder = TableBuilder(values, run_targets, order, current_only=True)
        self._runs = defaultdict[int, list[int]](list)
        for index, run in enumerate(values.tree.runs):
            self._runs[order[run.commit] // BLOCK_SIZE].append(index)
        keys = [
            blake2b(repr(key).encode("utf-8", "surrogatepass"), digest_size=8).digest() for key in self._builder.cases
        ]
        self._case_digests = np.frombuffer(b"".join(keys), np.int64) if keys else np.empty(0, np.int64)
        self._read = lru_cache(maxsize=1)(lambda number: self._builder.build(self._runs[number]))
        found = list[CommitBlock]()
        self.first_exact = 0
        """The first commit whose values are held one by one."""
        self.table = self._table(len(targets), found)
        """All series; older values are summaries, but the newest value of a series never is."""
        self.blocks = tuple(sorted(found, key=lambda block: (block.number, block.target)))

    def values(self, block: CommitBlock) -> SeriesTable:
        """Return all values of *block*."""
        table = self._read(block.number)
        return table.select(np.flatnonzero(table.target == block.target))

    def measured(self) -> dict[int, Indices]:
        """Return the commits with values at each target, ascending."""
        found = defaultdict[int, list[int]](list)
        for block in self.blocks:
            found[block.target] += block.commits
        return {target: np.array(commits, np.int32) for target, commits in found.items()}

    def _table(self, targets: int, found: list[CommitBlock]) -> SeriesTable:
        """Return the table of all blocks, and add what is known of each to *found*."""
        seen = np.zeros((len(self._builder.cases), targets), bool)
        tables, total = [self._builder.build(())], 0
        for taken, number in enumerate(sorted(self._runs, reverse=True)):
            table = self._read(number)
            found += [self._describe(number, target, table) for target in np.unique(table.target).tolist()]
            total += len(table.case)
            if taken >= MIN_EXACT_BLOCKS and total > MAX_EXACT:
                self.first_exact = self.first_exact or (number + 1) * BLOCK_SIZE
                summary = coarsen(table, BLOCK_SIZE)
                tables.append(summary.select(np.flatnonzero(seen[summary.case, summary.target])))
                table = table.select(np.flatnonzero(~seen[table.case, table.target]))
            tables.append(table)
            seen[table.case, table.target] = True
        self._read.cache_clear()
        return join_tables(tables)

    def _describe(self, number: int, target: int, block: SeriesTable) -> CommitBlock:
        table = block.select(np.flatnonzero(block.target == target))
        digest = blake2b(self._case_digests[table.case].data, digest_size=16)
        for column in (table.commit, table.value, table.low, table.high):
            digest.update(column.data)
        return CommitBlock(
            target=target,
            number=number,
            digest=digest.digest(),
            commits=tuple(np.unique(table.commit).tolist()),
            parts=tuple(_parts(table)),
        )


def _parts(table: SeriesTable) -> Iterator[tuple[BenchmarkName, int]]:
    """Yield the first benchmark of each part of a block, and its number of values; a benchmark is in one part."""
    first, count = None, 0
    for name, start, end in benchmark_starts(table):
        if first is not None and count + end - start > MAX_PART:
            yield first, count
            first, count = None, 0
        first = first or name
        count += end - start
    if first is not None:
        yield first, count


def benchmark_starts(table: SeriesTable) -> list[tuple[BenchmarkName, int, int]]:
    """Return each benchmark of *table* with the first of its rows and the first of the next."""
    found: list[tuple[BenchmarkName, int]] = []
    for start in group_starts(table.case).tolist():
        name = table.cases[table.case[start]].benchmark
        if not found or found[-1][0] != name:
            found.append((name, start))
    ends = (start for _, start in [*found[1:], ("", len(table.case))])
    return [(name, start, end) for (name, start), end in zip(found, ends, strict=False)]
