"""The commands work on the pytest benchmarks of a project that has no asv configuration."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from builders.asv_suites import PYTEST
from builders.commands import windtunnel
from builders.repositories import git
from builders.suites import change

from windtunnel.asv.configuration import Configuration
from windtunnel.asv.discovery import MODULE_DISCOVERY_SCRIPT
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


def a_python(folder, turns, python):
    """A Python that imports a build of the package: a wrapper, because both have pytest from *python*."""
    package = folder / "site" / "spam" / "__init__.py"
    package.parent.mkdir(parents=True, exist_ok=True)
    package.write_text(CODE.format(turns=turns), encoding="utf-8")
    wrapper = folder / "python"
    wrapper.write_text(f'#!/bin/sh\nexport PYTHONPATH={folder / "site"}\nexec {python} "$@"\n')
    wrapper.chmod(0o755)
    return wrapper


@pytest.fixture
def compared(project, tmp_path, bare_python):
    """A function that compares with *options*: what it prints, and its rows; head takes *turns*."""

    def compare(*options, turns=3000):
        python, out = bare_python(plugin=False, packages=PYTEST), tmp_path / "verdict.json"
        base, head = a_python(tmp_path / "base", 3000, python), a_python(tmp_path / "head", turns, python)
        command = ("compare", "HEAD~1", "HEAD", "--base-python", base, "--head-python", head, "--rounds", "1")
        command += ("--aa-share", "0", "--no-confirm", "--instructions", "none", "--out", out)
        done = windtunnel(project, *command, *options)
        return done, json.loads(out.read_text())["comparisons"]

    return compare


def test_compare_finds_what_became_slower(project, compared):
    """Cases are pytest's: a benchmark for each test function, with its parameters; git sees no new file."""
    done, rows = compared("--rounds", "2", turns=60_000)
    results = {(one["benchmark"], *one["params"]): one for one in rows}
    assert results.keys() == {
        ("tests.test_speed.test_grow", "1"),
        ("tests.test_speed.test_grow", "2"),
        ("tests.test_speed.test_same",),
    }, done.stderr
    for case in (key for key in results if "test_grow" in key[0]):
        one = results[case]
        assert one["contender"]["value"] > 4 * one["baseline"]["value"]
    assert git(project, "status", "--short") == ""


def test_an_expression_of_pytest_chooses_what_is_compared(compared):
    """One that matches nothing is a usage error, as with --bench."""
    done, rows = compared("-k", "grow and not 2", "-m", "parametrize")
    assert [one["params"] for one in rows] == [["1"]], done.stderr
    for wrong, message in (
        (("-m", "nothing"), "no benchmark matches -m 'nothing'"),
        (("-k", "grow and"), "-k 'grow and'"),
    ):
        done, _ = compared(*wrong)
        assert done.returncode == 2
        assert message in done.stderr


def test_a_new_test_is_new_and_a_changed_one_is_changed(project, compared):
    """Both commits run the tests of the work tree; the report says which base does not have so."""
    changed = TESTS.replace("spam.rest)", "spam.rest )") + "\ndef test_new(benchmark):\n    benchmark(spam.rest)\n"
    change(project, {"tests/test_speed.py": changed}, "third")
    done, rows = compared()
    changes = {one["benchmark"].rpartition("_")[2]: one.get("suite_change", "") for one in rows}
    assert changes == {"grow": "", "same": "changed", "new": "new"}, done.stderr


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
    done = windtunnel(project, "compare", code=2)
    assert 'suite = "pytest"' in done.stderr
    change(project, {"pyproject.toml": PYPROJECT, "tests/test_speed.py": "def test_a(): ..."}, "no benchmark")
    done = windtunnel(project, "compare", "--config", "pyproject.toml", code=2)
    assert "no test below" in done.stderr


def test_init_names_the_pyproject_of_the_benchmarks(project):
    """The workflows pass it to every command as the configuration."""
    windtunnel(project, "init", "--pin", f"org/windtunnel@{'a' * 40}", "--repository", "org/spam", code=0)
    workflow = (project / ".github" / "workflows" / "windtunnel.yml").read_text(encoding="utf-8")
    assert 'config: "pyproject.toml"' in workflow


def discovered(project, suite, python):
    """The benchmarks and the problems of *suite*, where the project is installed."""
    out, put = project / "found.json", f"import sys; sys.path.append({str(project)!r})\n"
    command = [python, "-c", put + MODULE_DISCOVERY_SCRIPT, suite.benchmark_dir, out]
    subprocess.run(command, cwd=project.parent, check=True)
    return json.loads(out.read_text())


WITH_PYTEST = '[project]\nname = "spam"\nversion = "1"\n[dependency-groups]\ntest = ["pytest"]\n'


@pytest.mark.parametrize(
    "pyproject", [WITH_PYTEST, WITH_PYTEST.replace("[dep", '[tool.pytest]\naddopts = ["-q"]\n[dep')]
)
def test_init_writes_a_first_test_into_a_project_with_pytest(project, pyproject, monkeypatch):
    """It is found as a suite, and the next call writes the workflow files."""
    (project / "tests" / "test_speed.py").unlink()
    change(project, {"pyproject.toml": pyproject, "tests/test_all.py": "def test_a(): ..."}, "no benchmark")
    done = windtunnel(project, "init", "--pin", f"org/windtunnel@{'a' * 40}")
    assert (done.returncode, done.stdout) == (0, "tests/test_benchmarks.py\npyproject.toml\n")
    assert "windtunnel bench" in done.stderr
    assert not (project / ".github").exists()
    groups = tomllib.loads((project / "pyproject.toml").read_text())["dependency-groups"]
    assert groups == {"bench": ["pytest-benchmark"], "test": ["pytest"]}
    monkeypatch.chdir(project)
    suite = find_suite(None, os.environ)
    assert suite.suite_files == (project / "tests" / "test_benchmarks.py",)
    found, problems = discovered(project, suite, sys.executable)
    assert [one["name"] for one in found] == ["tests.test_benchmarks.test_import"], problems
    assert windtunnel(project, "init", "--pin", f"org/windtunnel@{'a' * 40}").returncode == 0
    assert (project / ".github").exists()


def test_init_writes_a_first_benchmark_of_asv_into_a_project_without_pytest(project, bare_python):
    """It can be found and imported."""
    (project / "tests" / "test_speed.py").unlink()
    change(project, {"pyproject.toml": WITH_PYTEST.partition("[dep")[0]}, "no tests")
    done = windtunnel(project, "init", "--pin", f"org/windtunnel@{'a' * 40}", code=0)
    assert {"asv.conf.json", "benchmarks/benchmarks.py"} <= set(done.stdout.split())
    suite = find_suite(project / "asv.conf.json", os.environ)
    assert [one["name"] for one in discovered(project, suite, bare_python())[0]] == ["benchmarks.timeraw_import"]
    assert ".windtunnel" not in git(project, "status", "--short")


def test_init_leaves_a_project_alone_whose_package_or_dependencies_it_cannot_read(project):
    """The message says what makes a suite."""
    (project / "tests" / "test_speed.py").unlink()
    change(project, {"pyproject.toml": WITH_PYTEST.replace("spam", "eggs")}, "another name")
    done = windtunnel(project, "init", "--pin", f"org/windtunnel@{'a' * 40}", code=2)
    assert "has no asv.conf.json" in done.stderr
    change(project, {"pyproject.toml": WITH_PYTEST + 'bench = ["asv"]\n'}, "a group of that name")
    done = windtunnel(project, "init", "--pin", f"org/windtunnel@{'a' * 40}", code=2)
    assert "add it to a group" in done.stderr


def test_a_suite_file_is_one_that_pytest_reads_for_the_benchmarks(project, monkeypatch):
    """A change of it changes the suite; other tests do not."""
    change(project, {"tests/conftest.py": "", "tests/test_other.py": "def test_a(): ..."}, "more tests")
    monkeypatch.chdir(project)
    found = find_suite(None, {}).suite_files
    assert {path.relative_to(project) for path in found} == {Path("tests/test_speed.py"), Path("tests/conftest.py")}
