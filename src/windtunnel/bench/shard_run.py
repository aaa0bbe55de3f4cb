"""Runs one shard: one engine for each task; leaves a results tree and a run record."""

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from time import time

from msgspec.structs import replace

from windtunnel import formats
from windtunnel.asv import machine
from windtunnel.asv.engine_session import BrokenError, Supervisor
from windtunnel.asv.protocol import Broken, EnvironmentReady, Event, Installed, Measure, Place, Saved, Timed
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
    TaskRecord,
)
from windtunnel.results.tree import RECORD, RESULTS

Listener = Callable[[Task, Event], None]

LOG = "asv.log"
"""Output of asv and of the builds, in the folder of a shard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardRun:
    """One shard and where it runs."""

    plan: Plan
    shard: Shard
    place: Place
    """The suite and the project, with the builds to install from."""
    out: Path
    """The folder to fill."""
    machine: MachineRecord
    supervisor: Supervisor

    def run(self, listen: Listener) -> RunRecord:
        """Time every task, pass each event to *listen*, and keep run.json up to date.

        A task that cannot be installed is recorded; the other tasks still run. Ctrl-C ends the engine and raises
        KeyboardInterrupt; run.json then says ``interrupted``, as it does after a kill.
        """
        results = self.out / RESULTS
        write_atomically(results / "benchmarks.json", self.plan.benchmarks.encode())
        write_atomically(results / self.machine.name / "machine.json", machine.for_asv(self.machine))
        started, references = time(), reference_times()
        tasks: list[TaskProgress] = []
        try:
            for task in self.shard.tasks:
                progress = TaskProgress(task=task)
                tasks.append(progress)
                with closing(self._events(task)) as events:
                    for event in events:
                        progress.add(event)
                        listen(task, event)
                self._write_record(started, references, tasks, interrupted=True)
        except BaseException:
            self._write_record(started, references, tasks, interrupted=True)
            raise
        return self._write_record(started, references, tasks, interrupted=False)

    def _events(self, task: Task) -> Generator[Event]:
        """Time *task* and yield what happens, also that it cannot be installed."""
        results = self.out / RESULTS
        request = Measure(
            place=replace(self.place, pythons=(task.python,), environment=task.environment),
            commit=task.commit,
            selections=task.selections,
            benchmarks=str(results / "benchmarks.json"),
            machine=str(results / self.machine.name / "machine.json"),
            out=str(results),
        )
        try:
            yield from self.supervisor.ask(request, f"measuring {task.commit[:8]}")
        except BrokenError as error:
            yield error.event

    def _write_record(
        self,
        started: float,
        references: tuple[ReferenceTime, ...],
        tasks: list["TaskProgress"],
        *,
        interrupted: bool,
    ) -> RunRecord:
        """Write run.json with the present state and return it."""
        record = RunRecord(
            schema=RECORD_SCHEMA,
            project=self.plan.project,
            shard=self.shard.index,
            started=started,
            ended=time(),
            interrupted=interrupted,
            machine=self.machine,
            references=references,
            tasks=tuple(task.record() for task in tasks),
        )
        write_atomically(self.out / RECORD, formats.encode_pretty(record))
        return record


@dataclass(slots=True, kw_only=True)
class TaskProgress:
    """The state of one task while its events arrive.

    A case counts when its benchmark is saved: before that, a kill would lose its values.
    """

    task: Task
    environment_seconds: float = 0.0
    install_seconds: float = 0.0
    elsewhere_seconds: float = 0.0
    failure: str = ""
    build: PythonBuild | None = None
    unsaved: dict[str, CaseRecord] = field(default_factory=dict)
    saved: list[CaseRecord] = field(default_factory=list)

    def add(self, event: Event) -> None:
        """Update the state with *event*."""
        match event:
            case EnvironmentReady():
                self.environment_seconds = event.seconds
            case Installed():
                self.install_seconds, self.build = event.seconds, event.build
                self.elsewhere_seconds = event.elsewhere_seconds or 0.0
            case Broken():
                self.failure = f"{event.step} failed: {event.reason}"
            case Timed():
                self._add_process(event)
            case Saved():
                self.saved += self.unsaved.values()
                self.unsaved.clear()
            case _:
                pass

    def record(self) -> TaskRecord:
        """Return the present state as a record."""
        return TaskRecord(
            commit=self.task.commit,
            python=self.task.python,
            environment=self.task.environment,
            expected=self.task.cases,
            environment_seconds=self.environment_seconds,
            install_seconds=self.install_seconds,
            elsewhere_seconds=self.elsewhere_seconds,
            failure=self.failure,
            cases=tuple(self.saved),
            build=self.build,
        )

    def _add_process(self, event: Timed) -> None:
        before = self.unsaved.get(event.case)
        load = () if event.background_load is None else (event.background_load,)
        self.unsaved[event.case] = CaseRecord(
            case=event.case,
            benchmark=event.benchmark,
            version=next(s.version for s in self.task.selections if s.benchmark == event.benchmark),
            state=event.state,
            seconds=event.seconds + (before.seconds if before else 0.0),
            reason=event.reason,
            background_load=(*before.background_load, *load) if before else load,
        )
