"""Shows a shard at work: what is running, how much is left, and an estimate that learns from what is done."""

from dataclasses import dataclass, field
from time import monotonic
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from windtunnel.measurement.record import State, last_line
from windtunnel.measurement.task import Shard, Task
from windtunnel.runner.protocol import Broken, EnvironmentReady, Event, Installed, Saved, Timed


@dataclass(slots=True, kw_only=True)
class Estimate:
    """How long a shard still takes: what the plan expected, corrected by how wrong it was so far."""

    planned: float
    """Seconds that the plan expects of everything."""
    started: float
    finished: float = 0.0
    """Seconds that the plan expected of what is finished."""

    def remaining(self, now: float) -> float:
        """Return the seconds left at *now*; before anything is finished the plan's word is all there is."""
        elapsed = now - self.started
        if self.finished <= 0:
            return max(self.planned - elapsed, 0.0)
        return max(self.planned - self.finished, 0.0) * elapsed / self.finished


@dataclass(slots=True, kw_only=True)
class Display:
    """Shows progress on *err*: a live line on a terminal, a line a step elsewhere, nothing when *quiet*."""

    shard: Shard
    err: TextIO
    quiet: bool
    estimate: Estimate = field(init=False)
    cases: int = 0
    task: Task | None = None
    _live: Progress | None = None

    def __enter__(self) -> Self:
        """Begin the clock and, on a terminal, the live line."""
        self.estimate = Estimate(planned=self.shard.seconds, started=monotonic())
        console = Console(file=self.err)
        if console.is_terminal and not self.quiet:
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[left]}"),
                TimeElapsedColumn(),
            )
            self._live = Progress(*columns, console=console, transient=True)
            self._live.add_task("preparing", total=self.shard.cases, left="")
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the live line."""
        if self._live:
            self._live.stop()

    def __call__(self, task: Task, event: Event) -> None:
        """Show *event* of *task*."""
        if task is not self.task:
            self.task = task
            self._line(f"commit {task.commit[:8]} on Python {task.python}: {task.cases} cases, {self._left()}")
        match event:
            case EnvironmentReady() if event.seconds > 1:
                self._line(f"  environment ready after {event.seconds:.0f} s")
            case Installed() if event.seconds > 1:
                self._line(f"  built and installed in {event.seconds:.1f} s")
            case Broken():
                self.estimate.finished += task.seconds
                self._line(f"  {event.step} failed, nothing of it is measured: {last_line(event.reason)}")
            case Timed() if event.round == event.rounds or event.state is not State.MEASURED:
                self._case(task, event)
            case Saved():
                self._line(f"  {event.benchmark} done, {self._left()}", live=False)
            case _:
                pass

    def _case(self, task: Task, event: Timed) -> None:
        self.cases += 1
        self.estimate.finished += task.seconds / max(task.cases, 1)
        if event.state is not State.MEASURED:
            self._line(f"  {event.case} {event.state}: {last_line(event.reason)}")
        if self._live:
            description = f"{task.commit[:8]} Python {task.python} {event.case}"
            self._live.update(self._live.task_ids[0], completed=self.cases, description=description, left=self._left())

    def _left(self) -> str:
        seconds = self.estimate.remaining(monotonic())
        left = f"{seconds / 60:.0f} min" if seconds > 90 else f"{seconds:.0f} s"
        return f"{self.cases} of {self.shard.cases} cases done, about {left} left"

    def _line(self, text: str, *, live: bool = True) -> None:
        if self.quiet or (self._live and not live):
            return
        if self._live:
            self._live.console.print(text, highlight=False, markup=False)
        else:
            self.err.write(f"windtunnel: {text}\n")
            self.err.flush()
