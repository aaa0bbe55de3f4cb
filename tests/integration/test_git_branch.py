"""A remote's branch, read and extended without a clone, on real repositories."""

import pytest
from builders.repositories import ENV, SOMEBODY, a_hub, a_repository, branch_files, git, put_tree

from windtunnel.errors import DataError, OutrunError, RemoteBusyError, RemoteError, UsageError
from windtunnel.git.branch import blob_hash, open_branch
from windtunnel.git.process import ConfigEntry, with_config
from windtunnel.git.remote import Remote

LIMIT = 2**20
SIGNED = "häppy\n\nbody", 1_700_000_000


def opened(remote, directory, name="results", **env):
    environ = ENV | env
    return open_branch(name, Remote.find(str(remote), directory, environ), environ)


def put(branch, base, **files):
    return branch.commit(base, {path.replace("__", "/"): content for path, content in files.items()}, *SIGNED)


@pytest.mark.parametrize("filters", [True, False])
def test_a_branch_is_made_extended_and_read(tmp_path, filters):
    """The first push makes it, the next one follows; with and without partial clones on the other side."""
    hub = a_hub(tmp_path / "hub.git", filters=filters)
    with opened(hub, tmp_path) as branch:
        assert branch.fetch() is None
        first = put(branch, None, a=b"1", m__b=b"2")
        branch.push(first)
    with opened(hub, tmp_path) as branch:
        assert branch.fetch() == first
        branch.push(put(branch, first, a=None, m__c=b"3"))
        assert list(branch.files([blob_hash(b"3"), blob_hash(b"2"), blob_hash(b"3")], LIMIT)) == [b"3", b"2", b"3"]
    assert branch_files(hub, "results") == {"m/b": b"2", "m/c": b"3"}
    assert git(hub, "log", "--format=%P %an <%ae> %ct %B", "results", "--max-count=1").startswith(
        f"{first} Windtunnel <windtunnel@localhost> 1700000000 häppy"
    )


def test_a_commit_that_changes_nothing_is_none(tmp_path):
    """The same content makes no commit."""
    with opened(a_hub(tmp_path / "hub.git"), tmp_path) as branch:
        branch.push(put(branch, None, a=b"1"))
        assert put(branch, branch.fetch(), a=b"1") is None


@pytest.mark.parametrize("base", ["first", None])
def test_a_push_that_came_second_is_outrun(tmp_path, hub, base):
    """The push that comes second fails and replaces nothing, on an existing branch and a new one."""
    with opened(hub, tmp_path) as one, opened(hub, tmp_path) as two:
        if base:
            one.push(put(one, None, a=b"0"))
        mine, yours = put(one, one.fetch(), a=b"1"), put(two, two.fetch(), a=b"2")
        one.push(mine)
        with pytest.raises(OutrunError):
            two.push(yours)
        assert branch_files(hub, "results") == {"a": b"1"}
        two.push(put(two, two.fetch(), b=b"2"))
    assert branch_files(hub, "results") == {"a": b"1", "b": b"2"}


def test_the_users_repository_is_never_touched(tmp_path, hub):
    """Work tree, index, HEAD, references, objects, configuration: not one byte, not even a fetch's traces."""
    root = a_repository(tmp_path / "project", "one")
    git(root, "remote", "add", "origin", str(hub))
    (root / "file").write_text("uncommitted", encoding="utf-8")

    def state():
        return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}

    before = state()
    with opened("origin", root) as branch:
        branch.push(put(branch, branch.fetch(), a=b"1"))
        branch.fetch()
    assert state() == before
    assert branch_files(hub, "results") == {"a": b"1"}


def test_any_state_of_the_clone_will_do(tmp_path, hub):
    """No commits, a detached HEAD, a shallow clone, a bare one, a folder inside: only its remote is asked."""
    project = a_repository(tmp_path / "project", "one", "two")
    git(project, "push", "--quiet", str(hub), "main")
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{hub}", "shallow")
    git(tmp_path, "clone", "--quiet", "--bare", str(hub), "bare.git")
    git(project, "checkout", "--quiet", "--detach")
    empty = a_repository(tmp_path / "empty")
    for clone in (project, empty):
        git(clone, "remote", "add", "origin", "../hub.git")  # relative to the root, wherever it is asked from
    for number, place in enumerate((project / "folder", empty, tmp_path / "shallow", tmp_path / "bare.git")):
        with opened("origin", place) as branch:
            branch.push(put(branch, branch.fetch(), **{f"f{number}": b"x"}))
    assert len(branch_files(hub, "results")) == 4


def test_what_the_clone_says_of_the_remote_holds(tmp_path):
    """Other names and push URLs, rewritten URLs and tokens in the clone's own configuration reach the remote."""
    a_hub(tmp_path / "hub.git")
    root = a_repository(tmp_path / "project", "one")
    git(root, "config", f"url.{tmp_path}/.insteadOf", "short:")
    git(root, "remote", "add", "up.stream", "short:hub.git")
    git(root, "config", "http.https://github.com/.extraheader", "AUTHORIZATION: basic c2VjcmV0")
    git(root, "config", "core.bigFileThreshold", "1")
    with opened("up.stream", root) as branch:
        branch.push(put(branch, branch.fetch(), a=b"1"))
    settings = Remote.find("up.stream", root, ENV).config
    header = ConfigEntry(key="http.https://github.com/.extraheader", value="AUTHORIZATION: basic c2VjcmV0")
    assert header in settings
    assert not any(setting.key.startswith("core.") for setting in settings)


def test_global_configuration_is_not_copied_twice(tmp_path):
    """Two authorization headers are one too many for GitHub."""
    config = tmp_path / "config"
    config.write_text('[http "https://github.com/"]\n\textraheader = X\n', encoding="utf-8")
    remote = Remote.find(str(tmp_path), tmp_path, ENV | {"GIT_CONFIG_GLOBAL": str(config)})
    assert [setting.key for setting in remote.config] == ["remote.windtunnel.url"]


def test_settings_follow_those_of_the_environment():
    """GIT_CONFIG_COUNT may be in use already."""
    before = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a.b", "GIT_CONFIG_VALUE_0": "c"}
    after = with_config([ConfigEntry(key="d.e", value="f")], before)
    assert after == before | {"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_1": "d.e", "GIT_CONFIG_VALUE_1": "f"}


def test_the_author_is_the_user_of_git_or_else_windtunnel(tmp_path):
    """A machine without a configured identity can commit."""
    assert Remote.find(str(tmp_path), tmp_path, ENV).author == "Windtunnel <windtunnel@localhost>"
    assert Remote.find(str(tmp_path), tmp_path, ENV | SOMEBODY).author == "Somebody <somebody@example.org>"
    root = a_repository(tmp_path / "project")
    git(root, "config", "user.name", "Bö")
    git(root, "config", "user.email", "b@example.org")
    assert Remote.find(str(tmp_path), root, ENV).author == "Bö <b@example.org>"


@pytest.mark.parametrize("name", ["origin", "-upload-pack=touch", ""])
def test_no_such_remote_is_a_usage_error(tmp_path, name):
    """The message names the commands that fix it."""
    with pytest.raises(UsageError, match=r"has no remote .*add it \(git remote add"):
        Remote.find(name, a_repository(tmp_path / "project"), ENV)


@pytest.mark.parametrize("name", ["", "-f", "a..b", "a b", "x.lock", "HEAD:refs/heads/main"])
def test_what_cannot_be_a_branch_is_a_usage_error(tmp_path, name):
    """Options and refspecs in disguise included."""
    with pytest.raises(UsageError, match="is not a valid branch name"), opened(tmp_path, tmp_path, name):
        pass


def test_a_remote_that_is_not_there_is_final(tmp_path):
    """A path without a repository stays one."""
    with opened(tmp_path / "nowhere.git", tmp_path) as branch:
        with pytest.raises(RemoteError, match=r"cannot be read.*does not appear to be a git repository") as caught:
            branch.fetch()
        assert not isinstance(caught.value, RemoteBusyError)
        with pytest.raises(RemoteError, match="cannot be pushed to"):
            branch.push(put(branch, None, a=b"1"))


def test_a_remote_out_of_reach_may_come_back(tmp_path):
    """A refused connection is transient."""
    with opened("http://127.0.0.1:1/hub.git", tmp_path) as branch, pytest.raises(RemoteBusyError, match="reached"):
        branch.fetch()


def test_remotes_that_run_commands_are_not_allowed(tmp_path):
    """git's ext:: would be a shell in a configuration file."""
    with (
        opened(f"ext::sh -c touch% {tmp_path}/owned", tmp_path) as branch,
        pytest.raises(RemoteError, match="not allowed"),
    ):
        branch.fetch()
    assert not (tmp_path / "owned").exists()


def test_a_remote_that_is_a_file_descriptor_is_not_waited_for(tmp_path):
    """git reads fd:: until the other side closes it, and a setting of a pull request can name it."""
    with opened("fd::0", tmp_path) as branch, pytest.raises(RemoteError, match="'fd' not allowed"):
        branch.fetch()


def test_hooks_of_the_machine_stay_out(tmp_path):
    """A user's own pre-push hook is for their pushes."""
    config = tmp_path / "config"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "pre-push").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    (hooks / "pre-push").chmod(0o755)
    config.write_text(f"[core]\n\thooksPath = {hooks}\n", encoding="utf-8")
    with opened(a_hub(tmp_path / "hub.git"), tmp_path, GIT_CONFIG_GLOBAL=str(config)) as branch:
        branch.push(put(branch, None, a=b"1"))


def test_what_is_too_large_is_not_read(tmp_path, hub):
    """A file beyond the limit has no content, and the others do; a folder is named with its size."""
    put_tree(hub, "results", ("100644", b"big", "x" * 1000), ("100644", b"one", "1"))
    with opened(hub, tmp_path) as branch:
        tip = branch.fetch()
        big, one = blob_hash(b"x" * 1000), blob_hash(b"1")
        assert list(branch.files([big, one, big], 999)) == [None, b"1", None]
        with pytest.raises(DataError, match="an object of 62 bytes"):
            list(branch.folder_entries([f"{tip}^{{tree}}"], 30))


def test_names_that_look_like_commands_are_names(tmp_path, hub):
    """Quotes, backslashes, line breaks and blanks in a path do not end it."""
    odd = 'm/"q\\ \n M 100644 inline x'
    with opened(hub, tmp_path) as branch:
        branch.push(branch.commit(None, {odd: b"1\nM 100644 inline y\ndata 0\n"}, *SIGNED))
    assert branch_files(hub, "results") == {odd: b"1\nM 100644 inline y\ndata 0\n"}


def test_nothing_is_left_behind(tmp_path):
    """The throw-away repository goes, also when the work in it fails."""
    folders = []

    def fail():
        with opened(a_hub(tmp_path / "hub.git"), tmp_path) as branch:
            folders.append(branch.folder)
            assert branch.folder.is_dir()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not folders[0].exists()
