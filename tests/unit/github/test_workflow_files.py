"""`windtunnel init` and the settings refuse values that GitHub would reject or evaluate."""

import subprocess

import pytest
import yaml

from windtunnel.errors import ConfigurationError, UsageError
from windtunnel.github.workflow_files import InitOptions, Pin, SuiteWorkflows
from windtunnel.model.settings import INVALID_BRANCH, WorkflowSettings, parse_settings


def render(settings=None, release="v1", **options):
    pin = Pin.parse(f"org/windtunnel@{'a' * 40}", release)
    kept = InitOptions(**{"config": "asv.conf.json"} | options)
    return SuiteWorkflows(options=kept, settings=WorkflowSettings(**settings or {}), pin=pin, branch="trunk").render()


@pytest.mark.parametrize("release", ["v1\n  evil: true", "${{ x }}", "v1 ", "v1\x85", "ä", ""])
def test_a_release_is_plain_text(release):
    """It is part of a comment in the workflow file."""
    with pytest.raises(UsageError, match="--release"):
        render(release=release)
    assert render(release="v1.2+local_3-rc.1")


@pytest.mark.parametrize("sign", ["\x85", "\u2028", "\u2029", "\x00", "\r", "\x1b", "\udcff", "${{ x }}"])
def test_text_that_yaml_reads_otherwise_is_refused(sign):
    """No way to quote it is known to every reader of YAML."""
    for field in ("label", "runner"):
        with pytest.raises(UsageError, match=r"control character|GitHub would evaluate"):
            render({field: f"a{sign}b"})
    with pytest.raises(UsageError, match=r"control character|GitHub would evaluate"):
        render(config=f"a{sign}b")


def test_the_kept_options_are_ascii():
    """They are a comment; the values of the workflow and of a later call are the same as those given."""
    text, _, pull = render({"label": "ä 😀"}, config="ä/😀.json").values()
    kept = next(line for line in text.splitlines() if line.startswith("# Options:"))
    assert kept.isascii()
    assert (found := InitOptions.find(text)) is not None
    assert found.config == "ä/😀.json"
    assert yaml.safe_load(pull)["jobs"]["pull-request"]["with"]["label"] == "ä 😀"
    assert yaml.safe_load(text)["jobs"]["comment"]["with"]["config"] == "ä/😀.json"


@pytest.mark.parametrize(
    "line",
    [
        *(f"site-folder = '{one}'" for one in ("..", "a/../b", ".git", "a/.GIT/b", "/", "/a", ".")),
        *(f"branch = '{one}'" for one in ("a*", "!a", "a b", "-a")),
        "site-branch = 'a b'",
        "max-runners = 257",
        "submodules = 'some'",
        *(f"variables = {{{name} = '1'}}" for name in ("PATH", "GITHUB_ENV", "RUNNER_OS", "BASH_ENV", "LD_PRELOAD")),
        "variables = {NODE_OPTIONS = '1'}",
        "variables = {WINDTUNNEL_CONFIG = '1'}",
        "variables = {1A = 'b'}",
        'variables = {A = "b\\nC=d"}',
    ],
)
def test_a_setting_that_fails_later_on_github_is_refused(line):
    """The message names the file and the key."""
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml: "):
        parse_settings(f"[tool.windtunnel.ci]\n{line}\n", "pyproject.toml")


def test_similar_values_are_accepted():
    """They have signs that are refused elsewhere."""
    lines = ("site-branch = 'gh-pages'", "site-folder = 'dev/bench'", "max-runners = 256", "branch = 'release/1.x'",
             "variables = {MY_PATH = '1', A = 'b c=d'}", "submodules = 'recursive'")  # fmt: skip
    assert parse_settings("[tool.windtunnel.ci]\n" + "\n".join(lines), "pyproject.toml").ci.max_runners == 256
    assert render(suite="org/spam.bench")
    assert render(suite="org/spam@feature/a-b_c.1")
    for wrong in ("a", "a/b/c", "a/b@", "a/b@-x", "a/b@x y", "a/b@$(id)"):
        with pytest.raises(UsageError, match="--suite"):
            render(suite=wrong)


@pytest.mark.parametrize(
    "name", ["a..b", "a/", "/a", "a//b", "a.lock", "a.lock/b", ".a", "a/.b", "a.", "HEAD", "a@{b", "a~", "a^",
             "a:b", "a?", "a[", "a\\b", "a b", "-a", "a\x7f", "a@b", "@a", "a.b", "ä", "a/b-c", "{x}", 'a"b', "#1"],
)  # fmt: skip
def test_the_names_of_branches_are_those_of_git(name):
    """Git itself accepts the same names."""
    done = subprocess.run(["git", "check-ref-format", "--branch", name], capture_output=True, check=False)
    assert (INVALID_BRANCH.search(name) is None) == (done.returncode == 0)


def test_a_name_of_the_repository_cannot_end_the_expression():
    """It is part of a condition of the weekly run."""
    for name in ("org/spam' || 'x", "spam", "org/spam/x", "org/ spam"):
        with pytest.raises(UsageError, match="--repository"):
            render(repository=name)
