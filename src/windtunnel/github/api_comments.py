"""Issues; the list of GitHub also holds pull requests, told apart by *pull_request*."""

from dataclasses import dataclass
from enum import StrEnum

from windtunnel.github.people import Account
from windtunnel.github.request import MOST_A_PAGE, RepositoryName, Request, change, create, get

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
