"""What the doctor says of the results branch."""

import pytest
from builders.repositories import ENV, a_hub, a_repository, git, put_tree
from builders.results import a_results_folder, a_shard

from windtunnel.asv.configuration import parse
from windtunnel.bench.doctor import Grade, Patient, check_branch
from windtunnel.git.branch import open_branch
from windtunnel.git.remote import Remote
from windtunnel.results.branch.combine import combine
from windtunnel.results.branch.exchange import push
from windtunnel.results.branch.folder import Folder
from windtunnel.results.branch.retry import Patience

BRANCH = "windtunnel-results"


def said(root):
    """The one finding about the branch of the project *root*."""
    patient = Patient(configuration=parse("{}", root / "asv.conf.json"), env=ENV)
    (finding,) = check_branch(patient)
    return finding.grade, finding.what


@pytest.fixture
def project(tmp_path):
    """A project without a remote."""
    return a_repository(tmp_path / "project", "one")


def test_no_remote_is_no_trouble(project):
    """Whoever measures at a desk needs none."""
    grade, what = said(project)
    assert (grade, "results stay on this machine" in what) == (Grade.GOOD, True)


def test_a_missing_branch_is_no_trouble(project, tmp_path):
    """The first push makes it."""
    git(project, "remote", "add", "origin", str(a_hub(tmp_path / "hub.git")))
    grade, what = said(project)
    assert (grade, "there is no branch windtunnel-results of origin yet" in what) == (Grade.GOOD, True)


def test_what_is_stored_is_counted(project, tmp_path):
    """Files, machines, and what does not belong there."""
    hub = a_hub(tmp_path / "hub.git")
    git(project, "remote", "add", "origin", str(hub))
    folder = Folder(root=a_results_folder(tmp_path / "results", a_shard(1), a_shard(2, commit=2)))
    with open_branch(BRANCH, Remote.find("origin", project, ENV), ENV) as branch:
        push(folder, branch, combine, Patience())
    assert said(project) == (
        Grade.GOOD,
        f"branch {BRANCH} of origin: 4 files of 1 machines, 0 stray files",
    )


def test_a_remote_out_of_reach_is_a_warning(project):
    """The main job does without."""
    git(project, "remote", "add", "origin", "http://127.0.0.1:1/hub.git")
    grade, what = said(project)
    assert (grade, "cannot be reached" in what) == (Grade.WARNING, True)


def test_a_branch_of_sources_is_a_warning(project, tmp_path):
    """Before a push finds out."""
    hub = a_hub(tmp_path / "hub.git")
    put_tree(hub, BRANCH, ("100644", b"setup.py", "x"))
    git(project, "remote", "add", "origin", str(hub))
    grade, what = said(project)
    assert (grade, "no results branch" in what) == (Grade.WARNING, True)
