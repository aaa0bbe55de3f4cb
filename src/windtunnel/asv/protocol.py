"""What an engine tells of its work."""

from collections.abc import Callable
from dataclasses import dataclass

from windtunnel.model.run_format import PythonBuild, State
from windtunnel.model.schedule import Commit, Process


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

    *foreign* is how many processors others kept busy meanwhile, None where the system does not tell.
    """

    benchmark: str
    case: str
    round: int
    rounds: int
    state: State
    seconds: float
    reason: str
    foreign: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """All rounds of a benchmark are in the results file."""

    benchmark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SideReady:
    """A side of a comparison is installed: *packages* as ``name==version``, *artifact* a digest of what was built.

    An empty *artifact* is not known.
    """

    commit: Commit
    environment_seconds: float
    install_seconds: float
    packages: tuple[str, ...]
    artifact: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsDone:
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
    | SideReady
    | Process
    | TurnsDone
    | Broken
)
Emit = Callable[[Event], None]
