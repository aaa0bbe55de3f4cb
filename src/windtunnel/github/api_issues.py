"""Accounts, comments, issues and their events in GitHub's REST API."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from windtunnel.errors import RefusedError
from windtunnel.github.client import Client, RepositoryName, Request, change, create, delete, get, pages

WORKFLOW_BOT = "github-actions[bot]"
"""The author of what a workflow's token writes; that token may not request ``/user``."""


class Account(Struct, frozen=True, kw_only=True):
    """A user, bot or organisation."""

    login: str
    """The name."""


class Comment(Struct, frozen=True, kw_only=True):
    """A comment on an issue or pull request."""

    id: int
    """Grows with time."""
    body: str = ""
    """The Markdown text."""
    user: Account | None = None
    """The author; None for deleted accounts."""
    html_url: str = ""
    """The page."""


class Label(Struct, frozen=True, kw_only=True):
    """A label of an issue or pull request."""

    name: str


class IssueEvent(Struct, frozen=True, kw_only=True):
    """Something that happened to an issue or pull request."""

    event: str
    """What, such as ``labeled`` or ``closed``."""
    actor: Account | None = None
    """Who did it; None for deleted accounts."""
    label: Label | None = None
    """The label that was set or removed."""


class Issue(Struct, frozen=True, kw_only=True):
    """An issue."""

    number: int
    """Grows with time."""
    title: str
    """The title."""
    state: str
    """open or closed."""
    body: str | None = None
    """The Markdown text."""
    user: Account | None = None
    """The author; None for deleted accounts."""
    state_reason: str | None = None
    """Why it was closed or opened again: completed, not_planned, duplicate or reopened."""
    labels: tuple[Label, ...] = ()
    closed_by: Account | None = None
    """Who closed it, where GitHub says so."""
    html_url: str = ""
    """The page."""
    pull_request: Mapping[str, object] | None = None
    """Present when the issue is a pull request."""


def get_account() -> Request[Account]:
    """Request the account of the token; refused (403) for the token of a workflow."""
    return get("/user", Account)


def list_comments(repo: RepositoryName, number: int) -> Request[tuple[Comment, ...]]:
    """Request the comments on an issue or pull request, oldest first; has pages."""
    return pages(repo.path("issues", number, "comments"), "", Comment)


def create_comment(repo: RepositoryName, number: int, body: str) -> Request[Comment]:
    """Request a new comment."""
    return create(repo.path("issues", number, "comments"), Comment, {"body": body})


def update_comment(repo: RepositoryName, comment: int, body: str) -> Request[Comment]:
    """Request a new text for a comment."""
    return change(repo.path("issues", "comments", comment), Comment, {"body": body})


def delete_comment(repo: RepositoryName, comment: int) -> Request[None]:
    """Request the removal of a comment."""
    return delete(repo.path("issues", "comments", comment))


def list_events(repo: RepositoryName, number: int) -> Request[tuple[IssueEvent, ...]]:
    """Request what happened to an issue or pull request, oldest first; has pages."""
    return pages(repo.path("issues", number, "events"), "", IssueEvent)


def list_issues(repo: RepositoryName, state: str = "open", *, labels: str = "") -> Request[tuple[Issue, ...]]:
    """Request the issues with all *labels* (comma-separated); *state* is open, closed or all. Has pages.

    The oldest come first: then a new one moves no other one to another page. GitHub's filter by author depends on the
    token, so callers compare *user* themselves.
    """
    filters = {"labels": labels} if labels else {}
    order = {"sort": "created", "direction": "asc"}
    return pages(repo.path("issues"), "", Issue, state=state, **order, **filters)


def get_issue(repo: RepositoryName, number: int) -> Request[Issue]:
    """Request one issue; GitHub redirects to the new place of one that was moved."""
    return get(repo.path("issues", number), Issue)


def create_issue(repo: RepositoryName, title: str, body: str, labels: Sequence[str] = ()) -> Request[Issue]:
    """Request a new issue; GitHub creates missing labels. The job needs ``issues: write``."""
    return create(repo.path("issues"), Issue, {"title": title, "body": body, "labels": labels})


def update_issue(repo: RepositoryName, number: int, title: str, body: str) -> Request[Issue]:
    """Request a new title and text for an issue."""
    return change(repo.path("issues", number), Issue, {"title": title, "body": body})


def close_issue(repo: RepositoryName, number: int, reason: str) -> Request[Issue]:
    """Request that an issue is closed as ``completed`` or ``not_planned``."""
    return change(repo.path("issues", number), Issue, {"state": "closed", "state_reason": reason})


def get_author(client: Client) -> str:
    """Return the login of the token; a workflow's token may not request it and always belongs to the same bot."""
    try:
        return client.send(get_account()).login
    except RefusedError as refused:
        if refused.status in {401, 403, 404}:
            return WORKFLOW_BOT
        raise
