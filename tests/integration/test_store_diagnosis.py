"""The doctor's check of the results branch."""

import pytest
from builders.repositories import ENV, a_hub, a_repository, git, put_tree
from builders.results import a_results_folder, a_shard

from windtunnel.asv.configuration import parse
from windtunnel.bench.doctor import DoctorContext, check_branch
from windtunnel.git.branch import open_branch
from windtunnel.git.remote import Remote
from windtunnel.results.branch.exchange import push
from windtunnel.results.branch.retry import RetryPolicy

BRANCH = "windtunnel-results"


def branch_check(root):
    """The status and the message of the check of the branch of the project *root*."""
    context = DoctorContext(
        configuration=parse("{}", root / "asv.conf.json"),
        env=ENV,
        repository=NotImplemented,
        environments=NotImplemented,
    )
    (result,) = check_branch(context)
    return result.status, result.message


@pytest.fixture
def project(tmp_path):
    """A project without a remote."""
    return a_repository(tmp_path / "project", "one")


def test_a_project_without_a_remote_is_ok(project):
    """Results then stay on this machine."""
    status, message = branch_check(project)
    assert status == "ok"
    assert "results stay on this machine" in message


def test_a_missing_branch_is_ok(project, tmp_path):
    """The first push creates the branch."""
    git(project, "remote", "add", "origin", str(a_hub(tmp_path / "hub.git")))
    status, message = branch_check(project)
    assert status == "ok"
    assert "there is no branch windtunnel-results of origin yet" in message


def test_stored_files_are_counted(project, tmp_path, hub):
    """The message counts files, machines and orphan files."""
    git(project, "remote", "add", "origin", str(hub))
    folder = a_results_folder(tmp_path / "results", a_shard(1), a_shard(2, commit=2))
    with open_branch(BRANCH, Remote.find("origin", project, ENV), ENV) as branch:
        push(folder, branch, RetryPolicy())
    assert branch_check(project) == ("ok", f"branch {BRANCH} of origin: 4 files of 1 machines, 0 orphan files")


def test_an_unreachable_remote_is_a_warning(project):
    """The main job does not need the remote."""
    git(project, "remote", "add", "origin", "http://127.0.0.1:1/hub.git")
    status, message = branch_check(project)
    assert status == "warning"
    assert "cannot be reached" in message


def test_a_branch_that_holds_sources_is_a_warning(project, hub):
    """The doctor finds it before a push fails."""
    put_tree(hub, BRANCH, ("100644", b"setup.py", "x"))
    git(project, "remote", "add", "origin", str(hub))
    status, message = branch_check(project)
    assert status == "warning"
    assert "not a results branch" in message
