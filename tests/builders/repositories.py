"""git repositories for tests, made by git itself, deaf to whatever this machine has configured."""

import os
import subprocess

NO_CONFIG = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
ENV = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | NO_CONFIG
"""An environment in which git knows no user: no name, no e-mail address."""

SOMEBODY = {
    "GIT_AUTHOR_NAME": "Somebody",
    "GIT_AUTHOR_EMAIL": "somebody@example.org",
    "GIT_COMMITTER_NAME": "Somebody",
    "GIT_COMMITTER_EMAIL": "somebody@example.org",
}


def git(where, *arguments, stdin="", **env):
    """Run git in *where* and return what it says, without the last line break."""
    command = ["git", "-c", "maintenance.auto=false", *arguments]  # a commit starts no second process
    done = subprocess.run(
        command, cwd=where, env=ENV | SOMEBODY | env, input=stdin, check=False, capture_output=True, text=True
    )
    assert not done.returncode, f"{' '.join(command)}: {done.returncode} {done.stderr}"
    return done.stdout.strip()


def a_repository(where, *subjects):
    """A repository on branch ``main`` with one commit a subject, each of which changes ``file`` but not ``folder``."""
    where.mkdir(parents=True)
    git(where, "init", "--quiet", "--initial-branch=main")
    for subject in subjects:
        commit(where, subject)
    return where


def commit(where, subject):
    """Add a commit to the repository *where*."""
    (where / "folder").mkdir(exist_ok=True)
    (where / "file").write_text(subject, encoding="utf-8")
    (where / "folder" / "constant").write_text("same", encoding="utf-8")
    git(where, "add", "--all")
    git(where, "commit", "--quiet", "--message", subject, GIT_AUTHOR_DATE="@1700000000 +0200")
    return git(where, "rev-parse", "HEAD")


def commits_of(repo):
    """The commits of ``main``, the oldest first."""
    return git(repo, "rev-list", "--reverse", "main").split()


def a_checkout(hub, where):
    """A clone as actions/checkout makes it: branches of the remote, no ``origin/HEAD``, a detached HEAD."""
    where.mkdir()
    git(where, "init", "--quiet", "--initial-branch=unborn")
    git(where, "remote", "add", "origin", f"file://{hub}")
    git(where, "-c", "remote.origin.followRemoteHEAD=never", "fetch", "--quiet", "origin")
    git(where, "checkout", "--quiet", "--detach", git(hub, "rev-parse", "HEAD"))
    return where


def a_hub(where, *, filters=True):
    """An empty bare repository that others push to, with or without support for partial clones."""
    git(where.parent, "init", "--quiet", "--bare", where.name)
    git(where, "config", "uploadpack.allowFilter", "true" if filters else "false")
    return where


def put_tree(hub, branch, *entries):
    """Point *branch* of *hub* at a commit whose root holds *entries*, raw: (mode, name, content or tree hash)."""
    tree = raw_tree(hub, *entries)
    made = git(hub, "commit-tree", "-m", "made by hand", tree)
    git(hub, "update-ref", f"refs/heads/{branch}", made)
    return made


def raw_tree(hub, *entries):
    """Write a tree as no git would, without any check; return its hash."""
    raw = b"".join(
        mode.encode() + b" " + name + b"\0" + bytes.fromhex(content if mode == "40000" else blob(hub, content))
        for mode, name, content in entries
    )
    command = ["git", "hash-object", "-t", "tree", "--literally", "-w", "--stdin"]
    return subprocess.run(command, cwd=hub, env=ENV, input=raw, check=True, capture_output=True).stdout.decode().strip()


def blob(hub, content):
    """Write a file's content; return its hash."""
    return git(hub, "hash-object", "-w", "--stdin", stdin=content)


def branch_files(hub, branch):
    """What *branch* of *hub* holds at one moment, though it may move meanwhile: content by path."""
    tip = git(hub, "rev-parse", branch)
    listing = git(hub, "ls-tree", "-r", "-z", "--name-only", tip)
    return {path: read(hub, f"{tip}:{path}") for path in listing.split("\0") if path}


def read(hub, name):
    """The bytes of the file called *name* (``<commit>:<path>``)."""
    return subprocess.run(["git", "cat-file", "blob", name], cwd=hub, env=ENV, check=True, capture_output=True).stdout
