"""``windtunnel ci settings``: what the steps of a job get from ``[tool.windtunnel.ci]``."""

import pytest
from builders.commands import windtunnel
from builders.repositories import a_repository, commit, git
from builders.suites import change
from forge.server import serving
from forge.state import Forge

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
    """The variables of the suite reach only jobs that measure."""
    clone = a_clone(tmp_path, table=TABLE)
    outputs, variables = settings(clone)
    assert {"setup=make deps", "instructions=yes", "site=branch"} <= set(outputs.splitlines())
    for line in ("PYTHON=3.13", "BRANCH=main", "SITE_BRANCH=pages", "SITE_FOLDER=benchmarks"):
        assert f"WINDTUNNEL_{line}" in variables.splitlines()
    own = {"A=1", "B=x=y z"}
    assert not own & set(variables.splitlines())
    assert own <= set(settings(clone, "--measures")[1].splitlines())


@pytest.mark.parametrize(("asked", "depth"), [("no", 0), ("yes", 1), ("recursive", 2)])
def test_a_job_that_measures_has_the_submodules(tmp_path, monkeypatch, asked, depth):
    """As many levels as the settings name, and none in other jobs."""
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "protocol.file.allow")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "always")
    inner, outer = a_repository(tmp_path / "inner", "one"), a_repository(tmp_path / "outer", "one")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", f"file://{inner}", "inner")
    git(outer, "commit", "--quiet", "--message", "inner")
    origin = change(
        a_repository(tmp_path / "origin", "one"),
        {"asv.conf.json": "{}", "pyproject.toml": f"[tool.windtunnel.ci]\nsubmodules = '{asked}'\n"}, "suite",
    )  # fmt: skip
    git(origin, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", f"file://{outer}", "outer")
    git(origin, "commit", "--quiet", "--message", "outer")
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{origin}", "clone")
    levels = [tmp_path / "clone/outer/.git", tmp_path / "clone/outer/inner/.git"]
    settings(tmp_path / "clone")
    assert [path.exists() for path in levels] == [False, False]
    settings(tmp_path / "clone", "--measures")
    assert [path.exists() for path in levels] == [depth > 0, depth > 1]


def test_the_branch_that_a_pull_request_will_be_merged_into_comes_first(tmp_path):
    """Whatever the settings name."""
    _, variables = settings(a_clone(tmp_path, "{}", TABLE, "next"), "--branch", "next")
    assert "WINDTUNNEL_BRANCH=next" in variables.splitlines()


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
    clone = a_clone(tmp_path, configuration, table, "devel", "rel")
    _, variables = settings(clone)
    assert git(clone, "rev-list", "--count", f"origin/{branch}") == "2"
    assert f"WINDTUNNEL_BRANCH={branch}" in variables.splitlines()


def test_of_a_suite_apart_no_history_is_fetched(tmp_path):
    """The tool clones the project, and finds its default branch."""
    outputs, variables = settings(a_clone(tmp_path, '{"repo": "https://forge.example/org/spam.git"}'))
    assert "site=pages" in outputs.splitlines()
    assert "WINDTUNNEL_BRANCH=" in variables.splitlines()


def test_outside_of_a_workflow_the_command_says_so(tmp_path):
    """It writes files that only a step has."""
    done = windtunnel(a_clone(tmp_path), "ci", "settings", "--config", "asv.conf.json", GITHUB_OUTPUT="", code=2)
    assert "GITHUB_OUTPUT" in done.stderr


def test_the_history_has_the_tags_of_the_branch_and_no_other_branch(tmp_path):
    """Versions from tags (setuptools_scm) are right, and the head of a pull request has its history too."""
    origin = a_repository(tmp_path / "origin", "one", "two", "three")
    git(origin, "tag", "v1", "HEAD~1")
    git(origin, "checkout", "--quiet", "-b", "other", "HEAD~2")
    commit(origin, "of another branch")
    git(origin, "checkout", "--quiet", "-b", "topic", "v1")
    head = commit(origin, "of a pull request")
    git(origin, "update-ref", "refs/pull/1/head", head)
    git(origin, "checkout", "--quiet", "main")
    git(origin, "branch", "-D", "topic")
    clone = tmp_path / "clone"
    git(tmp_path, "init", "--quiet", "clone")
    git(clone, "remote", "add", "origin", f"file://{origin}")
    git(clone, "fetch", "--quiet", "--no-tags", "--depth=1", "origin", head)
    git(clone, "checkout", "--quiet", "--detach", "FETCH_HEAD")
    (clone / "asv.conf.json").write_text("{}")
    settings(clone)
    assert git(clone, "describe", "--tags") == f"v1-1-g{head[:7]}"
    assert git(clone, "rev-list", "--count", "origin/main") == "3"
    assert git(clone, "for-each-ref", "--format=%(refname)").split() == ["refs/remotes/origin/main", "refs/tags/v1"]


@pytest.mark.parametrize(
    ("table", "state", "site"),
    [
        ("", {}, "pages"),
        ("", {"has_pages": False}, "none"),
        ("", {"pages_readable": False}, "pages"),
        ("", {"token": "another"}, "pages"),
        (TABLE, {"has_pages": False}, "branch"),
    ],
)
def test_a_site_is_not_deployed_where_pages_are_off(tmp_path, table, state, site):
    """A notice says so; where GitHub does not say whether they are on, the deployment shows it."""
    clone, out = a_clone(tmp_path, table=table), tmp_path / "output"
    with serving(Forge(**state)) as forge:
        env = {**forge.env(), "GITHUB_TOKEN": Forge().token, "GITHUB_OUTPUT": str(out)}
        done = windtunnel(clone, "ci", "settings", "--config", "asv.conf.json", "--pages", **env)
    assert (done.returncode, out.read_text(encoding="utf-8")) == (0, f"site={site}\n")
    assert ("switch" in done.stderr) == (site == "none")
