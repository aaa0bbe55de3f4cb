"""The line beside a commit: a check-run, or a status where check-runs are not offered."""

from collections.abc import Mapping

from windtunnel.errors import RefusedError
from windtunnel.github.api_checks import (
    LONGEST_DESCRIPTION,
    Check,
    CheckRun,
    Conclusion,
    Progress,
    State,
    Status,
    create_check,
    list_checks,
    set_status,
    update_check,
)
from windtunnel.github.client import Client
from windtunnel.github.http import RepositoryName

NOT_OFFERED = frozenset({403, 404, 405, 410, 501})
"""Statuses by which a forge, or a token that is no app's, says that it has no check-runs."""

STATES: Mapping[Conclusion, State] = {
    Conclusion.SUCCESS: State.SUCCESS,
    Conclusion.NEUTRAL: State.SUCCESS,
    Conclusion.FAILURE: State.FAILURE,
    Conclusion.CANCELLED: State.ERROR,
}


async def show(client: Client, repo: RepositoryName, sha: str, check: Check) -> str:
    """Bring the check-run of this run up to date, or make it; return in a word what was used.

    A run that has concluded is not set back to *in progress* by a message that comes late.
    """
    try:
        found = await _found(client, repo, sha, check)
        if found is None:
            await client.send(create_check(repo, sha, check))
        elif not (found.status == Progress.COMPLETED and check.status is Progress.IN_PROGRESS):
            await client.send(update_check(repo, found.id, check))
    except RefusedError as refused:
        if refused.status not in NOT_OFFERED:
            raise
        await client.send(set_status(repo, sha, _status(check)))
        return "status"
    return "check"


async def _found(client: Client, repo: RepositoryName, sha: str, check: Check) -> CheckRun | None:
    async for page in client.pages(list_checks(repo, sha, check.name)):
        for one in page.check_runs:
            if one.external_id == check.external_id:
                return one
    return None


def _status(check: Check) -> Status:
    concluded = check.conclusion if isinstance(check.conclusion, Conclusion) else None
    return Status(
        state=State.PENDING if concluded is None else STATES[concluded],
        target_url=check.details_url,
        description=check.output.title[:LONGEST_DESCRIPTION],
        context=check.name,
    )
