"""``windtunnel bench``: the main job on this machine: plan, run, merge, publish, and a table of what came out."""

import argparse
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from windtunnel.asv import machine
from windtunnel.asv.configuration import Configuration
from windtunnel.asv.engine_session import Supervisor
from windtunnel.bench.format import Plan
from windtunnel.bench.result_history import ResultHistory
from windtunnel.bench.shard_run import LOG, ShardRun
from windtunnel.cli.claims import board_text, decide, read_claims
from windtunnel.cli.commit_order import Wanted
from windtunnel.cli.options import Parser, Voice, add_suite, find_suite, parse
from windtunnel.cli.progress import Display
from windtunnel.cli.run import report
from windtunnel.cli.selection_options import add_selection, find_repository, make_planner, request_of, tell
from windtunnel.cli.site_detection import site_detection
from windtunnel.errors import ExitCode, WindtunnelError
from windtunnel.git.repository import Repository
from windtunnel.model.run_format import MachineRecord
from windtunnel.publish.overview_text import overview_text
from windtunnel.publish.publisher import PublishRequest, publish
from windtunnel.results.tree import read_records
from windtunnel.results.work_dir import WorkDir

EXAMPLE = """\
  windtunnel bench                                      the newest 3 commits on every Python here
  windtunnel bench --commits 1 --python 3.13            the newest commit on one Python
  windtunnel bench --revisions v1.0..main --budget 30   what half an hour allows of a range
  windtunnel bench --bench 'sleep.*quick'               only the cases whose name matches"""


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
    """Carry the main job out; what is measured already is not measured again."""
    parser = Parser(
        "bench",
        out=out,
        description="Time the suite on recent commits and every Python of this machine, and build the history site.\n"
        "Ctrl-C keeps what is measured; the next call goes on from there.",
        example=EXAMPLE,
    )
    add_suite(parser)
    add_selection(parser)
    parser.add_argument("--no-site", action="store_true", help="measure only; build no site")
    options = parse(parser, argv)
    if options is None:
        return ExitCode.FINE
    voice = Voice.of(options, err)
    job = Job(options=options, suite=find_suite(options.config), out=out, env=env, voice=voice)
    with job.work_dir.alone():
        return job.carry_out()


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One call of the main job."""

    options: argparse.Namespace
    suite: Configuration
    out: TextIO
    env: Mapping[str, str]
    voice: Voice

    @property
    def work_dir(self) -> WorkDir:
        """Where it works."""
        return WorkDir(root=self.suite.folder / ".windtunnel", results=self.suite.results_dir)

    def carry_out(self) -> int:
        """Plan, run, merge, publish; the exit code of the run."""
        repository = find_repository(self.suite, self.env, self.voice)
        here = machine.record(machine.read_system(self.env), self.env)
        plan = self._plan(repository, here)
        code = self._run(plan, here) if plan.shards else ExitCode.FINE
        if self.work_dir.has_results() and not self.options.no_site:
            self._publish(repository)
        self._tell_claims(repository)
        return code

    def _plan(self, repository: Repository, here: MachineRecord) -> Plan:
        store, problems = self.work_dir.collect_runs()
        records, broken = read_records(self.suite.results_dir)
        for problem in (*problems, *broken):
            self.voice.warn(problem)
        planner = make_planner(self.suite, repository, self.work_dir.discovered, self.env, self.voice)
        known = ResultHistory.from_results(store, records, here.name, retry=self.options.retry)
        plan = planner.plan(request_of(self.options, self.suite, shards=1), known)
        tell(plan, self.voice)
        return plan

    def _run(self, plan: Plan, here: MachineRecord) -> ExitCode:
        folder = self.work_dir.new_run()
        run = ShardRun(
            plan=plan,
            shard=plan.shards[0],
            config=self.suite.path,
            out=folder,
            machine=here,
            supervisor=Supervisor(env=self.env, log=folder / LOG),
        )
        try:
            with Display(shard=run.shard, err=self.voice.err, quiet=self.options.quiet) as display:
                record = run.run(display)
        finally:
            self.work_dir.collect_runs()
        return report(record, self.voice)

    def _publish(self, repository: Repository) -> None:
        """Build the site, print the table of the newest figures and say how to look at the rest."""
        request = PublishRequest(
            results=self.suite.results_dir,
            out=self.work_dir.site,
            configuration=self.suite,
            repository=repository,
            env=self.env,
            log=self.voice.detail,
            detection=site_detection(self.suite, repository),
        )
        published = publish(request)
        for note in published.notes:
            self.voice.say(f"note: {note}")
        self.out.write(overview_text(published.overview, width=shutil.get_terminal_size(fallback=(100, 24)).columns))
        self.out.write(f"site: {published.folder / 'index.html'}\n")
        self.voice.say(f"to look at it: make serve, or python -m http.server --directory {published.folder}")

    def _tell_claims(self, repository: Repository) -> None:
        """Print the claim board where a claim is decided: light loads decide none, and nothing is said then."""
        if not (self.suite.claims.is_file() and self.work_dir.has_results()):
            return
        try:
            where = Wanted(repository=repository.root, branch=None)
            board = decide(read_claims(self.suite.claims), self.suite.results_dir, where, self.env, self.voice)
        except WindtunnelError as error:
            self.voice.warn(f"claims are not decided: {error}")
            return
        if board.is_decided:
            self.out.write(board_text(board))
