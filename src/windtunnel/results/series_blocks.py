"""The table of series at two levels of detail: recent commits one by one, older ones 64 to a point.

A hundred million values do not fit into memory, and a new commit changes few of them. So the values are read in blocks:
one target on 64 neighbouring commits. The summary of a block is kept in a cache, together with a digest of the results
files and of the suite. A block that has not changed is not read again. A lost or damaged cache costs time and changes
no byte.
"""

import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from windtunnel.errors import DataError
from windtunnel.files import write_atomically
from windtunnel.model.identity import BenchmarkName, CommitHash
from windtunnel.model.target import Target, TargetKey
from windtunnel.results.column_cache import mapping_of, release_pages
from windtunnel.results.columns import CaseKey, Indices, ResultsValues
from windtunnel.results.series_table import SeriesTable, coarsen, index_targets, join_tables, series_table

BLOCK_SIZE = 64
"""Commits of a block."""
MAX_EXACT = 1_000_000
"""Values of the newest blocks that are held one by one."""
MIN_EXACT_BLOCKS = 2
"""The newest blocks that are held one by one, however many values they have."""
MAX_PART = 65_536
"""Values of a part of a block; a part is one file of the site."""
CACHE_FILE = "blocks"
"""The name of the cache within its folder."""
FORMAT = b"windtunnel blocks 2\n"
SUMMARY = np.dtype([("case", "<i4"), ("commit", "<i4"), ("value", "<f8"), ("low", "<f8"), ("high", "<f8")])
"""A row of a summary; *commit* counts from the first commit of the block."""


class BlockHeader(msgspec.Struct, frozen=True, array_like=True):
    """What is known of a block without its values."""

    digest: bytes
    """Of everything that the block is built from."""
    names: tuple[int, ...]
    """The benchmarks that its results files have, of whatever version, as indices into a list of names."""
    commits: tuple[int, ...]
    """The commits with values of the present versions, counted from the first commit of the block."""
    parts: tuple[tuple[BenchmarkName, int], ...]
    """The first benchmark of each part, and its number of values."""
    count: int
    """The number of rows of the summary, which follow those of the block before."""


class _BlocksHeader(msgspec.Struct, array_like=True):
    blocks: list[tuple[TargetKey, int, BlockHeader]]
    names: list[BenchmarkName]
    cases: list[CaseKey]


Summary = NDArray[np.void]
"""Rows of SUMMARY; cases are indices into a list."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CommitBlock:
    """One target on 64 neighbouring commits."""

    target: int
    """Index of the target."""
    number: int
    """The first commit is *number* times 64."""
    runs: tuple[int, ...]
    """Indices of the runs."""
    header: BlockHeader
    summary: Summary


@dataclass(slots=True, kw_only=True, eq=False)
class BlockCache:
    """The blocks of the last build, by target and number."""

    blocks: dict[tuple[TargetKey, int], tuple[BlockHeader, Summary]]
    names: list[BenchmarkName]
    cases: list[CaseKey]

    @classmethod
    def load(cls, path: Path) -> "BlockCache":
        """Return the cache at *path*, or an empty one where there is none that can be used."""
        try:
            return cls._decode(path.read_bytes())
        except (OSError, ValueError, msgspec.MsgspecError):
            return cls(blocks={}, names=[], cases=[])

    def save(self, path: Path) -> None:
        """Replace the cache at *path*; raises DataError where it cannot be written."""
        listed = [(key, number, header) for (key, number), (header, _) in self.blocks.items()]
        try:
            header = msgspec.msgpack.encode(_BlocksHeader(blocks=listed, names=self.names, cases=self.cases))
        except UnicodeEncodeError as error:
            raise DataError(f"{path} cannot be written: {error.object[:80]!a} is not valid text") from None
        body = b"".join(summary.tobytes() for _, summary in self.blocks.values())
        rest = len(header).to_bytes(8, "little") + header + body
        write_atomically(path, FORMAT + zlib.crc32(rest).to_bytes(4, "little") + rest)

    @classmethod
    def _decode(cls, content: bytes) -> "BlockCache":
        start = len(FORMAT) + 4
        rest = memoryview(content)[start:]
        if not content.startswith(FORMAT) or zlib.crc32(rest).to_bytes(4, "little") != content[len(FORMAT) : start]:
            raise ValueError("not a cache of this format")
        length = int.from_bytes(rest[:8], "little")
        header = msgspec.msgpack.decode(rest[8 : 8 + length], type=_BlocksHeader)
        rows = np.frombuffer(rest[8 + length :], SUMMARY, sum(each.count for _, _, each in header.blocks))
        blocks, start = {}, 0
        for key, number, each in header.blocks:
            blocks[key, number] = each, rows[start : start + each.count]
            start += each.count
        return cls(blocks=blocks, names=header.names, cases=header.cases)


class SeriesBlocks:
    """The values of a history, block by block."""

    def __init__(
        self, values: ResultsValues, targets: Sequence[Target], commits: Sequence[CommitHash], cache: BlockCache
    ) -> None:
        """Find the blocks, and read those that *cache* does not have; *commits* are the oldest first.

        Rows of other versions than the suite's are left out, as in asv.
        """
        self._values, self._targets = values, targets
        self._commits = {commit: index for index, commit in enumerate(commits)}
        self._run_targets = index_targets(values.tree.runs, [target.key for target in targets])
        self._suite = {benchmark.name: (order, benchmark) for order, benchmark in enumerate(values.tree.benchmarks)}
        self._cases: dict[CaseKey, int] = {key: index for index, key in enumerate(cache.cases)}
        self._names: dict[BenchmarkName, int] = {name: index for index, name in enumerate(cache.names)}
        self._name_list = list(cache.names)
        self._mapping = mapping_of([run.columns for run in values.runs])
        self._digests: dict[BenchmarkName, bytes] = {}
        self.blocks = tuple(self._find(cache))
        self.first_exact = self._first_exact()
        """The first commit whose values are held one by one."""
        self.table = self._table()
        """All series; older values are summaries, but the newest value of a series never is."""

    def cache(self) -> BlockCache:
        """Return what the next build needs."""
        return BlockCache(
            blocks={(self._targets[each.target].key, each.number): (each.header, each.summary) for each in self.blocks},
            names=self._name_list,
            cases=list(self._cases),
        )

    def values(self, block: CommitBlock) -> SeriesTable:
        """Return all values of *block*."""
        return self._exact(block.runs)

    def measured(self) -> dict[int, Indices]:
        """Return the commits with values at each target, ascending."""
        found = defaultdict[int, list[int]](list)
        for block in sorted(self.blocks, key=lambda each: each.number):
            found[block.target] += [block.number * BLOCK_SIZE + each for each in block.header.commits]
        return {target: np.array(commits, np.int32) for target, commits in found.items() if commits}

    def _find(self, cache: BlockCache) -> Iterator[CommitBlock]:
        runs = defaultdict[tuple[int, int], list[int]](list)
        for index, run in enumerate(self._values.tree.runs):
            runs[self._run_targets[index], self._commits[run.commit] // BLOCK_SIZE].append(index)
        for (target, number), indices in sorted(runs.items()):
            ordered = tuple(
                sorted(indices, key=lambda index: (self._commits[self._values.tree.runs[index].commit], index))
            )
            known = cache.blocks.get((self._targets[target].key, number))
            if known is None or known[0].digest != self._digest(number, ordered, known[0].names):
                known = self._summarise(number, ordered)
            yield CommitBlock(target=target, number=number, runs=ordered, header=known[0], summary=known[1])

    def _digest(self, number: int, runs: Sequence[int], names: Sequence[int]) -> bytes:
        """Return a digest of the files of *runs*, and of the benchmarks called *names* as the suite has them."""
        digest = blake2b(f"{number}".encode(), digest_size=16)
        for index in runs:
            digest.update(self._commits[self._values.tree.runs[index].commit].to_bytes(4, "little"))
            digest.update(self._values.runs[index].digest or self._content_digest(index))
        for name in sorted((self._name_list[each] for each in names), key=self._order):
            digest.update(self._digests.get(name) or self._benchmark_digest(name))
        return digest.digest()

    def _order(self, name: BenchmarkName) -> tuple[int, BenchmarkName]:
        found = self._suite.get(name)
        return (len(self._suite) if found is None else found[0]), name

    def _benchmark_digest(self, name: BenchmarkName) -> bytes:
        found = self._suite.get(name)
        parts = (name, None) if found is None else (name, found[1].version, found[1].params)
        self._digests[name] = blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()
        return self._digests[name]

    def _content_digest(self, index: int) -> bytes:
        """Return a digest of the values of a run that was merged from several files."""
        columns = self._values.runs[index].columns
        keys = repr([self._values.cases[number] for number in columns.case.tolist()])
        digest = blake2b(keys.encode("utf-8", "surrogatepass"), digest_size=16)
        for column in (columns.value, columns.low, columns.high):
            digest.update(column.tobytes())
        return digest.digest()

    def _summarise(self, number: int, runs: Sequence[int]) -> tuple[BlockHeader, Summary]:
        table = self._exact(runs)
        numbers = np.unique(np.concatenate([np.unique(self._values.runs[index].columns.case) for index in runs]))
        names = {self._values.cases[each].benchmark for each in numbers.tolist()}
        for name in sorted(names - self._names.keys()):
            self._names[name] = len(self._name_list)
            self._name_list.append(name)
        summary = coarsen(table, BLOCK_SIZE)
        rows = np.empty(len(summary.case), SUMMARY)
        known = [self._cases.setdefault(key, len(self._cases)) for key in summary.cases]
        rows["case"] = np.array(known, np.int32)[summary.case] if known else 0
        rows["commit"] = summary.commit - number * BLOCK_SIZE
        rows["value"], rows["low"], rows["high"] = summary.value, summary.low, summary.high
        indices = tuple(sorted(self._names[name] for name in names))
        header = BlockHeader(
            digest=self._digest(number, runs, indices),
            names=indices,
            commits=tuple((np.unique(table.commit) - number * BLOCK_SIZE).tolist()),
            parts=tuple(_parts(table)),
            count=len(rows),
        )
        return header, rows

    def _exact(self, runs: Sequence[int]) -> SeriesTable:
        """Return the table of some runs."""
        tree = replace(self._values.tree, runs=tuple(self._values.tree.runs[index] for index in runs))
        values = replace(self._values, tree=tree, runs=tuple(self._values.runs[index] for index in runs))
        table = series_table(values, [self._run_targets[index] for index in runs], self._commits, current_only=True)
        release_pages(self._mapping)  # the table is a copy; so no more than the values of a block are in memory
        return table

    def _first_exact(self) -> int:
        counts: dict[int, int] = defaultdict(int)
        for block in self.blocks:
            counts[block.number] += sum(count for _, count in block.header.parts)
        total = 0
        for taken, number in enumerate(sorted(counts, reverse=True)):
            total += counts[number]
            if taken >= MIN_EXACT_BLOCKS and total > MAX_EXACT:
                return (number + 1) * BLOCK_SIZE
        return 0

    def _table(self) -> SeriesTable:
        newest = [block for block in self.blocks if block.number * BLOCK_SIZE >= self.first_exact]
        older = [block for block in self.blocks if block.number * BLOCK_SIZE < self.first_exact]
        exact = self._exact([index for block in newest for index in block.runs])
        if not older:
            return exact
        benchmarks = self._values.tree.benchmarks
        joined = join_tables([exact, self._summaries(older)], benchmarks)
        ends = np.append(
            np.flatnonzero((np.diff(joined.case) != 0) | (np.diff(joined.target) != 0)), len(joined.case) - 1
        )
        ended = ends[joined.commit[ends] < self.first_exact]
        if not len(ended):
            return joined
        return self._with_newest_values(joined, ended, older)

    def _summaries(self, blocks: Sequence[CommitBlock]) -> SeriesTable:
        rows = np.concatenate([block.summary for block in blocks])
        lengths = [len(block.summary) for block in blocks]
        firsts = np.repeat(np.array([block.number * BLOCK_SIZE for block in blocks], np.int32), lengths)
        return SeriesTable(
            cases=tuple(self._cases),
            case=rows["case"].copy(),
            target=np.repeat(np.array([block.target for block in blocks], np.int32), lengths),
            commit=firsts + rows["commit"],
            value=rows["value"].copy(),
            low=rows["low"].copy(),
            high=rows["high"].copy(),
        )

    def _with_newest_values(self, table: SeriesTable, ended: Indices, blocks: Sequence[CommitBlock]) -> SeriesTable:
        """Replace the last summary of each series that *ended* among the older blocks by its values."""
        wanted = defaultdict[tuple[int, int], set[CaseKey]](set)
        for row in ended.tolist():
            wanted[int(table.target[row]), int(table.commit[row]) // BLOCK_SIZE].add(table.cases[table.case[row]])
        found = []
        for block in blocks:
            if cases := wanted.get((block.target, block.number)):
                values = self.values(block)
                chosen = np.array([key in cases for key in values.cases])[values.case]
                found.append(values.select(np.flatnonzero(chosen)))
        kept = np.ones(len(table.case), bool)
        kept[ended] = False
        return join_tables([table.select(np.flatnonzero(kept)), *found], self._values.tree.benchmarks)


def read_blocks(
    values: ResultsValues,
    targets: Sequence[Target],
    commits: Sequence[CommitHash],
    cache: Path,
    warn: Callable[[str], None],
) -> SeriesBlocks:
    """Return the blocks of *values* with the cache in the folder *cache*, and update the cache."""
    known = BlockCache.load(cache / CACHE_FILE)
    blocks = SeriesBlocks(values, targets, commits, known)
    new = blocks.cache()
    if {key: header for key, (header, _) in new.blocks.items()} != {
        key: header for key, (header, _) in known.blocks.items()
    }:
        try:
            new.save(cache / CACHE_FILE)
        except DataError as error:
            warn(f"the next run will take as long as this one: {error}")
    return blocks


def _parts(table: SeriesTable) -> Iterator[tuple[BenchmarkName, int]]:
    """Yield the first benchmark of each part of a block, and its number of values; a benchmark is in one part."""
    starts = benchmark_starts(table)
    first, count = None, 0
    for name, start, end in starts:
        if first is not None and count + end - start > MAX_PART:
            yield first, count
            first, count = None, 0
        first = first or name
        count += end - start
    if first is not None:
        yield first, count


def benchmark_starts(table: SeriesTable) -> list[tuple[BenchmarkName, int, int]]:
    """Return each benchmark of *table* with the first of its rows and the first of the next."""
    if not len(table.case):
        return []
    order = {name: index for index, name in enumerate(dict.fromkeys(case.benchmark for case in table.cases))}
    of_case = np.array([order[case.benchmark] for case in table.cases], np.int32)
    rows = of_case[table.case]
    starts = [0, *(np.flatnonzero(np.diff(rows)) + 1).tolist(), len(rows)]
    return [(table.cases[table.case[start]].benchmark, start, end) for start, end in pairwise(starts)]
