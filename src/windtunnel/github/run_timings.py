"""Where the time from push to comment went, read from the jobs of a run, the names of their steps, and the verdict."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from windtunnel.compare.format import MachineTiming
from windtunnel.github.api_runs import Step, WorkflowJob, WorkflowRun
from windtunnel.model.schedule import Stage
from windtunnel.text import numbers

BUILD = "build"
PHASES = {"measure": Stage.SCREENING, "confirm": Stage.CONFIRMATION}
"""Steps by the first word of their names; the verdict states how much of each was building."""


def render_timings(
    run: WorkflowRun, jobs: Sequence[WorkflowJob], machine_timings: Sequence[MachineTiming], now: float
) -> str:
    """Return the durations of the phases and their total, such as ``queue 5 s, measure 3 min, together 4 min``.

    *now* is Unix time. A phase without times is left out. Jobs run in parallel, so a phase takes as long as in the job
    where it took longest. *machine_timings* is not trusted: building never takes longer than the step it is part of.
    """
    started = _time(run.run_started_at or run.created_at)
    parts = [(name, seconds) for name, seconds in _phases(started, jobs, machine_timings, now) if seconds >= 0]
    if started is not None and now >= started:
        rest = now - started - sum(seconds for _, seconds in parts)
        parts += [("the rest", rest)] if parts and rest > 0 else []
        parts.append(("together", now - started))
    return ", ".join(f"{name} {numbers.duration(seconds)}" for name, seconds in parts)


def _phases(
    started: float | None, jobs: Sequence[WorkflowJob], machine_timings: Sequence[MachineTiming], now: float
) -> Iterator[tuple[str, float]]:
    starts = [time for job in jobs if (time := _time(job.started_at)) is not None]
    ends = [time for job in jobs if (time := _time(job.completed_at)) is not None]
    if started is not None and starts:
        yield "queue", min(starts) - started
    longest = {phase: _longest(jobs, phase) for phase in PHASES}
    building = {phase: min(longest[phase], _building(machine_timings, stage)) for phase, stage in PHASES.items()}
    if build := _longest(jobs, BUILD) + sum(building.values()):
        yield BUILD, build
    for phase in PHASES:
        if longest[phase]:
            yield phase, longest[phase] - building[phase]
    if ends:
        yield "report", now - max(ends)


def _building(machine_timings: Sequence[MachineTiming], stage: Stage) -> float:
    """Return how long building took on the machine that needed longest for *stage*."""
    of_stage = (timing for timing in machine_timings if timing.stage is stage)
    longest = max(of_stage, key=lambda timing: timing.seconds, default=None)
    return 0.0 if longest is None else max(0.0, longest.building_seconds)


def _longest(jobs: Sequence[WorkflowJob], phase: str) -> float:
    return max((sum(_durations(job.steps, phase)) for job in jobs), default=0.0)


def _durations(steps: Iterable[Step], phase: str) -> Iterator[float]:
    for step in steps:
        started, ended = _time(step.started_at), _time(step.completed_at)
        if step.name.lower().split(" ")[0] == phase and started is not None and ended is not None:
            yield max(0.0, ended - started)


def _time(text: str | None) -> float | None:
    try:
        return None if text is None else datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None
