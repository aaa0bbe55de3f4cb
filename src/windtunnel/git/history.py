"""The history of branches along first parents, and the order of the measured commits."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from windtunnel.errors import DataError, UsageError
from windtunnel.git.repository import Commit, Reference, Repository
from windtunnel.model.identity import CommitHash
from windtunnel.model.run import CommitHistory, DatedCommit, Run, history_by_date


def find_order(
    runs: Sequence[Run], repository: Callable[[], Repository], configured: Sequence[str] = ()
) -> tuple[CommitHistory, str]:
    """Return the commits of *runs* in the order of *repository*, and "".

    Where it does not have them, they are in the order of their dates, and the second value says why.
    """
    try:
        measured = frozenset(run.commit for run in runs)
        return read_history(repository(), None, measured, configured), ""
    except (UsageError, DataError) as error:
        return history_by_date(runs), str(error)


def read_history(
    repository: Repository, branch: str | None, measured: AbstractSet[CommitHash], configured: Sequence[str] = ()
) -> CommitHistory:
    """Return the commits of *branch* along first parents, oldest first, and its releases.

    Without a name the first of these that contains a *measured* commit is used: the first *configured* branch that
    exists, else the default branch; the same branch of the remote; HEAD. Raises DataError where none does, and
    UsageError where *branch* does not exist.
    """
    revisions = (repository.measured_branch(branch).commit,) if branch else _main(repository, configured)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchHistory:
    """The branches that the site shows, with their commits."""

    branches: tuple[Reference, ...]
    commits: tuple[Commit, ...]
    """Along first parents, newest first, each once."""
    branch_of: Mapping[CommitHash, str]
    """The branch of each commit; of several the first in *branches*."""
    notes: tuple[str, ...]
    """Sentences about what is missing."""


def read_branch_history(repository: Repository, configured: Sequence[str], asked: str | None = None) -> BranchHistory:
    """Return the history of the branch *asked* for, else of those *configured* branches that exist.

    Where none exists, the default branch replaces them, and HEAD where there is none. Raises UsageError if no commit
    exists, or the branch asked for does not.
    """
    names = (asked,) if asked else tuple(configured)
    found = tuple(branch for name in names if (branch := repository.find_branch(name)))
    have = {branch.name for branch in found}
    notes = [f"The repository has no branch {name}; it is not shown." for name in names if name not in have]
    if not found:
        found = (_replacement(repository, names, asked),)
        shown = "what is checked out" if found[0].name in names else found[0].name
        notes = [f"The repository has no branch {name}; {shown} is shown instead." for name in names[:1]]
    if repository.is_shallow():
        notes.append("The clone is shallow: older commits are not shown (git fetch --unshallow gets them).")
    commits: dict[CommitHash, Commit] = {}
    branch_of: dict[CommitHash, str] = {}
    for branch in found:
        for commit in repository.first_parent_log(branch.commit):
            commits.setdefault(commit.hash, commit)
            branch_of.setdefault(commit.hash, branch.name)
    return BranchHistory(branches=found, commits=tuple(commits.values()), branch_of=branch_of, notes=tuple(notes))


def find_commit(repository: Repository, commit: CommitHash) -> Commit | None:
    """Return *commit* from *repository*, on whatever branch it is; None where the repository does not have it."""
    try:
        return repository.first_parent_log(commit, 1)[0]
    except UsageError:
        return None


def _replacement(repository: Repository, names: Sequence[str], asked: str | None) -> Reference:
    """Return the default branch; where no branch exists, what is checked out, under the first of *names*."""
    try:
        return repository.measured_branch(asked)
    except UsageError:
        if asked:
            raise
        return Reference(name=names[0] if names else "main", commit=repository.resolve("HEAD"))
