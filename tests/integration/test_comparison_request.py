"""The commits that ``windtunnel compare`` uses by default."""

import pytest
from builders.repositories import ENV, a_repository, commit, git

from windtunnel.cli.compare import CompareOptions, request_of
from windtunnel.cli.comparison_setup import MeasuringOptions
from windtunnel.git.repository import Repository


@pytest.mark.parametrize(("target", "parted"), [("", "main"), ("release", "release~1")])
def test_the_base_is_where_head_left_the_branch_it_goes_to(tmp_path, target, parted):
    """As the remote has that branch, for a local one may be old; without a target the main one."""
    root = a_repository(tmp_path / "project", "one", "two")
    git(root, "checkout", "--quiet", "-b", "release")
    commit(root, "three")
    git(root, "checkout", "--quiet", "-b", "topic")
    commit(root, "four")
    git(root, "checkout", "--quiet", "release")
    commit(root, "five")
    git(root, "update-ref", "refs/remotes/origin/release", "release")
    git(root, "checkout", "--quiet", "topic")
    expected = git(root, "rev-parse", parted)
    git(root, "branch", "--quiet", "--delete", "--force", "release")
    assert (
        request_of(CompareOptions(measuring=MeasuringOptions()), Repository.at(root, ENV), None, target).base
        == expected
    )
