"""``windtunnel merge``: its input, its effects and its output."""

import pytest
from builders.commands import run_command
from builders.files import old_results_file, results_file, row
from builders.trees import a_benchmark, a_row, a_run, a_tree

from windtunnel.asv.results_format.layout import NAMES
from windtunnel.errors import ExitCode
from windtunnel.results.tree import read_tree, write_tree

ONE, TWO = a_benchmark("a.time"), a_benchmark("b.time")


def merge(*argv, code=None):
    return run_command(["merge", *argv], {}, code=code)


def folder(path, *rows, commit=1):
    """A results tree of one run in the folder *path*."""
    names = [a_benchmark(row.name) for row in rows]
    write_tree(a_tree(a_run(*rows, commit=commit), benchmarks=names), path)
    return path


def test_shards_are_merged_into_a_new_tree(tmp_path):
    """Both benchmarks of the one run are in its one file."""
    one, two = folder(tmp_path / "1", a_row(ONE)), folder(tmp_path / "2", a_row(TWO))
    code, out, err = merge(one, two, "--into", tmp_path / "all")
    assert (code, err) == (ExitCode.FINE, "")
    assert out.startswith(f"{tmp_path / 'all'}: 1 run of 2 benchmarks on 1 machine, from 2 trees")
    (run,) = read_tree(tmp_path / "all").runs
    assert [found.name for found in run.rows] == ["a.time", "b.time"]


def test_what_the_target_holds_stays(tmp_path):
    """A second merge changes nothing."""
    old, new = folder(tmp_path / "old", a_row(ONE), commit=1), folder(tmp_path / "new", a_row(ONE), commit=2)
    merge(new, "--into", old)
    once = read_tree(old)
    merge(new, "--into", old)
    assert read_tree(old) == once
    assert len(once.runs) == 2


def test_the_folder_of_a_shard_is_taken_as_it_is(tmp_path):
    """Its results tree lies beside the record of the run, which is kept; merging on keeps it too."""
    folder(tmp_path / "shard" / "results", a_row(ONE))
    (tmp_path / "shard" / "run.json").write_text('{"the": "record"}')
    assert merge(tmp_path / "shard", "--into", tmp_path / "some")[0] == ExitCode.FINE
    assert merge(tmp_path / "some", tmp_path / "shard", "--into", tmp_path / "all")[0] == ExitCode.FINE
    assert len(read_tree(tmp_path / "all").runs) == 1
    (record,) = (tmp_path / "all" / "records").iterdir()
    assert record.read_text() == '{"the": "record"}'


def test_a_later_attempt_of_a_shard_replaces_an_earlier_one(tmp_path):
    """Both are artifacts of the run; what the earlier one left is part of no result."""
    first, second = (folder(tmp_path / f"3.attempt-{number}", a_row(one)) for number, one in ((1, ONE), (2, TWO)))
    assert merge(first, second, "--into", tmp_path / "all")[0] == ExitCode.FINE
    (run,) = read_tree(tmp_path / "all").runs
    assert [found.name for found in run.rows] == ["b.time"]


def test_a_broken_file_is_reported_and_the_rest_is_merged(tmp_path):
    """Exit code 3, and nothing else is lost."""
    good, bad = folder(tmp_path / "good", a_row(ONE)), folder(tmp_path / "bad", a_row(TWO))
    (bad / "desk" / "cut.json").write_bytes(results_file({"a": row([1.0])})[:50])
    _, out, err = merge(good, bad, "--into", tmp_path / "all", code=ExitCode.DATA)
    assert str(bad / "desk" / "cut.json") in err
    assert "1 problem" in out
    assert len(read_tree(tmp_path / "all").runs[0].rows) == 2


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(old_results_file({"a.time": float("nan")}), id="a format 1 file with NaN"),
        pytest.param(results_file({"a.time": row([float("inf")])}, result_columns=[*NAMES[:12]]), id="twelve columns"),
        pytest.param(results_file({"a.time": row([float("nan"), "x"], params=[["1", "2"]])}), id="a bad cell and NaN"),
    ],
)
def test_a_repaired_row_does_not_lose_the_tree(tmp_path, content):
    """A row that is not as asv writes it today may hold NaN or Infinity; everything is merged."""
    source = folder(tmp_path / "source", a_row(ONE), commit=7)
    (source / "desk" / "old.json").write_bytes(content)
    code, _, _ = merge(source, "--into", tmp_path / "all")
    assert code in {ExitCode.FINE, ExitCode.DATA}
    assert len(read_tree(tmp_path / "all").runs) == 2


@pytest.mark.parametrize(
    ("damage", "reported"),
    [
        ({"profile": {}}, ""),
        ({"result": [float("nan")]}, "results.a.time: has 2 samples and 0 statistics without a value"),
    ],
)
def test_only_what_is_lost_is_reported(tmp_path, damage, reported):
    """An empty profile costs nothing; a value that is gone costs its samples."""
    source = folder(tmp_path / "source", a_row(ONE), commit=7)
    given = row(**{"result": [1.5], "samples": [[1.25, 1.75]], **damage})
    (source / "desk" / "new.json").write_bytes(results_file({"a.time": given}))
    _, _, err = merge(source, "--into", tmp_path / "all", code=ExitCode.DATA if reported else ExitCode.FINE)
    assert reported in err


def test_a_conflict_is_reported_with_both_sources(tmp_path):
    """Exit code 3; the rest merges."""
    one = folder(tmp_path / "1", a_row(ONE, version="1"))
    two = folder(tmp_path / "2", a_row(ONE, version="2"), a_row(TWO))
    _, out, err = merge(one, two, "--into", tmp_path / "all", code=ExitCode.DATA)
    assert str(one) in err
    assert str(two) in err
    assert "1 conflict" in out
    assert len(read_tree(tmp_path / "all").runs[0].rows) == 2


def test_a_missing_folder_is_reported_and_the_others_are_merged(tmp_path):
    """A job that left nothing must not cost the results of the rest."""
    code, _, err = merge(folder(tmp_path / "1", a_row(ONE)), tmp_path / "2", "--into", tmp_path / "all")
    assert code == ExitCode.DATA
    assert str(tmp_path / "2") in err
    assert len(read_tree(tmp_path / "all").runs) == 1


@pytest.mark.parametrize("kind", ["missing", "file"])
def test_nothing_to_merge_is_an_error(tmp_path, kind):
    """And nothing is written."""
    if kind == "file":
        (tmp_path / "1").touch()
    code, out, err = merge(tmp_path / "1", "--into", tmp_path / "all")
    assert (code, out) == (ExitCode.DATA, "")
    assert str(tmp_path / "1") in err
    assert not (tmp_path / "all").exists()


def test_a_target_that_is_no_folder_is_an_error(tmp_path):
    """And stays what it is."""
    (tmp_path / "all").write_text("mine")
    _, _, err = merge(folder(tmp_path / "1", a_row(ONE)), "--into", tmp_path / "all", code=ExitCode.DATA)
    assert str(tmp_path / "all") in err
    assert (tmp_path / "all").read_text() == "mine"


def test_a_source_is_needed(tmp_path):
    """Usage error."""
    assert merge("--into", tmp_path / "all")[0] == ExitCode.USAGE
