"""A pull request from a fork, as GitHub shows it to the repository and to its workflows."""

from builders.repositories import git
from builders.suites import change

PACKAGE = "def work(size):\n    return sum(range(size * 20_000))\n"
SLOWER = "def work(size):\n    return sum(range(size * 60_000))\n"
SAME = PACKAGE + "\n\ndef other():\n    return 1\n"
PULL = 12


def a_pull_request(clone, forge, files, main="main"):
    """A fork's commit under ``refs/pull``; the event that it causes."""
    base = git(clone, "rev-parse", "HEAD")
    git(clone, "checkout", "--quiet", "-b", "topic")
    change(clone, files, "a change")
    head = git(clone, "rev-parse", "HEAD")
    git(clone, "push", "--quiet", "origin", f"HEAD:refs/pull/{PULL}/head")
    fork = {"full_name": "mallory/spam", "pushed_at": "2026-01-01T00:00:00Z"}
    pull = forge.pull(PULL, head, base)
    pull["head"]["repo"], pull["base"]["ref"] = fork, main
    return {
        "action": "synchronize",
        "number": PULL,
        "pull_request": {
            "number": PULL,
            "state": "open",
            "created_at": "2026-01-01T00:00:00Z",
            "head": {"sha": head, "ref": "topic", "repo": {"full_name": "mallory/spam"}},
            "base": {"sha": base, "ref": main, "repo": {"full_name": "org/spam"}},
            "labels": [],
        },
        "repository": {"full_name": "org/spam", "default_branch": main},
    }
