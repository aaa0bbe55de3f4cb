"""Workflow runs: their jobs and times, and the verdict in their artifacts, which is not trusted."""

import re
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from io import BytesIO

from msgspec import Struct

from windtunnel.compare.format import VERDICT_FORMAT, ComparisonReport, MachineTiming
from windtunnel.errors import DataError, RemoteError
from windtunnel.github.check import CheckRun
from windtunnel.github.client import Client, RepositoryName, Request, get, pages
from windtunnel.github.pull_requests import BranchRepository
from windtunnel.model.schedule import Stage
from windtunnel.text import numbers
from windtunnel.text.escaping import visible

BROKEN = frozenset({"failure", "timed_out", "cancelled"})
"""Conclusions of jobs and runs that did not finish their work."""


class WorkflowRun(Struct, frozen=True, kw_only=True):
    """A run of a workflow; times are ISO 8601. The reference of GitHub's REST API documents the fields."""

    id: int
    head_sha: str
    event: str
    status: str | None
    conclusion: str | None
    created_at: str
    run_started_at: str | None = None
    html_url: str
    run_attempt: int = 1
    head_branch: str | None = None
    head_repository: BranchRepository | None = None

    @property
    def awaits_approval(self) -> bool:
        """Whether GitHub holds the run until a maintainer approves it.

        Such a run of a fork is *completed* with the conclusion ``action_required`` from its first event on; once it is
        approved, the same run starts (docs.github.com, Approving workflow runs from forks; pytorch/test-infra 8029).
        """
        return self.conclusion == "action_required" or self.status in {"action_required", "waiting"}

    @property
    def first_attempt(self) -> int:
        """The first attempt whose artifacts count: a repeated run keeps those of the attempts before one that broke."""
        return self.run_attempt if self.run_attempt > 1 and self.conclusion in BROKEN else 0

    @property
    def source(self) -> str:
        """The owner and branch of the commit, ``owner:branch``; empty where GitHub names none."""
        owner = self.head_repository.full_name.partition("/")[0] if self.head_repository else ""
        return f"{owner}:{self.head_branch}" if owner and self.head_branch else ""


class WorkflowJob(Struct, frozen=True, kw_only=True):
    """A job of a run, or a step of a job; the reference of GitHub's REST API documents the fields."""

    id: int = 0
    name: str
    started_at: str | None = None
    completed_at: str | None = None
    conclusion: str | None = None
    steps: tuple["WorkflowJob", ...] = ()
    runner_id: int | None = None
    labels: tuple[str, ...] = ()
    """Of the runner that it asks for."""

    @property
    def is_check(self) -> bool:
        """Whether it is a check run that a token created: GitHub lists these as jobs of the commit's oldest run.

        They have no steps and no runner, and no label of one (dorny/test-reporter 67, game-ci/unity-test-runner 222).
        """
        return not (self.steps or self.runner_id or self.labels)


def get_run(repo: RepositoryName, run: int) -> Request[WorkflowRun]:
    """Request a run."""
    return get(repo.path("actions", "runs", run), WorkflowRun)


MAX_ARCHIVE_BYTES = 16 * 1024 * 1024
"""Bytes; the verdict on 2,000 cases takes 1 MB compressed."""
MAX_FILE_BYTES = 32 * 1024 * 1024
"""Bytes, unpacked; the verdict on 2,000 cases takes 13 MB."""
MAX_ENTRIES = 1000
COMPRESSION_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""The methods GitHub uses; others may need unbounded memory before the first byte."""


class Artifact(Struct, frozen=True, kw_only=True):
    """An artifact of a run."""

    id: int
    name: str
    size_in_bytes: int
    expired: bool
    created_at: str | None = None

    def attempt(self, name: str) -> int:
        """Return the attempt that uploaded it if it is called *name*, 0 if it does not state one, else -1."""
        found = re.fullmatch(rf"{re.escape(name)}(?:\.(\d{{1,9}}))?", self.name)
        return int(found[1] or 0) if found else -1


def read_artifact_file(
    client: Client, repo: RepositoryName, run: WorkflowRun, artifact: str, file: str
) -> bytes | None:
    """Return the content of *file* in the artifact of a run called *artifact* or ``artifact.ATTEMPT``.

    That of the highest attempt counts, then the newest: ids do not grow with attempts (Systemorph/MeshWeaver 4303).
    None where there is none or it has expired. Raises DataError where it is too large, is not a zip file, or does not
    contain the file.
    """
    listed = client.entries(pages(repo.path("actions", "runs", run.id, "artifacts"), "artifacts", Artifact))
    found = [one for one in listed if run.first_attempt <= one.attempt(artifact) <= run.run_attempt]
    if not found:
        return None
    newest = max(found, key=lambda one: (one.attempt(artifact), one.created_at or "", one.id))
    if newest.expired:
        return None
    if newest.size_in_bytes > MAX_ARCHIVE_BYTES:
        raise DataError(
            f"the artifact {artifact} has {newest.size_in_bytes} bytes; at most {MAX_ARCHIVE_BYTES} are read"
        )
    archive = client.download(get(repo.path("actions", "artifacts", newest.id, "zip"), bytes), MAX_ARCHIVE_BYTES)
    return extract(archive, file, f"the artifact {artifact}")


def extract(archive: bytes, name: str, source: str) -> bytes:
    """Return the content of the file *name* at the root of the zip file *archive*.

    Nothing is written to disk. Raises DataError naming *source*.
    """
    try:
        with zipfile.ZipFile(BytesIO(archive)) as opened:
            entries = opened.infolist()
            if len(entries) > MAX_ENTRIES:
                raise DataError(f"{source} has {len(entries)} entries; only {name} is expected")
            return _content(opened, [one for one in entries if one.filename == name], name, source)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, OSError, OverflowError) as error:
        raise DataError(f"{source} is not a readable zip file: {visible(str(error), 200)}") from None


def _content(opened: zipfile.ZipFile, found: list[zipfile.ZipInfo], name: str, source: str) -> bytes:
    if len(found) != 1:
        raise DataError(f"{source} holds {len(found)} files called {name}; one is expected")
    if found[0].compress_type not in COMPRESSION_METHODS:
        raise DataError(f"{source}: {name} uses compression method {found[0].compress_type}; only deflate is read")
    with opened.open(found[0]) as file:
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise DataError(f"{source}: {name} unpacks to more than {MAX_FILE_BYTES} bytes; it is not read")
    return content


BUILD = "build"
PHASES: Mapping[str, Stage] = {"measure": "screening", "confirm": "confirmation"}
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
    of_stage = (timing for timing in machine_timings if timing.stage == stage)
    longest = max(of_stage, key=lambda timing: timing.seconds, default=None)
    return 0.0 if longest is None else max(0.0, longest.building_seconds)


def _longest(jobs: Sequence[WorkflowJob], phase: str) -> float:
    return max((sum(_durations(job.steps, phase)) for job in jobs), default=0.0)


def _durations(steps: Iterable[WorkflowJob], phase: str) -> Iterator[float]:
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


def fetch_failures(
    client: Client, repo: RepositoryName, run: int, checks: Collection[CheckRun] = ()
) -> tuple[str, ...]:
    """Return why jobs of a run failed, such as ``Prepare: The version '3.6' was not found``; the text is not trusted.

    Empty where GitHub does not show it.
    """
    try:
        failed = [job for job in fetch_jobs(client, repo, run, checks) if job.conclusion in {"failure", "timed_out"}]
        return tuple(f"{job.name}: {_reason(client, repo, job)}" for job in failed[:MAX_FAILED_JOBS])
    except RemoteError:
        return ()


def _reason(client: Client, repo: RepositoryName, job: WorkflowJob) -> str:
    """Return the first line of the first message of *job* that states a reason, else the name of the failed step."""
    listed = client.send(pages(repo.path("check-runs", job.id, "annotations"), "", dict[str, object]))
    messages = (str(one.get("message") or "") for one in listed if one.get("annotation_level") == "failure")
    step = next((step.name for step in job.steps if step.conclusion == "failure"), "")
    reasons = (message.strip().partition("\n")[0] for message in messages if not EXIT_CODE.fullmatch(message.strip()))
    return next((one for one in reasons if one), f"the step {step} failed" if step else "failed")


def fetch_jobs(client: Client, repo: RepositoryName, run: int, checks: Collection[CheckRun]) -> tuple[WorkflowJob, ...]:
    """Return the jobs of a run, each once: a list that changes while it is read may repeat entries.

    Neither *checks* nor other check runs are jobs.
    """
    listed = pages(repo.path("actions", "runs", run, "jobs"), "jobs", WorkflowJob, filter="latest")
    others = {check.id for check in checks}
    return tuple({job.id: job for job in client.entries(listed) if job.id not in others and not job.is_check}.values())
