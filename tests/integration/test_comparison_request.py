"""The commits that ``windtunnel compare`` uses by default."""

import pytest
from builders.repositories import ENV, a_repository, commit, git
from builders.suites import change

from windtunnel.cli.compare import CompareOptions, request_of
from windtunnel.cli.comparison_setup import MeasuringOptions, find_changed_files
from windtunnel.cli.suite import read_suite
from windtunnel.compare.request import CompareSettings
from windtunnel.git.repository import Repository


@pytest.mark.parametrize(
    ("target", "configured", "parted"),
    [("", (), "main"), ("release", (), "release~1"), ("", ("spam", "release"), "release~1")],
)
def test_the_default_base_is_the_merge_base_with_the_target_branch(tmp_path, target, configured, parted):
    """The branch of the remote is used, because a local one may be old; the default target is the measured branch."""
    root = a_repository(tmp_path / "project", "one", "two")
    git(root, "checkout", "--quiet", "-b", "release")
    commit(root, "three")
    git(root, "checkout", "--quiet", "-b", "topic")
    commit(root, "four")
    git(root, "checkout", "--quiet", "release")
    commit(root, "five")
    git(root, "update-ref", "refs/remotes/origin/release", "release")
    git(root, "checkout", "--quiet", "topic")
    expected = git(root, "rev-parse", parted)
    git(root, "branch", "--quiet", "--delete", "--force", "release")
    options = CompareOptions(measuring=MeasuringOptions(), settings=CompareSettings())
    assert request_of(options, Repository.at(root, ENV), None, target, configured).base == expected


@pytest.mark.parametrize(
    ("path", "suite"),
    [
        ("tests/suite/time_io.py", True),
        ("tests/asv.conf.json", True),
        ("tests/pyproject.toml", True),
        ("tests/suite.py", False),
        ("pyproject.toml", False),
    ],
)
def test_the_files_of_the_suite_are_recognised(tmp_path, path, suite):
    """Its folder, its configuration and its settings count, wherever they are in the repository."""
    root = a_repository(tmp_path / "project", "one")
    configuration = '{"repo": "..", "benchmark_dir": "suite"}'
    change(root, {"tests/asv.conf.json": configuration, "tests/suite/__init__.py": ""}, "two")
    found = read_suite(root / "tests/asv.conf.json")
    change(root, {path: "changed"}, "three")
    repository = Repository.at(root, ENV)
    base, head = repository.resolve("HEAD~1"), repository.resolve("HEAD")
    changed = find_changed_files(found, repository, base, head)
    assert (changed.paths, changed.suite) == ((path,), suite)
