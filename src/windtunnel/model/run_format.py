"""What a run leaves beside its results (run.json): what was to be timed, what became of each case, on what machine."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from windtunnel.formats import Format
from windtunnel.model.identity import CommitHash

RECORD_SCHEMA = 1


class State(StrEnum):
    """How a case ended."""

    MEASURED = "measured"
    FAILED = "failed"
    SKIPPED = "skipped"


QUIET = 0.2
"""Processors that others may keep busy beside a round; above it what computes in parallel is no longer comparable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRecord:
    """One case of a task; *seconds* over all its rounds, *reason* when it was not measured."""

    case: str
    benchmark: str
    version: str
    state: State
    seconds: float
    reason: str
    background_load: tuple[float, ...] = ()
    """How many processors others kept busy during each round; empty where the system does not tell."""

    @property
    def disturbed(self) -> float:
        """The most that others took of a round, in processors; 0 where it was quiet."""
        most = max(self.background_load, default=0.0)
        return most if most > QUIET else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonBuild:
    """The Python that timed, as it tells of itself; what it does not tell is ""."""

    implementation: str
    version: str
    compiler: str
    options: str
    """Of its ``configure``, but for those with paths, which are somebody's.

    Without ``--enable-optimizations`` and ``--with-lto`` loops take 10 to 30 % longer.
    """
    gil: bool
    jit: bool
    allocator: str
    switch_interval: float
    """Seconds."""
    packages: tuple[str, ...]
    """``name==version``, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRecord:
    """One commit in one environment; *failure* says why nothing of it could be timed ("" when it could).

    *expected* counts the cases of the plan; the difference to ``cases`` was not reached.
    """

    commit: CommitHash
    python: str
    environment: str
    expected: int
    environment_seconds: float
    install_seconds: float
    failure: str
    cases: tuple[CaseRecord, ...]
    build: PythonBuild | None = None
    """None where nothing could be installed, and in records of before it was kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceTime:
    """How long a fixed piece of work took here: tells a slow machine from slow code. Seconds an operation."""

    name: str
    median: float
    minimum: float
    repeats: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineRecord:
    """The machine as it was during the run; *name* is its normalised identity, the rest may differ between runs."""

    name: str
    architecture: str
    cpu: str
    cores: int
    memory: int
    """Bytes."""
    os: str
    kernel: str
    image: str
    load: float
    """One-minute load average before the run."""
    smt: bool | None = None
    """Whether two processors share a core (None: not told); four such are about 2.5 cores' worth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How many cases one Python was to have measured, and what became of them."""

    python: str
    expected: int
    measured: int
    failed: int
    skipped: int

    @property
    def missing(self) -> int:
        """Cases that were not reached."""
        return self.expected - self.measured - self.failed - self.skipped


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One shard's run. Times are seconds since 1970."""

    schema: int
    project: str
    shard: int
    started: float
    ended: float
    interrupted: bool
    machine: MachineRecord
    references: tuple[ReferenceTime, ...]
    tasks: tuple[TaskRecord, ...]

    def coverage(self) -> tuple[Coverage, ...]:
        """Return the coverage of each Python, in the order of the tasks."""
        return tuple(self._coverage_of(python) for python in dict.fromkeys(task.python for task in self.tasks))

    def problems(self) -> Iterator[str]:
        """Yield a line for each task and case that failed or was skipped."""
        for task in self.tasks:
            place = f"{task.commit[:8]} on Python {task.python}"
            if task.failure:
                yield f"{place}: nothing measured: {last_line(task.failure)}"
            for case in task.cases:
                if case.state is not State.MEASURED:
                    yield f"{place}: {case.case} {case.state}: {last_line(case.reason)}"
        yield from self._disturbances()

    def _disturbances(self) -> Iterator[str]:
        """Yield a line for each Python whose cases were timed beside other work."""
        for python in dict.fromkeys(task.python for task in self.tasks):
            measured = [
                case for task in self.tasks if task.python == python for case in task.cases if case.background_load
            ]
            noisy = [case for case in measured if case.disturbed]
            if noisy:
                worst = max(noisy, key=lambda case: case.disturbed)
                yield (
                    f"Python {python}: {len(noisy)} of {len(measured)} cases were timed while others kept more than "
                    f"{QUIET:g} processors busy, at the most {worst.disturbed:.1f} ({worst.case}); "
                    "where figures matter, measure again on a machine that does nothing else"
                )

    def _coverage_of(self, python: str) -> Coverage:
        tasks = [task for task in self.tasks if task.python == python]
        states = [case.state for task in tasks for case in task.cases]
        failed_tasks = sum(task.expected - len(task.cases) for task in tasks if task.failure)
        return Coverage(
            python=python,
            expected=sum(task.expected for task in tasks),
            measured=states.count(State.MEASURED),
            failed=states.count(State.FAILED) + failed_tasks,
            skipped=states.count(State.SKIPPED),
        )


RUN_FORMAT = Format(name="run.json", type=RunRecord, schema=RECORD_SCHEMA, remedy="write it again with windtunnel run")


def last_line(text: str) -> str:
    """Return the last line that says something: of a traceback, the error itself."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason was given"
