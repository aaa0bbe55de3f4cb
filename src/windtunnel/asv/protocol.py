"""Messages between the tool and the engine process: requests on stdin, events on stdout, one JSON object per line."""

from collections.abc import Callable
from typing import Annotated

from msgspec import Meta, Struct

from windtunnel import formats
from windtunnel.model.benchmark import Selection
from windtunnel.model.identity import CommitHash
from windtunnel.model.run_format import BuildRecord, CaseState, PythonBuild
from windtunnel.model.schedule import (
    CaseProfile,
    ComparedCommit,
    CountedCase,
    InstructionCounts,
    Process,
    ScheduledProcess,
)


class Place(Struct, frozen=True, kw_only=True):
    """Where the engine works: a suite, the project that it measures, and the environments."""

    config: str
    """Path of the suite's asv configuration."""
    repository: str = ""
    """Path of the project's repository; empty for requests that need none."""
    pythons: tuple[str, ...] = ()
    """Pythons of the environments, which the configuration need not list; empty for those of the configuration."""
    environment: str = ""
    """asv's name of the environment; empty for requests about several."""
    builds: str = ""
    """Folder of builds to install from; empty for none."""


class Describe(Struct, frozen=True, kw_only=True, tag=True):
    """Request the environments that asv makes of the configuration."""

    place: Place


class Discover(Struct, frozen=True, kw_only=True, tag=True):
    """Request the benchmarks of the suite, from the first environment and commit that can be installed."""

    place: Place
    environments: tuple[str, ...]
    commits: tuple[str, ...]
    out: str
    """File to write, in asv's format."""
    save: str = ""
    """Folder to save the build in that discovery makes; empty for none."""


class BuildCommit(Struct, frozen=True, kw_only=True, tag=True):
    """Request a build of one commit in one environment; an equal one among the builds is taken instead."""

    place: Place
    commit: CommitHash
    out: str
    """Folder to save the build in."""


class Measure(Struct, frozen=True, kw_only=True, tag=True):
    """Request the values of one commit in one environment."""

    place: Place
    commit: str
    selections: tuple[Selection, ...]
    benchmarks: str
    """File in asv's format."""
    machine: str
    """File in asv's format."""
    out: str
    """Results tree to write to."""
    map: str = ""
    """File to write a `ReachMap` of the timed cases to; empty for none."""


class PrepareComparison(Struct, frozen=True, kw_only=True, tag=True):
    """Request the builds of two commits, each in its own environment; requests to run, count or profile follow."""

    place: Place
    base: str
    head: str
    interpreters: tuple[str, ...] = ()
    """Paths of the Pythons that have base and head installed; empty to build both commits."""
    suite_in_repository: str
    """Path of the suite in the repository; empty when it is elsewhere."""
    environments: str
    """Folder for the environments."""
    out: str
    """Folder for the benchmarks: ``base.json`` and ``head.json`` of head's suite with the project of each commit, and
    ``own.json`` of base's own suite."""
    slowdown: float = 0.0
    """The share by which everything timed takes longer on head, on purpose."""
    base_packages: tuple[str, ...] = ()
    """Packages to set in the environment of base: ``name==version``, or ``-name`` for one to remove."""
    head_packages: tuple[str, ...] = ()
    """The same for head."""


class RunProcesses(Struct, frozen=True, kw_only=True, tag=True):
    """Request processes of the commits of a comparison, in this order."""

    processes: tuple[ScheduledProcess, ...]


class CountInstructions(Struct, frozen=True, kw_only=True, tag=True):
    """Request the instructions of cases of a comparison; a case that cannot be counted has a reason."""

    cases: tuple[CountedCase, ...]
    seeds: tuple[int, ...]
    """Hash seeds; each gives one count of each case."""
    seconds: float | None = None
    """How long it may take; a case that is not counted by then has a reason."""


class ProfileCases(Struct, frozen=True, kw_only=True, tag=True):
    """Request where cases of a comparison spend their work; a case without a profile has a reason."""

    cases: tuple[CountedCase, ...]


class MapCases(Struct, frozen=True, kw_only=True, tag=True):
    """Request which functions cases of a comparison run; those that the map in the file has are not run again."""

    cases: tuple[CountedCase, ...]
    file: str
    """Path of the map, a `ReachMap`; it is completed."""
    seconds: float | None = None
    """How long it may take; a case that is not begun by then is not in the map."""


class PrepareBlocks(Struct, frozen=True, kw_only=True, tag=True):
    """Request the build of one commit; requests to measure blocks or to count follow."""

    place: Place
    commit: str
    out: str
    """File to write the benchmarks to, in asv's format."""


class MeasureBlock(Struct, frozen=True, kw_only=True, tag=True):
    """Request one block: runs of several cases, close in time."""

    cases: tuple[CountedCase, ...]
    order: tuple[int, ...]
    """The indices of the cases, in the order of their runs."""
    separate: bool
    """Whether each run has a process of its own; else one process opens all cases and runs each once before."""
    awake: bool = False
    """Whether a process of the lowest priority keeps each processor awake meanwhile."""


Preparation = PrepareComparison | PrepareBlocks
FurtherRequest = RunProcesses | CountInstructions | ProfileCases | MapCases | MeasureBlock
"""What may follow a preparation."""
Request = Describe | Discover | BuildCommit | Measure | Preparation | FurtherRequest


class PlannedEnvironment(Struct, frozen=True, kw_only=True):
    """An environment of asv's matrix."""

    python: str
    """Python as asv names it."""
    environment: str
    """Name of the environment as asv names it."""


class SuiteEnvironments(Struct, frozen=True, kw_only=True, tag=True):
    """The environments of a suite, by what this machine has."""

    pythons: tuple[str, ...] = ()
    """All Pythons, in the order of the configuration."""
    here: tuple[PlannedEnvironment, ...] = ()
    """The environments that can be made here."""
    elsewhere: tuple[PlannedEnvironment, ...] = ()
    """Those whose Python this machine lacks."""
    reason: str = ""
    """asv's reason why it makes no environment of one of the Pythons."""

    @property
    def missing(self) -> tuple[str, ...]:
        """The Pythons without an environment here."""
        found = {each.python for each in self.here}
        return tuple(python for python in self.pythons if python not in found)


class Working(Struct, frozen=True, kw_only=True, tag=True):
    """asv begins a step that may take minutes."""

    text: str
    """asv's words, such as ``Installing requirements for virtualenv-py3.13``."""


class Installed(Struct, frozen=True, kw_only=True, tag=True):
    """A commit is built and installed."""

    commit: ComparedCommit = "head"
    """Which one of a comparison."""
    environment_seconds: float
    """How long it took to create the environment; an existing one takes no time."""
    seconds: float
    """How long it took to build and install."""
    build: PythonBuild
    elsewhere_seconds: float | None = None
    """How long another job built what was installed; None if it was built here."""
    artifact: str = ""
    """Digest of what was built; empty when unknown."""
    wheels: tuple[str, ...] = ()
    """The names of the distributions that were built; empty when unknown."""
    problems: dict[str, str] = {}
    """Why modules of the suite cannot be imported with this commit; of a comparison, modules of head's suite."""
    own_problems: dict[str, str] = {}
    """Why modules of base's own suite cannot; for base only."""


class BuildRefused(Struct, frozen=True, kw_only=True, tag=True):
    """A build that another job made is not used; asv builds the commit instead."""

    commit: str
    reason: str


class BuildSaved(Struct, frozen=True, kw_only=True, tag=True):
    """The build of a commit, or the reason why it failed, is saved."""

    record: BuildRecord
    reused: bool
    """Whether it is an earlier build."""


class Started(Struct, frozen=True, kw_only=True, tag=True):
    """A process of a case starts."""

    case: str


class Timed(Struct, frozen=True, kw_only=True, tag=True):
    """A process of a case has ended."""

    benchmark: str
    case: str
    round: int
    rounds: int
    state: CaseState
    seconds: float
    reason: str
    """Why it was not measured."""
    background_load: float | None
    """Processors that other processes used meanwhile; None where the system does not report it."""


class Saved(Struct, frozen=True, kw_only=True, tag=True):
    """All rounds of a benchmark are in the results file."""

    benchmark: str


class InstructionsCounted(Struct, frozen=True, kw_only=True, tag=True):
    """The instructions of a case are counted, or cannot be."""

    case: CountedCase
    counts: InstructionCounts


class CaseProfiled(Struct, frozen=True, kw_only=True, tag=True):
    """A case is profiled, or cannot be."""

    case: CountedCase
    profile: CaseProfile


class CaseMapped(Struct, frozen=True, kw_only=True, tag=True):
    """A case has run once, and the functions that it ran are known."""

    case: CountedCase


class CaseVisit(Struct, frozen=True, kw_only=True):
    """A run of a case in a block."""

    case: Annotated[int, Meta(ge=0)]
    """The index of the case."""
    samples: Annotated[tuple[float, ...], Meta(min_length=1)]
    """Its values, in the benchmark's unit; a benchmark without samples has one."""


class CaseAbsence(Struct, frozen=True, kw_only=True):
    """A case of a block that was not measured to its end."""

    case: int
    """The index of the case."""
    state: CaseState
    """Failed or skipped."""
    reason: str
    """Why."""


class BlockEnded(Struct, frozen=True, kw_only=True, tag=True):
    """A block has ended."""

    started: float
    """Seconds since 1970."""
    seconds: float
    visits: tuple[CaseVisit, ...]
    """The runs, in their order; none of the cases in ``absences``."""
    absences: tuple[CaseAbsence, ...]
    """The cases that failed or were skipped."""
    background_load: float | None
    """Processors that other processes used meanwhile; None where the system does not report it."""
    awake: str = ""
    """How all processors were kept awake; empty if they were not."""


class Broken(Struct, frozen=True, kw_only=True, tag=True):
    """The request failed: no environment, no wheel, no suite. The engine ends."""

    step: str
    reason: str


class Done(Struct, frozen=True, kw_only=True, tag=True):
    """All that the request asks for is done; the engine waits for another one."""


Event = (
    SuiteEnvironments
    | Working
    | Installed
    | BuildRefused
    | BuildSaved
    | Started
    | Timed
    | Saved
    | Process
    | InstructionsCounted
    | CaseProfiled
    | CaseMapped
    | BlockEnded
    | Broken
    | Done
)
Emit = Callable[[Event], None]


def to_line(message: Request | Event) -> bytes:
    """Return *message* as one line."""
    return formats.encode(message) + b"\n"


def parse_request(line: bytes) -> Request:
    """Return the request in *line*; raises DataError."""
    return formats.decode(line, Request, "stdin", name="request")  # type: ignore[arg-type]  # mypy: a union is not a type


def parse_event(line: bytes) -> Event:
    """Return the event in *line*; raises DataError."""
    return formats.decode(line, Event, "the engine's line", name="event")  # type: ignore[arg-type]  # mypy: a union is not a type
