"""The order of commits on the site."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from windtunnel.asv.project_repository import BranchHistory
from windtunnel.git.repository import Commit, Tag
from windtunnel.model.identity import CommitHash
from windtunnel.model.run import Run
from windtunnel.publish.format.site import Release


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteCommit:
    """A commit with results."""

    hash: CommitHash
    commit: Commit | None
    """None where the clone does not have it."""
    date: float
    """The author's date, in seconds since 1970."""
    revision: int | None
    """The position along the branch; None for commits on no branch that is shown."""
    branch: str | None = None
    """The first of the shown branches that has it; None for commits on none."""


def timeline(
    runs: Iterable[Run], history: BranchHistory, elsewhere: Mapping[CommitHash, Commit]
) -> tuple[SiteCommit, ...]:
    """Return the commits of *runs*, oldest first; those of the first branch come last.

    Commits of *history* keep its order, whatever their dates. The others are inserted by date.
    """
    dates: dict[CommitHash, float] = {}
    for run in runs:
        dates.setdefault(run.commit, run.date / 1000)
    ordered = [
        SiteCommit(
            hash=each.hash,
            commit=each,
            date=float(each.author_date),
            revision=revision,
            branch=history.branch_of[each.hash],
        )
        for revision, each in enumerate(reversed(history.commits))
        if each.hash in dates
    ]
    on_branch = {each.hash for each in ordered}
    others = sorted((date, commit) for commit, date in dates.items() if commit not in on_branch)
    latest = list(accumulate((each.date for each in ordered), max))
    for date, commit in reversed(others):
        other = SiteCommit(hash=commit, commit=elsewhere.get(commit), date=date, revision=None)
        ordered.insert(bisect_right(latest, date), other)
    return tuple(ordered)


def releases(tags: Iterable[Tag], commits: Sequence[SiteCommit], history: BranchHistory) -> tuple[Release, ...]:
    """Return the tags on *history*, oldest first, each at the last of *commits* on its branch that it contains.

    Tags before the first of these are left out.
    """
    measured = [(each.revision, index) for index, each in enumerate(commits) if each.revision is not None]
    revisions = {commit.hash: revision for revision, commit in enumerate(reversed(history.commits))}
    found = [
        Release(name=tag.name, commit=measured[at - 1][1])
        for tag in tags
        if tag.commit in revisions
        and (at := bisect_right(measured, revisions[tag.commit], key=lambda each: each[0]))
        and commits[measured[at - 1][1]].branch == history.branch_of[tag.commit]
    ]
    return tuple(sorted(found, key=lambda release: (release.commit, release.name)))
