"""Who wrote a commit, and what they said of it."""

import re
from dataclasses import dataclass

from windtunnel.git.repository import Repository
from windtunnel.model.commit import CommitHash

HIDDEN = re.compile(r"(?:\d+\+)?([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))@users\.noreply\.github\.com")
"""The addresses of those who hide theirs hold the account's name (docs.github.com, Email addresses reference)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Authored:
    """The subject and author of a commit; *login* is "" unless the author's address tells it."""

    subject: str
    author: str
    login: str


def authored(repository: Repository, commit: CommitHash) -> Authored:
    """Return what *repository* says of *commit*; all empty where it has no such commit."""
    form = "--format=%s%x00%an%x00%ae"
    done = repository.git.attempt("log", "-1", "--encoding=UTF-8", form, "--end-of-options", commit, "--")
    subject, author, address = (*done.out.decode("utf-8", "replace").strip("\n").split("\0"), "", "", "")[:3]
    login = HIDDEN.fullmatch(address)
    return Authored(subject=subject, author=author, login=login[1] if login else "")
