"""The pytest benchmarks of a project are found without running anything."""

import re

import pytest
from builders.folders import write_files
from builders.repositories import a_repository

from windtunnel.errors import ConfigurationError, UsageError
from windtunnel.git.repository import Repository
from windtunnel.pytest_suite.project import (
    find_benchmark_files,
    find_root,
    kept_options,
    names_plugin,
    read_pytest_options,
    words,
)


def files(where, **contents):
    """Write the files; ``__`` in a name is a folder, and ``_py`` its suffix."""
    write_files(where, {re.sub("_py$", ".py", name.replace("__", "/")): text for name, text in contents.items()})


def found(where, **contents):
    repository = Repository.at(a_repository(where, "first"), {})
    files(where, **contents)
    return [path.relative_to(where).as_posix() for path in find_benchmark_files(repository, where)]


def test_a_file_whose_test_uses_the_fixture_is_found(tmp_path):
    """Other files are not, not even if they mention the word, nor those of a project within this one."""
    nested = {"core/pyproject.toml": "", "core__tests__test_core_py": "def test_a(benchmark): ..."}
    assert found(
        tmp_path / "p",
        **nested,
        tests__test_fast_py="def test_a(benchmark): ...",
        tests__test_other_py="def test_a(): 'benchmark'",
        tests__helpers_py="def run(benchmark): ...",
        tests__broken_py="def test_a(benchmark",
    ) == ["tests/test_fast.py"]


def test_a_fixture_that_uses_the_fixture_measures_too(tmp_path):
    """It may be in a conftest, and two steps away."""
    assert found(
        tmp_path / "p",
        conftest_py="import pytest\n@pytest.fixture\ndef aio_benchmark(benchmark): ...\n"
        "@pytest.fixture()\ndef twice(aio_benchmark): ...\n",
        test_a_py="'benchmarks of a'\ndef test_a(twice): ...",
        test_b_py="'benchmarks of b'\ndef test_b(tmp_path): ...",
    ) == ["test_a.py"]


def test_a_marker_of_codspeed_measures(tmp_path):
    """pytest-codspeed measures such a test as a whole."""
    assert found(tmp_path / "p", test_a_py="import pytest\n@pytest.mark.benchmark\ndef test_a(): ...") == ["test_a.py"]


def test_a_project_without_benchmarks_is_an_error(tmp_path):
    """The message says what to write."""
    with pytest.raises(UsageError, match=r"no test below .* uses the fixture 'benchmark'"):
        found(tmp_path / "p", test_a_py="def test_a(): ...")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", '[dependency-groups]\nbench = ["pytest-benchmark>=5"]'),
        ("requirements-dev.txt", "pytest_codspeed==4"),
        ("requirements/test.txt", "pytest-codspeed"),
        ("tox.ini", "[testenv]\ndeps = pytest-benchmark"),
    ],
)
def test_the_dependencies_name_the_plugin(tmp_path, name, text):
    """They are in any of the usual files."""
    assert not names_plugin(tmp_path)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert names_plugin(tmp_path)


def test_the_root_is_the_nearest_project_within_the_repository(tmp_path):
    """A project above the repository is another one."""
    files(tmp_path, pyproject="")
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "inner" / ".git").mkdir(parents=True)
    assert find_root(tmp_path / "inner") is None
    (tmp_path / "inner" / "setup.py").touch()
    (tmp_path / "inner" / "tests").mkdir()
    assert find_root(tmp_path / "inner" / "tests") == tmp_path / "inner"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", "[pytest]\naddopts =\n  # in parallel\n  -n auto\n  -ra\n"),
        ("pyproject.toml", '[tool.pytest.ini_options]\naddopts = "-n auto -ra"'),
        ("pyproject.toml", '[tool.pytest]\naddopts = ["-n", "auto", "-ra"]'),
        ("pytest.toml", '[pytest]\naddopts = ["-n", "auto", "-ra"]'),
        ("tox.ini", "[pytest]\naddopts = -n auto -ra"),
        ("setup.cfg", "[tool:pytest]\naddopts = -n auto -ra"),
    ],
)
def test_options_are_read_from_every_file_that_pytest_reads(tmp_path, name, text):
    """Comments in a list of options are left out."""
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert words(read_pytest_options(tmp_path)["addopts"]) == ["-n", "auto", "-ra"]


def test_a_configuration_that_cannot_be_read_is_named(tmp_path):
    """The message has the path."""
    (tmp_path / "pytest.ini").write_text("addopts = 1", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"pytest\.ini cannot be read"):
        read_pytest_options(tmp_path)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("-n auto -r a --tb short tests -v", "-r a --tb short -v"),
        ("--cov=src --cov-report term -l", "-l"),
        ("--benchmark-disable --benchmark-columns min,max --import-mode=importlib", "--import-mode=importlib"),
        ("-m 'not slow' --strict-markers --strict-config", "--strict-markers"),
        ("-p no:warnings -p xdist -W error --doctest-modules tests", "-p no:warnings -W error"),
        ("--dist=load -nauto --codspeed --durations=10 --cache-clear --stepwise --nf", ""),
    ],
)
def test_options_that_change_what_is_timed_are_left_out(given, kept):
    """Coverage, processes in parallel, other plugins' benchmarks, and the choice of tests."""
    assert kept_options(words(given)) == words(kept)
