"""``windtunnel doctor`` on a small project: what is fine, what is missing, how to fix it."""

import os
import shutil
import sys
from dataclasses import replace

import pytest
from builders.commands import run_command
from builders.repositories import git
from builders.suites import a_project, change
from builders.trees import a_benchmark, a_row, a_run, a_tree

from windtunnel.asv.pythons import install_hint
from windtunnel.errors import ExitCode
from windtunnel.model.run import Machine
from windtunnel.results.tree import write_tree

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"


def doctor(folder, *argv, code=None):
    """Run the checks on the suite in *folder*; return exit code, results, errors."""
    return run_command(["doctor", "--config", folder / "asv.conf.json", *argv], os.environ, code=code)


@pytest.fixture
def project(tmp_path):
    return a_project(tmp_path / "project", pythons=(HERE, "3.99"))


def test_a_complete_suite_passes(project):
    """Each check reports what it found; a missing Python is a warning with the way to install it."""
    code, out, err = doctor(project)
    assert (code, err) == (ExitCode.FINE, "")
    assert "suite suite/ with 1 module" in out
    assert f"Python {HERE}: " in out
    assert "Python 3.99: not found" in out
    assert f"fix: {install_hint('3.99', os.environ)}" in out
    assert all(each in out for each in ("GiB free", "store: empty", "its CPU time")), out


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (lambda folder: shutil.rmtree(folder / "suite"), "no suite in"),
        (lambda folder: shutil.rmtree(folder / ".git"), "git"),
        (lambda folder: (shutil.rmtree(folder / ".git"), git(folder, "init", "--quiet")), "has no commits"),
        (lambda folder: edit(folder, f'"{HERE}"', '"3.98"'), "none of the Pythons"),
        (lambda folder: edit(folder, '"repo": "."', '"repo": "file:///nowhere/other.git"'), "--repo"),
        (lambda folder: (folder / ".asv").write_text("in the way"), "cannot be written"),
    ],
)
def test_a_problem_that_stops_the_job_is_fatal(project, spoil, found):
    """The exit code is 3, and the other checks still run."""
    spoil(project)
    _, out, err = doctor(project, code=ExitCode.DATA)
    assert "FATAL" in out
    assert found in out
    assert "GiB free" in out
    assert "cannot run here" in err


def test_uncommitted_changes_and_shallow_clones_are_warnings(project, tmp_path):
    """They change what is timed; they do not stop the job."""
    change(project, {"spam/more.py": ""}, "more")
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{project}", "shallow")
    (tmp_path / "shallow" / "pyproject.toml").write_text("")
    _, out, _ = doctor(tmp_path / "shallow", code=ExitCode.FINE)
    assert "git fetch --unshallow" in out
    assert "uncommitted changes" in out


def test_problems_of_the_store_are_warnings(project):
    """The doctor lists files that cannot be used."""
    spam = a_benchmark()
    runs = [a_run(a_row(spam), commit=number) for number in (1, 2)]
    tree = replace(a_tree(*runs, benchmarks=(spam,)), machines=(Machine(name="desk"),))
    write_tree(tree, project / ".asv" / "results")
    (project / ".asv" / "results" / "desk" / "broken.json").write_text("{")
    _, out, _ = doctor(project, code=ExitCode.FINE)
    assert "store: 2 runs, 2 commits, 1 machines" in out
    assert "broken.json" in out


def test_hosted_runners_with_names_of_their_own_are_a_warning(project):
    """Each of them has a series of its own; the line to add joins them, and one that is there is not repeated."""
    spam = a_benchmark()
    runs = [a_run(a_row(spam), commit=number, machine=f"fv-az{number}-5") for number in (1, 2)]
    write_tree(a_tree(*runs, benchmarks=(spam,)), project / ".asv" / "results")
    line = "[tool.windtunnel.machines] hosted = '^fv-az\\d+(-\\d+)?$'"
    assert line in doctor(project)[1]
    joined = "[tool.windtunnel.machines]\nhosted = '^fv-az\\d+(-\\d+)?$'\n"
    (project / "pyproject.toml").write_text((project / "pyproject.toml").read_text() + joined)
    assert line not in doctor(project)[1]


def test_environments_of_another_type_are_checked(project):
    """--python names the type, as for plan; without it, the fatal line about a missing tool names the option."""
    edit(project, '"uv"', '"rattler"')
    code, out, _ = doctor(project, "--python", f"virtualenv:{HERE}")
    assert (code, f"Python {HERE}: " in out, "FATAL" in out) == (ExitCode.FINE, True, False)
    code, out, _ = doctor(project)
    assert (code, "--python virtualenv:" in out) == (ExitCode.DATA, True)


def test_measuring_the_python_of_windtunnel_is_a_warning(project):
    """asv ignores the configured Pythons of an existing environment; with --python there is no warning.

    --quiet omits the results that are ok.
    """
    edit(project, '"uv"', '"existing"')
    _, out, _ = doctor(project, "--quiet", code=ExitCode.FINE)
    assert "ok " not in out
    assert "without --python measures Windtunnel's own Python" in out
    assert "--python existing:/path/to/python" in out
    assert "own Python" not in doctor(project, "--quiet", "--python", f"existing:{sys.executable}")[1]


def edit(folder, old, new):
    path = folder / "asv.conf.json"
    content = path.read_text()
    assert old in content
    path.write_text(content.replace(old, new))
