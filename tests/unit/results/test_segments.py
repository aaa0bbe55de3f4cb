"""Old runs packed into a segment come back as they were, and a damaged segment never loses the others."""

from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pytest
from builders.trees import a_benchmark, a_hash, a_row, a_run, a_tree, a_value

from windtunnel.errors import DataError
from windtunnel.model.identity import Field
from windtunnel.model.result import Failed, Interval, Measured, Session, Skipped
from windtunnel.results.column_cache import ColumnCache
from windtunnel.results.column_reading import read_values
from windtunnel.results.columns import values_of
from windtunnel.results.segments import Segment, StoredSegment, pack, segment_path
from windtunnel.results.tree import read_tree, write_tree

GRID = a_benchmark("a.time_grid", n=["1", "'two'"], k=["True"])
PLAIN = a_benchmark("b.time_plain")
RICH = Measured(
    value=0.25,
    interval=Interval(low=-np.inf, high=0.5),
    quartiles=Interval(low=0.2, high=0.3),
    number=3,
    repeat=4,
    samples=(0.2, 0.25, 0.3, 0.1),
    process_sizes=(2, 2),
)


def some_runs(count=3):
    """Runs with everything that a results file can hold."""
    rich = replace(
        a_row(GRID, RICH, Failed()),
        duration=2.5,
        sessions=(Session(started_at=5, duration=1.0), Session(started_at=None, duration=1.5)),
        case_started_at=(5, None),
        profile="eJw=",
        extra=(Field(name="more", json="[1, NaN]"),),
    )
    rows = (rich, a_row(PLAIN, Skipped()))
    runs = [a_run(*rows, commit=index, date=1_700_000_000_000 + index) for index in range(count - 1)]
    return (
        *runs,
        replace(a_run(a_row(PLAIN, a_value(1.0)), commit=count), durations=(Field(name="<build>", json="1.5"),)),
    )


def a_segment(folder, runs):
    """Write the segment of *runs* into *folder*."""
    content = pack(runs)
    path = folder / segment_path(content)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def plain(runs):
    """Runs without where they come from."""
    return [replace(run, rows=tuple(run.rows)) for run in runs]


def test_runs_come_back_equal(tmp_path):
    """With every field; the rows are read on demand."""
    path = a_segment(tmp_path, some_runs())
    assert plain(StoredSegment(path).runs) == list(some_runs())
    assert plain(read_tree(tmp_path).runs) == sorted(some_runs(), key=lambda run: run.key)


def test_a_run_that_a_segment_cannot_keep_is_refused():
    """A benchmark whose parameter has no value has no case, so no row of the table."""
    empty = a_benchmark("c.time", n=[])
    with pytest.raises(DataError, match="cannot keep"):
        pack([a_run(a_row(empty))])


def test_values_are_those_of_the_results_files(tmp_path):
    """Cases, values and limits; skipped cases are left out."""
    tree = a_tree(*some_runs(), benchmarks=[GRID, PLAIN])
    write_tree(replace(tree, runs=()), tmp_path)
    a_segment(tmp_path, tree.runs)
    found, wanted = read_values(tmp_path, ColumnCache.empty()).values, values_of(tree)
    for one, other in zip(found.runs, wanted.runs, strict=True):
        assert [found.cases[each] for each in one.columns.case] == [wanted.cases[each] for each in other.columns.case]
        for name in ("value", "low", "high"):
            assert np.array_equal(getattr(one.columns, name), getattr(other.columns, name), equal_nan=True)
        assert (one.newest, one.counted_with) == (other.newest, other.counted_with)
    assert len({run.digest for run in found.runs}) == 3


def test_a_run_in_a_file_and_in_a_segment_is_one(tmp_path):
    """As with two files of one run."""
    runs = [a_run(a_row(PLAIN, a_value(1.0)), commit=index) for index in range(2)]
    write_tree(a_tree(*runs, benchmarks=[PLAIN]), tmp_path)
    a_segment(tmp_path, runs)
    assert plain(read_tree(tmp_path).runs) == runs


@pytest.mark.parametrize("damage", [slice(0, 4), slice(100, 101), slice(-30, -29), slice(-8, -4), slice(0, 2000)])
def test_a_damaged_segment_is_named_and_the_others_are_read(tmp_path, damage):
    """Whatever byte is lost."""
    good = a_segment(tmp_path, some_runs()[:1])
    content = bytearray(pack(some_runs()[1:]))
    content[damage] = bytes(255 - each for each in content[damage])
    bad = good.with_name(f"{'0' * 32}.parquet")
    bad.write_bytes(bytes(content))
    tree = read_tree(tmp_path)
    assert [run.commit for run in tree.runs] == [a_hash(0)]
    assert str(bad) in {problem.file for problem in tree.problems}


def test_every_truncation_is_refused():
    """And nothing but DataError is raised."""
    content = pack(some_runs())
    for length in range(0, len(content), 37):
        with pytest.raises(DataError):
            Segment(content[:length], "a segment")


def test_duckdb_reads_a_segment(tmp_path):
    """The queries of docs/data.md."""
    a_segment(tmp_path / "results", some_runs())
    text = (Path(__file__).parents[3] / "docs/data.md").read_text(encoding="utf-8")
    queries = [part.partition("```")[0] for part in text.split("```sql\n")[1:]]
    assert len(queries) == 3
    connection = duckdb.connect()
    connection.execute(f"set file_search_path = '{tmp_path}'")
    newest, failures, spread = (connection.sql(query).fetchall() for query in queries)
    assert newest[-1][-1] == 1.0
    assert failures[0][:2] == ("a.time_grid", 2)
    assert spread[0][0] == "a.time_grid"
