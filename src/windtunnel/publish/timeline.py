"""The order of commits on the site."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from windtunnel.git.repository import Commit, Tag
from windtunnel.model.identity import CommitHash
from windtunnel.model.run import Run
from windtunnel.publish.format.front import Release


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedCommit:
    """A commit with results; *commit* is None where the clone does not have it, *revision* counts along the branch."""

    hash: CommitHash
    commit: Commit | None
    date: float
    revision: int | None


def timeline(
    runs: Iterable[Run], history: Sequence[Commit], elsewhere: Mapping[CommitHash, Commit]
) -> tuple[TimedCommit, ...]:
    """Return the commits of *runs*, oldest first; *history* is the branch, newest first.

    Commits of the branch keep its order, whatever their dates; the others stand where their dates put them.
    """
    dates: dict[CommitHash, float] = {}
    for run in runs:
        dates.setdefault(run.commit, run.date / 1000)
    ordered = [
        TimedCommit(hash=each.hash, commit=each, date=float(each.author_date), revision=revision)
        for revision, each in enumerate(reversed(history))
        if each.hash in dates
    ]
    on_branch = {each.hash for each in ordered}
    strays = sorted((date, commit) for commit, date in dates.items() if commit not in on_branch)
    latest = _latest_so_far(ordered)
    for date, commit in reversed(strays):
        stray = TimedCommit(hash=commit, commit=elsewhere.get(commit), date=date, revision=None)
        ordered.insert(bisect_right(latest, date), stray)
    return tuple(ordered)


def _latest_so_far(ordered: Iterable[TimedCommit]) -> list[float]:
    latest: list[float] = []
    for each in ordered:
        latest.append(max(each.date, latest[-1] if latest else each.date))
    return latest


def releases(tags: Iterable[Tag], commits: Sequence[TimedCommit]) -> tuple[Release, ...]:
    """Return the tags that lead to one of *commits*, oldest first."""
    index = {each.hash: place for place, each in enumerate(commits)}
    found = [Release(name=tag.name, commit=index[tag.commit]) for tag in tags if tag.commit in index]
    return tuple(sorted(found, key=lambda release: (release.commit, release.name)))
