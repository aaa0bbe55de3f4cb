"""A branch as the history that change detection walks through."""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from windtunnel.errors import DataError, UsageError
from windtunnel.git.repository import Commit, Repository
from windtunnel.model.commit_history import CommitHistory, DatedCommit, history_by_date
from windtunnel.model.identity import CommitHash
from windtunnel.model.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The commits in the order that could be found out; *doubt* is why it is only that of their dates, else ""."""

    history: CommitHistory
    doubt: str = ""


def order_of(runs: Sequence[Run], repository: Callable[[], Repository]) -> Order:
    """Return the order that *repository* has for the commits of *runs*, that of their dates where it has none."""
    try:
        return Order(history=history_of(repository(), None, frozenset(run.commit for run in runs)))
    except (UsageError, DataError) as error:
        return Order(history=history_by_date(runs), doubt=str(error))


def history_of(repository: Repository, branch: str | None, measured: AbstractSet[CommitHash]) -> CommitHistory:
    """Return the commits of *branch* along first parents, oldest first, and where its tags are.

    Without a name: the project's main branch, here or at the remote, else what is checked out; the first of them that
    has any of the *measured* commits. Raises DataError where none has, UsageError where there is no such branch.
    """
    names = (branch,) if branch else _main(repository)
    logs = [log for name in names if (log := _log(repository, name, must_exist=branch is not None))]
    for log in logs:
        if not measured or any(commit.hash in measured for commit in log):
            return _history(repository, log[::-1])
    raise DataError(f"{repository.root} has none of the {len(measured)} measured commits on {' or '.join(names)}")


def _main(repository: Repository) -> tuple[str, ...]:
    try:
        name = repository.default_branch()
    except UsageError:
        return ("HEAD",)
    return name, f"origin/{name}", "HEAD"


def _log(repository: Repository, name: str, *, must_exist: bool) -> tuple[Commit, ...]:
    try:
        return repository.first_parent_log(name)
    except UsageError:
        if must_exist:
            raise
        return ()


def _history(repository: Repository, log: tuple[Commit, ...]) -> CommitHistory:
    places = {commit.hash: position for position, commit in enumerate(log)}
    releases = {places[tag.commit] for tag in repository.tags() if tag.commit in places}
    return CommitHistory(
        commits=tuple(DatedCommit(hash=commit.hash, date=float(commit.author_date)) for commit in log),
        releases=tuple(sorted(releases)),
    )
