"""Reads the verdicts of pull requests whose code the project accepted, for the false alarms of their A/A comparisons.

The run of a pull request executes its code, so it can write any verdict. A run counts only if its commit was merged, or
if it comes from a branch of the repository itself: who can do that can write to the results branch anyway. A merged
commit counts once, and only from the fork that it was merged from: anyone can open pull requests with it, many times.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice

from windtunnel.compare.format import ComparisonReport
from windtunnel.errors import DataError, RefusedError
from windtunnel.github.api_runs import WorkflowRun, format_instant, list_pull_request_runs
from windtunnel.github.client import Client, RepositoryName
from windtunnel.github.publish_verdict import fetch_verdict
from windtunnel.github.pull_requests import BranchRepository, list_closed_pulls

RETENTION = timedelta(days=90)
"""GitHub keeps artifacts at most so long by default."""

MAX_READ = 300
"""Runs, and closed pull requests, that one call reads."""

MAX_DOWNLOADS = 20
"""Verdicts that one call reads; the next call reads the rest."""

FINISHED = frozenset({"success", "failure"})
"""Conclusions of runs that may have a verdict; a run held for approval has ``action_required``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequestVerdict:
    """The verdict of one run."""

    run: WorkflowRun
    report: ComparisonReport | None = None
    """The verdict; None where there is none that can be read."""
    problem: str = ""
    """Why it cannot be read."""


def read_verdicts(
    client: Client, repo: RepositoryName, workflow: int | str, known: Collection[str]
) -> Iterator[PullRequestVerdict]:
    """Yield verdicts of the *workflow* on pull requests that are not *known* by the number of their run.

    Of a fork, those whose commit is *known* are left out too. The newest come first. The workflow is a number or the
    name of its file.
    """
    since = format_instant(datetime.fromtimestamp(client.clock.now(), UTC) - RETENTION)
    read = islice(client.entries(list_pull_request_runs(repo, workflow, since)), MAX_READ)
    runs = {run.id: run for run in read if _is_new(run, known)}
    if not runs:
        return
    newest = sorted(runs.values(), key=lambda run: run.id, reverse=True)
    foreign = [run for run in newest if not _is_own(run, repo) and run.head_sha not in known]
    merged = _merged_heads(client, repo) if foreign else frozenset()
    firsts = {run.head_sha: run for run in foreign if _origins(run) & merged}
    accepted = (run for run in newest if _is_own(run, repo) or firsts.get(run.head_sha) is run)
    for run in islice(accepted, MAX_DOWNLOADS):
        yield _read(client, repo, run)


def _is_new(run: WorkflowRun, known: Collection[str]) -> bool:
    finished = run.status == "completed" and run.conclusion in FINISHED
    return finished and run.event == "pull_request" and str(run.id) not in known


def _is_own(run: WorkflowRun, repo: RepositoryName) -> bool:
    return run.head_repository is not None and run.head_repository.full_name.lower() == str(repo).lower()


def _merged_heads(client: Client, repo: RepositoryName) -> frozenset[tuple[str, str]]:
    """Return the heads with which pull requests were merged, each with its fork, "" for one that was deleted.

    An earlier head may hold code that was not accepted.
    """
    read = islice(client.entries(list_closed_pulls(repo)), MAX_READ)
    merged = (pull.head for pull in read if pull.merged_at)
    return frozenset((head.sha, _name(head.repo)) for head in merged)


def _origins(run: WorkflowRun) -> frozenset[tuple[str, str]]:
    """Return the heads of merged pull requests that may be that of *run*."""
    return frozenset(((run.head_sha, _name(run.head_repository)), (run.head_sha, "")))


def _name(repository: BranchRepository | None) -> str:
    return repository.full_name.lower() if repository else ""


def _read(client: Client, repo: RepositoryName, run: WorkflowRun) -> PullRequestVerdict:
    try:
        return PullRequestVerdict(run=run, report=fetch_verdict(client, repo, run))
    except DataError as error:
        return PullRequestVerdict(run=run, problem=str(error))
    except RefusedError as refused:
        if refused.status not in {404, 410}:  # deleted meanwhile, or expired
            raise
        return PullRequestVerdict(run=run, problem=str(refused))
