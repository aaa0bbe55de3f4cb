"""Pull requests, found by the commit at their head."""

from dataclasses import dataclass

from windtunnel.github.http import MOST_A_PAGE, RepositoryName, Request, get


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """The repository that an end lives in; *pushed_at* is when anything was pushed to it last."""

    full_name: str
    pushed_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """Base or head of a pull request; the repository of a head may be gone."""

    sha: str
    ref: str
    repo: Home | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """A pull request."""

    number: int
    state: str
    head: End
    base: End


def pulls_with(repo: RepositoryName, sha: str) -> Request[tuple[PullRequest, ...]]:
    """Ask for the pull requests that hold the commit *sha*; has pages."""
    return get(
        "/repos/{owner}/{repo}/commits/{sha}/pulls{?per_page}",
        tuple[PullRequest, ...],
        owner=repo.owner,
        repo=repo.name,
        sha=sha,
        per_page=MOST_A_PAGE,
    )


def open_pulls(repo: RepositoryName) -> Request[tuple[PullRequest, ...]]:
    """Ask for all open pull requests, the latest touched first; has pages."""
    return get(
        "/repos/{owner}/{repo}/pulls{?state,sort,direction,per_page}",
        tuple[PullRequest, ...],
        owner=repo.owner,
        repo=repo.name,
        state="open",
        sort="updated",
        direction="desc",
        per_page=MOST_A_PAGE,
    )


def pull(repo: RepositoryName, number: int) -> Request[PullRequest]:
    """Ask for one pull request."""
    return get("/repos/{owner}/{repo}/pulls/{number}", PullRequest, owner=repo.owner, repo=repo.name, number=number)
