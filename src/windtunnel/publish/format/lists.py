"""The lists that a page looks things up in: commits and benchmarks, in columns."""

from dataclasses import dataclass
from typing import Literal

from windtunnel.publish.format.words import CommitIndex, File, Index, PlaceIndex, Text


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitsData:
    """Commits with results, oldest first; columns. *first* is the index of the first one in this file.

    Subject and date (author's, seconds since 1970) are null where the publishing clone does not have the commit;
    *revision* counts along the branch and is null for commits on no branch shown.
    """

    schema: Literal["windtunnel.commits/1"]
    first: CommitIndex
    hash: tuple[Text, ...]
    subject: tuple[Text | None, ...]
    author: tuple[Text | None, ...]
    date: tuple[int | None, ...]
    revision: tuple[int | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarksData:
    """All benchmarks, by name; columns. *unit* is an index into *units*.

    *last* with its interval (low, high) is the newest value of the case *case* at the place *place*, *trend* its
    relative change over what *spark* shows: one character a commit, 0-9a-z from its lowest to its highest value, a dot
    is a gap. *measured* of *cases* had a value when the benchmark was last tried at that place. *stale* counts the
    commits measured there since.
    """

    schema: Literal["windtunnel.benchmarks/1"]
    units: tuple[Text, ...]
    name: tuple[Text, ...]
    file: tuple[File, ...]
    unit: tuple[Index, ...]
    params: tuple[tuple[Text, ...], ...]
    cases: tuple[Index, ...]
    measured: tuple[Index, ...]
    place: tuple[PlaceIndex, ...]
    case: tuple[tuple[Text, ...], ...]
    last: tuple[float | None, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    trend: tuple[float | None, ...]
    spark: tuple[str, ...]
    stale: tuple[Index, ...]
