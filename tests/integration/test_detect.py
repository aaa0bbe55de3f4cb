"""``windtunnel detect``: a results tree and a repository in, changes.json out."""

import os
import shutil
from dataclasses import replace

import numpy as np
import pytest
from builders.commands import run_command
from builders.histories import a_history_tree, histories
from builders.repositories import ENV, a_checkout, a_repository, commits_of, git
from builders.results_folders import a_results_folder

from windtunnel import formats
from windtunnel.detect.alert_format import ALERTS_FORMAT
from windtunnel.detect.format import DetectedChanges
from windtunnel.errors import ExitCode
from windtunnel.model.identity import CommitHash
from windtunnel.results.tree import write_tree

COMMITS = 24
STEP = 16


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A repository of 24 commits and results in which the 17th is 40 % slower."""
    root = tmp_path_factory.mktemp("project")
    a_repository(root / "repo", *(f"commit {number}" for number in range(COMMITS)))
    hashes = commits_of(root / "repo")
    times = 0.1 * np.exp(histories(1, count=1, points=COMMITS)[0])
    times[STEP:] *= 1.4
    tree = a_history_tree({"m.time_it": times})
    runs = tuple(replace(run, commit=CommitHash(hashes[int(run.commit, 16)])) for run in tree.runs)
    write_tree(replace(tree, runs=runs), root / "results")
    return root


@pytest.fixture(scope="module")
def hashes(root):
    """The commits of the repository, the oldest first."""
    return commits_of(root / "repo")


def detect(root, *options, where=None, code=None):
    argv = ["detect", root / "results", "--out", root / "changes.json", *options]
    ended, out, err = run_command(argv, ENV, where or root, code)
    assert out == ""
    return ended, err


def written(root):
    return formats.decode((root / "changes.json").read_bytes(), DetectedChanges, "changes.json")


def test_a_change_is_found_at_its_commit(root, hashes):
    """The output names it and the commit before it."""
    code, said = detect(root, "--repo", str(root / "repo"))
    (change,) = written(root).changes
    assert code == ExitCode.FINE
    assert (change.commit, change.previous_commit) == (hashes[STEP], hashes[STEP - 1])
    assert "1 regressions and 0 improvements" in said


def test_the_repository_of_the_working_directory_is_the_default(root, hashes):
    """No option is needed there."""
    code, said = detect(root, where=root / "repo")
    assert (code, written(root).changes[0].commit) == (ExitCode.FINE, hashes[STEP])
    assert "warning" not in said


def test_commits_are_ordered_by_date_without_a_repository(root, hashes):
    """A warning states this."""
    code, said = detect(root)
    assert (code, written(root).changes[0].commit) == (ExitCode.FINE, hashes[STEP])
    assert "warning: commits are ordered by date" in said


def test_a_branch_need_not_be_local(root, hashes, tmp_path):
    """A workflow's clone has the branch of its event only as a branch of the remote."""
    code, _ = detect(root, "--branch", "main", where=a_checkout(root / "repo", tmp_path / "clone"))
    assert (code, written(root).changes[0].commit) == (ExitCode.FINE, hashes[STEP])


def test_the_commits_of_a_project_at_an_address_are_ordered_by_its_branch(root, hashes, tmp_path):
    """A suite apart from its project has none of the measured commits itself."""
    suite = a_repository(tmp_path / "suite", "one")
    (suite / "asv.conf.json").write_text(f'{{"repo": "file://{root / "repo"}"}}', encoding="utf-8")
    code, said = detect(root, where=suite)
    assert (code, written(root).changes[0].commit) == (ExitCode.FINE, hashes[STEP])
    assert "cloning" in said
    assert "warning" not in said


def test_a_project_that_cannot_be_reached_is_a_remote_error(root, tmp_path):
    """Commits in the order of their dates would be wrong results."""
    (tmp_path / "asv.conf.json").write_text('{"repo": "file:///nowhere/spam.git"}', encoding="utf-8")
    code, said = detect(root, where=tmp_path)
    assert (code, "file:///nowhere/spam.git cannot be read" in said) == (ExitCode.REMOTE, True)


def test_the_repository_of_another_project_is_refused(root, tmp_path):
    """It has none of the measured commits."""
    a_repository(tmp_path / "other", "first")
    _, said = detect(root, "--repo", str(tmp_path / "other"), code=ExitCode.DATA)
    assert "none of the 24 measured commits" in said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--min-change", "much"), "must be a number from 0 to 10"),
        (("--min-change", "-1"), "must be a number from 0 to 10"),
        (("--branch", "nowhere"), "nowhere"),
    ],
)
def test_a_wrong_option_is_a_usage_error(root, options, words):
    """The message names the value."""
    _, said = detect(root, "--repo", str(root / "repo"), *options, code=ExitCode.USAGE)
    assert words in said


def test_min_change_hides_smaller_changes(root):
    """The option holds for all cases."""
    detect(root, "--repo", str(root / "repo"), "--min-change", "0.8", "--quiet")
    assert written(root).changes == ()


def test_a_broken_list_of_benchmarks_hides_no_change(root):
    """The results describe the benchmarks, and a note counts the broken file."""
    path = root / "results" / "benchmarks.json"
    content = path.read_bytes()
    path.write_text("{")
    try:
        code, said = detect(root, "--repo", str(root / "repo"), "--verbose")
    finally:
        path.write_bytes(content)
    assert code == ExitCode.FINE, said
    assert "described from the results" in said
    assert len(written(root).changes) == 1


def test_a_broken_result_file_is_counted(root):
    """The other files are used, and a note gives the number."""
    broken = root / "results" / "desk" / "broken.json"
    broken.write_text("{")
    try:
        _, said = detect(root, "--repo", str(root / "repo"), "--verbose")
    finally:
        broken.unlink()
    assert "broken.json" in said
    assert len(written(root).changes) == 1
    assert len(written(root).notes) == 1


def test_an_empty_results_folder_is_a_note_not_an_error(tmp_path):
    """The workflow of a new project must not fail."""
    (tmp_path / "results").mkdir()
    _, said = detect(tmp_path, code=ExitCode.FINE)
    assert "there are no results yet" in said
    assert written(tmp_path).series == 0


@pytest.mark.parametrize("results", ["missing", "file"])
def test_a_missing_results_folder_is_an_error(tmp_path, results):
    """The exit code says that data are missing."""
    (tmp_path / "file").write_text("")
    code, _, err = run_command(["detect", results, "--out", "changes.json"], ENV, tmp_path)
    assert (code, f"{results} is not a folder" in err) == (ExitCode.DATA, True)


def test_an_output_file_that_cannot_be_written_is_an_error(root):
    """A folder has the name of the file."""
    _, said = detect(root, "--out", ".", code=ExitCode.DATA)
    assert "cannot be written" in said


def test_a_file_whose_name_is_not_utf_8_is_read(root, tmp_path):
    """It cannot be cached; a warning states this."""
    shutil.copytree(root / "results", tmp_path / "results")
    (file, *_) = sorted((tmp_path / "results" / "desk").glob("*-*.json"))
    file.rename(file.with_name(os.fsdecode(b"\xff.json")))
    code, said = detect(tmp_path, "--repo", str(root / "repo"))
    assert (code, len(written(tmp_path).changes)) == (ExitCode.FINE, 1)
    assert "is not valid text" in said
    said.encode()


def test_a_run_in_two_files_counts_once(root, tmp_path):
    """The names of the files do not matter."""
    shutil.copytree(root / "results", tmp_path / "results")
    for file in sorted((tmp_path / "results" / "desk").glob("*-*.json")):
        shutil.copyfile(file, file.with_name(f"again-{file.name}"))
    detect(tmp_path, "--repo", str(root / "repo"), "--quiet")
    detect(root, "--repo", str(root / "repo"), "--quiet")
    assert written(tmp_path) == written(root)


def test_a_second_call_uses_the_cache(root, tmp_path):
    """Its output is the same, byte for byte."""
    outputs = []
    for _ in range(2):
        detect(root, "--repo", str(root / "repo"), "--cache", str(tmp_path / "kept"), "--quiet")
        outputs.append((root / "changes.json").read_bytes())
    assert outputs[0] == outputs[1]
    assert (tmp_path / "kept" / "values").is_file()


@pytest.mark.parametrize(("changed", "missed"), [(None, False), ("docs/page.md", False), ("file", True)])
def test_only_a_relevant_commit_that_is_newer_than_all_results_is_missed(tmp_path, changed, missed):
    """Results of 1970 and a commit of 2023: neither a quiet repository nor an unmeasured older commit is an alert."""
    repo = a_repository(tmp_path / "repo", "one", "two")
    a_results_folder(tmp_path / "results", [git(repo, "rev-parse", "HEAD")])
    if changed:
        (repo / changed).parent.mkdir(exist_ok=True)
        (repo / changed).write_text("new", encoding="utf-8")
        git(repo, "add", "--all")
        git(repo, "commit", "--quiet", "--message", "new", GIT_AUTHOR_DATE="@1700000000 +0000")
    assert detect(tmp_path, "--repo", str(repo))[0] == ExitCode.FINE
    given = ("--results", "results", "--repo", str(repo), "--alerts", "alerts.json", "--no-issues")
    assert run_command(["ci", "alert", "changes.json", *given], ENV, tmp_path).returncode == ExitCode.FINE
    alerts = ALERTS_FORMAT.decode((tmp_path / "alerts.json").read_bytes(), "alerts.json").alerts
    assert [one.health_issue.check for one in alerts] == (["stale"] if missed else [])
