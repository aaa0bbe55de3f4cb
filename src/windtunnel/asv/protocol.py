"""The protocol between supervisor and engine: requests on stdin, events on stdout, one JSON line each."""

from collections.abc import Callable
from dataclasses import dataclass
from types import UnionType
from typing import cast, get_args

import msgspec

from windtunnel import formats
from windtunnel.errors import DataError
from windtunnel.model.benchmark import Selection
from windtunnel.model.run_format import PythonBuild, State
from windtunnel.model.schedule import ComparedCommit, Process, ScheduledProcess


@dataclass(frozen=True, slots=True, kw_only=True)
class Describe:
    """Ask which environments asv's matrix makes of each Python."""

    config: str
    pythons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Discover:
    """Ask for the suite's benchmarks, written to the file *out* in asv's format.

    The first of *environments* and *commits* that can be installed will do.
    """

    config: str
    environments: tuple[str, ...]
    commits: tuple[str, ...]
    out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Ask for values of one commit in one environment.

    *benchmarks* and *machine* are files in asv's format; results are saved into the results tree *out*.
    """

    config: str
    environment: str
    commit: str
    selections: tuple[Selection, ...]
    benchmarks: str
    machine: str
    out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare:
    """Ask for *base* and *head*, built in an environment each below the folder *environments*.

    *suite_in_repository* is the suite's path in the repository, "" where it lies elsewhere. The benchmarks of base
    and head are written to the folder *out* as ``base.json`` and ``head.json``. Turns are asked for afterwards.
    """

    config: str
    environment: str
    base: str
    head: str
    suite_in_repository: str
    environments: str
    out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProcesses:
    """Ask for processes of the commits that an earlier `Compare` has built, in this order."""

    processes: tuple[ScheduledProcess, ...]


Request = Describe | Discover | Measure | Compare | RunProcesses


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """One environment, as asv names it in results."""

    python: str
    environment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovered:
    """benchmarks.json is written."""

    benchmarks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentReady:
    """The environment exists."""

    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """The commit is built and installed into an environment of *build*."""

    seconds: float
    build: PythonBuild


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A process of a case begins."""

    case: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """One process of one case has ended; *reason* says why when it was not measured.

    *background_load* is how many processors others kept busy meanwhile, None where the system does not tell.
    """

    benchmark: str
    case: str
    round: int
    rounds: int
    state: State
    seconds: float
    reason: str
    background_load: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """All rounds of a benchmark are in the results file."""

    benchmark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitReady:
    """A side of a comparison is installed: *packages* as ``name==version``, *artifact* a digest of what was built.

    An empty *artifact* is not known.
    """

    commit: ComparedCommit
    environment_seconds: float
    install_seconds: float
    packages: tuple[str, ...]
    artifact: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessesDone:
    """All turns that were asked for have ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """The request cannot be carried out: no environment, no wheel, no suite."""

    step: str
    reason: str


Event = (
    Described
    | Discovered
    | EnvironmentReady
    | Installed
    | Started
    | Timed
    | Saved
    | CommitReady
    | Process
    | ProcessesDone
    | Broken
)
Emit = Callable[[Event], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    type: str
    body: msgspec.Raw


def to_line(message: Request | Event) -> bytes:
    """Return *message* as one line."""
    body = msgspec.Raw(formats.encode(message))
    return formats.encode(_Line(type=type(message).__name__, body=body)) + b"\n"


def request_from(line: bytes) -> Request:
    """Return the request that *line* holds; raises DataError."""
    return cast("Request", _from_line(line, Request))


def event_from(line: bytes) -> Event:
    """Return the event that *line* holds; raises DataError."""
    return cast("Event", _from_line(line, Event))


def _from_line(line: bytes, union: UnionType) -> object:
    by_name = {cls.__name__: cls for cls in get_args(union)}
    parsed = formats.decode(line, _Line, "message of the engine")
    if parsed.type not in by_name:
        raise DataError(f"message of the engine has the unknown type {parsed.type!r}")
    return formats.decode(bytes(parsed.body), by_name[parsed.type], parsed.type)
