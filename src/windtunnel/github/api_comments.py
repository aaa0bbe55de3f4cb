"""Comments, reactions, issues and accounts in GitHub's REST interface."""

from dataclasses import dataclass
from enum import StrEnum

from windtunnel.github.http import MOST_A_PAGE, RepositoryName, Request, change, create, delete, get

WRITERS = frozenset({"admin", "maintain", "write"})
"""The permissions that let somebody push."""

BOT = "github-actions[bot]"
"""Who writes with the token of a workflow; that token may not ask ``/user``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A user, bot or organisation."""

    login: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """What somebody may do in a repository: admin, write, read or none; *role_name* may be finer."""

    permission: str
    role_name: str = ""

    @property
    def writes(self) -> bool:
        """Tell whether they may push; roles of an organisation's own making count by the permission they rest on."""
        return self.permission in WRITERS


def whoami() -> Request[Account]:
    """Ask whose token this is; refused (403) for the token of a workflow."""
    return get("/user", Account)


def permission_of(repo: RepositoryName, login: str) -> Request[Permission]:
    """Ask what *login* may do."""
    return get(
        "/repos/{owner}/{repo}/collaborators/{login}/permission",
        Permission,
        owner=repo.owner,
        repo=repo.name,
        login=login,
    )


COMMENTS = "/repos/{owner}/{repo}/issues/{number}/comments"
COMMENT = "/repos/{owner}/{repo}/issues/comments/{comment}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment; ids grow with time."""

    id: int
    body: str = ""
    user: Account | None = None
    html_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentBody:
    """What is sent."""

    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReactionBody:
    """What is sent."""

    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaction:
    """A reaction."""

    id: int


def list_comments(repo: RepositoryName, number: int) -> Request[tuple[Comment, ...]]:
    """Ask for the comments of an issue or pull request, oldest first; has pages."""
    return get(
        COMMENTS + "{?per_page}",
        tuple[Comment, ...],
        owner=repo.owner,
        repo=repo.name,
        number=number,
        per_page=MOST_A_PAGE,
    )


def create_comment(repo: RepositoryName, number: int, body: str) -> Request[Comment]:
    """Add a comment."""
    return create(COMMENTS, Comment, CommentBody(body=body), owner=repo.owner, repo=repo.name, number=number)


def update_comment(repo: RepositoryName, comment: int, body: str) -> Request[Comment]:
    """Replace the text of a comment."""
    return change(COMMENT, Comment, CommentBody(body=body), owner=repo.owner, repo=repo.name, comment=comment)


def delete_comment(repo: RepositoryName, comment: int) -> Request[None]:
    """Remove a comment."""
    return delete(COMMENT, owner=repo.owner, repo=repo.name, comment=comment)


def react(repo: RepositoryName, comment: int, content: str) -> Request[Reaction]:
    """React to a comment with ``eyes``, ``rocket``, ``confused`` …; doing so twice leaves one."""
    return create(
        COMMENT + "/reactions",
        Reaction,
        ReactionBody(content=content),
        owner=repo.owner,
        repo=repo.name,
        comment=comment,
    )


ISSUES = "/repos/{owner}/{repo}/issues"
ISSUE = ISSUES + "/{number}"


class IssueState(StrEnum):
    """Open or closed."""

    OPEN = "open"
    CLOSED = "closed"


class Reason(StrEnum):
    """Why an issue was closed or opened again."""

    COMPLETED = "completed"
    NOT_PLANNED = "not_planned"
    REOPENED = "reopened"


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequestLink:
    """Only there when the issue is a pull request."""

    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """An issue; numbers grow with time."""

    number: int
    title: str
    state: str
    body: str | None = None
    user: Account | None = None
    html_url: str = ""
    pull_request: PullRequestLink | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewIssue:
    """An issue to open; labels that are not there yet are made."""

    title: str
    body: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueText:
    """What is to stand in an issue from now on."""

    title: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueEnd:
    """The state of an issue from now on."""

    state: IssueState
    state_reason: Reason


def list_issues(repo: RepositoryName, state: str = "open", *, labels: str = "") -> Request[tuple[Issue, ...]]:
    """Ask for the issues with all *labels* (comma-separated); *state* is open, closed or all. Has pages.

    There is no filter by author: whoever searches for its own compares *user* itself, whatever token it has.
    """
    given = {"labels": labels} if labels else {}
    return get(
        ISSUES + "{?state,labels,per_page}",
        tuple[Issue, ...],
        owner=repo.owner,
        repo=repo.name,
        state=state,
        per_page=MOST_A_PAGE,
        **given,
    )


def create_issue(repo: RepositoryName, issue: NewIssue) -> Request[Issue]:
    """Open an issue; the job needs ``issues: write``."""
    return create(ISSUES, Issue, issue, owner=repo.owner, repo=repo.name)


def rewrite_issue(repo: RepositoryName, number: int, text: IssueText) -> Request[Issue]:
    """Replace the title and text of an issue."""
    return change(ISSUE, Issue, text, owner=repo.owner, repo=repo.name, number=number)


def set_issue_state(repo: RepositoryName, number: int, end: IssueEnd) -> Request[Issue]:
    """Close an issue, or open it again."""
    return change(ISSUE, Issue, end, owner=repo.owner, repo=repo.name, number=number)
