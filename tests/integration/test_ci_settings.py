"""``windtunnel ci settings``: what the steps of a job get from ``[tool.windtunnel.ci]``."""

import pytest
from builders.commands import windtunnel
from builders.repositories import a_repository, git
from builders.suites import change

TABLE = """
[tool.windtunnel.ci]
setup = "make deps"
variables = {A = "1", B = "x=y z"}
submodules = "recursive"
python = "3.13"
instructions = true
site-branch = "pages"
"""


def a_clone(tmp_path, configuration="{}", table="", *branches):
    """A clone as actions/checkout makes it, of a repository whose default branch is main."""
    origin = a_repository(tmp_path / "origin", "one")
    change(origin, {"asv.conf.json": configuration, "pyproject.toml": table}, "suite")
    for name in branches:
        git(origin, "branch", name)
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{origin}", "clone")
    return tmp_path / "clone"


def settings(clone, *argv):
    """Run the command; return the outputs of the step and the variables of later ones."""
    files = {name: clone.parent / name for name in ("GITHUB_OUTPUT", "GITHUB_ENV")}
    for path in files.values():
        path.write_text("")
    env = {name: str(path) for name, path in files.items()}
    done = windtunnel(clone, "ci", "settings", "--config", "asv.conf.json", "--default-branch", "main", *argv, **env)
    assert done.returncode == 0, done.stderr
    return tuple(path.read_text() for path in files.values())


def test_the_table_reaches_the_steps(tmp_path):
    """Several variables are an output of several lines."""
    outputs, variables = settings(a_clone(tmp_path, table=TABLE))
    for line in ("setup=make deps", "submodules=recursive", "instructions=yes", "site=branch", "A=1", "B=x=y z"):
        assert line in outputs.splitlines()
    for line in ("PYTHON=3.13", "BRANCH=main", "SITE_BRANCH=pages", "SITE_FOLDER=benchmarks"):
        assert f"WINDTUNNEL_{line}" in variables.splitlines()


def test_what_a_person_asks_for_comes_first(tmp_path):
    """The Python of a run on request, and the branch that a pull request will be merged into."""
    outputs, variables = settings(a_clone(tmp_path, "{}", TABLE), "--branch", "next", "--python", "3.14")
    assert "branch=next" in outputs.splitlines()
    assert {"WINDTUNNEL_PYTHON=3.14", "WINDTUNNEL_BRANCH=next"} <= set(variables.splitlines())


@pytest.mark.parametrize(
    ("configuration", "table", "branch"),
    [
        ("{}", "", "main"),
        ('{"branches": ["gone", "devel"]}', "", "devel"),
        ('{"branches": ["gone"]}', "", "main"),
        ('{"branches": ["devel"]}', "[tool.windtunnel.ci]\nbranch = 'rel'", "rel"),
    ],
)
def test_the_measured_branch_is_the_configured_one_that_exists(tmp_path, configuration, table, branch):
    """A shallow checkout has one branch, so the remote is asked."""
    outputs, variables = settings(a_clone(tmp_path, configuration, table, "devel", "rel"))
    assert f"branch={branch}" in outputs.splitlines()
    assert f"WINDTUNNEL_BRANCH={branch}" in variables.splitlines()


def test_of_a_suite_apart_no_history_is_fetched(tmp_path):
    """The tool clones the project, and finds its default branch."""
    outputs, variables = settings(a_clone(tmp_path, '{"repo": "https://forge.example/org/spam.git"}'))
    assert {"branch=", "site=pages"} <= set(outputs.splitlines())
    assert "WINDTUNNEL_BRANCH=" in variables.splitlines()


def test_outside_of_a_workflow_the_command_says_so(tmp_path):
    """It writes files that only a step has."""
    done = windtunnel(a_clone(tmp_path), "ci", "settings", "--config", "asv.conf.json", GITHUB_OUTPUT="")
    assert done.returncode == 2
    assert "GITHUB_OUTPUT" in done.stderr
