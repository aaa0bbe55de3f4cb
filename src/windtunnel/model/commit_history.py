"""The commits of a branch in order."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from windtunnel.model.identity import CommitHash
from windtunnel.model.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedCommit:
    """A commit with its date."""

    hash: CommitHash
    date: float
    """The author's date, in seconds since 1970; dates need not ascend along a branch."""

    @property
    def day(self) -> str:
        """The date in ISO 8601, UTC."""
        try:
            return datetime.fromtimestamp(self.date, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        except (OverflowError, ValueError, OSError):
            return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitHistory:
    """The commits of a branch along first parents."""

    commits: tuple[DatedCommit, ...]
    """Oldest first."""
    releases: tuple[int, ...] = ()
    """Indices of the commits with a tag, ascending."""


def history_by_date(runs: Iterable[Run]) -> CommitHistory:
    """Return the measured commits by date: an approximation for results without a repository."""
    dates: dict[CommitHash, float] = {}
    for run in runs:
        dates.setdefault(run.commit, run.date / 1000)
    ordered = sorted(dates.items(), key=lambda item: (item[1], item[0]))
    return CommitHistory(commits=tuple(DatedCommit(hash=commit, date=date) for commit, date in ordered))
