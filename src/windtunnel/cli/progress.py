"""Shows the progress of a shard or a comparison: what is running, what is left, and an estimate that improves."""

from dataclasses import dataclass, field
from threading import Event, Thread
from time import monotonic
from types import TracebackType
from typing import Any, Self

from rich.console import Console as RichConsole
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from windtunnel.asv import protocol
from windtunnel.bench.format import Shard, Task
from windtunnel.cli.console import QUIET, Console
from windtunnel.compare.request import ComparisonEvent, WorkStarted
from windtunnel.model.run_format import error_line
from windtunnel.model.schedule import STAGES, Process
from windtunnel.text.escaping import escape_log, visible
from windtunnel.text.numbers import count, duration

LINE_SECONDS = 30.0
"""A log has a line of a comparison at least this often."""


@dataclass(slots=True, kw_only=True)
class LiveLine:
    """A line on a terminal that shows what is running; elsewhere, and when quiet, there is none."""

    console: Console
    _live: Progress | None = None

    def __enter__(self) -> Self:
        """Begin the line."""
        rich = RichConsole(file=self.console.err)
        if rich.is_terminal and self.console.level != QUIET:
            columns = TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.fields[left]}")
            self._live = Progress(*columns, TimeElapsedColumn(), console=rich, transient=True)
            self._live.add_task("preparing and building", total=None, left="")
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the line."""
        if self._live:
            self._live.stop()

    def line(self, text: str, *, live: bool = True) -> None:
        """Log *text*; on a terminal above the line, if *live*."""
        if self._live is None:
            self.console.log(text)
        elif live:
            self._live.console.print(escape_log(text), highlight=False, markup=False)

    def update(self, description: str | None = None, **fields: Any) -> None:
        """Show another *description*, or other ``completed``, ``total`` or ``left``."""
        if self._live:
            self._live.update(self._live.task_ids[0], description=description, **fields)


@dataclass(slots=True, kw_only=True)
class ShardProgress(LiveLine):
    """Shows the progress of a shard: a live line on a terminal, a line for each step elsewhere, nothing when quiet."""

    shard: Shard
    cases: int = 0
    task: Task | None = None
    lost: float = 0.0
    """The plan's estimate of the cases that will not be measured, in seconds."""
    expected: float = 0.0
    """The plan's estimate of the finished cases, in seconds."""
    taken: float = 0.0
    """The duration of the finished cases, in seconds."""
    begun: int = 0
    """How many tasks are set up."""

    def remaining(self) -> float:
        """Return the seconds left: the plan's estimate, corrected by its error so far."""
        cases = sum(task.seconds for task in self.shard.tasks)
        correction = self.taken / self.expected if self.expected else 1.0
        overhead = (self.shard.seconds - cases) * (1 - self.begun / len(self.shard.tasks))
        return max(cases - self.lost - self.expected, 0.0) * correction + overhead

    def __call__(self, task: Task, event: protocol.Event) -> None:
        """Show *event* of *task*."""
        self._begin(task)
        match event:
            case protocol.Working():
                self.line(f"  {event.text}", live=False)
            case protocol.BuildRefused():
                self.line(f"  its build is not used, so it is built here: {event.reason}")
            case protocol.Installed():
                self.begun += 1
                built = "built and installed" if event.elsewhere_seconds is None else "installed from its build"
                created = f"environment ready in {event.environment_seconds:.0f} s, "
                self.line(
                    f"  {created if event.environment_seconds > 1 else ''}{built} in {event.seconds:.1f} s", live=False
                )
            case protocol.Broken():
                self.begun += 1
                self.lost += task.seconds
                self.line(f"  {event.step} failed, so nothing of it is measured: {error_line(event.reason)}")
            case protocol.Started():
                self.update(visible(f"{task.commit[:8]} Python {task.python} {event.case}"))
            case protocol.Timed():
                self.taken += event.seconds
                if event.round == event.rounds or event.state != "measured":
                    self._case(task, event)
            case protocol.Saved():
                self.line(f"  {event.benchmark} done, {self._left()}", live=False)
            case _:
                pass

    def _begin(self, task: Task) -> None:
        if task is not self.task:
            self.task = task
            self.line(f"commit {task.commit[:8]} on Python {task.python}: {task.cases} cases, {self._left()}")

    def _case(self, task: Task, event: protocol.Timed) -> None:
        self.cases += 1
        self.expected += task.seconds / max(task.cases, 1)
        if event.state != "measured":
            self.line(f"  {event.case} {event.state}: {error_line(event.reason)}")
        self.update(completed=self.cases, total=self.shard.cases, left=self._left())

    def _left(self) -> str:
        return f"{self.cases} of {self.shard.cases} cases done, {_about(self.remaining())} left"


@dataclass(slots=True, kw_only=True)
class ComparisonProgress(LiveLine):
    """Shows a live line on a terminal, a line at least every LINE_SECONDS elsewhere, nothing when quiet."""

    doing: str = "preparing and building"
    done: int = 0
    total: int = 0
    seconds: float = 0.0
    reported: set[tuple[str, str]] = field(default_factory=set)
    _over: Event = field(default_factory=Event)

    def __enter__(self) -> Self:
        """Begin the line, or to log."""
        LiveLine.__enter__(self)
        Thread(target=self._log_status, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the line, or the log."""
        self._over.set()
        LiveLine.__exit__(self, kind, error, trace)

    def __call__(self, event: ComparisonEvent) -> None:
        """Show *event*."""
        match event:
            case protocol.Working():
                self.line(visible(event.text, 400))
            case protocol.Installed():
                built = "built and installed" if event.elsewhere_seconds is None else "installed from its build"
                created = f"environment ready in {event.environment_seconds:.0f} s"
                self.line(f"{event.commit}: {created}, {built} in {event.seconds:.0f} s")
            case protocol.BuildRefused():
                self.console.warn(visible(f"{event.commit[:12]} is built here: {event.reason}", 400))
            case WorkStarted():
                self.doing, self.done, self.total = event.what, 0, event.processes or 2 * event.cases
                left = self._estimate()
                work = f", {event.processes} processes{left}" if event.processes else " on both commits"
                self.line(f"{event.what}: {count(event.cases, 'case')}{work}")
                self.update(event.what, completed=0, total=self.total, left=left)
            case Process():
                self._ended(event)
                name = f"{event.scheduled.stage} {visible(event.scheduled.case.name)}"
                self.update(name, completed=self.done, total=self.total, left=self._estimate())
            case protocol.InstructionsCounted() | protocol.CaseProfiled() | protocol.CaseMapped():
                self.done += 1
                self.update(visible(event.case.benchmark), completed=self.done, left="")

    def _ended(self, process: Process) -> None:
        self.done += 1
        self.seconds = process.seconds if not self.seconds else 0.9 * self.seconds + 0.1 * process.seconds
        cause = process.state, error_line(process.reason)
        if process.state != "measured" and cause not in self.reported:
            self.reported.add(cause)
            where = f"{process.state} on {process.scheduled.arm.commit}"
            self.line(f"{process.scheduled.case.name} {where}: {cause[1]} (shown once a cause)")

    def _log_status(self) -> None:
        started = monotonic()
        while not self._over.wait(LINE_SECONDS):
            done = f": {self.done} of {self.total} done{self._estimate()}" if self.total else ""
            self.line(f"after {duration(monotonic() - started)}, {self.doing}{done}", live=False)

    def _estimate(self) -> str:
        """Return how long this batch still takes, estimated from earlier processes; empty where nothing is timed."""
        left = (self.total - self.done) * self.seconds if self.doing in STAGES else 0.0
        return f", {_about(left)}" if left else ""


def _about(seconds: float) -> str:
    return f"about {seconds / 60:.0f} min" if seconds > 90 else f"about {seconds:.0f} s"
