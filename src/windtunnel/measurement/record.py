"""What a run leaves beside its results (run.json): what was to be timed, what became of each case, on what machine."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from windtunnel.measurement.commit import CommitHash

RECORD_SCHEMA = 1


class State(StrEnum):
    """How a case ended."""

    MEASURED = "measured"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRecord:
    """One case of a task; *seconds* over all its rounds, *reason* when it was not measured."""

    case: str
    benchmark: str
    version: str
    state: State
    seconds: float
    reason: str


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


def last_line(text: str) -> str:
    """Return the last line that says something: of a traceback, the error itself."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason was given"
