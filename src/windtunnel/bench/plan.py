"""Makes a plan: asks git for commits, asv for environments and benchmarks, and shares the cases out over shards."""

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from windtunnel.asv.configuration import Configuration
from windtunnel.asv.engine_session import Supervisor
from windtunnel.asv.protocol import Broken, Describe, Described, Discover
from windtunnel.asv.pythons import Interpreter, split_by_presence
from windtunnel.asv.results_format.suite_files import decode_benchmarks
from windtunnel.bench.commit_selection import CommitRequest, choose
from windtunnel.bench.format import PLAN_SCHEMA, Excluded, Plan, PlannedEnvironment
from windtunnel.bench.result_history import ResultHistory
from windtunnel.bench.sharding import MAX_JOB_SECONDS, MAX_MATRIX_JOBS, Piece, cut, within
from windtunnel.errors import DataError, UsageError
from windtunnel.files import write_atomically
from windtunnel.git.repository import Commit, Repository
from windtunnel.model.benchmark import Benchmark, Selection, only_cases, select
from windtunnel.model.run_format import last_line


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """What to plan: *pythons* and *bench* (regular expressions) are all when empty; *budget* is seconds, 0 is none.

    *rounds* is how many processes a case gets; 0 leaves it to the benchmark. With *only*, the cases whose
    names it returns for the benchmarks. *shards* is how many at most; 0 makes as many as keep each within
    *shard_seconds*. *elsewhere* plans for the jobs of a matrix: Pythons that are absent here are planned for all the
    same, and no shard outlasts a job.
    """

    commits: CommitRequest
    pythons: tuple[str, ...]
    bench: tuple[str, ...]
    budget: float
    rounds: int = 0
    only: Callable[[Sequence[Benchmark]], frozenset[str]] | None = None
    shards: int = 0
    shard_seconds: float = 3600.0
    elsewhere: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Planner:
    """Everything a plan is made from; *work* is a folder for what need not be found out twice."""

    configuration: Configuration
    repository: Repository
    interpreters: tuple[Interpreter, ...]
    supervisor: Supervisor
    work: Path
    say: Callable[[str], None]

    def plan(self, request: PlanRequest, known: ResultHistory) -> Plan:
        """Return the plan for *request* without what is *known*, most wanted commits first.

        Raises UsageError where nothing could ever be timed: no commit, no Python, no benchmark of that name.
        """
        chosen = choose(self.repository, request.commits)
        present, absent = split_by_presence(request.pythons or self.configuration.asv.pythons, self.interpreters)
        if not present:
            asked = ", ".join(request.pythons or self.configuration.asv.pythons)
            raise UsageError(f"none of the Pythons {asked} is on this machine; 'windtunnel doctor' tells more")
        here = self.environments(tuple(interpreter.spec for interpreter in present))
        away = self.environments(absent) if request.elsewhere else ()
        environments = (*here, *away)
        benchmarks = self.benchmarks(here, chosen.commits or self.repository.first_parent_log("HEAD", 1))
        selections = _selections(_decoded(benchmarks, self.say), request)
        pieces = tuple(self._pieces(chosen.commits, environments, selections, known))
        affordable, too_much = within(pieces, budget_of(request))
        seconds = sum(piece.seconds for piece in affordable)
        count = request.shards or min(math.ceil(seconds / request.shard_seconds) or 1, MAX_MATRIX_JOBS)
        return Plan(
            schema=PLAN_SCHEMA,
            project=self.configuration.asv.project,
            config=_place_of(self.configuration.path, self.repository.root),
            environments=environments,
            shards=cut(affordable, count),
            excluded=(*chosen.excluded, *(() if away else map(_not_here, absent)), *too_much),
            benchmarks=benchmarks.decode(),
        )

    def environments(self, pythons: tuple[str, ...]) -> tuple[PlannedEnvironment, ...]:
        """Return the environments that asv's matrix makes of *pythons*, which need not be here."""
        request = Describe(config=str(self.configuration.path), pythons=pythons)
        found = []
        for event in self.supervisor.carry_out(request):
            match event:
                case Described():
                    found.append(PlannedEnvironment(python=event.python, environment=event.environment))
                case Broken():
                    raise DataError(f"asv cannot use {self.configuration.path}: {event.reason}")
                case _:
                    pass
        return tuple(found)

    def benchmarks(self, environments: tuple[PlannedEnvironment, ...], commits: tuple[Commit, ...]) -> bytes:
        """Return asv's benchmarks.json for the suite as it stands; found out again when any file of it changed."""
        cached = self.work / f"benchmarks-{suite_hash(self.configuration)}.json"
        if cached.is_file():
            return cached.read_bytes()
        self.say(f"discovering the benchmarks in {self.configuration.benchmark_dir.name}/ (builds one environment)")
        out = self.work / "discovered.json"
        request = Discover(
            config=str(self.configuration.path),
            environments=tuple(environment.environment for environment in environments),
            commits=tuple(commit.hash for commit in commits),
            out=str(out),
        )
        self.work.mkdir(parents=True, exist_ok=True)
        for event in self.supervisor.carry_out(request):
            if isinstance(event, Broken):
                raise DataError(
                    f"no benchmark could be discovered: {last_line(event.reason)}; "
                    f"the whole story is in {self.supervisor.log}"
                )
        content = out.read_bytes()
        write_atomically(cached, content)
        return content

    def _pieces(
        self,
        commits: tuple[Commit, ...],
        environments: tuple[PlannedEnvironment, ...],
        selections: tuple[tuple[Benchmark, Selection], ...],
        known: ResultHistory,
    ) -> Iterator[Piece]:
        for commit in commits:
            for environment in environments:
                for benchmark, selection in selections:
                    done = known.done(commit.hash, environment.environment, benchmark)
                    if left := tuple(case for case in selection.cases if case.name not in done):
                        yield Piece(
                            commit=commit.hash,
                            python=environment.python,
                            environment=environment.environment,
                            selection=replace(selection, cases=left),
                            seconds=known.seconds(benchmark) * len(left),
                        )


def budget_of(request: PlanRequest) -> float:
    """Return the seconds that may be planned: what was asked for, and no more than the jobs of a matrix can do."""
    if not request.elsewhere:
        return request.budget
    possible = MAX_JOB_SECONDS * (request.shards or MAX_MATRIX_JOBS)
    return min(request.budget or possible, possible)


def _selections(benchmarks: tuple[Benchmark, ...], request: PlanRequest) -> tuple[tuple[Benchmark, Selection], ...]:
    """Return what is asked for of *benchmarks*; raises UsageError where that is nothing."""
    wanted = tuple(select(benchmarks, request.bench))
    if not wanted:
        raise UsageError(f"no benchmark matches {' or '.join(request.bench)}; see asv's names with --bench .")
    if request.only is not None:
        wanted = only_cases(wanted, request.only(benchmarks))
        if not wanted:
            raise UsageError("no claim is about any of these cases; leave out --claimed or --bench")
    return tuple((benchmark, replace(selection, rounds=request.rounds)) for benchmark, selection in wanted)


def _decoded(content: bytes, say: Callable[[str], None]) -> tuple[Benchmark, ...]:
    decoded = decode_benchmarks(content, "discovered benchmarks")
    for problem in decoded.problems:
        say(str(problem))
    return decoded.value or ()


def _place_of(config: Path, root: Path) -> str:
    """Return where the configuration is, seen from the repository; its name where a suite lies outside."""
    return config.relative_to(root).as_posix() if config.is_relative_to(root) else config.name


def _not_here(spec: str) -> Excluded:
    return Excluded(item=f"Python {spec}", reason="not found on this machine")


def suite_hash(configuration: Configuration) -> str:
    """Return a hash of everything that discovery reads: the suite's files and the configuration."""
    digest = hashlib.sha256(configuration.path.read_bytes())
    for path in sorted(configuration.benchmark_dir.rglob("*.py")):
        digest.update(path.relative_to(configuration.benchmark_dir).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
