"""Reads the verdict of a run and how the run went, and decides how its check ends."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from windtunnel.compare.format import VERDICT_FORMAT, ComparisonReport, MachineTiming, Overall
from windtunnel.errors import RemoteError
from windtunnel.github.api_runs import Step, WorkflowJob, WorkflowRun, list_jobs
from windtunnel.github.artifacts import read_artifact_file
from windtunnel.github.check import Annotation, Conclusion, list_annotations
from windtunnel.github.client import Client, RepositoryName
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


VERDICT_ARTIFACT, VERDICT_FILE = "windtunnel-verdict", "verdict.json"


def decide_conclusion(report: ComparisonReport, *, gate: bool, complete: bool, accepted: bool = False) -> Conclusion:
    """Return the conclusion of a check with a verdict.

    A regression by time or by instructions fails the check, and so do cases that fail only on head. None does without
    *gate*, and regressions do not if a person *accepted* them. A verdict on part of the cases, not *complete*, always
    does.
    """
    unmeasured = report.overall is Overall.NOTHING_MEASURED and not report.is_irrelevant
    worse = report.breaks_cases or (report.fails_gate and not accepted)
    if not complete or (worse and gate) or (unmeasured and report.coverage.planned > 0):
        return Conclusion.FAILURE
    if report.fails_gate or unmeasured or report.overall is Overall.INCONCLUSIVE:
        return Conclusion.NEUTRAL
    return Conclusion.SUCCESS


def conclusion_without_verdict(run_conclusion: str | None) -> Conclusion:
    """Return the conclusion of a check whose run left no verdict, by how GitHub reports that the run ended."""
    match run_conclusion:
        case "cancelled" | "skipped":
            return Conclusion(run_conclusion)
        case "success" | "neutral":
            return Conclusion.NEUTRAL
        case _:
            return Conclusion.FAILURE


def fetch_verdict(client: Client, repo: RepositoryName, run: WorkflowRun) -> ComparisonReport | None:
    """Return the verdict in the artifact of a run, None if the artifact does not exist.

    Raises DataError where the artifact holds no valid verdict; its content and its stated size are not trusted.
    """
    content = read_artifact_file(client, repo, run, VERDICT_ARTIFACT, VERDICT_FILE)
    if content is None:
        return None
    return VERDICT_FORMAT.decode(content, f"{VERDICT_FILE} in the artifact {VERDICT_ARTIFACT}")


MAX_FAILED_JOBS = 5
"""Failed jobs whose messages are read."""

EXIT_CODE = re.compile(r"Process completed with exit code \d+\.?")
"""The message of a step that wrote none itself."""


def fetch_failures(client: Client, repo: RepositoryName, run: int) -> tuple[str, ...]:
    """Return why jobs of a run failed, such as ``Prepare: The version '3.6' was not found``; the text is not trusted.

    Empty where GitHub does not show it.
    """
    try:
        failed = [job for job in fetch_jobs(client, repo, run) if job.conclusion in {"failure", "timed_out"}]
        return tuple(f"{job.name}: {_reason(client, repo, job)}" for job in failed[:MAX_FAILED_JOBS])
    except RemoteError:
        return ()


def _reason(client: Client, repo: RepositoryName, job: WorkflowJob) -> str:
    """Return the first line of the first message of *job* that states a reason, else the name of the failed step."""
    messages = (one.message or "" for one in client.send(list_annotations(repo, job.id)) if _is_failure(one))
    step = next((step.name for step in job.steps if step.conclusion == "failure"), "")
    reasons = (message.strip().partition("\n")[0] for message in messages if not EXIT_CODE.fullmatch(message.strip()))
    return next((one for one in reasons if one), f"the step {step} failed" if step else "failed")


def _is_failure(annotation: Annotation) -> bool:
    return annotation.annotation_level == "failure"


def fetch_jobs(client: Client, repo: RepositoryName, run: int) -> tuple[WorkflowJob, ...]:
    """Return the jobs of a run, each once: a list that changes while it is read may repeat entries."""
    jobs = {job.id: job for job in client.entries(list_jobs(repo, run))}
    return tuple(jobs.values())
