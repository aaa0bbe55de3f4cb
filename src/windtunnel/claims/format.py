"""claims.json: the types of the file (docs/claims-format.md)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from windtunnel.formats import Format
from windtunnel.model.identity import BenchmarkName, CommitHash, EnvironmentName, MachineName, Parameters
from windtunnel.model.result import Interval

SCHEMA = "windtunnel.claims/1"
"""Changes when a reader of the old form would misread the new one."""


class Decision(StrEnum):
    """What is said of a claim at a place."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    OUT_OF_SCOPE = "out_of_scope"


class Basis(StrEnum):
    """What an interval rests on: values of processes, or samples that nobody knows the processes of."""

    PROCESSES = "processes"
    SAMPLES = "samples"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A parameter and its value, raw as asv keeps it: ``load`` and ``'article'`` with its quotes."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedClaim:
    """A claim in words: the sentence, who said it (*source* is a key of ``sources``), and on which storage.

    *article_says* is what the source has instead of a figure; the figures themselves stand with the tests.
    """

    id: str
    source: str
    sentence: str
    storage: str
    article_says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimSource:
    """An article that claims come from."""

    id: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimPlace:
    """Where claims are decided; *cores* is None where the machine does not say, *gil* false of free-threaded builds."""

    name: str
    python: str
    machine: MachineName
    environment: EnvironmentName
    cores: int | None
    gil: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One side of a test: the case, and its value in *unit* (geometric mean over processes; null: none).

    *processes* is zero where nobody knows how samples fall to processes.
    """

    benchmark: BenchmarkName
    params: Parameters
    value: float | None
    unit: str | None
    processes: int
    samples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedTest:
    """One ratio, contender / baseline, and the band from *low* to *high* (null: no end) in which the claim has it.

    Where *divided_by* has two entries, the ratio is divided by theirs, the first / the second.

    *interval* holds the true ratio with *confidence*; both are null where nothing can be said. *processes_needed* more
    on each side would decide if all else stays as it is; null where it is decided, or where that cannot be known.
    """

    contender: Measurement
    baseline: Measurement
    low: float | None
    high: float | None
    article: float | None
    decision: Decision
    reason: str
    ratio: float | None
    interval: Interval | None
    confidence: float | None
    basis: Basis | None
    processes_needed: int | None
    divided_by: tuple[Measurement, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFigure:
    """A figure beside a claim: *value* in *unit* (null: a ratio), within *low* and *high* with 95 % (null: no end).

    *value* is null where there is none, and *reason* says why.
    """

    name: str
    value: float | None
    unit: str | None
    low: float | None
    high: float | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedClaim:
    """A claim at a place: the decision on *commit* (null: never tried there) and the tests it rests on.

    *given* is what all its cases have in common, such as the load. *decisive* is the index of the test that a short
    report shows: the one that fails, else one that is undecided, else the first. *confidence* is that of all tests
    together. *date* is the commit's, UTC, ISO 8601. *figures* belong to the claim and decide nothing.
    """

    claim: str
    place: str
    decision: Decision
    reason: str
    given: tuple[Setting, ...]
    commit: CommitHash | None
    date: str
    confidence: float | None
    decisive: int
    tests: tuple[DecidedTest, ...]
    figures: tuple[StatedFigure, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitFlip:
    """A claim that held on one commit and failed on the next that decided it, at one place, or the other way round."""

    claim: str
    place: str
    given: tuple[Setting, ...]
    before: Decision
    before_commit: CommitHash
    after: Decision
    after_commit: CommitHash


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceFlip:
    """A claim that holds at some places of a machine and fails at others: on one Python, and not on another."""

    claim: str
    machine: MachineName
    given: tuple[Setting, ...]
    holds: tuple[str, ...]
    fails: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimBoard:
    """Everything that ``windtunnel claims`` decided; *confidence* is what each claim's intervals are asked for."""

    schema: str
    confidence: float
    sources: tuple[ClaimSource, ...]
    claims: tuple[StatedClaim, ...]
    places: tuple[ClaimPlace, ...]
    decisions: tuple[DecidedClaim, ...]
    commit_flips: tuple[CommitFlip, ...]
    place_flips: tuple[PlaceFlip, ...]
    notes: tuple[str, ...]


def _problems(board: ClaimBoard) -> Iterator[str]:
    """Yield each name that is listed twice, or used and not listed."""
    claims, places = [one.id for one in board.claims], [one.name for one in board.places]
    yield from _repeated("claim", claims)
    yield from _repeated("place", places)
    yield from _repeated("decision", [f"{one.claim} at {one.place}" for one in board.decisions])
    decided, flips = board.decisions, board.commit_flips
    yield from _unknown("place", [one.place for one in decided] + [one.place for one in flips], places)
    named = [one.claim for one in decided] + [one.claim for one in flips]
    yield from _unknown("claim", named + [one.claim for one in board.place_flips], claims)
    for one in decided:
        if not 0 <= one.decisive < max(1, len(one.tests)):
            yield f"claim {one.claim[:80]!r} has no test {one.decisive}"


def _repeated(what: str, names: Sequence[str]) -> Iterator[str]:
    yield from (f"the {what} {name[:200]!r} is listed twice" for name, count in Counter(names).items() if count > 1)


def _unknown(what: str, used: Iterable[str], listed: Iterable[str]) -> Iterator[str]:
    yield from (f"the {what} {name[:200]!r} is used but not listed" for name in sorted({*used}.difference(listed)))


CLAIMS_FORMAT = Format(
    name="claims.json", type=ClaimBoard, schema=SCHEMA, remedy="write it again with windtunnel claims", check=_problems
)
