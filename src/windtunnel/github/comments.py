"""Comments on issues and pull requests, and reactions to them."""

from dataclasses import dataclass

from windtunnel.github.people import Account
from windtunnel.github.request import MOST_A_PAGE, RepositoryName, Request, change, create, delete, get

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
