"""The values of claims, measured in blocks: what ``windtunnel measure-claims`` writes to the records of a results tree.

One file holds what one machine measured of one commit in one environment.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from windtunnel.asv import protocol
from windtunnel.formats import Format
from windtunnel.model.identity import (
    BenchmarkName,
    BenchmarkVersion,
    CommitHash,
    EnvironmentName,
    Instant,
    Parameters,
    case_name,
)
from windtunnel.model.run_format import MachineRecord, PythonBuild
from windtunnel_claims.format import Setting

SAMPLES_SCHEMA = "windtunnel.claim-samples/1"
"""The version of the format. New fields have defaults and do not change the number; it changes when a reader of the old
form would misread the new one."""

MAX_SERIES, MAX_CASES, MAX_BLOCKS = 500, 200, 1000
"""Series of a file, and cases and blocks of a series; the last analysis of a claims file has at most as many blocks."""

MAX_VISITS = 4 * MAX_CASES
"""Visits of a block: two of each case, and room for more."""

MAX_SAMPLES, MAX_TOTAL_SAMPLES = 20_000, 2_000_000
"""Samples of a visit, and of a file."""

MAX_NAME, MAX_REASON = 1000, 2000
"""Characters of a name, and of a reason."""

MAX_TIME = 1e11
"""Seconds since 1970 that a time may have: the year 5138."""

COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")

Time = Annotated[float, Meta(ge=0, le=MAX_TIME)]
Seconds = Annotated[float, Meta(ge=0, le=1e9)]
Reason = Annotated[str, Meta(max_length=MAX_REASON)]


class ProcessMode(StrEnum):
    """How the cases of a block share processes."""

    SHARED = "shared"
    """One process opens all cases and runs each twice: in one order, then in the reverse order."""
    SEPARATE = "separate"
    """Each case has a process of its own; they run back to back, in random order."""


class CaseOfSeries(Struct, frozen=True, kw_only=True):
    """A case that claims of a series use."""

    benchmark: BenchmarkName
    """The benchmark."""
    params: Parameters
    """The values of its parameters, as asv stores them."""
    version: BenchmarkVersion
    """The version of the benchmark: values of another version are not comparable."""
    unit: str
    """The unit of its values."""
    is_time: bool
    """Whether its values are times."""
    absence: Reason = ""
    """Why the case has no values: ``skipped: …`` or ``failed: …``; empty if it can be measured."""

    @property
    def name(self) -> str:
        """The name of the case in run records."""
        return case_name(self.benchmark, self.params)


class Block(Struct, frozen=True, kw_only=True):
    """One observation of a series: its cases, measured within seconds of each other."""

    started: Time
    """Seconds since 1970."""
    visits: Annotated[tuple[protocol.CaseVisit, ...], Meta(max_length=MAX_VISITS)]
    """The runs, in their order; their cases are indices in the series."""
    seconds: Seconds
    """How long the block took, with the start of its processes."""
    background_load: Annotated[float, Meta(ge=0, le=1e6)] | None = None
    """Processors that other processes used meanwhile; null where the system does not report it."""
    reason: Reason = ""
    """Why visits are missing; empty if none are."""
    awake: Reason = ""
    """How all processors were kept awake; empty if they were not."""
    boot: Annotated[str, Meta(max_length=100)] = ""
    """What identifies the boot of the machine; empty in older files, and where the system does not say."""

    @property
    def day(self) -> tuple[str, str]:
        """The day, UTC, and the boot: blocks of another one are independent of this one."""
        return datetime.fromtimestamp(self.started, UTC).strftime("%Y-%m-%d"), self.boot

    def is_quiet(self, limit: float) -> bool:
        """Return whether other processes used at most *limit* processors, as far as the system reports it."""
        return (self.background_load or 0.0) <= limit


class ClaimSeries(Struct, frozen=True, kw_only=True):
    """Claims that use the same benchmarks, given parameters and process mode, and the blocks that measure them."""

    given: tuple[Setting, ...]
    """The parameters that all cases share."""
    processes: ProcessMode
    """How the cases of a block share processes."""
    round_trips: bool = False
    """Whether every second block is measured with the processors kept awake."""
    claims: Annotated[tuple[str, ...], Meta(max_length=1000)]
    """The ids of the claims; ``control`` is the control of the claims file."""
    cases: Annotated[tuple[CaseOfSeries, ...], Meta(max_length=MAX_CASES)]
    """The cases of the claims."""
    blocks: Annotated[tuple[Block, ...], Meta(max_length=MAX_BLOCKS)] = ()
    """What was measured, oldest first. A block has visits of the cases that undecided claims needed at that time."""
    skipped: Reason = ""
    """Why nothing of the series can be measured; empty if it can."""


class ClaimSamples(Struct, frozen=True, kw_only=True):
    """The content of a file."""

    schema: str
    """``windtunnel.claim-samples/1``."""
    project: str
    """Name of the project."""
    commit: CommitHash
    """Full hash of the commit."""
    date: Annotated[Instant, Meta(ge=0, le=int(MAX_TIME * 1000))]
    """The date of the commit, in milliseconds since 1970, as in asv's files."""
    python: str
    """Python as asv names it: 3.12, 3.14t, pypy3.11."""
    environment: EnvironmentName
    """Name of the environment as asv names it."""
    machine: MachineRecord
    """The machine that measured."""
    build: PythonBuild | None
    """The Python and its packages; null when the install failed."""
    started: Time
    """When the first block began, seconds since 1970; a resumed file keeps it."""
    ended: Time
    """When the newest block ended, seconds since 1970."""
    interrupted: bool
    """Whether the newest run of the command was stopped before its end."""
    seed: Annotated[int, Meta(ge=0, lt=2**32)]
    """The number that all random orders come from."""
    series: Annotated[tuple[ClaimSeries, ...], Meta(max_length=MAX_SERIES)]
    """The series."""


def _problems(samples: ClaimSamples) -> Iterator[str]:
    """Yield what the types cannot check: names, duplicates, indices and the number of values."""
    if not COMMIT.fullmatch(samples.commit):
        yield f"the commit {samples.commit[:80]!r} is not a full hash"
    names = (samples.project, samples.python, samples.environment, samples.machine.name)
    if not all(names[1:]) or any(len(name) > MAX_NAME for name in names):
        yield f"a name is empty or longer than {MAX_NAME} characters"
    claims = Counter(claim for series in samples.series for claim in series.claims)
    if twice := [claim for claim, count in claims.items() if count > 1]:
        yield f"the claim {twice[0][:80]!r} is in two series"
    visits = [visit for series in samples.series for block in series.blocks for visit in block.visits]
    if any(len(visit.samples) > MAX_SAMPLES for visit in visits):
        yield f"a visit has more than {MAX_SAMPLES} samples"
    if sum(len(visit.samples) for visit in visits) > MAX_TOTAL_SAMPLES:
        yield f"it has more than {MAX_TOTAL_SAMPLES} samples"
    if not all(math.isfinite(value) for visit in visits for value in visit.samples):
        yield "a sample is infinite or not a number"
    for number, series in enumerate(samples.series):
        yield from (f"series {number}: {problem}" for problem in _problems_of(series))


def _problems_of(series: ClaimSeries) -> Iterator[str]:
    cases = Counter(case.name for case in series.cases)
    if twice := [name for name, count in cases.items() if count > 1]:
        yield f"the case {twice[0][:200]!r} is listed twice"
    if any(len(text) > MAX_NAME for text in (*cases, *series.claims, *(case.version for case in series.cases))):
        yield f"a name is longer than {MAX_NAME} characters"
    for block in series.blocks:
        if any(visit.case >= len(series.cases) for visit in block.visits):
            yield "a visit is of a case that is not listed"


SAMPLES_FORMAT = Format(
    name="claim-samples.json",
    type=ClaimSamples,
    schema=SAMPLES_SCHEMA,
    remedy="measure again with windtunnel measure-claims",
    check=_problems,
)
