"""Shows the progress of a comparison."""

from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from rich.console import Console as RichConsole
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from windtunnel.asv.protocol import CommitReady
from windtunnel.cli.console import Console
from windtunnel.compare.request import BatchStarted
from windtunnel.model.run_format import CaseState, last_line
from windtunnel.model.schedule import Process
from windtunnel.text.escaping import visible


@dataclass(slots=True, kw_only=True)
class ComparisonProgress:
    """Shows a live line on a terminal, a line for each batch elsewhere, nothing when quiet."""

    console: Console
    done: int = 0
    total: int = 0
    seconds: float = 0.0
    reported: set[tuple[str, str]] = field(default_factory=set)
    _live: Progress | None = None

    def __enter__(self) -> Self:
        """Begin the live line where there is a terminal."""
        rich = RichConsole(file=self.console.err)
        if rich.is_terminal and self.console.level:
            columns = TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.fields[left]}")
            self._live = Progress(*columns, TimeElapsedColumn(), console=rich, transient=True)
            self._live.add_task("building both commits", total=None, left="")
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the live line."""
        if self._live:
            self._live.stop()

    def __call__(self, event: BatchStarted | Process | CommitReady) -> None:
        """Show *event*."""
        match event:
            case CommitReady():
                took = event.environment_seconds + event.install_seconds
                self.console.log(f"{event.commit}: built and installed in {took:.0f} s")
            case BatchStarted():
                self.done, self.total = 0, event.processes
                self.console.log(f"{event.stage}: {event.cases} cases, {event.processes} processes{self._estimate()}")
            case Process():
                self._ended(event)
        if self._live and isinstance(event, BatchStarted | Process):
            self._live.update(
                self._live.task_ids[0],
                description=self._name(event),
                completed=self.done,
                total=self.total,
                left=self._estimate(),
            )

    def _ended(self, process: Process) -> None:
        self.done += 1
        self.seconds = process.seconds if not self.seconds else 0.9 * self.seconds + 0.1 * process.seconds
        where = process.scheduled.arm.commit, process.scheduled.case.name
        if process.state is not CaseState.MEASURED and where not in self.reported:
            self.reported.add(where)
            self.console.log(f"{where[1]} {process.state} on {where[0]}: {last_line(process.reason)}")

    def _name(self, event: BatchStarted | Process) -> str:
        return (
            event.stage.value
            if isinstance(event, BatchStarted)
            else f"{event.scheduled.stage} {visible(event.scheduled.case.name)}"
        )

    def _estimate(self) -> str:
        """Return how long this batch still takes, estimated from earlier processes."""
        left = (self.total - self.done) * self.seconds
        if not left:
            return ""
        return f", about {left / 60:.0f} min" if left > 90 else f", about {left:.0f} s"
