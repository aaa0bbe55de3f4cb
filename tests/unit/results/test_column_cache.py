"""The cache of values keeps what was read, 64 commits in a file."""

import pytest
from builders.trees import a_benchmark, a_row, a_run, a_tree, a_value

from windtunnel.errors import DataError
from windtunnel.results.column_reading import BLOCK_COMMITS, CACHE_FILE, load_cache, read_with_cache
from windtunnel.results.series_table import TableBuilder
from windtunnel.results.tree import write_tree

BENCH = a_benchmark()


def a_history(folder, count, machines=("desk",)):
    """Write *count* commits into *folder* and read them with the cache beside them; return the reading."""
    runs = [
        a_run(a_row(BENCH, a_value(1.0 + index)), commit=index, machine=machine)
        for index in range(count)
        for machine in machines
    ]
    write_tree(a_tree(*runs, benchmarks=[BENCH]), folder / "results")
    return read_with_cache(folder / "results", folder / "cache", pytest.fail)


def values(read):
    """The values in the order of commits."""
    order = {run.commit: number for number, run in enumerate(sorted(read.tree.runs, key=lambda run: run.commit))}
    return TableBuilder(read, [0] * len(read.runs), order).build().value.tolist()


def files(folder):
    """The files of blocks in the cache."""
    return sorted(path.name for path in (folder / "cache").glob("*.npy"))


def test_new_values_join_the_newest_block(tmp_path):
    """Only its file is written, and the old one goes."""
    a_history(tmp_path, BLOCK_COMMITS + 1)
    before = files(tmp_path)
    assert a_history(tmp_path, BLOCK_COMMITS + 2).new == 1
    after = files(tmp_path)
    assert len(before) == len(after) == 2
    assert len(set(before) & set(after)) == 1
    again = a_history(tmp_path, BLOCK_COMMITS + 2)
    assert (again.new, values(again)) == (0, [1.0 + index for index in range(BLOCK_COMMITS + 2)])


def test_all_targets_of_64_commits_share_a_file(tmp_path):
    """A commit is not torn apart, whenever it was measured."""
    a_history(tmp_path, BLOCK_COMMITS + 1)
    read = a_history(tmp_path, BLOCK_COMMITS + 1, machines=("desk", "runner", "shelf"))
    assert read.new == 2 * (BLOCK_COMMITS + 1)
    assert len(files(tmp_path)) == 2
    assert len(values(read)) == 3 * (BLOCK_COMMITS + 1)


@pytest.mark.parametrize("name", [CACHE_FILE, "block"])
@pytest.mark.parametrize("at", [0, -1])
def test_a_damaged_cache_counts_as_empty(tmp_path, name, at):
    """In either file, one byte is enough."""
    a_history(tmp_path, 2)
    (path,) = (tmp_path / "cache").glob(f"{name}*")
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(bytes(content))
    assert load_cache(tmp_path / "cache").files == []
    read = a_history(tmp_path, 2)
    assert (read.new, values(read)) == (2, [1.0, 2.0])


def test_values_of_files_that_are_gone_or_changed_do_not_count(tmp_path):
    """Their rows go when the block is written again."""
    a_history(tmp_path, 5)
    first, _, *others = sorted((tmp_path / "results").glob("*/0*.json"))
    for path in others:
        path.unlink()
    read = read_with_cache(tmp_path / "results", tmp_path / "cache", pytest.fail)
    assert (read.new, values(read)) == (0, [1.0, 2.0])
    first.write_bytes(first.read_bytes().replace(b"[1.0]", b"[7.0]"))
    read = read_with_cache(tmp_path / "results", tmp_path / "cache", pytest.fail)
    assert (read.new, values(read)) == (1, [7.0, 2.0])
    assert len(read.blocks[0].read()) == 2


def test_a_block_that_another_program_removes_meanwhile_is_an_error(tmp_path):
    """The message states what to do."""
    read = a_history(tmp_path, 2)
    for path in (tmp_path / "cache").glob("*.npy"):
        path.unlink()
    with pytest.raises(DataError, match="run the same command again"):
        values(read)
