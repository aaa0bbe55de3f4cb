"""``windtunnel detect``: a results tree and a repository in, changes.json out."""

import io
import os
import shutil
from contextlib import chdir
from dataclasses import replace

import numpy as np
import pytest
from builders.histories import a_history_tree, histories
from builders.repositories import ENV, a_repository, git

from windtunnel import formats
from windtunnel.cli import main
from windtunnel.detect.format import DetectedChanges
from windtunnel.errors import ExitCode
from windtunnel.model.identity import CommitHash
from windtunnel.results.tree import write_tree

COMMITS = 24
STEP = 16


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A repository of 24 commits and results in which the 17th is 40 % slower."""
    root = tmp_path_factory.mktemp("project")
    a_repository(root / "repo", *(f"commit {number}" for number in range(COMMITS)))
    hashes = git(root / "repo", "rev-list", "--reverse", "HEAD").split()
    times = 0.1 * np.exp(histories(1, count=1, points=COMMITS)[0])
    times[STEP:] *= 1.4
    tree = a_history_tree({"m.time_it": times})
    runs = tuple(replace(run, commit=CommitHash(hashes[int(run.commit, 16)])) for run in tree.runs)
    write_tree(replace(tree, runs=runs), root / "results")
    return root, hashes


def detect(root, *options, where=None):
    out, err = io.StringIO(), io.StringIO()
    with chdir(where or root):
        code = main(["detect", str(root / "results"), "--out", str(root / "changes.json"), *options], out, err, ENV)
    assert out.getvalue() == ""
    return code, err.getvalue()


def written(root):
    return formats.decode((root / "changes.json").read_bytes(), DetectedChanges, "changes.json")


def test_change_is_found_at_its_commit(project):
    """The commit is the repository's, with the one before it."""
    root, hashes = project
    code, said = detect(root, "--repo", str(root / "repo"))
    (change,) = written(root).changes
    assert code == ExitCode.FINE
    assert (change.commit, change.previous_commit) == (hashes[STEP], hashes[STEP - 1])
    assert "1 regressions and 0 improvements" in said


def test_repository_here_is_taken_without_asking(project):
    """In the project's own folder nothing need be named."""
    root, hashes = project
    code, said = detect(root, where=root / "repo")
    assert (code, written(root).changes[0].commit) == (ExitCode.FINE, hashes[STEP])
    assert "warning" not in said


def test_without_repository_commits_go_by_date_and_that_is_said(project):
    """Results alone are enough, with a warning."""
    root, hashes = project
    code, said = detect(root)
    assert (code, written(root).changes[0].commit) == (ExitCode.FINE, hashes[STEP])
    assert "warning: commits go by date" in said


def test_repository_of_another_project_is_refused_when_named(project, tmp_path):
    """A repository that was named must have the commits."""
    root, _ = project
    a_repository(tmp_path / "other", "first")
    code, said = detect(root, "--repo", str(tmp_path / "other"))
    assert code == ExitCode.DATA
    assert "none of the 24 measured commits" in said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--least-change", "much"), "no share"),
        (("--least-change", "-1"), "no share"),
        (("--reference", "("), "no regular expression"),
        (("--branch", "nowhere"), "nowhere"),
    ],
)
def test_mistakes_are_told(project, options, words):
    """What cannot be is a usage error that names it."""
    root, _ = project
    code, said = detect(root, "--repo", str(root / "repo"), *options)
    assert code == ExitCode.USAGE
    assert words in said


def test_least_change_silences_what_is_smaller(project):
    """The option holds for all cases."""
    root, _ = project
    detect(root, "--repo", str(root / "repo"), "--least-change", "0.8", "--quiet")
    assert written(root).changes == ()


def test_file_that_is_no_result_is_counted(project):
    """A broken file is left out and mentioned; the rest counts."""
    root, _ = project
    broken = root / "results" / "desk" / "broken.json"
    broken.write_text("{")
    try:
        _, said = detect(root, "--repo", str(root / "repo"), "--verbose")
    finally:
        broken.unlink()
    assert "broken.json" in said
    assert len(written(root).changes) == 1
    assert len(written(root).notes) == 1


def test_feeds_are_left_where_asked(project, tmp_path):
    """With links to the site."""
    root, _ = project
    detect(root, "--repo", str(root / "repo"), "--feeds", str(tmp_path), "--site", "https://site.example/x")
    assert "m.time_it" in (tmp_path / "regressions.xml").read_text(encoding="utf-8")
    assert 'href="https://site.example/x/feeds/' in (tmp_path / "feeds/regressions.atom").read_text(encoding="utf-8")


def test_no_results_are_no_error_but_said(tmp_path):
    """A project begins with an empty branch, and its workflow goes on."""
    (tmp_path / "results").mkdir()
    code, said = detect(tmp_path)
    assert code == ExitCode.FINE
    assert "there are no results yet" in said
    assert written(tmp_path).series == 0


@pytest.mark.parametrize("results", ["missing", "file"])
def test_results_that_are_no_folder_are_named(tmp_path, results):
    """Data missing, not a bug."""
    (tmp_path / "file").write_text("")
    out, err = io.StringIO(), io.StringIO()
    with chdir(tmp_path):
        assert main(["detect", results, "--out", "changes.json"], out, err, ENV) == ExitCode.DATA
    assert f"{results} is not a folder" in err.getvalue()


def test_an_outcome_that_cannot_be_written_is_told(project):
    """A folder stands where the file should be."""
    root, _ = project
    code, said = detect(root, "--out", ".")
    assert code == ExitCode.DATA
    assert "cannot be written" in said


def test_a_file_whose_name_is_no_text_is_read_all_the_same(project, tmp_path):
    """Only what was read cannot be kept, which is said."""
    root, _ = project
    shutil.copytree(root / "results", tmp_path / "results")
    (file, *_) = sorted((tmp_path / "results" / "desk").glob("*-*.json"))
    file.rename(file.with_name(os.fsdecode(b"\xff.json")))
    code, said = detect(tmp_path, "--repo", str(root / "repo"))
    assert (code, len(written(tmp_path).changes)) == (ExitCode.FINE, 1)
    assert "is not valid text" in said
    said.encode()


def test_a_run_that_stands_twice_counts_once(project, tmp_path):
    """Two files of one commit are one run, whatever they are called."""
    root, _ = project
    shutil.copytree(root / "results", tmp_path / "results")
    for file in sorted((tmp_path / "results" / "desk").glob("*-*.json")):
        shutil.copyfile(file, file.with_name(f"again-{file.name}"))
    detect(tmp_path, "--repo", str(root / "repo"), "--quiet")
    detect(root, "--repo", str(root / "repo"), "--quiet")
    assert written(tmp_path) == written(root)


def test_a_second_look_reads_nothing_anew(project, tmp_path):
    """What was read lies where it is asked for, and the outcome is the same, byte for byte."""
    root, _ = project
    looks = []
    for _ in range(2):
        detect(root, "--repo", str(root / "repo"), "--cache", str(tmp_path / "kept"), "--quiet")
        looks.append((root / "changes.json").read_bytes())
    assert looks[0] == looks[1]
    assert (tmp_path / "kept" / "columns").is_file()
