"""The order of the measured commits: the history of a branch, or their dates."""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from windtunnel.errors import DataError, UsageError
from windtunnel.git.repository import Commit, Repository
from windtunnel.model.identity import CommitHash
from windtunnel.model.run import CommitHistory, DatedCommit, Run, history_by_date


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitOrder:
    """The commits in order."""

    history: CommitHistory
    """Oldest first."""
    warning: str = ""
    """Why the order is only that of the dates; empty for the order of a branch."""


def find_order(
    runs: Sequence[Run], repository: Callable[[], Repository], configured: Sequence[str] = ()
) -> CommitOrder:
    """Return the order of the commits of *runs* in *repository*, or by their dates where it does not have them."""
    try:
        measured = frozenset(run.commit for run in runs)
        return CommitOrder(history=read_history(repository(), None, measured, configured))
    except (UsageError, DataError) as error:
        return CommitOrder(history=history_by_date(runs), warning=str(error))


def read_history(
    repository: Repository,
    branch: str | None,
    measured: AbstractSet[CommitHash],
    configured: Sequence[str] = (),
) -> CommitHistory:
    """Return the commits of *branch* along first parents, oldest first, and its releases.

    Without a name the first of these that contains a *measured* commit is used: the first *configured* branch that
    exists, else the default branch; the same branch of the remote; HEAD. Raises DataError where none does, and
    UsageError where *branch* does not exist.
    """
    revisions = (repository.measured_branch(branch).head,) if branch else _main(repository, configured)
    logs = [log for revision in revisions if (log := _log(repository, revision))]
    for log in logs:
        if not measured or any(commit.hash in measured for commit in log):
            return _history(repository, log[::-1])
    names = branch or " or ".join(revisions)
    raise DataError(f"{repository.root} has none of the {len(measured)} measured commits on {names}")


def _main(repository: Repository, configured: Sequence[str]) -> tuple[str, ...]:
    try:
        name = repository.measured_branch(None, configured).name
    except UsageError:
        return ("HEAD",)
    return name, f"origin/{name}", "HEAD"


def _log(repository: Repository, revision: str) -> tuple[Commit, ...]:
    try:
        return repository.first_parent_log(revision)
    except UsageError:
        return ()


def _history(repository: Repository, log: tuple[Commit, ...]) -> CommitHistory:
    positions = {commit.hash: position for position, commit in enumerate(log)}
    releases = {positions[tag.commit] for tag in repository.tags() if tag.commit in positions}
    return CommitHistory(
        commits=tuple(DatedCommit(hash=commit.hash, date=float(commit.author_date)) for commit in log),
        releases=tuple(sorted(releases)),
    )
