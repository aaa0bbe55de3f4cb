"""``windtunnel bench``: plans, runs, merges and publishes on this machine, and prints a table of the results."""

from collections.abc import Mapping
from dataclasses import dataclass

from windtunnel.asv import machine
from windtunnel.asv.configuration import Configuration
from windtunnel.asv.engine_session import Supervisor
from windtunnel.bench.commit_selection import CommitFilter, PlanRequest
from windtunnel.bench.format import Plan
from windtunnel.bench.result_history import ResultHistory
from windtunnel.bench.shard_run import LOG, ShardRun
from windtunnel.cli.console import Console, terminal_width
from windtunnel.cli.options import Name
from windtunnel.cli.progress import ShardProgress
from windtunnel.cli.publish import change_search, find_part
from windtunnel.cli.run import log_record
from windtunnel.cli.selection import (
    default_revisions,
    log_plan,
    plan_request,
    refuse_uncountable,
    warn_of_own_python,
)
from windtunnel.cli.suite import SuiteOptions, find_repository, find_suite, make_planner, place_of
from windtunnel.detect.feeds import build_feeds
from windtunnel.errors import ExitCode
from windtunnel.git.repository import Repository
from windtunnel.model.run_format import MachineRecord
from windtunnel.publish.overview_text import overview_text
from windtunnel.publish.publisher import PublishRequest, publish
from windtunnel.publish.site_files import SitePart
from windtunnel.results.column_reading import default_cache
from windtunnel.results.tree import read_records
from windtunnel.results.work_dir import WorkDir


class BenchOptions(SuiteOptions, frozen=True, kw_only=True):
    """Measure the suite on recent commits and every Python of this machine, and build the history site.

    Ctrl-C keeps what is measured. The next call continues from there.

    example:
      windtunnel bench                                      the newest 3 commits on every Python here
      windtunnel bench --commits 1 --python 3.13            the newest commit on one Python
      windtunnel bench --revisions v1.0..main --budget 30   what half an hour allows of a range
      windtunnel bench --bench 'sleep.*quick'               only the cases whose name matches
    """

    selection: PlanRequest
    branch: Name | None = None
    """The branch whose commits are read (default: the first of 'branches' that exists, else the default branch)."""
    no_site: bool = False
    """Measure only; do not build the site."""


def run(options: BenchOptions, console: Console, env: Mapping[str, str]) -> int:
    """Measure what is not measured yet, and publish."""
    refuse_uncountable(options.selection, env)
    job = Job(options=options, suite=find_suite(options.config, env), env=env, console=console)
    with job.work_dir.alone():
        return job.carry_out()


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One call of ``windtunnel bench``."""

    options: BenchOptions
    suite: Configuration
    env: Mapping[str, str]
    console: Console

    @property
    def work_dir(self) -> WorkDir:
        """The folder that it works in."""
        return WorkDir(root=self.suite.folder / ".windtunnel", results=self.suite.results_dir)

    def carry_out(self) -> int:
        """Plan, run, merge, publish; the exit code of the run."""
        repository = find_repository(self.options, self.suite, self.env, self.console)
        here = machine.read_machine(self.env)
        plan = self._plan(repository, here)
        code = self._run(plan, repository, here) if plan.shards else ExitCode.FINE
        if self.work_dir.has_results():
            part = find_part(self.suite, self.suite.results_dir, self.console)
            if part:
                self.console.print(part.headline)
            if not self.options.no_site:
                self._publish(repository, part)
            if part:
                self.console.print(part.report)
        return code

    def _plan(self, repository: Repository, here: MachineRecord) -> Plan:
        store, problems = self.work_dir.collect_runs()
        records, broken = read_records(self.suite.results_dir)
        for problem in (*problems, *broken):
            self.console.warn(problem)
        planner = make_planner(self.suite, repository, self.work_dir.discovered, self.env, self.console)
        known = ResultHistory.from_results(store, records, here.name, retry=self.options.selection.retry)
        revisions = default_revisions(self.options.branch, self.suite, repository)
        warn_of_own_python(self.options.selection, self.suite, self.console)
        request = plan_request(self.options.selection, self.suite, revisions)
        commits = CommitFilter(irrelevant=self.suite.settings.irrelevant_paths)
        plan = planner.plan(request, commits, known, shards=1)
        log_plan(plan, self.console)
        return plan

    def _run(self, plan: Plan, repository: Repository, here: MachineRecord) -> ExitCode:
        folder = self.work_dir.new_run()
        run = ShardRun(
            plan=plan,
            shard=plan.shards[0],
            place=place_of(self.suite, repository),
            out=folder,
            machine=here,
            supervisor=Supervisor(env=self.env, log=folder / LOG),
        )
        try:
            with ShardProgress(shard=run.shard, console=self.console) as progress:
                record = run.run(progress)
        finally:
            self.work_dir.collect_runs()
        return log_record(record, self.console)

    def _publish(self, repository: Repository, part: SitePart | None) -> None:
        """Build the site, and print the table of the newest figures and the address of the site."""
        cache = default_cache(self.work_dir.site)
        search = change_search(self.suite, repository, self.options.branch, cache)
        request = PublishRequest(
            results=self.suite.results_dir,
            out=self.work_dir.site,
            configuration=self.suite,
            repository=repository,
            branch=self.options.branch,
            log=self.console.detail,
            find_changes=search,
            build_feeds=build_feeds,
            cache=cache,
            claims=part,
        )
        overview, notes = publish(request)
        for note in notes:
            self.console.log(f"note: {note}")
        self.console.print(overview_text(overview, width=terminal_width()))
        site = self.work_dir.site.resolve()
        self.console.print(f"site: {site / 'index.html'}\n")
        self.console.log(f"to view it: python -m http.server --directory {site}")
