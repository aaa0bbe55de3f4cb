"""The table of series at two levels of detail."""

from dataclasses import replace

import pytest
from builders.trees import a_benchmark, a_hash, a_row, a_run, a_tree, a_value

from windtunnel.model.target import all_targets
from windtunnel.results import series_blocks
from windtunnel.results.columns import values_of
from windtunnel.results.series_blocks import BLOCK_SIZE, SeriesBlocks
from windtunnel.results.series_table import TableBuilder

ONE, OTHER = a_benchmark("a.time", n=["1", "2"]), a_benchmark("b.time")
COMMITS = [a_hash(index) for index in range(3 * BLOCK_SIZE)]


def a_long_tree(*, benchmarks=(ONE, OTHER), last_of_other=10, machines=1):
    """A run on each of three blocks of commits; the second benchmark ends early. Each next run is of a next machine."""
    runs = []
    for index in range(len(COMMITS)):
        rows = [a_row(ONE, a_value(1 + index), a_value(1.0))]
        if index <= last_of_other:
            rows.append(a_row(OTHER, a_value(index + 0.5)))
        runs.append(a_run(*rows, commit=index, machine=f"desk{index % machines}"))
    return values_of(a_tree(*runs, benchmarks=benchmarks))


def blocks_of(values, branches=None):
    """The blocks of *values*; *branches* has commits of the second branch, all are on one by default."""
    return SeriesBlocks(values, all_targets(values.tree.runs), branches or dict.fromkeys(COMMITS, "main"))


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
    every = TableBuilder(values, [0] * len(COMMITS), order, current_only=True).build()
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


def test_all_targets_of_a_block_are_read_together_and_known_apart():
    """Each has its own commits, values and digest."""
    blocks = blocks_of(a_long_tree(machines=3))
    first = [block for block in blocks.blocks if block.number == 0]
    assert [block.target for block in first] == [0, 1, 2]
    assert [block.commits for block in first] == [tuple(range(start, BLOCK_SIZE, 3)) for start in range(3)]
    assert blocks.measured()[1].tolist() == list(range(1, len(COMMITS), 3))
    rows = sum(count for _, count in first[1].parts)
    assert [row[1:] for row in rows_of(blocks.values(first[1], 0, 2))] == [(1, 1, 2.0), (1, 4, 5.0)]
    assert {row[1] for row in rows_of(blocks.values(first[1], 0, rows))} == {1}


def test_a_commit_on_a_second_branch_moves_other_blocks_and_changes_its_own_newest():
    """Blocks begin anew with each branch, though the commits of the second come first."""
    on_second = COMMITS[: BLOCK_SIZE + 3]
    after = dict.fromkeys(on_second, "2.x") | dict.fromkeys([None, *COMMITS], "main") | dict.fromkeys(on_second, "2.x")
    after = {commit: branch for commit, branch in after.items() if commit}
    before = {commit: branch for commit, branch in after.items() if commit != on_second[-1]}
    values = a_long_tree()
    older = replace(values.tree, runs=tuple(run for run in values.tree.runs if run.commit != on_second[-1]))

    def known(blocks):
        return {(each.branch, each.number): (each.digest, each.first) for each in blocks.blocks}

    old, new = known(blocks_of(values_of(older), before)), known(blocks_of(values, after))
    assert list(new) == [("2.x", 0), ("2.x", 1), ("main", 0), ("main", 1)]
    assert [each for each in new if old[each][0] != new[each][0]] == [("2.x", 1)]
    assert new["main", 0][1] == old["main", 0][1] + 1 == len(on_second)


def test_a_commit_on_no_branch_counts_as_on_the_branch_before_it():
    """Or as on the first one."""
    branches = dict(zip(COMMITS, [None, "2.x", None, "main", None, "main", *["main"] * len(COMMITS)], strict=False))
    found = blocks_of(a_long_tree(), branches)
    assert found.starts.tolist() == [0, 3, 3 + BLOCK_SIZE, 3 + 2 * BLOCK_SIZE]
    assert {each.branch for each in blocks_of(a_long_tree(), dict.fromkeys(COMMITS)).blocks} == {""}


def test_a_digest_depends_on_the_values_of_the_present_versions():
    """Another benchmark changes nothing, another version of one of its own does, and so does a value."""
    before = [each.digest for each in blocks_of(a_long_tree()).blocks]
    more = [each.digest for each in blocks_of(a_long_tree(benchmarks=(a_benchmark("c"), ONE, OTHER))).blocks]
    newer = [each.digest for each in blocks_of(a_long_tree(benchmarks=(ONE, replace(OTHER, version="2")))).blocks]
    longer = [each.digest for each in blocks_of(a_long_tree(last_of_other=11)).blocks]
    assert more == before
    for other in (newer, longer):
        assert [one == same for one, same in zip(other, before, strict=True)] == [False, True, True]


def test_parts_hold_whole_benchmarks(monkeypatch):
    """A part ends before the benchmark that would make it too large."""
    monkeypatch.setattr(series_blocks, "MAX_PART", 2 * BLOCK_SIZE)
    first, *others = blocks_of(a_long_tree()).blocks
    assert first.parts == (("a.time", 2 * BLOCK_SIZE), ("b.time", 11))
    assert {each.parts for each in others} == {(("a.time", 2 * BLOCK_SIZE),)}
    assert first.commits == tuple(range(BLOCK_SIZE))
