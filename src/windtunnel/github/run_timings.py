"""Where the time from push to comment went, read from a run's jobs, the names of their steps, and the verdict."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from windtunnel.compare.comment_markdown import StepDuration
from windtunnel.compare.format import MachineTiming
from windtunnel.github.api_runs import Job, Step, WorkflowRun
from windtunnel.model.measure import Stage

BUILD = "build"
PHASES = {"measure": Stage.SCREENING, "confirm": Stage.CONFIRMATION}
"""Steps count by the first word of their names; what building took of these two the verdict says."""


def durations(
    run: WorkflowRun, jobs: Iterable[Job], machine_timings: Sequence[MachineTiming], now: float
) -> tuple[StepDuration, ...]:
    """Return the parts in order and their total; *now* is Unix time. What the times do not tell is left out.

    Jobs run side by side, so a phase takes what it took in the job where it took longest. *legs* may claim anything:
    building has no more than the step that it is part of.
    """
    began, held = _time(run.run_started_at or run.created_at), tuple(jobs)
    parts = [
        StepDuration(name=name, seconds=seconds)
        for name, seconds in _parts(began, held, machine_timings, now)
        if seconds >= 0
    ]
    if began is not None and now >= began:
        rest = now - began - sum(one.seconds for one in parts)
        parts += [StepDuration(name="the rest", seconds=rest)] if parts and rest > 0 else []
        parts.append(StepDuration(name="together", seconds=now - began))
    return tuple(parts)


def _parts(
    began: float | None, jobs: tuple[Job, ...], machine_timings: Sequence[MachineTiming], now: float
) -> Iterator[tuple[str, float]]:
    starts = [time for job in jobs if (time := _time(job.started_at)) is not None]
    ends = [time for job in jobs if (time := _time(job.completed_at)) is not None]
    if began is not None and starts:
        yield "queue", min(starts) - began
    took = {phase: _longest(jobs, phase) for phase in PHASES}
    building = {phase: min(took[phase], _building(machine_timings, stage)) for phase, stage in PHASES.items()}
    if build := _longest(jobs, BUILD) + sum(building.values()):
        yield BUILD, build
    for phase in PHASES:
        if took[phase]:
            yield phase, took[phase] - building[phase]
    if ends:
        yield "report", now - max(ends)


def _building(machine_timings: Sequence[MachineTiming], stage: Stage) -> float:
    """Return how long building took on the machine that needed longest for *stage*."""
    longest = max((leg for leg in machine_timings if leg.stage is stage), key=lambda leg: leg.seconds, default=None)
    return 0.0 if longest is None else max(0.0, longest.building_seconds)


def _longest(jobs: tuple[Job, ...], phase: str) -> float:
    return max((sum(_durations(job.steps, phase)) for job in jobs), default=0.0)


def _durations(steps: Iterable[Step], phase: str) -> Iterator[float]:
    for step in steps:
        began, ended = _time(step.started_at), _time(step.completed_at)
        if step.name.lower().split(" ")[0] == phase and began is not None and ended is not None:
            yield max(0.0, ended - began)


def _time(text: str | None) -> float | None:
    try:
        return None if text is None else datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None
