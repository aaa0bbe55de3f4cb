"""`windtunnel init` refuses values that GitHub would reject, evaluate or show to everyone."""

import subprocess

import pytest
import yaml
from builders.actions_schedule import evaluate

from windtunnel.errors import UsageError
from windtunnel.github.workflow_checks import INVALID_BRANCH
from windtunnel.github.workflow_files import InitOptions, Pin
from windtunnel.github.workflow_text import render_workflows


def render(release="v1", **options):
    pin = Pin(repository="org/windtunnel", commit="a" * 40, release=release)
    return render_workflows(InitOptions(**{"config": "asv.conf.json", "branch": "trunk"} | options), pin)


@pytest.mark.parametrize("release", ["v1\n  evil: true", "${{ x }}", "v1 ", "v1\x85", "ä", ""])
def test_a_release_is_plain_text(release):
    """It is part of a comment in the workflow file."""
    with pytest.raises(UsageError, match="--release"):
        render(release)
    assert render("v1.2+local_3-rc.1")


@pytest.mark.parametrize("sign", ["\x85", "\u2028", "\u2029", "\x00", "\r", "\x1b", "\udcff", "${{ x }}"])
def test_text_that_yaml_reads_otherwise_is_refused(sign):
    """The message names the option."""
    for field, option in (("label", "--label"), ("setup", "--setup"), ("site_folder", "--site-folder")):
        with pytest.raises(UsageError, match=option):
            render(**{field: f"a{sign}b"})
    with pytest.raises(UsageError, match="--variable"):
        render(variables=("A=1", f"B={sign}"))


def test_the_kept_options_are_ascii():
    """They are a comment; the values of the workflow and of a later call are the same as those given."""
    text = render(label="ä 😀", setup="one\ntwo\t#")[0].content
    kept = next(line for line in text.splitlines() if line.startswith("# Options:"))
    assert kept.isascii()
    assert (found := InitOptions.find(text)) is not None
    assert (found.label, found.setup) == ("ä 😀", "one\ntwo\t#")
    assert yaml.safe_load(text)["jobs"]["pull-request"]["with"]["label"] == "ä 😀"


@pytest.mark.parametrize(
    "remote",
    [
        "https://user:secret@github.com/org/data",
        "https://secret@github.com/org/data",
        "HTTPS://secret@github.com/org/data",
        "ssh://git:secret@github.com/org/data",
    ],
)
def test_an_address_with_a_credential_is_refused(remote):
    """The message names the secret to use, and does not repeat the credential."""
    with pytest.raises(UsageError, match="WINDTUNNEL_RESULTS_TOKEN") as raised:
        render(results_remote=remote)
    assert "secret@" not in str(raised.value)


@pytest.mark.parametrize("remote", ["ext::sh -c id", "-uid", "--upload-pack=id", "https://[x/y"])
def test_an_address_that_runs_a_program_is_refused(remote):
    """Git runs what such an address names."""
    with pytest.raises(UsageError, match="--results-remote"):
        render(results_remote=remote)


@pytest.mark.parametrize(
    "remote",
    ["https://github.com/org/data", "git@github.com:org/data.git", "ssh://git@github.com/org/data", "file:///x"],
)
def test_usual_addresses_are_accepted(remote):
    """The user git of an SSH address is no secret."""
    assert render(results_remote=remote)


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("--site-folder", [{"site_folder": one} for one in ("..", "a/../b", ".git", "a/.GIT/b", "/", "/a", ".")]),
        ("--site-branch", [{"site_branch": "trunk"}, {"own_branch": "main", "site_branch": "main"}]),
        ("--results-branch", [{"results_branch": "trunk"}, {"results_branch": "a b"}]),
        ("--branch", [{"branch": one} for one in ("a*", "!a", "a b", "-a")]),
        ("--suite", [{"suite_repository": one} for one in ("a", "a/b/c", "a/b@", "a/b@-x", "a/b@x y", "a/b@$(id)")]),
        ("--max-runners", [{"max_runners": 257}]),
        (
            "--variable",
            [
                {"variables": (f"{name}=1",)}
                for name in ("PATH", "GITHUB_ENV", "RUNNER_OS", "BASH_ENV", "LD_PRELOAD", "NODE_OPTIONS")
            ],
        ),
    ],
)
def test_a_value_that_fails_later_on_github_is_refused(option, values):
    """The message names the option."""
    for one in values:
        with pytest.raises(UsageError, match=f"^{option} "):
            render(**one)


def test_similar_values_are_accepted():
    """Results in another repository may have the name of the measured branch there."""
    assert render(results_branch="trunk", results_remote="https://github.com/org/data")
    assert render(site_branch="gh-pages", site_folder="dev/bench", max_runners=256, variables=("MY_PATH=1", "A=b c"))
    assert render(suite_repository="org/spam.bench", branch="release/1.x")
    assert render(suite_repository="org/spam@feature/a-b_c.1")


@pytest.mark.parametrize(
    "name", ["a..b", "a/", "/a", "a//b", "a.lock", "a.lock/b", ".a", "a/.b", "a.", "HEAD", "a@{b", "a~", "a^",
             "a:b", "a?", "a[", "a\\b", "a b", "-a", "a\x7f", "a@b", "@a", "a.b", "ä", "a/b-c", "{x}", 'a"b', "#1"],
)  # fmt: skip
def test_the_names_of_branches_are_those_of_git(name):
    """Git itself accepts the same names."""
    done = subprocess.run(["git", "check-ref-format", "--branch", name], capture_output=True, check=False)
    assert (INVALID_BRANCH.search(name) is None) == (done.returncode == 0)


@pytest.mark.parametrize(("options", "refused"), [
    ({"site_branch": "windtunnel-results"}, True),
    ({"site_branch": "perf", "results_branch": "perf"}, True),
    ({"site_branch": "perf", "results_branch": "perf", "results_remote": "https://github.com/org/data"}, False),
    ({"site_branch": "gh-pages"}, False),
])  # fmt: skip
def test_a_site_and_results_have_branches_of_their_own(options, refused):
    """Files of a site would be read as results."""
    if refused:
        with pytest.raises(UsageError, match=r"--site-branch .* is the results branch"):
            render(site_folder="b", **options)
    else:
        assert render(site_folder="b", **options)


@pytest.mark.parametrize(
    ("event", "repository", "fork", "name", "runs"),
    [
        ("push", "org/spam", False, "org/spam", True),
        ("push", "org/renamed", False, "org/spam", True),
        ("push", "mallory/spam", True, "org/spam", False),
        ("schedule", "mallory/spam", True, "org/spam", False),
        ("schedule", "mallory/spam", True, "", False),
        ("schedule", "org/spam", True, "org/spam", True),  # a project that is a fork itself
        ("workflow_dispatch", "mallory/spam", True, "org/spam", True),
        ("pull_request", "org/spam", False, "org/spam", False),
    ],
)
def test_only_the_project_itself_measures_pushes_and_nights(event, repository, fork, name, runs):
    """A fork has a copy of the file; what a person starts there runs."""
    content = next(one.content for one in render(repository=name) if one.path.endswith("windtunnel.yml"))
    condition = " ".join(yaml.safe_load(content)["jobs"]["benchmark"]["if"].split())
    github = {"event_name": event, "repository": repository, "event": {"repository": {"fork": fork}}}
    assert bool(evaluate(f"${{{{ {condition} }}}}", github=github)) is runs


def test_a_name_of_the_repository_cannot_end_the_expression():
    """It is part of a condition."""
    for name in ("org/spam' || 'x", "spam", "org/spam/x", "org/ spam"):
        with pytest.raises(UsageError, match="--repository"):
            render(repository=name)
