"""Which pull requests a run was for: those whose head is the commit that the run was for, by the forge's own word."""

from windtunnel.github.api_pulls import PullRequest, open_pulls, pull, pulls_with
from windtunnel.github.client import Client
from windtunnel.github.http import RepositoryName


async def pulls_headed(client: Client, repo: RepositoryName, sha: str) -> tuple[int, ...]:
    """Return the numbers of the open pull requests whose head is *sha* now.

    A fork's commit is not always found by its hash, so the open ones are looked through too. None means that the pull
    request has moved on or is closed: what was measured is no longer what would be merged.
    """
    found = await _headed(client, repo, sha, by_commit=True)
    return found or await _headed(client, repo, sha, by_commit=False)


async def is_head(client: Client, repo: RepositoryName, number: int, sha: str) -> bool:
    """Tell whether *sha* is the head of the open pull request *number* now."""
    return _open_at(await client.send(pull(repo, number)), sha)


async def _headed(client: Client, repo: RepositoryName, sha: str, *, by_commit: bool) -> tuple[int, ...]:
    request = pulls_with(repo, sha) if by_commit else open_pulls(repo)
    return tuple([one.number async for page in client.pages(request) for one in page if _open_at(one, sha)])


def _open_at(one: PullRequest, sha: str) -> bool:
    return one.state == "open" and one.head.sha == sha
