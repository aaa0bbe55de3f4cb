"""What a remote's refusal means."""

import re

import pytest

from windtunnel.errors import OutrunError, RemoteBusyError, RemoteError
from windtunnel.git.remote import fetch_error, is_missing_branch, push_error

NO_ACCESS = "\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights"

FINAL = (
    "fatal: '/nowhere' does not appear to be a git repository" + NO_ACCESS,
    "remote: Repository not found.\nfatal: repository 'https://github.com/a/b/' not found",
    "git@github.com: Permission denied (publickey)." + NO_ACCESS,
    (
        "remote: Permission to a/b.git denied to github-actions[bot].\n"
        "fatal: unable to access 'https://github.com/a/b/': The requested URL returned error: 403"
    ),
    "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
    "Host key verification failed." + NO_ACCESS,
    "fatal: transport 'ext' not allowed",
)
PASSING = (
    "fatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com",
    "ssh: connect to host github.com port 22: Connection refused" + NO_ACCESS,
    "error: RPC failed; HTTP 502 curl 22 The requested URL returned error: 502\nfatal: expected 'packfile'",
    "fatal: early EOF",
    "fatal: the remote end hung up unexpectedly",
)


def rejected(reason):
    return f"To file:///hub.git\n!\trefs/x:refs/heads/results\t{reason}\nDone\n"


@pytest.mark.parametrize("err", FINAL)
def test_a_final_answer_is_not_asked_for_again(err):
    """A missing repository or permission is permanent."""
    assert type(fetch_error(err, "origin")) is RemoteError
    assert type(push_error("", err, "branch results of origin")) is RemoteError


@pytest.mark.parametrize("err", PASSING)
def test_a_failing_network_may_recover(err):
    """Names that do not resolve, broken connections, server errors: worth another try."""
    assert isinstance(fetch_error(err, "origin"), RemoteBusyError)
    assert type(push_error("", err, "branch results of origin")) is RemoteBusyError


@pytest.mark.parametrize(
    "reason",
    [
        "[rejected] (fetch first)",
        "[rejected] (non-fast-forward)",
        "[rejected] (stale info)",
        "[remote rejected] (failed to update ref)",
        "[remote rejected] (cannot lock ref 'refs/heads/results': is at 1 but expected 2)",
        "[remote rejected] (reference already exists)",
        "[remote rejected] (incorrect old value provided)",
        "[remote rejected] (shallow update not allowed)",
    ],
)
def test_another_push_in_between_is_a_race(reason):
    """Whether this side notices or the other one."""
    assert isinstance(push_error(rejected(reason), "error: failed to push some refs", "branch results"), OutrunError)


def test_the_message_of_a_refusing_hook_is_quoted():
    """The refusal of a protected branch is not a lost race; its message is quoted."""
    err = (
        "remote: error: GH006: Protected branch update failed for refs/heads/results.        \n"
        "remote: \n"
        "remote: - Changes must be made through a pull request.        \n"
        "error: failed to push some refs"
    )
    error = push_error(rejected("[remote rejected] (protected branch hook declined)"), err, "branch results")
    assert type(error) is RemoteError
    assert re.search(r"hook declined.*GH006.*pull request.*user must be allowed to push", str(error))


def test_a_remote_that_cannot_store_may_recover():
    """A full disk of the remote is transient."""
    err = "error: remote unpack failed: unable to create temporary object directory"
    error = push_error(rejected("[remote rejected] (unpacker error)"), err, "branch results")
    assert type(error) is RemoteBusyError
    assert "temporary object directory" in str(error)


def test_a_missing_branch_is_no_refusal():
    """It is the state before the first push."""
    assert is_missing_branch("fatal: couldn't find remote ref refs/heads/results")
    assert not is_missing_branch(FINAL[0])
