"""run.json: the outcome of each case of a run, the machine and the build; it is stored beside the results.

build.json: one build of a commit that a job hands on to others, with the digests of its files.
"""

import re
from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta, Struct

from windtunnel.formats import Format
from windtunnel.model.identity import CommitHash

RECORD_SCHEMA = 1

MAX_BACKGROUND_LOAD = 0.2
"""Processors that other processes may use during a round; above it, parallel variants cannot be compared."""

Count = Annotated[int, Meta(ge=0)]
Seconds = Annotated[float, Meta(ge=0)]


CaseState = Literal["measured", "failed", "skipped"]
"""How a case ended."""


class CaseRecord(Struct, frozen=True, kw_only=True):
    """The outcome of one case."""

    case: str
    """``benchmark(value, value)``."""
    benchmark: str
    """Name of the benchmark."""
    version: str
    """Version of the benchmark."""
    state: CaseState
    """How the case ended."""
    seconds: Seconds
    """Time that all its rounds took."""
    reason: str
    """Why the case was not measured; empty when it was."""
    background_load: tuple[float, ...] = ()
    """Processors that other processes used during each round; empty where the system does not report it."""

    @property
    def excess_load(self) -> float:
        """The largest background load of a round, in processors; 0 when all rounds were quiet."""
        largest = max(self.background_load, default=0.0)
        return largest if largest > MAX_BACKGROUND_LOAD else 0.0


class PythonBuild(Struct, frozen=True, kw_only=True):
    """The Python that ran the benchmarks, as it describes itself; unknown texts are empty."""

    implementation: str
    """``cpython`` or ``pypy``."""
    version: str
    """Full version, such as 3.13.1."""
    compiler: str
    """Compiler that built it."""
    options: str
    """Options of its ``configure``, without those that hold paths. Unoptimised builds run loops 10 to 30 % slower."""
    gil: bool
    """Whether the global interpreter lock is on."""
    jit: bool
    """Whether a just-in-time compiler is on."""
    allocator: str
    """Memory allocator."""
    switch_interval: float
    """Seconds between thread switches."""
    packages: tuple[str, ...]
    """Installed packages as ``name==version``, sorted."""


class TaskRecord(Struct, frozen=True, kw_only=True):
    """One commit in one environment."""

    commit: CommitHash
    """Full hash of the commit."""
    python: str
    """Python as asv names it: 3.12, 3.14t, pypy3.11."""
    environment: str
    """Name of the environment as asv names it."""
    expected: Count
    """Cases that the plan asked for; those that are not in ``cases`` were not reached."""
    environment_seconds: Seconds
    """Time to create the environment."""
    install_seconds: Seconds
    """Time to build and install the commit."""
    failure: str
    """Why nothing of the task could be timed; empty when it could."""
    cases: tuple[CaseRecord, ...]
    """Outcome of each case that was reached."""
    elsewhere_seconds: Seconds = 0.0
    """How long another job built what was installed; 0 if this job built it."""
    build: PythonBuild | None = None
    """The Python and its packages; null when the install failed, and in older records."""


class MachineRecord(Struct, frozen=True, kw_only=True):
    """The machine during the run; only ``name`` is equal for all machines of one kind."""

    name: str
    """Normalised name, as in the results tree."""
    architecture: str
    """Such as x86_64."""
    cpu: str
    """Model of the CPU."""
    cores: int
    """Number of logical processors."""
    memory: int
    """Bytes."""
    os: str
    """Operating system."""
    kernel: str
    """Release of the kernel."""
    image: str
    """Distribution, and version of the runner's image."""
    load: float
    """One-minute load average before the run."""
    smt: bool | None = None
    """Whether two processors share a core; null when unknown. Four such processors compute like about 2.5 cores."""


class RunRecord(Struct, frozen=True, kw_only=True):
    """The run of one shard."""

    schema: int
    """Version of the format."""
    project: str
    """Name of the project."""
    shard: Count
    """Index of the shard in the plan."""
    started: float
    """Seconds since 1970."""
    ended: float
    """Seconds since 1970."""
    interrupted: bool
    """Whether the run was stopped before its end."""
    machine: MachineRecord
    """The machine that ran it."""
    tasks: tuple[TaskRecord, ...]
    """The commits and environments that the run reached."""
    lost: bool = False
    """Whether this lists cases of a plan that no shard reached, instead of a run; ``machine`` has no name then."""

    def coverage(self) -> Iterator[str]:
        """Yield a line for each Python, in the order of the tasks: how many of its cases ended how."""
        for python in dict.fromkeys(task.python for task in self.tasks):
            tasks = [task for task in self.tasks if task.python == python]
            states = [case.state for task in tasks for case in task.cases]
            expected = sum(task.expected for task in tasks)
            failed_tasks = sum(task.expected - len(task.cases) for task in tasks if task.failure)
            yield (
                f"Python {python}: {states.count('measured')} of {expected} cases measured, "
                f"{states.count('failed') + failed_tasks} failed, {states.count('skipped')} skipped"
            )

    def problems(self) -> Iterator[str]:
        """Yield a line for each task that failed, each case without a value and each Python with background load."""
        for task in self.tasks:
            where = f"{task.commit[:8]} on Python {task.python}"
            if task.failure:
                yield f"{where}: nothing measured: {error_line(task.failure)}"
            for case in task.cases:
                if case.state != "measured":
                    yield f"{where}: {case.case} {case.state}: {error_line(case.reason)}"
        for python in dict.fromkeys(task.python for task in self.tasks):
            yield from self._load_problems(python)

    def _load_problems(self, python: str) -> Iterator[str]:
        cases = [case for task in self.tasks if task.python == python for case in task.cases if case.background_load]
        loaded = [case for case in cases if case.excess_load]
        if loaded:
            worst = max(loaded, key=lambda case: case.excess_load)
            yield (
                f"Python {python}: other processes used more than {MAX_BACKGROUND_LOAD:g} processors during "
                f"{len(loaded)} of {len(cases)} cases, at most {worst.excess_load:.1f} ({worst.case}); "
                "to compare these values, measure again on an idle machine"
            )


RUN_FORMAT = Format(
    name="run.json", type=RunRecord, schema=RECORD_SCHEMA, remedy="write it again with windtunnel ci run"
)


ERROR = re.compile(r"\b(?:[Ee]rror|ERROR|fatal): |^(?:\w+\.)*\w*(?:Error|Exception)\b")
"""The start of the message of git, a compiler, a build tool or a Python exception."""


def error_line(text: str) -> str:
    """Return the last line of *text* that states an error, else its last line.

    Tools print more after the error: git how to check out a branch, a build tool how to debug it.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    stated = [line for line in lines if ERROR.search(line)]
    return (stated or lines or ["no reason was given"])[-1]


BUILD_SCHEMA = 1


BuildState = Literal["built", "failed", "not cacheable"]
"""How a build ended: a failed commit cannot be built or installed.

Where a suite installs from source, no files can be installed elsewhere (``not cacheable``): each job builds on its own.
"""


class BuildFile(Struct, frozen=True, kw_only=True):
    """A file of a build, such as a wheel."""

    path: str
    """Path in the folder ``files`` beside build.json."""
    size: Annotated[int, Meta(ge=0)]
    """Bytes."""
    sha256: str
    """Digest of the content, in hexadecimal digits."""


class BuildRecord(Struct, frozen=True, kw_only=True):
    """One commit, built in one environment."""

    schema: int = BUILD_SCHEMA
    """Version of the format."""
    commit: CommitHash
    """Full hash of the commit."""
    environment: str
    """Name of the environment as asv names it."""
    key: str
    """Digest of the build command, the requirements, the variables, the Python and the platform."""
    toolchain: str
    """Compiler and compiler variables of the machine that built it."""
    state: BuildState
    """How the build ended."""
    seconds: Annotated[float, Meta(ge=0)]
    """Time to build and install the commit."""
    failure: str = ""
    """End of the output of a failed build; empty otherwise."""
    files: tuple[BuildFile, ...] = ()
    """Files of the build."""


BUILD_FORMAT = Format(
    name="build.json", type=BuildRecord, schema=BUILD_SCHEMA, remedy="build it again with windtunnel ci build"
)
