"""A branch's own history goes under another name; whatever else is pushed meanwhile stays."""

import pytest
from builders.repositories import ENV, a_hub, branch_files, git

from windtunnel.errors import DataError, RemoteBusyError, RemoteError
from windtunnel.git.branch import open_branch
from windtunnel.git.remote import Remote
from windtunnel.results.branch.compact import squash
from windtunnel.results.branch.exchange import update
from windtunnel.results.branch.reconcile import FileChanges
from windtunnel.results.branch.retry import RetryPolicy

NOW = RetryPolicy(max_pause=0)


def opened(hub):
    return open_branch("results", Remote.find(str(hub), hub.parent, ENV), ENV)


def put(branch, path, content):
    return update(branch, lambda _: (FileChanges(written={path: content}), path), NOW)


def a_hub_with_history(tmp_path, *, filters=True):
    """Three commits: one file that changed, one that did not."""
    hub = a_hub(tmp_path / "hub.git", filters=filters)
    with opened(hub) as branch:
        put(branch, "m/machine.json", b"m")
        put(branch, "m/abcd1234.json", b"old")
        put(branch, "m/abcd1234.json", b"new")
    return hub


@pytest.mark.parametrize("filters", [True, False])
def test_one_commit_is_left_and_the_history_kept_aside(tmp_path, filters):
    """The files stay; the old history is on a branch named after its last commit."""
    hub = a_hub_with_history(tmp_path, filters=filters)
    old = git(hub, "rev-parse", "results")
    with opened(hub) as branch:
        commit, archive = squash(branch, NOW)
    assert archive == f"results-until-{old[:8]}"
    assert git(hub, "rev-parse", archive) == old
    assert git(hub, "rev-list", "results").split() == [commit]
    assert branch_files(hub, "results") == branch_files(hub, old) == {"m/machine.json": b"m", "m/abcd1234.json": b"new"}
    assert git(hub, "fsck", "--strict", "--no-dangling") == ""


def test_squashing_again_changes_nothing(tmp_path):
    """One commit cannot become fewer; no second archive."""
    hub = a_hub_with_history(tmp_path)
    with opened(hub) as branch:
        first, _ = squash(branch, NOW)
        assert squash(branch, NOW) == (first, None)


def test_a_push_in_between_is_kept(tmp_path):
    """The lease is on the very commit that was archived; the squash begins again with the newer one."""
    hub = a_hub_with_history(tmp_path)
    rivals = iter(["m/rival.json"])

    def hook():
        if path := next(rivals, None):
            with opened(hub) as other:
                put(other, path, b"r")

    with opened(hub) as branch:
        commit, archive = squash(_Meddled(branch, hook), NOW)
    assert git(hub, "rev-list", "results").split() == [commit]
    assert sorted(branch_files(hub, "results")) == ["m/abcd1234.json", "m/machine.json", "m/rival.json"]
    assert git(hub, "rev-list", "--count", archive) == "4"


def test_a_push_that_began_before_ends_after(tmp_path):
    """It is outrun, as by any other push, and merges with what is there now."""
    hub = a_hub_with_history(tmp_path)

    asked = []

    def work(snapshot):
        asked.append(snapshot)
        with opened(hub) as other:
            squash(other, NOW)
        return FileChanges(written={"m/late.json": b"l"}), "late"

    with opened(hub) as branch:
        update(branch, work, NOW)
    assert len(asked) == 2
    assert sorted(branch_files(hub, "results")) == ["m/abcd1234.json", "m/late.json", "m/machine.json"]
    assert git(hub, "rev-list", "--count", "results") == "2"


def test_pushes_without_end_leave_everything_as_it_is(tmp_path):
    """The squash gives up; the pushes are all there."""
    hub = a_hub_with_history(tmp_path)
    count = iter(range(100))

    def hook():
        with opened(hub) as other:
            put(other, f"m/{next(count):08}.json", b"r")

    with opened(hub) as branch, pytest.raises(RemoteBusyError, match="nothing has changed"):
        squash(_Meddled(branch, hook), RetryPolicy(timeout=0.5, max_pause=0))
    assert git(hub, "rev-list", "--count", "results") == str(3 + next(count))


class _Meddled:
    """A branch where another push comes in right before it is replaced."""

    def __init__(self, branch, hook):
        self._branch, self._hook = branch, hook

    def __getattr__(self, name):
        return getattr(self._branch, name)

    def push(self, commit, target=None, *, replacing=None):
        if replacing is not None:
            self._hook()
        return self._branch.push(commit, target, replacing=replacing)


def test_a_remote_that_forbids_a_squash_is_reported(tmp_path):
    """The archive exists, the branch does not change, and nothing is retried."""
    hub = a_hub_with_history(tmp_path)
    git(hub, "config", "receive.denyNonFastForwards", "true")
    before = branch_files(hub, "results")
    with opened(hub) as branch, pytest.raises(RemoteError, match="refuses the push"):
        squash(branch, NOW)
    assert branch_files(hub, "results") == before


def test_an_archive_of_that_name_is_not_overwritten(tmp_path):
    """A branch that someone made is theirs."""
    hub = a_hub_with_history(tmp_path)
    old = git(hub, "rev-parse", "results")
    other = git(hub, "commit-tree", "-m", "other", f"{old}^{{tree}}")
    git(hub, "update-ref", f"refs/heads/results-until-{old[:8]}", other)
    with opened(hub) as branch, pytest.raises(RemoteError, match=r"another branch .* already"):
        squash(branch, NOW)
    assert git(hub, "rev-parse", "results") == old


def test_no_branch_cannot_be_squashed(tmp_path):
    """There is nothing yet."""
    with opened(a_hub(tmp_path / "hub.git")) as branch, pytest.raises(DataError, match="nothing to squash"):
        squash(branch, NOW)
