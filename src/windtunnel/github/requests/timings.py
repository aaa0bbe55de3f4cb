"""Where the time from push to comment went, read from a run's jobs and the names of their steps."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from windtunnel.github.requests.runs import Job, Step, WorkflowRun
from windtunnel.report.comment_markdown import Spent

PHASES = ("build", "measure", "confirm")
"""Steps count by the first word of their names."""


def spent(run: WorkflowRun, jobs: Iterable[Job], now: float) -> tuple[Spent, ...]:
    """Return the parts in order and their total; *now* is Unix time. What the times do not tell is left out.

    Jobs run side by side, so a phase takes what it took in the job where it took longest.
    """
    parts = _parts(_time(run.created_at), tuple(jobs), now)
    return tuple(Spent(name=name, seconds=seconds) for name, seconds in parts if seconds >= 0)


def _parts(began: float | None, jobs: tuple[Job, ...], now: float) -> Iterator[tuple[str, float]]:
    starts = [time for job in jobs if (time := _time(job.started_at)) is not None]
    ends = [time for job in jobs if (time := _time(job.completed_at)) is not None]
    if began is not None and starts:
        yield "queue", min(starts) - began
    for phase in PHASES:
        if took := max((sum(_durations(job.steps, phase)) for job in jobs), default=0):
            yield phase, took
    if ends:
        yield "report", now - max(ends)
    if began is not None:
        yield "together", now - began


def _durations(steps: Iterable[Step], phase: str) -> Iterator[float]:
    for step in steps:
        began, ended = _time(step.started_at), _time(step.completed_at)
        if step.name.lower().split(" ")[0] == phase and began is not None and ended is not None:
            yield ended - began


def _time(text: str | None) -> float | None:
    try:
        return None if text is None else datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None
