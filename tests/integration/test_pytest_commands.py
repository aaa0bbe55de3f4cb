"""The commands work on the pytest benchmarks of a project that has no asv configuration."""

import json
import sys
from pathlib import Path

import pytest
from builders.commands import windtunnel
from builders.repositories import git
from builders.suites import change

from windtunnel.asv.configuration import Configuration
from windtunnel.cli.suite import find_optional_suite, find_suite

PYPROJECT = '[project]\nname = "spam"\nversion = "1"\n[dependency-groups]\nbench = ["pytest-benchmark"]\n'

TESTS = """
import pytest
import spam

@pytest.mark.parametrize("size", [1, 2])
def test_grow(benchmark, size):
    benchmark(spam.work, size)

def test_same(benchmark):
    benchmark(spam.rest)
"""

CODE = """
def work(size):
    for _ in range(size * {turns}):
        pass

def rest():
    for _ in range(3000):
        pass
"""


@pytest.fixture
def project(tmp_path):
    """A repository with a package and two benchmarks; its second commit takes twenty times as long."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    files = {
        ".gitignore": "__pycache__/\n",
        "pyproject.toml": PYPROJECT,
        "tests/test_speed.py": TESTS,
        "spam/__init__.py": CODE.format(turns=3000),
    }
    change(folder, files, "first")
    return change(folder, {"spam/__init__.py": CODE.format(turns=60_000)}, "second")


def a_python(folder, turns):
    """A Python that imports a build of the package: a wrapper, because both have pytest from here."""
    package = folder / "site" / "spam" / "__init__.py"
    package.parent.mkdir(parents=True)
    package.write_text(CODE.format(turns=turns), encoding="utf-8")
    wrapper = folder / "python"
    wrapper.write_text(f'#!/bin/sh\nexport PYTHONPATH={folder / "site"}\nexec {sys.executable} "$@"\n')
    wrapper.chmod(0o755)
    return wrapper


def test_compare_finds_what_became_slower(project, tmp_path):
    """Cases are pytest's: a benchmark for each test function, with its parameters; git sees no new file."""
    base, head = a_python(tmp_path / "base", 3000), a_python(tmp_path / "head", 60_000)
    command = ("compare", "HEAD~1", "HEAD", "--base-python", base, "--head-python", head, "--rounds", "2")
    command += ("--aa-share", "0", "--no-confirm", "--instructions", "none")
    done = windtunnel(project, *command, "--out", tmp_path / "verdict.json")
    verdict = json.loads((tmp_path / "verdict.json").read_text())
    results = {(one["benchmark"], *one["params"]): one for one in verdict["comparisons"]}
    assert results.keys() == {
        ("tests.test_speed.test_grow", "1"),
        ("tests.test_speed.test_grow", "2"),
        ("tests.test_speed.test_same",),
    }, done.stderr
    for case in (key for key in results if "test_grow" in key[0]):
        one = results[case]
        assert one["contender"]["value"] > 4 * one["baseline"]["value"]
    assert git(project, "status", "--short") == ""


@pytest.mark.parametrize(
    ("settings", "asv", "kind"),
    [
        ("", (), "pytest"),
        ("", ("asv.conf.json",), "asv"),
        ("", ("perf/asv.conf.json",), "asv"),
        ('[tool.windtunnel]\nsuite = "pytest"\n', ("asv.conf.json",), "pytest"),
    ],
    ids=["pytest alone", "asv", "asv in a folder", "the settings choose"],
)
def test_asv_comes_first_unless_the_settings_choose_pytest(project, monkeypatch, settings, asv, kind):
    """A project that has both keeps what it measures."""
    change(project, {"pyproject.toml": PYPROJECT + settings, "more": "", **dict.fromkeys(asv, "{}")}, "suites")
    monkeypatch.chdir(project / "tests")
    found = find_suite(None, {})
    assert kind == ("pytest" if found.suite_files else "asv")
    if kind == "pytest":
        assert isinstance(optional := find_optional_suite(None), Configuration)
        assert (optional.folder, optional.own_file) == (project, "pyproject.toml")
        assert find_suite(found.path, {}) == find_suite(project / "pyproject.toml", {}) == found


def test_without_any_suite_the_message_says_what_makes_one(project):
    """Both kinds are named."""
    change(project, {"pyproject.toml": PYPROJECT.replace("pytest-benchmark", "pytest")}, "no plugin")
    done = windtunnel(project, "compare")
    assert done.returncode == 2
    assert 'suite = "pytest"' in done.stderr
    change(project, {"pyproject.toml": PYPROJECT, "tests/test_speed.py": "def test_a(): ..."}, "no benchmark")
    done = windtunnel(project, "compare", "--config", "pyproject.toml")
    assert done.returncode == 2
    assert "no test below" in done.stderr


def test_init_names_the_pyproject_of_the_benchmarks(project):
    """The workflows pass it to every command as the configuration."""
    done = windtunnel(project, "init", "--pin", f"org/windtunnel@{'a' * 40}", "--repository", "org/spam")
    assert done.returncode == 0, done.stderr
    workflow = (project / ".github" / "workflows" / "windtunnel.yml").read_text(encoding="utf-8")
    assert 'config: "pyproject.toml"' in workflow


def test_a_suite_file_is_one_that_pytest_reads_for_the_benchmarks(project, monkeypatch):
    """A change of it changes the suite; other tests do not."""
    change(project, {"tests/conftest.py": "", "tests/test_other.py": "def test_a(): ..."}, "more tests")
    monkeypatch.chdir(project)
    found = find_suite(None, {}).suite_files
    assert {path.relative_to(project) for path in found} == {Path("tests/test_speed.py"), Path("tests/conftest.py")}
