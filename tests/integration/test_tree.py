"""Results trees on disk."""

import json
import os
from dataclasses import replace

import pytest
from builders.files import COMMIT, results_file, row
from builders.folders import write_files
from builders.trees import a_benchmark, a_row, a_run, a_tree

from windtunnel.errors import DataError
from windtunnel.model.identity import CommitHash, Field
from windtunnel.model.run import Measured
from windtunnel.results.tree import read_run, read_tree, write_tree

PLAIN = a_benchmark("a.time")
TREE = a_tree(a_run(a_row(PLAIN)), a_run(a_row(PLAIN), machine="runner"), benchmarks=[PLAIN])


def write(folder, **files):
    """Put *files* (slashes as two underscores) into *folder*."""
    write_files(folder, {f"{name.replace('__', '/')}.json": content for name, content in files.items()})


def machine(name="desk"):
    return json.dumps({"machine": name, "version": 1}).encode()


def names(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_what_is_written_is_read(tmp_path):
    """Value for value, under asv's names, and nothing else is left."""
    write_tree(TREE, tmp_path / "results")
    assert read_tree(tmp_path / "results") == TREE
    assert names(tmp_path / "results") == [
        "benchmarks.json",
        "desk/00000000-virtualenv-py3.12.json",
        "desk/machine.json",
        "runner/00000000-virtualenv-py3.12.json",
        "runner/machine.json",
    ]


def test_files_that_hold_the_same_are_not_touched(tmp_path):
    """A second write does nothing."""
    write_tree(TREE, tmp_path)
    for path in tmp_path.rglob("*.json"):
        os.utime(path, (1, 1))
    write_tree(TREE, tmp_path)
    assert {path.stat().st_mtime for path in tmp_path.rglob("*.json")} == {1}


def test_a_file_that_holds_the_run_stays_as_asv_wrote_it(tmp_path):
    """In any layout of JSON; a changed header, and the first format, are written."""
    write_tree(TREE, tmp_path)
    first, second = sorted(tmp_path.glob("*/0*.json"))
    for path in (first, second):
        path.write_bytes(json.dumps(json.loads(path.read_bytes()), indent=1).encode())
    before = first.read_bytes()
    tree = read_tree(tmp_path)
    write_tree(replace(tree, runs=(tree.runs[0], replace(tree.runs[1], date=tree.runs[1].date + 1))), tmp_path)
    assert first.read_bytes() == before
    assert json.loads(second.read_bytes())["date"] == tree.runs[1].date + 1


def test_two_commits_that_share_eight_digits_do_not_meet(tmp_path):
    """Neither in one tree, nor when the second comes later."""
    one = a_run(a_row(PLAIN))
    two = replace(one, commit=CommitHash("00000000" + "f" * 32))
    write_tree(a_tree(one, two), tmp_path / "together")
    write_tree(a_tree(one), tmp_path / "later")
    write_tree(a_tree(two), tmp_path / "later")
    for folder in ("together", "later"):
        assert read_tree(tmp_path / folder).runs == (one, two)


def test_a_broken_file_is_a_problem_and_the_others_are_read(tmp_path):
    """Named with its path."""
    write(
        tmp_path,
        desk__machine=machine(),
        desk__one=results_file({"a": row([1.0])}),
        desk__cut=results_file()[:100],
        desk__stray=b'{"hello": "world"}',
    )
    (tmp_path / "desk" / "clean.py").write_text("import this")
    (tmp_path / "desk" / ".gitkeep").touch()
    (tmp_path / "desk" / "folder.json").mkdir()
    tree = read_tree(tmp_path)
    assert [run.commit for run in tree.runs] == [COMMIT]
    assert [problem.file for problem in tree.problems] == [
        str(tmp_path / "desk" / "cut.json"),
        str(tmp_path / "desk" / "stray.json"),
    ]


@pytest.mark.parametrize("content", [None, b"{", b'{"version": 1}'])
def test_results_are_read_without_a_description_of_their_machine(tmp_path, content):
    """asv would drop the whole history; here the results describe it, and the problem is named."""
    write(tmp_path, desk__one=results_file(params={"machine": "desk", "cpu": "i7", "numpy": ""}))
    if content is not None:
        write(tmp_path, desk__machine=content)
    tree = read_tree(tmp_path)
    assert len(tree.runs) == 1
    assert tree.machines[0].name == "desk"
    assert tree.machines[0].details == (Field(name="cpu", json='"i7"'),)
    assert {problem.file for problem in tree.problems} == {str(tmp_path / "desk" / "machine.json")}


def test_the_content_counts_and_not_the_name(tmp_path):
    """A run that lies there under two names is one run."""
    write(
        tmp_path,
        desk__machine=machine(),
        desk__old=results_file({"a": row([1.0], started_at=1), "b": row([5.0])}),
        desk__new=results_file({"a": row([2.0], started_at=2)}),
    )
    (run,) = read_tree(tmp_path).runs
    assert [found.results for found in run.rows] == [(Measured(value=2.0),), (Measured(value=5.0),)]


def test_only_folders_of_machines_hold_results(tmp_path):
    """Hidden files and the folder of records are ignored."""
    good = results_file({"a": row([1.0])})
    write(tmp_path, run=good, alerts=b"[]", records__one=b"{}", desk__one=good, desk__machine=machine())
    write(tmp_path / ".git", one=good)
    tree = read_tree(tmp_path)
    assert tree.problems == ()
    assert len(tree.runs) == 1


def test_the_folder_of_one_machine_is_a_tree_too(tmp_path):
    """Its machine.json marks the folder."""
    write(tmp_path, machine=machine(), one=results_file({"a": row([1.0])}))
    assert len(read_tree(tmp_path).runs) == 1


def test_one_file_can_be_read_alone(tmp_path):
    """With its problems, as in a tree."""
    write(tmp_path, one=results_file({"a": row([1.0])}))
    assert read_run(tmp_path / "one.json").value.commit == COMMIT
    assert read_run(tmp_path / "two.json").problems[0].reason == "is not a file"


@pytest.mark.parametrize("kind", ["missing", "file"])
def test_what_is_no_folder_is_an_error(tmp_path, kind):
    """The message states what to do."""
    if kind == "file":
        (tmp_path / "results").touch()
    with pytest.raises(DataError, match="name a folder"):
        read_tree(tmp_path / "results")


def test_a_place_that_cannot_be_written_is_an_error(tmp_path):
    """That names the file."""
    (tmp_path / "results").touch()
    with pytest.raises(DataError, match="cannot be written"):
        write_tree(TREE, tmp_path / "results")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_no_file(tmp_path):
    """Reading one would wait for ever."""
    write(tmp_path, desk__machine=machine())
    os.mkfifo(tmp_path / "desk" / "pipe.json")
    (problem,) = read_tree(tmp_path).problems
    assert problem.file == str(tmp_path / "desk" / "pipe.json")
