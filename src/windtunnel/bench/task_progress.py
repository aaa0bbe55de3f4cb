"""Keeps account of one task while its events come in."""

from dataclasses import dataclass, field
from typing import assert_never

from windtunnel.asv.protocol import (
    Broken,
    Described,
    Discovered,
    EnvironmentReady,
    Event,
    Installed,
    Saved,
    SideReady,
    Started,
    Timed,
    TurnsDone,
)
from windtunnel.bench.format import Task
from windtunnel.model.run_format import CaseRecord, PythonBuild, State, TaskRecord
from windtunnel.model.schedule import Process


@dataclass(slots=True, kw_only=True)
class Ledger:
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
            case Described() | Discovered() | Started() | SideReady() | Process() | TurnsDone():
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
            foreign=(before.foreign if before else ()) + (() if event.foreign is None else (event.foreign,)),
        )

    def _version(self, benchmark: str) -> str:
        return next(s.version for s in self.task.selections if s.benchmark == benchmark)
