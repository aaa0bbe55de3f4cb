"""The table of series at two levels of detail, and the cache of its blocks."""

from dataclasses import replace

import numpy as np
import pytest
from builders.trees import a_benchmark, a_hash, a_row, a_run, a_tree, a_value

from windtunnel.model.target import all_targets
from windtunnel.results import series_blocks
from windtunnel.results.columns import concatenate, values_of
from windtunnel.results.series_blocks import BLOCK_SIZE, BlockCache, SeriesBlocks
from windtunnel.results.series_table import series_table

ONE, OTHER = a_benchmark("a.time", n=["1", "2"]), a_benchmark("b.time")
EMPTY = concatenate([])
COMMITS = [a_hash(index) for index in range(3 * BLOCK_SIZE)]


def a_long_tree(*, benchmarks=(ONE, OTHER), last_of_other=10):
    """A run on each of three blocks of commits; the second benchmark ends early."""
    runs = []
    for index in range(len(COMMITS)):
        rows = [a_row(ONE, a_value(1 + index), a_value(1.0))]
        if index <= last_of_other:
            rows.append(a_row(OTHER, a_value(index + 0.5)))
        runs.append(a_run(*rows, commit=index))
    return values_of(a_tree(*runs, benchmarks=benchmarks))


def blocks_of(values, cache=None):
    """The blocks of *values*."""
    known = cache or BlockCache(blocks={}, names=[], cases=[])
    return SeriesBlocks(values, all_targets(values.tree.runs), COMMITS, known)


def digested(values):
    """The values as if read from files."""
    runs = tuple(replace(run, digest=bytes([index])) for index, run in enumerate(values.runs))
    return replace(values, runs=runs)


def rows_of(table):
    """The rows, comparable."""
    names = [table.cases[case] for case in table.case]
    return list(zip(names, table.target.tolist(), table.commit.tolist(), table.value.tolist(), strict=True))


@pytest.fixture
def few(monkeypatch):
    """Only two blocks are held one by one."""
    monkeypatch.setattr(series_blocks, "MAX_EXACT", 10)


def test_a_small_history_has_every_value():
    """The table is that of all values."""
    values = a_long_tree()
    order = {commit: index for index, commit in enumerate(COMMITS)}
    every = series_table(values, [0] * len(COMMITS), order, current_only=True)
    assert rows_of(blocks_of(values).table) == rows_of(every)


@pytest.mark.usefixtures("few")
def test_older_blocks_have_one_row_for_each_series_but_its_newest_value_is_exact():
    """The ended benchmark keeps all values of its last block."""
    blocks = blocks_of(a_long_tree())
    assert blocks.first_exact == BLOCK_SIZE
    rows = rows_of(blocks.table)
    older = [row for row in rows if row[2] < BLOCK_SIZE]
    assert [row[1:] for row in older if row[0].params == ("1",)] == [(0, BLOCK_SIZE - 1, 32.5)]
    assert [row[3] for row in older if row[0].benchmark == "b.time"] == [index + 0.5 for index in range(11)]
    assert len(rows) == 2 + 11 + 2 * 2 * BLOCK_SIZE


@pytest.mark.usefixtures("few")
def test_a_known_block_is_not_read_again(tmp_path):
    """Its summary comes from the cache, whatever its runs hold by now; a changed file is read."""
    values = digested(a_long_tree(last_of_other=-1))
    blocks = blocks_of(values)
    blocks.cache().save(tmp_path / "blocks")
    cache = BlockCache.load(tmp_path / "blocks")
    unread = tuple(replace(run, columns=EMPTY) if index < BLOCK_SIZE else run for index, run in enumerate(values.runs))
    again = blocks_of(replace(values, runs=unread), cache)
    assert rows_of(again.table) == rows_of(blocks.table)
    assert again.measured()[0].tolist() == list(range(len(COMMITS)))
    changed = (replace(unread[0], digest=b"new"), *unread[1:])
    assert min(blocks_of(replace(values, runs=changed), cache).table.commit) == BLOCK_SIZE


def test_a_block_depends_on_the_benchmarks_that_it_has():
    """Another benchmark changes nothing, another version of one of its own does."""
    before = [each.header.digest for each in blocks_of(a_long_tree()).blocks]
    more = [each.header.digest for each in blocks_of(a_long_tree(benchmarks=(a_benchmark("c"), ONE, OTHER))).blocks]
    newer = [
        each.header.digest for each in blocks_of(a_long_tree(benchmarks=(ONE, replace(OTHER, version="2")))).blocks
    ]
    assert more == before
    assert [one == other for one, other in zip(newer, before, strict=True)] == [False, True, True]


def test_a_damaged_cache_counts_as_empty(tmp_path):
    """A byte that differs is enough."""
    blocks_of(a_long_tree()).cache().save(tmp_path / "blocks")
    content = (tmp_path / "blocks").read_bytes()
    assert len(BlockCache.load(tmp_path / "blocks").blocks) == 3
    (tmp_path / "blocks").write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert BlockCache.load(tmp_path / "blocks").blocks == {}


def test_parts_hold_whole_benchmarks(monkeypatch):
    """A part ends before the benchmark that would make it too large."""
    monkeypatch.setattr(series_blocks, "MAX_PART", 2 * BLOCK_SIZE)
    first, *others = blocks_of(a_long_tree()).blocks
    assert first.header.parts == (("a.time", 2 * BLOCK_SIZE), ("b.time", 11))
    assert {each.header.parts for each in others} == {(("a.time", 2 * BLOCK_SIZE),)}
    assert np.array_equal(first.header.commits, np.arange(BLOCK_SIZE))
