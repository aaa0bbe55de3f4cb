"""Pull requests in GitHub's REST API, and which of them have a given commit as their head."""

from collections.abc import Sequence

from msgspec import Struct

from windtunnel.errors import RefusedError
from windtunnel.github.api_issues import IssueEvent, Label
from windtunnel.github.client import Client, RepositoryName, Request, pages


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

    def is_open_at(self, sha: str) -> bool:
        """Return whether the pull request is open and its head is *sha*."""
        return self.state == "open" and self.head.sha == sha

    def may_come_from(self, source: str) -> bool:
        """Return whether its branch is *source*, ``owner:branch``, as far as either is known."""
        repo = self.head.repo
        return not source or repo is None or f"{repo.full_name.partition('/')[0]}:{self.head.ref}" == source


UNKNOWN_COMMIT = frozenset({404, 409, 422})
"""Statuses for a commit that GitHub does not find in this repository, such as the head of a fork."""

MAX_READS = 2
"""Reads of the list of all open pull requests: one that closes meanwhile moves another onto a page already read."""


def find_pulls_with_head(client: Client, repo: RepositoryName, sha: str, source: str = "") -> tuple[PullRequest, ...]:
    """Return the open pull requests whose head is *sha*.

    *source* is the branch that the run of that commit names, ``owner:branch``. GitHub does not always find a fork's
    commit by its hash, so the open pull requests are searched too. Other branches with the same commit do not count:
    anyone can open a pull request with it, and another base. An empty result means that the pull request has a newer
    head or is closed: the measured commit would not be merged.
    """
    # The oldest come first: then new ones and updates move no other one to a page that was read already.
    order = {"state": "open", "sort": "created", "direction": "asc"}
    requests = [pages(repo.path("commits", sha, "pulls"), "", PullRequest)]
    requests += [pages(repo.path("pulls"), "", PullRequest, **order, head=source)] if source else []
    requests += [pages(repo.path("pulls"), "", PullRequest, **order)] * MAX_READS
    return next((found for request in requests if (found := _with_head(client, request, sha, source))), ())


def _with_head(
    client: Client, request: Request[tuple[PullRequest, ...]], sha: str, source: str
) -> tuple[PullRequest, ...]:
    """Return the pull requests that *request* lists, of *source* and with the head *sha*, each once."""
    try:
        pulls = client.entries(request)
        found = {pull.number: pull for pull in pulls if pull.is_open_at(sha) and pull.may_come_from(source)}
    except RefusedError as refused:
        if refused.status not in UNKNOWN_COMMIT:
            raise
        return ()
    return tuple(found.values())


ACCEPTED = "perf-accepted"
"""The label with which a person accepts regressions of a pull request; setting it needs triage rights."""
UNKNOWN_PERSON = "a deleted account"


def find_accepting_person(client: Client, repo: RepositoryName, pulls: Sequence[PullRequest]) -> str:
    """Return the login of who set the label of acceptance on one of *pulls*, "" where none has it."""
    for pull in pulls:
        if any(label.name.lower() == ACCEPTED for label in pull.labels):
            events = client.entries(pages(repo.path("issues", pull.number, "events"), "", IssueEvent))
            people = [
                event.actor.login
                for event in events
                if event.event == "labeled" and event.label and event.label.name.lower() == ACCEPTED and event.actor
            ]
            return people[-1] if people else UNKNOWN_PERSON
    return ""
