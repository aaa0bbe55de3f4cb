"""Which benchmarks of a pytest suite base has too is read from its files."""

import json
import os

import pytest
from builders.repositories import a_repository, git
from builders.suites import change

from windtunnel.asv.pytest_own_suite import own_pytest_suite
from windtunnel.git.process import Git

BEFORE = """
import pytest

@pytest.mark.parametrize("size", [1, 2])
def test_same(benchmark, size):
    benchmark(sum, range(size))

def test_changed(benchmark):
    benchmark(sum, [1])

class TestGroup:
    def test_inside(self, benchmark):
        benchmark(len, "")
"""
NOW = BEFORE.replace("[1])", "[2])") + "\ndef test_new(benchmark):\n    benchmark(len, 'a')\n"


@pytest.fixture
def project(tmp_path):
    """A repository whose first commit has fewer tests than the work tree; its suite is written."""
    root = a_repository(tmp_path / "spam", "first")
    change(root, {"perf/test_a.py": BEFORE, "perf/test_same.py": BEFORE}, "tests")
    (root / "perf" / "test_a.py").write_text(NOW)
    (root / "perf" / "test_more.py").write_text(BEFORE)
    suite = tmp_path / "suite"
    suite.mkdir()
    files = {f"perf.{name}": f"perf/{name}.py" for name in ("test_a", "test_more", "test_same")}
    (suite / "project.json").write_text(json.dumps({"root": str(root), "files": files}))
    return root, suite


def own(project, *ids, problems=()):
    """The versions of benchmarks on the first commit; "now" is the version of each in the work tree."""
    root, suite = project
    found = [{"name": one, "pretty_name": one, "version": "now"} for one in ids]
    entries, left = own_pytest_suite(
        suite,
        Git(directory=root, env=os.environ),
        git(root, "rev-parse", "HEAD"),
        found,
        dict.fromkeys(problems, "why"),
    )
    return {entry["name"].rpartition("::")[2]: entry["version"] for entry in entries}, set(left)


def test_a_test_is_new_changed_or_the_same(project):
    """By its own text, whatever else changes in the file."""
    names = ("test_same", "test_changed", "TestGroup::test_inside", "test_new")
    found, _ = own(project, *(f"perf/test_a.py::{name}" for name in names))
    assert found.pop("test_changed") != "now"
    assert found == {"test_same": "now", "test_inside": "now"}


def test_all_tests_of_a_new_file_are_new(project):
    """Also one that a class inherits, which the file does not show."""
    found, _ = own(project, "perf/test_more.py::test_same", "perf/test_more.py::TestGroup::test_inherited")
    assert found == {}


def test_a_file_that_base_cannot_import_is_a_problem_of_base_only_if_it_is_the_same(project):
    """A new test may import what base lacks."""
    _, left = own(project, problems=("perf.test_a", "perf.test_more", "perf.test_same", "perf"))
    assert left == {"perf.test_same", "perf"}


def test_a_project_outside_the_repository_is_compared_with_nothing(project, tmp_path):
    """Nothing is known of base then."""
    root, suite = project
    (suite / "project.json").write_text(json.dumps({"root": str(tmp_path / "elsewhere"), "files": {}}))
    assert own((root, suite), "perf/test_more.py::test_same", problems=("a",)) == ({"test_same": "now"}, {"a"})
