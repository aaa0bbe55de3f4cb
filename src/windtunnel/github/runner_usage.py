"""How many runner-minutes the pull requests of a workflow used, from the jobs of their runs."""

import math
from dataclasses import dataclass, field
from datetime import datetime

from windtunnel.errors import RefusedError
from windtunnel.github.api_runs import WorkflowJob, WorkflowRun, list_jobs, list_pull_request_runs
from windtunnel.github.client import Client
from windtunnel.github.http import RepositoryName

MAX_RUNS_READ = 30
"""Runs whose jobs are read; the mean of the newest stands for older ones. A token may send 1,000 requests an hour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerUsage:
    """The runner-minutes of some runs."""

    minutes: float
    """Each job counts in whole minutes, as GitHub bills it."""
    runs: int
    """The number of runs."""
    runs_read: int
    """The number of runs whose jobs were read; if it is smaller, the minutes are an estimate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageReader:
    """Reads how many runner-minutes the pull requests of one workflow used."""

    client: Client
    repo: RepositoryName
    workflow: int
    """The id of the workflow."""
    minutes: dict[int, int | None] = field(default_factory=dict)
    """The minutes of each run that was read; None if the run was deleted meanwhile."""

    def read(self, since: str, branch: str = "", repository: str = "") -> RunnerUsage:
        """Return the usage of the runs since *since* (ISO 8601), of all pull requests or of one.

        One pull request has a head *branch* in a *repository*, ``owner/name``.
        """
        page = self.client.send(list_pull_request_runs(self.repo, self.workflow, since, branch))
        runs = [run for run in page.workflow_runs if not repository or _repository_of(run) == repository]
        newest = sorted({run.id for run in runs}, reverse=True)[:MAX_RUNS_READ]
        read = [minutes for run in newest if (minutes := self._minutes(run)) is not None]
        deleted = len(newest) - len(read)
        count = (len(runs) if repository else max(page.total_count, len(runs))) - deleted
        mean = sum(read) / len(read) if read else 0.0
        return RunnerUsage(minutes=mean * count, runs=count, runs_read=len(read))

    def _minutes(self, run: int) -> int | None:
        if run not in self.minutes:
            try:
                pages = list(self.client.pages(list_jobs(self.repo, run, "all")))
            except RefusedError as refused:
                if refused.status != 404:
                    raise
                self.minutes[run] = None
            else:
                jobs = {job.id: job for page in pages for job in page.jobs}
                now = self.client.clock.now()
                self.minutes[run] = sum(count_minutes(job, now) for job in jobs.values())
        return self.minutes[run]


def _repository_of(run: WorkflowRun) -> str:
    return run.head_repository.full_name if run.head_repository else ""


def count_minutes(job: WorkflowJob, now: float) -> int:
    """Return the started minutes of *job* until *now*, in Unix time; 0 if it was skipped or has not started."""
    try:
        started = datetime.fromisoformat(job.started_at or "").timestamp()
        ended = datetime.fromisoformat(job.completed_at).timestamp() if job.completed_at else now
    except ValueError:
        return 0
    return 0 if job.conclusion == "skipped" else max(0, math.ceil((ended - started) / 60))
