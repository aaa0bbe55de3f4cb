"""What git is asked, on real repositories."""

import re
from pathlib import Path, PurePosixPath

import pytest
from builders.repositories import ENV, a_checkout, a_repository, commit, git

from windtunnel.errors import DataError, RemoteError, UsageError
from windtunnel.git.process import LOGIN_VARIABLE, Git, GitResult, git_error, readable
from windtunnel.git.remote import resolve_remote_ref
from windtunnel.git.repository import Repository


def at(where, **env):
    return Repository.at(where, ENV | env)


@pytest.fixture
def root(tmp_path):
    """A repository with one commit."""
    return a_repository(tmp_path / "project", "one")


def test_the_root_is_found_from_any_folder_inside(root):
    """The root is the work tree's, wherever the question is asked."""
    assert at(root / "folder").root == root.resolve()


def test_a_bare_repository_is_its_own_root(tmp_path):
    """A bare repository answers too, and is never dirty."""
    git(tmp_path, "clone", "--quiet", "--bare", str(a_repository(tmp_path / "project", "one")), "bare.git")
    bare = at(tmp_path / "bare.git")
    assert bare.root == (tmp_path / "bare.git").resolve()
    assert not bare.is_dirty()
    assert bare.resolve("main")


def test_a_hooks_environment_does_not_lead_elsewhere(tmp_path):
    """git exports GIT_DIR to its hooks; the folder that is named counts, not that."""
    here = a_repository(tmp_path / "here", "one")
    there = a_repository(tmp_path / "there", "two")
    assert at(here, GIT_DIR=str(there / ".git"), GIT_WORK_TREE=str(there)).root == here.resolve()


def test_no_repository_no_folder_and_no_git_are_usage_errors(tmp_path):
    """Outside of any repository the message names the folder; without git on PATH it states what to install."""
    with pytest.raises(UsageError, match=f"{tmp_path} is not in a git work tree"):
        at(tmp_path, GIT_CEILING_DIRECTORIES=str(tmp_path.parent))
    with pytest.raises(UsageError, match="is not a folder"):
        at(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="install git"):
        at(tmp_path, PATH=str(tmp_path))


def test_a_repository_without_commits_says_so(tmp_path):
    """Before the first commit nothing can be resolved, and the message states why."""
    empty = at(a_repository(tmp_path / "empty"))
    assert not empty.has_commits()
    assert empty.current_branch() == "main"
    with pytest.raises(UsageError, match="no commits at all"):
        empty.resolve("HEAD")
    with pytest.raises(UsageError, match="no commits at all"):
        empty.first_parent_log("HEAD")


@pytest.mark.parametrize("revision", ["nope", "", "--all", "-n1", "HEAD..HEAD", "a\0b", "HEAD:file", "é\n"])
def test_an_unknown_revision_is_a_usage_error(root, revision):
    """Whatever names no commit is refused in words, options in disguise included."""
    with pytest.raises(UsageError, match="has no commit"):
        at(root).resolve(revision)


def test_revisions_resolve_to_commits(root):
    """Branches, annotated tags and short hashes lead to the commit itself."""
    git(root, "tag", "--annotate", "--message", "first", "v1")
    head = git(root, "rev-parse", "HEAD")
    assert {at(root).resolve(name) for name in ("HEAD", "main", "v1", head[:8], head)} == {head}


def test_a_shallow_clone_is_known_and_blamed(tmp_path):
    """In a shallow clone, what is missing is put down to that."""
    root = a_repository(tmp_path / "project", "one", "two")
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{root}", "clone")
    assert not at(root).is_shallow()
    shallow = at(tmp_path / "clone")
    assert shallow.is_shallow()
    assert [commit.parent for commit in shallow.first_parent_log("HEAD")] == [None]
    with pytest.raises(UsageError, match="fetch-depth: 0"):
        shallow.resolve("HEAD~1")


def test_a_dirty_work_tree_is_one_with_changed_tracked_files(root):
    """Untracked files, such as results, do not make a commit's work tree another one."""
    (root / "untracked").touch()
    assert not at(root).is_dirty()
    (root / "file").write_text("changed", encoding="utf-8")
    assert at(root).is_dirty()


def test_the_work_tree_is_a_commit_of_no_branch(tmp_path, root):
    """Staged and other changes are in it; untracked files are named; files, index, branches and stash stay."""
    before = git(root, "rev-parse", "HEAD")
    for name in ("file", "staged.py", "new.py"):
        (root / name).write_text(f"changed {name}", encoding="utf-8")
    git(root, "add", "staged.py")
    seen = [("status", "--porcelain"), ("for-each-ref",), ("stash", "list"), ("ls-files", "--stage")]
    state = [git(root, *each) for each in seen]
    made = at(root, HOME=str(tmp_path)).commit_work_tree()
    assert at(root).commit_work_tree() == made
    assert git(root, "rev-parse", f"{made}^") == before
    for name in ("file", "staged.py"):
        assert git(root, "show", f"{made}:{name}") == f"changed {name}"
    assert at(root).untracked() == ("new.py",)
    assert [git(root, *each) for each in seen] == state


def test_a_work_tree_with_conflicts_is_a_usage_error(root):
    """It has no one content; the message says what to do."""
    git(root, "checkout", "--quiet", "-b", "other")
    commit(root, "theirs")
    git(root, "checkout", "--quiet", "-")
    commit(root, "ours")
    at(root).git.attempt("-c", "user.name=a", "-c", "user.email=a@example.org", "merge", "other")
    with pytest.raises(UsageError, match="name two commits"):
        at(root).commit_work_tree()


def test_asking_does_not_write_the_index(root):
    """Not even the refresh that git status likes to do."""
    (root / "file").touch()
    before = (root / ".git" / "index").read_bytes()
    at(root).is_dirty()
    assert (root / ".git" / "index").read_bytes() == before


def test_the_log_follows_first_parents_newest_first(root):
    """A merged branch's own commits are not in it; dates are the authors'."""
    git(root, "checkout", "--quiet", "-b", "side")
    commit(root, "on the side")
    git(root, "checkout", "--quiet", "main")
    git(root, "commit", "--quiet", "--allow-empty", "--message", "twö\n\nbody", GIT_AUTHOR_DATE="@5 +0000")
    git(root, "merge", "--quiet", "--strategy=ours", "--message", "merged", "side")
    log = at(root).first_parent_log("main")
    assert [entry.subject for entry in log] == ["merged", "twö", "one"]
    assert [entry.author_date for entry in log[1:]] == [5, 1_700_000_000]
    assert [entry.parent for entry in log] == [log[1].hash, log[2].hash, None]
    assert at(root).first_parent_log("main", limit=2) == log[:2]
    assert at(root).first_parent_log(f"{log[2].hash}..main") == log[:2]


@pytest.mark.parametrize("revisions", ["nope", "", "--all", "main..nope", "folder"])
def test_an_unknown_range_is_a_usage_error(root, revisions):
    """A range that git cannot read, and a path in its place, are refused; an empty one is an answer."""
    with pytest.raises(UsageError, match="has no commits"):
        at(root).first_parent_log(revisions)
    assert at(root).first_parent_log("main..main") == ()


def test_the_default_branch_is_the_remotes(tmp_path, root):
    """What the remote's HEAD names wins over main and over the branch that is checked out."""
    git(root, "branch", "trunk/next")
    git(tmp_path, "clone", "--quiet", str(root), "clone")
    clone = tmp_path / "clone"
    git(clone, "remote", "set-head", "origin", "trunk/next")
    assert at(clone).default_branch().name == "trunk/next"


def test_without_a_remote_the_default_branch_is_main_then_the_current_one(root):
    """A detached HEAD in a repository without main or master leaves only a question."""
    git(root, "checkout", "--quiet", "-b", "work")
    assert at(root).default_branch().name == "main"
    git(root, "branch", "--quiet", "--delete", "--force", "main")
    assert at(root).default_branch().name == "work"
    git(root, "checkout", "--quiet", "--detach")
    git(root, "branch", "--quiet", "--delete", "--force", "work")
    assert at(root).current_branch() is None
    with pytest.raises(UsageError, match="name a branch"):
        at(root).default_branch()


@pytest.fixture
def developed(tmp_path):
    """A repository whose default branch is ``develop``; its old branch ``master`` is stale."""
    root = a_repository(tmp_path / "project", "one")
    git(root, "branch", "--move", "master")
    git(root, "checkout", "--quiet", "-b", "develop")
    commit(root, "two")
    return root


def test_a_remote_that_does_not_answer_leaves_the_usual_names(developed, tmp_path):
    """Without the network the default branch is main, master or the current one, as far as it exists."""
    checkout = a_checkout(developed, tmp_path / "checkout")
    git(checkout, "remote", "set-url", "origin", "file:///nowhere")
    assert at(checkout).measured_branch().name == "master"


@pytest.mark.parametrize(
    ("asked", "configured", "name"),
    [
        (None, (), "develop"),
        (None, ("main",), "develop"),
        (None, ("main", "master"), "master"),
        ("develop", ("master",), "develop"),
    ],
)
def test_the_measured_branch_is_asked_for_or_configured_or_the_default(developed, tmp_path, asked, configured, name):
    """Names of branches that do not exist are passed over; a branch need not be local.

    actions/checkout leaves no ``origin/HEAD``, so the remote names the default; a stale master is not it.
    """
    found = at(a_checkout(developed, tmp_path / "checkout")).measured_branch(asked, configured)
    assert (found.name, found.commit) == (name, git(developed, "rev-parse", name))


def test_a_branch_that_is_asked_for_must_exist(developed):
    """The message names it and how to get it."""
    with pytest.raises(UsageError, match=r"no branch 'spam'.*git fetch origin spam"):
        at(developed).measured_branch("spam", ("master",))


def test_a_bare_clone_knows_its_default_branch(developed, tmp_path):
    """Its HEAD names it."""
    git(tmp_path, "clone", "--quiet", "--bare", str(developed), "bare.git")
    assert at(tmp_path / "bare.git").measured_branch().name == "develop"


def test_tags_lead_to_commits(root):
    """Light and annotated tags alike, and tags of tags; a tag on a file is none of ours."""
    git(root, "tag", "light")
    git(root, "tag", "--annotate", "--message", "x", "heavy", GIT_COMMITTER_DATE="@1 +0000")
    git(root, "tag", "--annotate", "--message", "x", "nested", "heavy", GIT_COMMITTER_DATE="@2 +0000")
    git(root, "tag", "blob", "HEAD:file")
    git(root, "tag", "--annotate", "--message", "x", "blob-of-blob", "blob")
    head = at(root).resolve("HEAD")
    names = ("heavy", "nested", "light")
    assert [(tag.name, tag.commit) for tag in at(root).tags()] == [(name, head) for name in names]


def test_histories_part_at_the_merge_base(tmp_path):
    """And unrelated ones have none."""
    root = a_repository(tmp_path / "project", "one", "two")
    git(root, "checkout", "--quiet", "-b", "side", "HEAD~1")
    side = commit(root, "three")
    git(root, "checkout", "--quiet", "--orphan", "island")
    island = commit(root, "four")
    repository = at(root)
    main = repository.resolve("main")
    assert repository.merge_base(main, side) == repository.resolve("main~1")
    with pytest.raises(UsageError, match="no common ancestor"):
        repository.merge_base(main, island)


def test_different_files_are_listed_by_full_path(root):
    """A rename is two paths; odd names come as they are."""
    (root / "file").rename(root / 'new "näme"\t')
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "renamed")
    one, two = at(root).resolve("main~1"), at(root).resolve("main")
    assert at(root).diff_names(one, two) == ("file", 'new "näme"\t')
    assert at(root).diff_names(two, two) == ()


def test_a_file_is_read_as_it_was(tmp_path):
    """The content comes from the commit, not from the work tree; a folder is not a file."""
    repository = at(a_repository(tmp_path / "project", "one", "two"))
    old = repository.resolve("main~1")
    assert repository.read(old, PurePosixPath("file")) == b"one"
    assert repository.read(old, PurePosixPath("folder")) is None
    assert repository.read(old, PurePosixPath("nowhere")) is None


def test_a_symbolic_link_is_followed_inside_the_repository(root):
    """A suite may link to the settings of its project; files outside the repository do not belong to the commit."""
    for name, target in (("folder/link", "../file"), ("folder/outside", "../../file"), ("folder/dangling", "../none")):
        (root / name).symlink_to(target)
    commit(root, "two")
    repository = at(root)
    head = repository.resolve("main")
    assert repository.read(head, PurePosixPath("folder/link")) == b"two"
    assert repository.read(head, PurePosixPath("folder/outside")) is None
    assert repository.read(head, PurePosixPath("folder/dangling")) is None


def test_tokens_in_urls_are_not_repeated():
    """Git's messages may hold a URL with a token."""
    said = readable(b"fatal: unable to access 'https://x-access-token:ghs_123@host/a.git/'")
    assert said == "fatal: unable to access 'https://***@host/a.git/'"


def test_what_git_says_reaches_the_user():
    """An unforeseen failure is shown with git's own words, the folder and a next step; ownership has a way out."""
    error = git_error(GitResult(exit_code=128, out=b"", err="fatal: bad object"), ("log",), Path("/x"))
    assert isinstance(error, DataError)
    assert str(error) == "git log failed in /x: fatal: bad object; 'git fsck' shows what is broken"
    said = "fatal: detected dubious ownership in repository at '/x'"
    error = git_error(GitResult(exit_code=128, out=b"", err=said), ("rev-parse",), Path("/x"))
    assert isinstance(error, UsageError)
    assert "safe.directory /x" in str(error)


def test_silence_ends(tmp_path):
    """A git that waits for an answer is given up."""
    silent = tmp_path / "bin" / "git"
    silent.parent.mkdir()
    silent.write_text("#!/bin/sh\nexec tail -f /dev/null\n", encoding="utf-8")
    silent.chmod(0o755)
    with pytest.raises(RemoteError, match="no response within"):
        Git(directory=tmp_path, env=ENV | {"PATH": f"{silent.parent}:{ENV['PATH']}"}).attempt("fetch", timeout=0.05)


def test_control_characters_of_a_remote_do_not_reach_messages(tmp_path):
    """A remote's hook can print what clears a terminal, or a zero byte that makes a text file binary."""
    noise = "alias.noise=!printf 'one\\033[2J\\000two\\tthree\\n' >&2; exit 1"
    result = Git(directory=tmp_path, env=ENV).attempt("-c", noise, "noise")
    assert (result.exit_code, result.err) == (1, "one[2Jtwo\tthree")


@pytest.mark.parametrize(
    ("host", "given"), [("github.example", True), ("github.example.evil.example", False), ("evil.example", False)]
)
def test_git_gives_the_token_to_its_forge_only(tmp_path, host, given):
    """A submodule or results elsewhere may name another host; git asks a helper by address (gitcredentials(7))."""
    env = ENV | {LOGIN_VARIABLE: "ghs_x", "GITHUB_SERVER_URL": "https://github.example", "HOME": "/"}
    done = Git(directory=tmp_path, env=env).attempt(
        "credential", "fill", stdin=f"protocol=https\nhost={host}\n\n".encode()
    )
    assert (b"password=ghs_x" in done.out) is given


def resolved(hub, ref):
    return resolve_remote_ref(f"file://{hub}", ref, hub.parent, ENV)


def test_an_annotated_tag_is_the_commit_and_not_the_tag_object(tmp_path):
    """``git ls-remote`` lists the tag object first, and the commit as ``^{}`` below it (git-ls-remote(1))."""
    hub = a_repository(tmp_path / "hub", "one", "two")
    git(hub, "tag", "--annotate", "--message", "first", "v1", "HEAD~1")
    git(hub, "tag", "--annotate", "--message", "a tag of a tag", "stable", "v1")
    first = git(hub, "ls-remote", f"file://{hub}", "refs/tags/v1").split()[0]
    wanted = git(hub, "rev-parse", "HEAD~1")
    assert first == git(hub, "rev-parse", "v1") != wanted
    assert [resolved(hub, ref) for ref in ("v1", "stable", "refs/tags/v1")] == [wanted] * 3


def test_lightweight_tags_and_branches_are_found(tmp_path):
    """As git reads a name: a tag comes before a branch; the full name decides."""
    hub = a_repository(tmp_path / "hub", "one", "two")
    git(hub, "tag", "v1", "HEAD~1")
    git(hub, "branch", "v1", "HEAD")
    git(hub, "branch", "topic/a")
    old, new = git(hub, "rev-parse", "HEAD~1"), git(hub, "rev-parse", "HEAD")
    assert [resolved(hub, ref) for ref in ("v1", "refs/heads/v1", "topic/a")] == [old, new, new]


def test_only_the_whole_name_counts(tmp_path):
    """git's patterns match the end of a name, so a foreign reference could stand for a tag."""
    hub = a_repository(tmp_path / "hub", "one")
    git(hub, "update-ref", "refs/pull/1/refs/tags/v1", commit(hub, "hostile"))
    with pytest.raises(UsageError, match="has no tag or branch 'v1'"):
        resolved(hub, "v1")


@pytest.mark.parametrize("ref", ["", "v*", "--upload-pack=x", "a b", "v1^{}", "a..b", "\n"])
def test_what_is_no_name_is_refused(root, ref):
    """Before anything is asked."""
    with pytest.raises(UsageError, match=r"is not the name of a tag or branch|has no tag or branch"):
        resolved(root, ref)


def test_a_remote_that_cannot_be_read_is_an_error_without_its_password(tmp_path):
    """The address may hold a token."""
    with pytest.raises(RemoteError) as caught:
        resolve_remote_ref(f"file://user:s3cret@/{tmp_path}/none", "v1", tmp_path, ENV)
    assert not re.search("s3cret", str(caught.value))
