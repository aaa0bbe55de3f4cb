"""The commits that ``windtunnel compare`` uses by default."""

import pytest
from builders.repositories import ENV, a_repository, commit, git
from builders.suites import change

from windtunnel.cli.compare import CompareOptions, parse_percent, request_of
from windtunnel.cli.comparison_setup import find_changed_files
from windtunnel.cli.suite import read_suite
from windtunnel.compare.decide import decide
from windtunnel.compare.format import ReportContext, SelfCheck
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
    options = CompareOptions(settings=CompareSettings())
    assert request_of(options, Repository.at(root, ENV), None, target, configured).base == expected


def test_a_self_check_compares_the_commit_that_is_named_with_itself(tmp_path):
    """HEAD without a name; a confirmation repeats what was screened, with the same slowdown."""
    root = a_repository(tmp_path / "project", "one", "two")
    options = {"settings": CompareSettings(), "self_check": True}
    for given, commit_hash in (("", git(root, "rev-parse", "HEAD")), ("HEAD~1", git(root, "rev-parse", "HEAD~1"))):
        found = request_of(CompareOptions(base=given, slowdown=0.05, **options), Repository.at(root, ENV), None)
        assert (found.base, found.head, found.self_check) == (commit_hash, commit_hash, SelfCheck(slowdown=0.05))
    screened = decide(ReportContext(base=found.base, head=found.head, self_check=found.self_check), [])
    only = CompareOptions(only="verdict.json", **(options | {"self_check": False}))
    again = request_of(only, Repository.at(root, ENV), screened)
    assert (again.base, again.head, again.self_check) == (found.base, found.head, found.self_check)


def test_only_a_comparison_on_one_machine_uses_all_of_its_time():
    """A part that another machine confirms has the rules of the other parts, also if there is no other."""
    whole, part = (CompareOptions(settings=CompareSettings(no_confirm=each), budget=5) for each in (False, True))
    assert (whole.rules.screening.timed, part.rules.screening.timed) == (True, False)


@pytest.mark.parametrize("text", ["", "5x", "-1%", "101%", "nan", "inf%"])
def test_a_slowdown_is_a_percentage(text):
    """A share above one, or no number, is refused."""
    with pytest.raises(ValueError, match="5%"):
        parse_percent(text)
    assert parse_percent("5%") == parse_percent(" 5 ") == 0.05


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
