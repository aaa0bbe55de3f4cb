"""The repository of the measured project: a folder, the suite's own checkout, or a clone that the tool makes."""

import json
import threading

import pytest
from builders.repositories import ENV, a_repository, commit, git

from windtunnel.asv.configuration import find_project_repository, parse, project_page
from windtunnel.errors import RemoteBusyError, RemoteError, UsageError


@pytest.fixture
def project(tmp_path):
    """The measured project, whose default branch is ``develop``; it has a second branch and a tag."""
    root = a_repository(tmp_path / "elsewhere" / "spam", "one")
    git(root, "branch", "--move", "develop")
    git(root, "branch", "maintenance")
    git(root, "tag", "v1")
    return root


@pytest.fixture
def found(tmp_path, project):
    """A function that returns the repository of a suite beside the project, and what was logged."""

    def find(repo=f"file://{project}", **env):
        configuration = parse(json.dumps({"repo": repo}), tmp_path / "suite" / "asv.conf.json")
        configuration.folder.mkdir(exist_ok=True)
        logged = []
        return find_project_repository(configuration, ENV | env, logged.append), logged

    return find


def names(repository):
    return repository.git.text("for-each-ref", "--format=%(refname:short)").split()


def test_a_project_at_an_address_is_cloned_beside_the_suite(found, project, tmp_path):
    """The clone has every branch and tag, and the project's default branch; a line says that it takes time."""
    repository, logged = found()
    assert repository.root == tmp_path / "suite" / ".windtunnel" / "project.git"
    assert repository.bare
    assert names(repository) == ["develop", "maintenance", "v1"]
    assert repository.measured_branch().name == "develop"
    assert repository.resolve("HEAD") == git(project, "rev-parse", "HEAD")
    assert logged == [f"cloning (this may take minutes) file://{project} into {repository.root}"]


def test_a_later_call_fetches_what_is_new(found, project):
    """New commits, rewritten and removed branches, and another default branch."""
    found()
    git(project, "branch", "--delete", "--force", "maintenance")
    git(project, "checkout", "--quiet", "-b", "next")
    new = commit(project, "two")
    git(project, "branch", "--force", "develop", "next")
    repository, logged = found()
    assert names(repository) == ["develop", "next", "v1"]
    assert repository.measured_branch() == repository.find_branch("next")
    assert repository.resolve("develop") == new
    assert logged[0].startswith("fetching ")


def test_two_commands_may_need_the_clone_at_once(found):
    """The second waits for the first."""
    problems = []

    def find():
        try:
            found()
        except UsageError as error:  # pragma: no cover - the failure that this test looks for
            problems.append(error)

    threads = [threading.Thread(target=find) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert names(found()[0]) == ["develop", "maintenance", "v1"]


def test_settings_of_git_lead_to_the_project(found, project):
    """A mirror (``insteadOf``) and the token of actions/checkout are settings of git."""
    env = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{project}.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://example.invalid/spam",
    }
    repository, _ = found("https://example.invalid/spam", **env)
    assert repository.measured_branch().name == "develop"


def test_an_address_that_cannot_be_read_is_a_remote_error(found):
    """The exit code is 4; the message names the address and --repo."""
    with pytest.raises(RemoteError, match=r"file:///nowhere/spam.*cannot be read.*--repo") as raised:
        found("file:///nowhere/spam")
    assert raised.value.exit_code == 4


def test_a_network_failure_hides_the_password_of_the_address(found):
    """The error keeps its kind: another attempt may succeed."""
    with pytest.raises(RemoteBusyError) as raised:
        found("http://me:secret@127.0.0.1:9/spam.git")
    assert "secret" not in str(raised.value)
    assert "http://***@127.0.0.1:9/spam.git cannot be reached" in str(raised.value)


@pytest.mark.parametrize("repo", ["ext::sh -c touch% owned", "fd::0"])
def test_an_address_that_is_a_command_or_a_descriptor_is_not_cloned(found, repo):
    """git would run the one, and wait for the other for ever."""
    with pytest.raises(RemoteError, match="not allowed"):
        found(repo)


@pytest.mark.parametrize("repo", ["../spam", "spam", "--upload-pack=touch x", "C"])
def test_what_is_neither_a_folder_nor_an_address_is_refused(found, repo):
    """git does not see it."""
    with pytest.raises(UsageError, match="neither a folder here nor an address"):
        found(repo)


def test_a_folder_is_used_as_it_is(found, project):
    """It is relative to the configuration."""
    repository, logged = found("../elsewhere/spam")
    assert (repository.root, logged) == (project, [])


def test_a_checkout_of_the_project_is_not_cloned(found, tmp_path):
    """Many suites lie in their project and name its URL; the remote may be a fork."""
    suite = a_repository(tmp_path / "suite", "one")
    git(suite, "remote", "add", "origin", "git@example.org:me/Spam.git")
    repository, logged = found("https://example.org/org/spam")
    assert (repository.root, logged) == (suite, [])


OWN = "https://github.com/org/spam-benchmarks"


@pytest.mark.parametrize(
    ("repo", "page"),
    [
        (".", OWN),
        ("https://github.com/other/Spam-Benchmarks.git", OWN),
        ("https://github.com/org/spam.git", "https://github.com/org/spam"),
        ("git@github.com:org/spam", "https://github.com/org/spam"),
        ("ssh://git@forge.example/org/spam.git", "https://forge.example/org/spam"),
        ("https://me:secret@github.com/org/spam/", "https://github.com/org/spam"),
        ("file:///srv/spam.git", ""),
    ],
)
def test_links_of_an_issue_lead_to_the_measured_project(repo, page, tmp_path):
    """The issue itself stays in the repository of the suite, which may be a fork of the project."""
    assert project_page(parse(json.dumps({"repo": repo}), tmp_path / "asv.conf.json"), OWN) == page
