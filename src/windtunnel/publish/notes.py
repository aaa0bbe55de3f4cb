"""What the site says of its data: what was left out, and why."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from windtunnel.model.identity import BenchmarkName, CommitHash
from windtunnel.publish.overview import Overview

MOST_NAMED = 5
"""The rest is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Commits with results on none of the *branches* shown, and benchmarks that asv's front end cannot show."""

    branches: tuple[str, ...]
    commits: tuple[CommitHash, ...]
    of_commits: int
    benchmarks: tuple[BenchmarkName, ...]


def data_notes(overview: Overview, left_out: LeftOut) -> tuple[str, ...]:
    """Return a sentence for everything that a reader might miss."""
    return tuple(_notes(overview, left_out))


def _notes(overview: Overview, left_out: LeftOut) -> Iterator[str]:
    if left_out.commits:
        count = len(left_out.commits)
        yield (
            f"{count} of {left_out.of_commits} commits with results {_are(count)} on no branch shown here "
            f"({', '.join(left_out.branches)}); histories place {'it' if count == 1 else 'them'} by date: "
            f"{_named([commit[:8] for commit in left_out.commits])}."
        )
    if left_out.benchmarks:
        yield f"Benchmarks with markup in their names are left out of asv's data: {_named(left_out.benchmarks)}."
    if overview.unseen:
        names = [benchmark.name for benchmark in overview.unseen]
        yield f"Without results of their present version for the Pythons above: {_named(names)}."
    if overview.problems:
        count = len(overview.problems)
        what = "One entry" if count == 1 else f"{count} entries"
        named = _named([str(problem) for problem in overview.problems], "; ")
        yield f"{what} of the results could not be used: {named}."


def _named(names: Sequence[str], separator: str = ", ") -> str:
    first = separator.join(names[:MOST_NAMED])
    left = len(names) - MOST_NAMED
    return first if left <= 0 else f"{first} and {left} more"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
