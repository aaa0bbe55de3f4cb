"""The order of commits on the site."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

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


def timeline(
    runs: Iterable[Run], history: Sequence[Commit], elsewhere: Mapping[CommitHash, Commit]
) -> tuple[SiteCommit, ...]:
    """Return the commits of *runs*, oldest first; *history* is the branch, newest first.

    Commits of the branch keep its order, whatever their dates. The others are inserted by date.
    """
    dates: dict[CommitHash, float] = {}
    for run in runs:
        dates.setdefault(run.commit, run.date / 1000)
    ordered = [
        SiteCommit(hash=each.hash, commit=each, date=float(each.author_date), revision=revision)
        for revision, each in enumerate(reversed(history))
        if each.hash in dates
    ]
    on_branch = {each.hash for each in ordered}
    others = sorted((date, commit) for commit, date in dates.items() if commit not in on_branch)
    latest = list(accumulate((each.date for each in ordered), max))
    for date, commit in reversed(others):
        other = SiteCommit(hash=commit, commit=elsewhere.get(commit), date=date, revision=None)
        ordered.insert(bisect_right(latest, date), other)
    return tuple(ordered)


def releases(tags: Iterable[Tag], commits: Sequence[SiteCommit], history: Sequence[Commit]) -> tuple[Release, ...]:
    """Return the tags on *history* (newest first), oldest first, each at the last of *commits* that it contains.

    Tags before the first of *commits* are left out.
    """
    measured = [(each.revision, index) for index, each in enumerate(commits) if each.revision is not None]
    revisions = {commit.hash: revision for revision, commit in enumerate(reversed(history))}
    tagged = ((tag.name, revisions[tag.commit]) for tag in tags if tag.commit in revisions)
    found = [
        Release(name=name, commit=measured[at - 1][1])
        for name, revision in tagged
        if (at := bisect_right(measured, revision, key=lambda each: each[0]))
    ]
    return tuple(sorted(found, key=lambda release: (release.commit, release.name)))
