"""The order in which a project's commits came to its branch."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from windtunnel.model.identity import CommitHash
from windtunnel.model.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedCommit:
    """A commit and its author's date, in seconds since 1970; dates need not ascend."""

    hash: CommitHash
    date: float

    @property
    def day(self) -> str:
        """The date for readers: ISO 8601, UTC."""
        try:
            return datetime.fromtimestamp(self.date, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        except (OverflowError, ValueError, OSError):
            return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitHistory:
    """Commits along first parents, oldest first; *releases* are places among them, ascending."""

    commits: tuple[DatedCommit, ...]
    releases: tuple[int, ...] = ()


def history_by_date(runs: Iterable[Run]) -> CommitHistory:
    """Return the measured commits in the order of their dates: a guess, for where there is no repository."""
    dates: dict[CommitHash, float] = {}
    for run in runs:
        dates.setdefault(run.commit, run.date / 1000)
    ordered = sorted(dates.items(), key=lambda item: (item[1], item[0]))
    return CommitHistory(commits=tuple(DatedCommit(hash=commit, date=date) for commit, date in ordered))
