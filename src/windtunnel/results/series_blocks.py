"""The table of series at two levels of detail: recent commits one by one, older ones 64 to a point.

A hundred million values do not fit into memory. So they are read in blocks of 64 neighbouring commits of a
branch, from the newest to the oldest, and of an older block only a summary stays. A new commit changes the newest block
of its branch alone.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    """What is known of one target on 64 neighbouring commits of a branch without the values."""

    target: int
    """Index of the target."""
    index: int
    """The block's position among those of all branches, the oldest first."""
    branch: str
    """The branch; empty where no commit is on one."""
    number: int
    """The block's position on the branch."""
    first: int
    """Index of its first commit."""
    digest: bytes
    """Of the cases and their values; it stays when another branch grows."""
    commits: tuple[int, ...]
    """The commits with values, ascending."""
    parts: tuple[tuple[BenchmarkName, int], ...]
    """The first benchmark of each part, and its number of values."""
    row: int
    """The first of its rows among those of all targets."""


class SeriesBlocks:
    """The values of a history, block by block."""

    def __init__(
        self, values: ResultsValues, targets: Sequence[Target], commits: Mapping[CommitHash, str | None]
    ) -> None:
        """Read every block; *commits* has the branch of each, the oldest first.

        Rows of other versions than the suite's are left out, as in asv.
        """
        order = {commit: index for index, commit in enumerate(commits)}
        self._starts = tuple(_starts(commits.values()))
        self.starts = np.array([first for first, _, _ in self._starts], np.int32)
        """The first commit of each block."""
        self.block_of: Indices = np.searchsorted(self.starts, np.arange(len(order)), side="right").astype(np.int32) - 1
        """The block of each commit."""
        run_targets = index_targets(values.tree.runs, [target.key for target in targets])
        self._builder = TableBuilder(values, run_targets, order, current_only=True)
        self._runs = defaultdict[int, list[int]](list)
        for index, run in enumerate(values.tree.runs):
            self._runs[int(self.block_of[order[run.commit]])].append(index)
        keys = [
            blake2b(repr(key).encode("utf-8", "surrogatepass"), digest_size=8).digest() for key in self._builder.cases
        ]
        self._case_digests = np.frombuffer(b"".join(keys), np.int64) if keys else np.empty(0, np.int64)
        self._read = lru_cache(maxsize=1)(lambda index: self._builder.build(self._runs[index], by_target=True))
        found = list[CommitBlock]()
        self.first_exact = 0
        """The first commit whose values are held one by one."""
        self.table = self._table(len(targets), found)
        """All series; older values are summaries, but the newest value of a series never is."""
        self.blocks = tuple(sorted(found, key=lambda block: (block.index, block.target)))

    def values(self, block: CommitBlock, start: int, end: int) -> SeriesTable:
        """Return the rows of *block* from *start* to *end*."""
        return self._read(block.index).select(slice(block.row + start, block.row + end))

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
        for taken, index in enumerate(sorted(self._runs, reverse=True)):
            table = self._read(index)
            found += self._describe(index, table)
            total += len(table.case)
            if taken >= MIN_EXACT_BLOCKS and total > MAX_EXACT:
                self.first_exact = self.first_exact or int(self.starts[index + 1])
                summary = coarsen(table, self.block_of)
                tables.append(summary.select(np.flatnonzero(seen[summary.case, summary.target])))
                table = table.select(np.flatnonzero(~seen[table.case, table.target]))
            tables.append(table)
            seen[table.case, table.target] = True
        self._read.cache_clear()
        return join_tables(tables)

    def _describe(self, index: int, table: SeriesTable) -> Iterator[CommitBlock]:
        first, branch, number = self._starts[index]
        starts = group_starts(table.target).tolist()
        for start, end in zip(starts, [*starts[1:], len(table.case)], strict=True):
            part = table.select(slice(start, end))
            digest = blake2b(self._case_digests[part.case].data, digest_size=16)
            for column in (part.commit - np.int32(first), part.value, part.low, part.high):
                digest.update(column.data)
            yield CommitBlock(
                target=int(part.target[0]),
                index=index,
                branch=branch,
                number=number,
                first=first,
                digest=digest.digest(),
                commits=tuple(np.unique(part.commit).tolist()),
                parts=tuple(_parts(part)),
                row=start,
            )


def _starts(branches: Iterable[str | None]) -> Iterator[tuple[int, str, int]]:
    """Yield for each block the index of its first commit, its branch, and its number there.

    The commits of a branch follow one another. A commit on none counts as on the branch before it.
    """
    known = list(branches)
    branch, since = next(filter(None, known), ""), 0
    for index, own in enumerate(known):
        if own and own != branch:
            branch, since = own, index
        if (index - since) % BLOCK_SIZE == 0:
            yield index, branch, (index - since) // BLOCK_SIZE


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
