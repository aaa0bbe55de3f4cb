"""Names of a remote's tags and branches, resolved in real repositories without a fetch."""

import re

import pytest
from builders.repositories import ENV, a_repository, commit, git

from windtunnel.errors import RemoteError, UsageError
from windtunnel.git.remote import resolve_remote_ref


def resolve(hub, ref):
    return resolve_remote_ref(f"file://{hub}", ref, hub.parent, ENV)


def test_an_annotated_tag_is_the_commit_and_not_the_tag_object(tmp_path):
    """``git ls-remote`` lists the tag object first, and the commit as ``^{}`` below it (git-ls-remote(1))."""
    hub = a_repository(tmp_path / "hub", "one", "two")
    git(hub, "tag", "--annotate", "--message", "first", "v1", "HEAD~1")
    git(hub, "tag", "--annotate", "--message", "a tag of a tag", "stable", "v1")
    first = git(hub, "ls-remote", f"file://{hub}", "refs/tags/v1").split()[0]
    wanted = git(hub, "rev-parse", "HEAD~1")
    assert first == git(hub, "rev-parse", "v1") != wanted
    assert [resolve(hub, ref) for ref in ("v1", "stable", "refs/tags/v1")] == [wanted] * 3


def test_lightweight_tags_and_branches_are_found(tmp_path):
    """As git reads a name: a tag comes before a branch; the full name decides."""
    hub = a_repository(tmp_path / "hub", "one", "two")
    git(hub, "tag", "v1", "HEAD~1")
    git(hub, "branch", "v1", "HEAD")
    git(hub, "branch", "topic/a")
    old, new = git(hub, "rev-parse", "HEAD~1"), git(hub, "rev-parse", "HEAD")
    assert [resolve(hub, ref) for ref in ("v1", "refs/heads/v1", "topic/a")] == [old, new, new]


def test_only_the_whole_name_counts(tmp_path):
    """git's patterns match the end of a name, so a foreign reference could stand for a tag."""
    hub = a_repository(tmp_path / "hub", "one")
    git(hub, "update-ref", "refs/pull/1/refs/tags/v1", commit(hub, "hostile"))
    with pytest.raises(UsageError, match="has no tag or branch 'v1'"):
        resolve(hub, "v1")


@pytest.mark.parametrize("ref", ["", "v*", "--upload-pack=x", "a b", "v1^{}", "a..b", "\n"])
def test_what_is_no_name_is_refused(tmp_path, ref):
    """Before anything is asked."""
    with pytest.raises(UsageError, match=r"is not the name of a tag or branch|has no tag or branch"):
        resolve(a_repository(tmp_path / "hub", "one"), ref)


def test_a_remote_that_cannot_be_read_is_an_error_without_its_password(tmp_path):
    """The address may hold a token."""
    with pytest.raises(RemoteError) as caught:
        resolve_remote_ref(f"file://user:s3cret@/{tmp_path}/none", "v1", tmp_path, ENV)
    assert not re.search("s3cret", str(caught.value))
