"""The cache of values keeps what was read, and appends what is new."""

import sys
from pathlib import Path

import pytest
from builders.trees import a_benchmark, a_row, a_run, a_tree, a_value

from windtunnel.results.column_cache import load_cache, mapping_of, release_pages
from windtunnel.results.column_reading import CACHE_FILE, read_with_cache
from windtunnel.results.tree import write_tree

BENCH = a_benchmark()


def a_history(folder, count):
    """Write *count* runs into *folder* and read them with the cache beside them; return the reading."""
    runs = [a_run(a_row(BENCH, a_value(1.0 + index)), commit=index) for index in range(count)]
    write_tree(a_tree(*runs, benchmarks=[BENCH]), folder / "results")
    return read_with_cache(folder / "results", folder / "cache", pytest.fail)


def values(read):
    """The value of each run."""
    return [run.columns.value.tolist() for run in read.values.runs]


def test_new_values_are_appended(tmp_path):
    """What was written stays as it is."""
    a_history(tmp_path, 2)
    data = tmp_path / "cache" / f"{CACHE_FILE}.data"
    before = data.read_bytes()
    assert a_history(tmp_path, 3).new == 1
    assert data.read_bytes()[: len(before)] == before
    assert len(data.read_bytes()) == len(before) // 2 * 3
    again = a_history(tmp_path, 3)
    assert (again.new, values(again)) == (0, [[1.0], [2.0], [3.0]])


def test_a_killed_call_leaves_nothing_that_counts(tmp_path):
    """Bytes behind the last values are overwritten."""
    a_history(tmp_path, 2)
    data = tmp_path / "cache" / f"{CACHE_FILE}.data"
    data.write_bytes(data.read_bytes() + b"left")
    assert a_history(tmp_path, 3).new == 1
    assert values(a_history(tmp_path, 3)) == [[1.0], [2.0], [3.0]]


@pytest.mark.parametrize("name", [CACHE_FILE, f"{CACHE_FILE}.data"])
@pytest.mark.parametrize("at", [0, -1])
def test_a_damaged_cache_counts_as_empty(tmp_path, name, at):
    """In either file, one byte is enough."""
    a_history(tmp_path, 2)
    path = tmp_path / "cache" / name
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(bytes(content))
    assert load_cache(tmp_path / "cache" / CACHE_FILE).files == {}
    read = a_history(tmp_path, 2)
    assert (read.new, values(read)) == (2, [[1.0], [2.0]])


def test_values_of_files_that_are_gone_do_not_pile_up(tmp_path):
    """Where they are most of the cache, it is written anew."""
    a_history(tmp_path, 5)
    first, *others = sorted((tmp_path / "results").glob("*/*-*.json"))
    for path in others:
        path.unlink()
    first.write_bytes(first.read_bytes() + b" ")
    read = read_with_cache(tmp_path / "results", tmp_path / "cache", pytest.fail)
    assert (read.new, values(read)) == (1, [[1.0]])
    assert (tmp_path / "cache" / f"{CACHE_FILE}.data").stat().st_size == 32


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says which pages of a file are in memory")
def test_values_that_were_used_leave_memory_and_come_back(tmp_path):
    """A history of any size is read block by block."""
    a_history(tmp_path, 2)
    read = a_history(tmp_path, 2)
    mapping = mapping_of([run.columns for run in read.values.runs])

    def resident():
        text = Path("/proc/self/smaps").read_text(encoding="utf-8").partition(f"{tmp_path}/cache/{CACHE_FILE}.data")[2]
        return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Rss:"))

    assert values(read) == [[1.0], [2.0]]
    assert resident() > 0
    release_pages(mapping)
    assert resident() == 0
    assert values(read) == [[1.0], [2.0]]
