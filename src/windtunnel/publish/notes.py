"""The notes of the site: sentences about data that was left out, and why."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from windtunnel.model.identity import CommitHash
from windtunnel.publish.overview import Overview

MAX_NAMES = 5
"""Names in a sentence; the rest is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OmittedData:
    """Data that the site leaves out, or shows in another place."""

    branches: tuple[str, ...]
    """The branches that are shown."""
    commits: tuple[CommitHash, ...]
    """Commits with results on none of these branches."""
    commit_count: int
    """The number of all commits with results."""


def data_notes(overview: Overview, omitted: OmittedData) -> tuple[str, ...]:
    """Return a sentence about everything that a reader might miss."""
    return tuple(_notes(overview, omitted))


def _notes(overview: Overview, omitted: OmittedData) -> Iterator[str]:
    if count := len(omitted.commits):
        verb, pronoun = ("is", "it") if count == 1 else ("are", "them")
        yield (
            f"{count} of {omitted.commit_count} commits with results {verb} on no branch shown here "
            f"({', '.join(omitted.branches)}); histories place {pronoun} by date: "
            f"{_enumerate([commit[:8] for commit in omitted.commits])}."
        )
    if overview.untried:
        names = [benchmark.name for benchmark in overview.untried]
        yield f"Without results of their present version for the Pythons above: {_enumerate(names)}."
    if count := len(overview.problems):
        subject = "One entry" if count == 1 else f"{count} entries"
        problems = _enumerate([str(problem) for problem in overview.problems], "; ")
        yield f"{subject} of the results could not be used: {problems}."


def _enumerate(names: Sequence[str], separator: str = ", ") -> str:
    first = separator.join(names[:MAX_NAMES])
    left = len(names) - MAX_NAMES
    return first if left <= 0 else f"{first} and {left} more"
