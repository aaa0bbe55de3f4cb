"""``windtunnel measure-claims``: measure claims in blocks until each is decided."""

import random
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Annotated

from msgspec import structs

from windtunnel.asv import machine
from windtunnel.asv.configuration import Configuration
from windtunnel.asv.engine_session import Supervisor
from windtunnel.asv.protocol import PlannedEnvironment
from windtunnel.asv.results_format.files import environment_part
from windtunnel.bench.commit_selection import CommitFilter, PlanRequest, choose
from windtunnel.bench.shard_run import LOG
from windtunnel.cli.console import Console, terminal_width
from windtunnel.cli.options import Arg, File, Folder, Minutes
from windtunnel.cli.plan import default_revisions
from windtunnel.cli.progress import LiveLine
from windtunnel.cli.suite import Builds, SuiteOptions, find_builds, find_repository, find_suite, make_planner, place_of
from windtunnel.errors import ExitCode, UsageError
from windtunnel.files import locked, write_atomically
from windtunnel.formats import encode
from windtunnel.git.repository import Commit, Repository
from windtunnel.model.identity import Instant
from windtunnel.model.run import ResultsTree
from windtunnel.model.run_format import MachineRecord
from windtunnel.results.merge import merge_trees
from windtunnel.results.record_files import claim_file, read_claim_files
from windtunnel.results.tree import read_tree, write_tree
from windtunnel.results.work_dir import WorkDir
from windtunnel.text import numbers
from windtunnel_claims.board import claim_board
from windtunnel_claims.claims_command import claims_path, read_claims
from windtunnel_claims.claims_file import ClaimsFile
from windtunnel_claims.format import ClaimBoard
from windtunnel_claims.measuring import ClaimsMeasuring
from windtunnel_claims.report import render_terminal
from windtunnel_claims.samples_format import SAMPLES_FORMAT, ClaimSamples
from windtunnel_claims.series_plan import combine

FOLDER = "claims"
"""Below ``.windtunnel``: the engine's log and the benchmarks of each environment."""


class MeasureClaimsOptions(SuiteOptions, frozen=True, kw_only=True):
    """Measure the claims of the suite in blocks, on every Python of this machine, until each is decided.

    A block has all cases of some claims within seconds of each other. Ctrl-C keeps what is measured, and the next call
    continues from there. The values are kept in the results folder, where windtunnel claims reads them.

    example:
      windtunnel measure-claims                                all claims on every Python here
      windtunnel measure-claims --claim Z1 --claim F2 --python 3.13
      windtunnel measure-claims --budget 40 --into results     what 40 minutes decide
      windtunnel measure-claims --answers --python 3.14        the claims behind the answers
      windtunnel claims results --out claims.json              the board, afterwards
    """

    claim: Annotated[tuple[str, ...], Arg(metavar="ID")] = ()
    """Measure only this claim; may be repeated."""
    python: Annotated[tuple[str, ...], Arg(metavar="SPEC")] = ()
    """Measure only on this Python, such as 3.13 or virtualenv:3.13; may be repeated."""
    commit: Annotated[str, Arg(metavar="REV", default="the newest that changes what is installed or timed")] = ""
    """Measure this commit."""
    budget: Minutes | None = None
    """Begin no further block after this many minutes; they are divided between the Pythons."""
    into: Folder | None = None
    """The results folder (default: asv's results_dir)."""
    claims: File | None = None
    """The claims file (default: claims.toml beside the benchmarks)."""
    answers: bool = False
    """Measure only the claims that findings rest on."""
    builds: Builds = None
    """Install from the builds of windtunnel ci build in this folder; a commit without one is built."""


def run(options: MeasureClaimsOptions, console: Console, env: Mapping[str, str]) -> int:
    """Measure, and print the decisions; exit code 3 when nothing could be measured, 130 after Ctrl-C."""
    suite = find_suite(options.config, env)
    claims = read_claims(options.claims or claims_path(suite))
    work = ClaimsWork(
        options=options,
        suite=suite,
        claims=claims,
        selected=select_claims(claims, options.claim, answers=options.answers),
        repository=find_repository(options, suite, env, console),
        console=console,
        env=env,
    )
    with work.work_dir.alone():
        return work.carry_out()


def select_claims(claims: ClaimsFile, asked: Sequence[str], *, answers: bool = False) -> frozenset[str]:
    """Return the ids of the claims that are *asked* for or behind *answers*, by default of all; raises UsageError."""
    known = [claim.id for claim in claims.claims]
    for name in asked:
        if name not in known:
            raise UsageError(f"unknown claim {name[:80]!r}; the claims are {', '.join(known) or 'none'}")
    behind = {name for each in claims.findings for name in (each.claim, *each.more)} if answers else set()
    return frozenset({*asked} | behind or known)


def describe_load(samples: ClaimSamples, limit: float) -> str:
    """Return a warning if blocks do not count because other processes kept processors busy; empty if all count."""
    blocks = [block for series in samples.series for block in series.blocks]
    if not (disturbed := [block for block in blocks if not block.is_quiet(limit)]):
        return ""
    load = median(block.background_load or 0.0 for block in disturbed)
    return (
        f"{len(disturbed)} of {numbers.count(len(blocks), 'block')} left out: other processes used more than "
        f"{limit:g} processors meanwhile (median {load:.1f}), which changes ratios; where claims are "
        "undecided, call the command again on an idle machine, and it goes on"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimsWork:
    """One call of the command."""

    options: MeasureClaimsOptions
    suite: Configuration
    claims: ClaimsFile
    selected: frozenset[str]
    """The ids of the claims to measure."""
    repository: Repository
    console: Console
    env: Mapping[str, str]
    begun: float = field(default_factory=time.monotonic)

    @property
    def work_dir(self) -> WorkDir:
        """The folder beside the suite; one job at a time works in it."""
        return WorkDir(root=self.suite.folder / ".windtunnel", results=self.suite.results_dir)

    @property
    def into(self) -> Path:
        """The results folder."""
        return (self.options.into or self.suite.results_dir).absolute()

    def carry_out(self) -> int:
        """Measure on each Python; return the exit code."""
        folder = self.work_dir.root / FOLDER
        planner = make_planner(self.suite, self.repository, folder, self.env, self.console)
        found = planner.environments(self.options.python)
        for missing in found.missing:
            self.console.warn(f"Python {missing} is not installed, so nothing is measured on it")
        commit = self._commit()
        here = machine.read_machine(self.env)
        earlier, problems = read_claim_files(self.into, SAMPLES_FORMAT)
        for problem in problems:
            self.console.warn(problem)
        measured: list[ClaimsMeasuring] = []
        interrupted = False
        for number, environment in enumerate(found.here):
            one = self._measuring(commit, environment, here, earlier, len(found.here) - number)
            self.console.log(f"commit {commit.hash[:12]} on Python {environment.python}, {environment.environment}")
            try:
                with one.live:
                    is_built = one.run()
            except KeyboardInterrupt:  # while the commit was built
                interrupted = True
                break
            if not is_built:
                self.console.warn(f"nothing is measured on Python {environment.python}: {one.broken}")
                continue
            measured.append(one)
            self._keep_benchmarks(one)
            self._report(one)
            interrupted = one.interrupted
            if interrupted:
                break
        if measured:
            self.console.print(render_terminal(self._board(measured), terminal_width()))
        if interrupted:
            self.console.log("interrupted; what was measured is kept, and the next call continues")
            return ExitCode.INTERRUPTED
        has_values = any(series.blocks for one in measured for series in one.samples.series)
        return ExitCode.FINE if has_values else ExitCode.DATA

    def _commit(self) -> Commit:
        """Return the commit to measure: the newest that does not only change irrelevant paths, unless one is named."""
        if self.options.commit:
            return self.repository.first_parent_log(self.repository.resolve(self.options.commit), 1)[0]
        newest = default_revisions(None, self.suite, self.repository)
        irrelevant = self.suite.settings.irrelevant_paths
        chosen, _ = choose(
            self.repository, PlanRequest(commits=1, revisions=newest), CommitFilter(irrelevant=irrelevant)
        )
        return chosen[0] if chosen else self.repository.first_parent_log(newest, 1)[0]

    def _measuring(
        self,
        commit: Commit,
        environment: PlannedEnvironment,
        here: MachineRecord,
        earlier: Sequence[ClaimSamples],
        pythons_left: int,
    ) -> ClaimsMeasuring:
        folder = self.work_dir.root / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        now = time.monotonic()
        seconds = float("inf")
        if self.options.budget:
            seconds = (self.begun + self.options.budget * 60 - now) / pythons_left
        return ClaimsMeasuring(
            claims_file=self.claims,
            selected=self.selected,
            earlier=find_earlier(earlier, commit, environment, here),
            boot=machine.read_boot(),
            known_seconds=known_seconds(earlier, environment.python),
            project=self.suite.asv.project,
            place=structs.replace(
                place_of(self.suite, self.repository, find_builds(self.options.builds, self.console)),
                pythons=(environment.python,),
                environment=environment.environment,
            ),
            commit=commit.hash,
            date=Instant(max(commit.author_date, 0) * 1000),
            machine=here,
            supervisor=Supervisor(env=self.env, log=folder / LOG),
            benchmarks_file=folder / f"benchmarks-{environment_part(environment.environment)}.json",
            deadline=now + seconds,
            seed=random.SystemRandom().randrange(2**32),
            save=self._save,
            live=LiveLine(console=self.console),
        )

    def _save(self, samples: ClaimSamples) -> None:
        path = claim_file(
            self.into, samples.machine.name, samples.environment, samples.commit, f"{samples.started:.3f}"
        )
        write_atomically(path, encode(samples))

    def _keep_benchmarks(self, measured: ClaimsMeasuring) -> None:
        """Add the benchmarks to the results, those of the claims as seen in results of now."""
        used = {case.benchmark for series in measured.samples.series for case in series.cases}
        seen = Instant(int(measured.samples.ended * 1000))
        benchmarks = tuple(
            replace(benchmark, last_seen=seen if benchmark.name in used else Instant(0))
            for benchmark in measured.benchmarks.values()
        )
        self.into.mkdir(parents=True, exist_ok=True)
        with locked(self.into):
            write_tree(merge_trees((read_tree(self.into), ResultsTree(benchmarks=benchmarks)))[0], self.into)

    def _report(self, measured: ClaimsMeasuring) -> None:
        chosen = [state for claim, state in measured.states.items() if claim in self.selected]
        decided = sum(state.decision.is_decided for state in chosen)
        self.console.log(f"Python {measured.samples.python}: {decided} of {len(chosen)} claims are decided")
        if measured.out_of_time:
            self.console.log("the budget is spent; call again to continue")
        if measured.broken:
            self.console.warn(f"measuring ended early, and what was measured is kept: {measured.broken}")
        if warning := describe_load(measured.samples, self.claims.measuring.background_load):
            self.console.warn(f"Python {measured.samples.python}: {warning}")

    def _board(self, measured: Sequence[ClaimsMeasuring]) -> ClaimBoard:
        """Return the decisions on the selected claims, from what was measured."""
        chosen = structs.replace(
            self.claims,
            claims=tuple(claim for claim in self.claims.claims if claim.id in self.selected),
            findings=tuple(
                structs.replace(each, more=()) for each in self.claims.findings if each.claim in self.selected
            ),
            verdict=None,
        )
        benchmarks = {name: benchmark for one in measured for name, benchmark in one.benchmarks.items()}
        samples = tuple(one.samples for one in measured)
        return claim_board(chosen, benchmarks, samples)


def find_earlier(
    earlier: Iterable[ClaimSamples], commit: Commit, environment: PlannedEnvironment, here: MachineRecord
) -> ClaimSamples | None:
    """Return the values of this commit, environment and machine; None if there are none."""
    wanted = (here.name, environment.environment, commit.hash)
    fitting = (each for each in combine(earlier) if (each.machine.name, each.environment, each.commit) == wanted)
    return next(fitting, None)


def known_seconds(earlier: Iterable[ClaimSamples], python: str) -> dict[str, float]:
    """Return how long the newest block of each claim took, on *python* where it was measured there."""
    ordered = sorted(earlier, key=lambda each: (each.python == python, each.ended))
    listed = ((series.claims, series.blocks[-1].seconds) for each in ordered for series in each.series if series.blocks)
    return {claim: seconds for claims, seconds in listed for claim in claims}
