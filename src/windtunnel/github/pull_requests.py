"""Pull requests in GitHub's REST API, and which of them have a given commit as their head."""

from collections.abc import Sequence

from msgspec import Struct

from windtunnel.github.api_issues import IssueEvent, Label
from windtunnel.github.client import Client, RepositoryName, pages


class BranchRepository(Struct, frozen=True, kw_only=True):
    """The repository of a pull request's base or head."""

    full_name: str


class BranchRef(Struct, frozen=True, kw_only=True):
    """The base or head of a pull request."""

    sha: str
    ref: str
    repo: BranchRepository | None = None
    """None where the fork was deleted."""


class PullRequest(Struct, frozen=True, kw_only=True):
    """A pull request."""

    number: int
    state: str
    head: BranchRef
    base: BranchRef
    labels: tuple[Label, ...] = ()

    def has_label(self, name: str) -> bool:
        """Return whether it has the label *name*, which GitHub compares without case."""
        return any(label.name.lower() == name.lower() for label in self.labels)

    def comes_from(self, source: str) -> bool:
        """Return whether its branch is *source*, ``owner:branch``."""
        repo = self.head.repo
        return repo is not None and f"{repo.full_name.partition('/')[0]}:{self.head.ref}" == source


def find_pulls_with_head(client: Client, repo: RepositoryName, sha: str, source: str) -> tuple[PullRequest, ...]:
    """Return the open pull requests whose head is *sha* on the branch *source*, ``owner:branch``.

    Other branches with the same commit do not count: anyone can open a pull request with it, and another base. An empty
    result means that the pull request has a newer head or is closed, so the measured commit would not be merged; or
    that the fork was deleted, so GitHub names no *source*.
    """
    listed = client.entries(pages(repo.path("pulls"), "", PullRequest, state="open", head=source)) if source else ()
    at_commit = (one for one in listed if one.state == "open" and one.head.sha == sha)
    return tuple({one.number: one for one in at_commit if one.comes_from(source)}.values())


ACCEPTED = "perf-accepted"
"""The label with which a person accepts regressions of a pull request; setting it needs triage rights."""
UNKNOWN_PERSON = "a deleted account"


def find_accepting_person(client: Client, repo: RepositoryName, pulls: Sequence[PullRequest]) -> str:
    """Return the login of who set the label of acceptance on one of *pulls*, "" where none has it."""
    for pull in pulls:
        if pull.has_label(ACCEPTED):
            events = client.entries(pages(repo.path("issues", pull.number, "events"), "", IssueEvent))
            people = [
                event.actor.login
                for event in events
                if event.event == "labeled" and event.label and event.label.name.lower() == ACCEPTED and event.actor
            ]
            return people[-1] if people else UNKNOWN_PERSON
    return ""
