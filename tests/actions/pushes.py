"""A push to the main branch, as GitHub shows it to workflows."""

from builders.repositories import git


def a_push(clone):
    """Push *clone*'s HEAD; the event that it causes."""
    git(clone, "push", "--quiet", "origin", "HEAD:main")
    return {
        "ref": "refs/heads/main",
        "after": git(clone, "rev-parse", "HEAD"),
        "repository": {"full_name": "org/spam", "default_branch": "main"},
    }
