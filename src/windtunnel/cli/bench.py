"""``windtunnel bench``: plans, runs, merges and publishes on this machine, and prints a table of the results."""

from collections.abc import Mapping

from windtunnel.asv import machine
from windtunnel.asv.engine_session import Supervisor
from windtunnel.bench.commit_selection import CommitFilter, PlanRequest
from windtunnel.bench.format import Plan
from windtunnel.bench.result_history import ResultHistory
from windtunnel.bench.shard_run import LOG, ShardRun
from windtunnel.cli.console import Console, terminal_width
from windtunnel.cli.options import Name
from windtunnel.cli.plan import default_revisions, log_plan, plan_request, refuse_uncountable, warn_of_own_python
from windtunnel.cli.progress import ShardProgress
from windtunnel.cli.publish import change_search, find_part
from windtunnel.cli.run import log_record
from windtunnel.cli.suite import SuiteContext, SuiteOptions, make_planner, open_context, place_of
from windtunnel.detect.feeds import build_feeds
from windtunnel.errors import ExitCode
from windtunnel.model.run_format import MachineRecord
from windtunnel.publish.overview_text import overview_text, summary_text
from windtunnel.publish.publisher import PublishRequest, publish
from windtunnel.publish.site_files import SitePart
from windtunnel.results.column_reading import default_cache
from windtunnel.results.tree import read_records

SERVE = "WINDTUNNEL_SERVE"
"""The variable with the command that serves the site on port 8080, where something knows a shorter one."""


class BenchOptions(SuiteOptions, frozen=True, kw_only=True):
    """Measure the suite on the newest commit and the Pythons of this machine, and build the history site.

    Ctrl-C keeps what is measured. The next call continues from there.

    example:
      windtunnel bench                                      the newest commit on at most three Pythons of this machine
      windtunnel bench --commits 5 --python 3.13            the newest five commits on one Python
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
    context = open_context(options, env, console)
    with context.work_dir.alone():
        return _carry_out(options, context)


def _carry_out(options: BenchOptions, context: SuiteContext) -> int:
    """Plan, run, merge, publish; the exit code of the run."""
    here = machine.read_machine(context.env)
    plan = _plan(options, context, here)
    code = _run(context, plan, here) if plan.shards else ExitCode.FINE
    if context.work_dir.has_results():
        part = find_part(context.suite, context.suite.results_dir, context.console)
        if part:
            context.console.print(part.headline)
        if not options.no_site:
            _publish(options, context, part)
        if part:
            context.console.print(part.report)
            lines = [f"  {command}\n    {what}, {time}\n" for what, command, time in part.next]
            context.console.print("".join(("Next:\n", *lines)) if lines else "")
    return code


def _plan(options: BenchOptions, context: SuiteContext, here: MachineRecord) -> Plan:
    store, problems = context.work_dir.collect_runs()
    records, broken = read_records(context.suite.results_dir)
    for problem in (*problems, *broken):
        context.console.warn(problem)
    planner = make_planner(context.suite, context.repository, context.work_dir.discovered, context.env, context.console)
    known = ResultHistory.from_results(store, records, here.name, retry=options.selection.retry)
    revisions = default_revisions(options.branch, context.suite, context.repository)
    warn_of_own_python(options.selection, context.suite, context.console)
    request = plan_request(options.selection, context.suite, revisions)
    commits = CommitFilter(irrelevant=context.suite.settings.irrelevant_paths)
    plan = planner.plan(request, commits, known, shards=1)
    log_plan(plan, context.console)
    return plan


def _run(context: SuiteContext, plan: Plan, here: MachineRecord) -> ExitCode:
    folder = context.work_dir.new_run()
    run = ShardRun(
        plan=plan,
        shard=plan.shards[0],
        place=place_of(context.suite, context.repository),
        out=folder,
        machine=here,
        supervisor=Supervisor(env=context.env, log=folder / LOG),
    )
    try:
        with ShardProgress(shard=run.shard, console=context.console) as progress:
            record = run.run(progress)
    finally:
        context.work_dir.collect_runs()
    return log_record(record, context.console)


def _publish(options: BenchOptions, context: SuiteContext, part: SitePart | None) -> None:
    """Build the site, and print the table of the newest figures and the address of the site."""
    cache = default_cache(context.work_dir.site)
    search = change_search(context.suite, context.repository, options.branch, cache)
    request = PublishRequest(
        results=context.suite.results_dir,
        out=context.work_dir.site,
        configuration=context.suite,
        repository=context.repository,
        branch=options.branch,
        log=context.console.detail,
        find_changes=search,
        build_feeds=build_feeds,
        cache=cache,
        claims=part,
    )
    overview, notes = publish(request)
    for note in notes:
        context.console.log(f"note: {note}")
    width = terminal_width()
    context.console.detail(overview_text(overview, width))
    board = context.suite.settings.board
    context.console.print(summary_text(overview, board.names if board else {}, width))
    folder = context.work_dir.site.resolve()
    serve = context.env.get(SERVE, f"python -m http.server 8080 --bind 127.0.0.1 --directory {folder}")
    context.console.print(f"All figures (--verbose prints them):\n  {serve}\n  then open http://127.0.0.1:8080\n")
