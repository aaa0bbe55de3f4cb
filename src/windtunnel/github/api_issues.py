"""Accounts, comments, reactions and issues in GitHub's REST API."""

from enum import StrEnum

from msgspec import Struct

from windtunnel.github.http import MAX_PER_PAGE, RepositoryName, Request, change, create, delete, get

WRITE_PERMISSIONS = frozenset({"admin", "maintain", "write"})

WORKFLOW_BOT = "github-actions[bot]"
"""The author of what a workflow's token writes; that token may not request ``/user``."""


class Account(Struct, frozen=True, kw_only=True):
    """A user, bot or organisation."""

    login: str
    """The name."""


class Permission(Struct, frozen=True, kw_only=True):
    """What an account may do in a repository."""

    permission: str
    """admin, write, read or none; custom roles count as the permission they are based on."""
    role_name: str = ""
    """The role, which may be finer."""

    @property
    def can_write(self) -> bool:
        """Return whether the account may push."""
        return self.permission in WRITE_PERMISSIONS


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


class CommentBody(Struct, frozen=True, kw_only=True):
    """The text of a comment to create or update."""

    body: str
    """The Markdown text."""


class ReactionBody(Struct, frozen=True, kw_only=True):
    """A reaction to create."""

    content: str
    """One of GitHub's eight, such as ``rocket``."""


class Reaction(Struct, frozen=True, kw_only=True):
    """A reaction."""

    id: int
    """The identifier."""


class IssueState(StrEnum):
    """Whether an issue is open."""

    OPEN = "open"
    CLOSED = "closed"


class StateReason(StrEnum):
    """Why an issue was closed or reopened."""

    COMPLETED = "completed"
    NOT_PLANNED = "not_planned"
    REOPENED = "reopened"


class PullRequestLink(Struct, frozen=True, kw_only=True):
    """Marks an issue that is a pull request."""

    url: str | None = None
    """The pull request in the API."""


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
    html_url: str = ""
    """The page."""
    pull_request: PullRequestLink | None = None
    """Present when the issue is a pull request."""


class NewIssue(Struct, frozen=True, kw_only=True):
    """An issue to open."""

    title: str
    """The title."""
    body: str
    """The Markdown text."""
    labels: tuple[str, ...] = ()
    """GitHub creates missing labels."""


class IssueText(Struct, frozen=True, kw_only=True):
    """The new text of an issue."""

    title: str
    """The title."""
    body: str
    """The Markdown text."""


class IssueStateChange(Struct, frozen=True, kw_only=True):
    """The new state of an issue."""

    state: IssueState
    """Open or closed."""
    state_reason: StateReason
    """Why."""


def get_account() -> Request[Account]:
    """Request the account of the token; refused (403) for the token of a workflow."""
    return get("/user", Account)


def get_permission(repo: RepositoryName, login: str) -> Request[Permission]:
    """Request the permission of *login*."""
    return get(repo.path("collaborators", login, "permission"), Permission)


def list_comments(repo: RepositoryName, number: int) -> Request[tuple[Comment, ...]]:
    """Request the comments on an issue or pull request, oldest first; has pages."""
    return get(repo.path("issues", number, "comments"), tuple[Comment, ...], per_page=MAX_PER_PAGE)


def create_comment(repo: RepositoryName, number: int, body: str) -> Request[Comment]:
    """Request a new comment."""
    return create(repo.path("issues", number, "comments"), Comment, CommentBody(body=body))


def update_comment(repo: RepositoryName, comment: int, body: str) -> Request[Comment]:
    """Request a new text for a comment."""
    return change(repo.path("issues", "comments", comment), Comment, CommentBody(body=body))


def delete_comment(repo: RepositoryName, comment: int) -> Request[None]:
    """Request the removal of a comment."""
    return delete(repo.path("issues", "comments", comment))


def create_reaction(repo: RepositoryName, comment: int, content: str) -> Request[Reaction]:
    """Request a reaction to a comment; a second one of the same kind changes nothing."""
    return create(repo.path("issues", "comments", comment, "reactions"), Reaction, ReactionBody(content=content))


def list_issues(repo: RepositoryName, state: str = "open", *, labels: str = "") -> Request[tuple[Issue, ...]]:
    """Request the issues with all *labels* (comma-separated); *state* is open, closed or all. Has pages.

    GitHub's filter by author depends on the token, so callers compare *user* themselves.
    """
    filters = {"labels": labels} if labels else {}
    return get(repo.path("issues"), tuple[Issue, ...], state=state, **filters, per_page=MAX_PER_PAGE)


def create_issue(repo: RepositoryName, issue: NewIssue) -> Request[Issue]:
    """Request a new issue; the job needs ``issues: write``."""
    return create(repo.path("issues"), Issue, issue)


def update_issue(repo: RepositoryName, number: int, text: IssueText) -> Request[Issue]:
    """Request a new title and text for an issue."""
    return change(repo.path("issues", number), Issue, text)


def set_issue_state(repo: RepositoryName, number: int, new: IssueStateChange) -> Request[Issue]:
    """Request that an issue is closed or reopened."""
    return change(repo.path("issues", number), Issue, new)
