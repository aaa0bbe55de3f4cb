"""Keeps account of one task while its events come in."""

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from time import time
from typing import assert_never

from windtunnel import formats
from windtunnel.asv import machine
from windtunnel.asv.engine_session import Supervisor
from windtunnel.asv.protocol import (
    Broken,
    CommitReady,
    Described,
    Discovered,
    EnvironmentReady,
    Event,
    Installed,
    Measure,
    ProcessesDone,
    Saved,
    Started,
    Timed,
)
from windtunnel.bench.format import Plan, Shard, Task
from windtunnel.bench.reference import reference_times
from windtunnel.files import write_atomically
from windtunnel.model.run_format import (
    RECORD_SCHEMA,
    CaseRecord,
    MachineRecord,
    PythonBuild,
    ReferenceTime,
    RunRecord,
    State,
    TaskRecord,
)
from windtunnel.model.schedule import Process
from windtunnel.results.tree import RECORD, RESULTS


@dataclass(slots=True, kw_only=True)
class TaskProgress:
    """What has become of *task* so far. A case counts once its benchmark is saved: before that a kill would lose it."""

    task: Task
    environment_seconds: float = 0.0
    install_seconds: float = 0.0
    failure: str = ""
    build: PythonBuild | None = None
    pending: dict[str, CaseRecord] = field(default_factory=dict)
    saved: list[CaseRecord] = field(default_factory=list)

    def note(self, event: Event) -> None:
        """Take account of *event*."""
        match event:
            case EnvironmentReady():
                self.environment_seconds = event.seconds
            case Installed():
                self.install_seconds, self.build = event.seconds, event.build
            case Broken():
                self.failure = f"{event.step} failed: {event.reason}"
            case Timed():
                self._note_process(event)
            case Saved():
                self.saved += self.pending.values()
                self.pending.clear()
            case Described() | Discovered() | Started() | CommitReady() | Process() | ProcessesDone():
                pass
            case _:
                assert_never(event)

    def record(self) -> TaskRecord:
        """Return the account as it stands."""
        return TaskRecord(
            commit=self.task.commit,
            python=self.task.python,
            environment=self.task.environment,
            expected=self.task.cases,
            environment_seconds=self.environment_seconds,
            install_seconds=self.install_seconds,
            failure=self.failure,
            cases=tuple(self.saved),
            build=self.build,
        )

    def _note_process(self, event: Timed) -> None:
        before = self.pending.get(event.case)
        self.pending[event.case] = CaseRecord(
            case=event.case,
            benchmark=event.benchmark,
            version=self._version(event.benchmark),
            state=State(event.state),
            seconds=event.seconds + (before.seconds if before else 0.0),
            reason=event.reason,
            background_load=(before.background_load if before else ())
            + (() if event.background_load is None else (event.background_load,)),
        )

    def _version(self, benchmark: str) -> str:
        return next(s.version for s in self.task.selections if s.benchmark == benchmark)


Listener = Callable[[Task, Event], None]

LOG = "asv.log"
"""What asv and the builds printed, in the folder of a shard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardRun:
    """One shard and where it runs: *config* is the suite's configuration, *out* the folder to fill."""

    plan: Plan
    shard: Shard
    config: Path
    out: Path
    machine: MachineRecord
    supervisor: Supervisor

    def carry_out(self, listen: Listener) -> RunRecord:
        """Time every task, tell *listen* each event, and keep run.json current all the while.

        A task that cannot be installed is recorded and does not stop the others. Ctrl-C ends the engine and goes on
        as KeyboardInterrupt; run.json then says ``interrupted``, as it does after a kill.
        """
        results = self.out / RESULTS
        write_atomically(results / "benchmarks.json", self.plan.benchmarks.encode())
        write_atomically(results / self.machine.name / "machine.json", machine.for_asv(self.machine))
        journal = _Journal(run=self, started=time(), references=reference_times())
        try:
            for task in self.shard.tasks:
                progress = journal.open(task)
                with closing(self._events(task)) as events:
                    for event in events:
                        progress.note(event)
                        listen(task, event)
                journal.keep(interrupted=True)
        except BaseException:
            journal.keep(interrupted=True)
            raise
        return journal.keep(interrupted=False)

    def _events(self, task: Task) -> Generator[Event]:
        results = self.out / RESULTS
        return self.supervisor.carry_out(
            Measure(
                config=str(self.config),
                environment=task.environment,
                commit=task.commit,
                selections=task.selections,
                benchmarks=str(results / "benchmarks.json"),
                machine=str(results / self.machine.name / "machine.json"),
                out=str(results),
            )
        )


@dataclass(slots=True, kw_only=True)
class _Journal:
    """The run record while it grows."""

    run: ShardRun
    started: float
    references: tuple[ReferenceTime, ...]
    task_progress: list[TaskProgress] = field(default_factory=list)

    def open(self, task: Task) -> TaskProgress:
        """Begin the account of *task*."""
        self.task_progress.append(TaskProgress(task=task))
        return self.task_progress[-1]

    def keep(self, *, interrupted: bool) -> RunRecord:
        """Write run.json as things stand and return it."""
        record = RunRecord(
            schema=RECORD_SCHEMA,
            project=self.run.plan.project,
            shard=self.run.shard.index,
            started=self.started,
            ended=time(),
            interrupted=interrupted,
            machine=self.run.machine,
            references=self.references,
            tasks=tuple(progress.record() for progress in self.task_progress),
        )
        write_atomically(self.run.out / RECORD, formats.encode_pretty(record))
        return record
