"""Makes a plan: commits from git, environments and benchmarks from asv, cases distributed over shards."""

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from windtunnel.asv import protocol
from windtunnel.asv.configuration import EXISTING, FINDS_PYTHON, Configuration, keeps_builds, read_raw
from windtunnel.asv.engine_session import EngineSession, Supervisor
from windtunnel.asv.protocol import PlannedEnvironment, SuiteEnvironments
from windtunnel.asv.pythons import (
    environment_type,
    find_interpreters,
    install_hint,
    may_download,
    spec_order,
    split_by_presence,
)
from windtunnel.asv.results_format.files import decode_benchmarks, encode_benchmarks
from windtunnel.bench.commit_selection import CommitFilter, PlanRequest, choose
from windtunnel.bench.format import PLAN_SCHEMA, Excluded, Plan, Task
from windtunnel.bench.result_history import ResultHistory
from windtunnel.bench.sharding import MAX_JOB_SECONDS, apply_budget, distribute, keep_oldest, shared_builds
from windtunnel.errors import UsageError
from windtunnel.files import write_atomically
from windtunnel.git.repository import Commit, Repository
from windtunnel.model.benchmark import Benchmark, Selected, counts_of, select, with_counts
from windtunnel.model.settings import MAX_MATRIX_JOBS

MAX_SHARD_SECONDS = 3600.0
"""The length of a shard where no number of shards is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planner:
    """What a plan is made from."""

    configuration: Configuration
    repository: Repository
    supervisor: Supervisor
    work: Path
    """Folder for discovered benchmarks."""
    say: Callable[[str], None]
    """Reports progress."""
    place: protocol.Place
    """The suite and the project, with the builds to install from; with a fitting one, discovery builds nothing."""
    save: Path | None = None
    """Folder to save the build in that discovery makes."""

    def plan(
        self,
        request: PlanRequest,
        commits: CommitFilter,
        history: ResultHistory,
        *,
        shards: int = 0,
        elsewhere: bool = False,
    ) -> Plan:
        """Return the plan for *request* without the cases that *history* has, most important commits first.

        It has at most that many *shards*, by default as many as keep each within an hour. Where machines *elsewhere*
        run it, Pythons may be absent here, and no shard outlasts a job. Raises UsageError when nothing could be timed:
        no commit, no Python, no benchmark of that name.
        """
        chosen, left_out = choose(self.repository, request, commits)
        empty = Plan(
            schema=PLAN_SCHEMA,
            project=self.configuration.asv.project,
            config=_relative_path(self.configuration.path, self.repository.git.env),
            environments=(),
            shards=(),
            excluded=left_out,
            benchmarks="{}",
        )
        if not chosen:  # nothing is built, as every night without a commit
            return empty
        kind = environment_type(request.python, self.configuration.asv.environment_type)
        if kind == EXISTING and len(chosen) > 1:
            raise UsageError(
                f"{self.configuration.path}: environment_type {EXISTING!r} measures what is installed, so only "
                "one commit can be planned: the installed one; use --commits 1, and --revisions to name it"
            )
        with self.supervisor.session() as engine:  # one for both requests, because it takes a second to start
            found = find_environments(self.configuration, engine, self.supervisor.env, request.python)
            content = self._benchmarks(engine, found.here, chosen)
        here, unasked = found.here, tuple[str, ...]()
        if not request.python and not elsewhere:
            unasked = beyond_default([each.python for each in here])
            here = tuple(each for each in here if each.python not in unasked)
        environments = (*found.here, *found.elsewhere) if elsewhere else here
        benchmarks = self._decoded(content)
        selected = _selected(benchmarks, request)
        if request.instructions:
            selected = tuple(with_counts(selected))
            content = encode_benchmarks((*benchmarks, *(each for each, _ in selected if counts_of(each))))
        pieces = tuple(self._pieces(chosen, environments, selected, history))
        within_budget = keep_oldest if commits.stored else apply_budget
        affordable, too_long = within_budget(pieces, budget_of(request, shards, elsewhere=elsewhere))
        seconds = sum(piece.seconds for piece in affordable)
        count = shards or min(math.ceil(seconds / MAX_SHARD_SECONDS) or 1, MAX_MATRIX_JOBS)
        planned = {environment.python for environment in environments}
        absent = (python for python in found.missing if python not in planned)
        not_found = (Excluded(item=f"Python {python}", reason="not found on this machine") for python in absent)
        not_asked = (Excluded(item=f"Python {python}", reason=NOT_ASKED) for python in unasked)
        cut = distribute(affordable, count)
        keys = {**read_raw(self.configuration.path), "environment_type": kind}
        return replace(
            empty,
            environments=environments,
            shards=cut,
            excluded=(*left_out, *not_found, *not_asked, *too_long),
            benchmarks=content.decode(),
            builds=shared_builds(cut, history.build_seconds) if keeps_builds(keys) else (),
        )

    def environments(self, pythons: tuple[str, ...] = ()) -> SuiteEnvironments:
        """Return the environments of *pythons*, by default those of the configuration, and where they can be made."""
        return find_environments(self.configuration, self.supervisor, self.supervisor.env, pythons)

    def _benchmarks(
        self, engine: EngineSession, environments: tuple[PlannedEnvironment, ...], commits: tuple[Commit, ...]
    ) -> bytes:
        """Return asv's benchmarks.json of the suite; cached until one of its files changes."""
        cached = self.work / f"benchmarks-{suite_hash(self.configuration)}.json"
        if cached.is_file():
            return cached.read_bytes()
        self.say(f"discovering the benchmarks in {self.configuration.benchmark_dir.name}/ (builds one environment)")
        out = self.work / "discovered.json"
        pythons = tuple(dict.fromkeys(environment.python for environment in environments))
        request = protocol.Discover(
            place=replace(self.place, pythons=pythons),
            environments=tuple(environment.environment for environment in environments),
            commits=tuple(commit.hash for commit in commits),
            out=str(out),
            save=str(self.save or ""),
        )
        self.work.mkdir(parents=True, exist_ok=True)
        for event in engine.ask(request, "no benchmark could be discovered"):
            if isinstance(event, protocol.BuildRefused):
                self.say(f"{event.commit[:12]} is built here: {event.reason}")
            if isinstance(event, protocol.Working):
                self.say(event.text)
        content = out.read_bytes()
        write_atomically(cached, content)
        return content

    def _decoded(self, content: bytes) -> tuple[Benchmark, ...]:
        decoded = decode_benchmarks(content, "discovered benchmarks")
        for problem in decoded.problems:
            self.say(str(problem))
        return decoded.value or ()

    def _pieces(
        self,
        commits: tuple[Commit, ...],
        environments: tuple[PlannedEnvironment, ...],
        selected: tuple[Selected, ...],
        history: ResultHistory,
    ) -> Iterator[Task]:
        for commit in commits:
            for environment in environments:
                for benchmark, selection in selected:
                    done = history.done(commit.hash, environment.environment, benchmark)
                    if cases := tuple(case for case in selection.cases if case.name not in done):
                        yield Task(
                            commit=commit.hash,
                            python=environment.python,
                            environment=environment.environment,
                            selections=(replace(selection, cases=cases),),
                            seconds=history.seconds(benchmark) * len(cases),
                        )


MAX_PYTHONS = 3
"""The Pythons that are measured where none is named: the oldest and the newest two."""

NOT_ASKED = f"{MAX_PYTHONS} Pythons suffice unless --python names one"


def beyond_default(pythons: Sequence[str]) -> tuple[str, ...]:
    """Return those of *pythons* that are measured only if they are named; builds that few people use come last."""
    usual = sorted({each for each in pythons if each.replace(".", "").isdigit()}, key=spec_order)
    chosen = list(dict.fromkeys((*usual[:1], *usual[-2:], *pythons)))[:MAX_PYTHONS]
    return tuple(each for each in dict.fromkeys(pythons) if each not in chosen)


def budget_of(request: PlanRequest, shards: int, *, elsewhere: bool) -> float:
    """Return the seconds to plan: the requested ones, at most what the jobs of a matrix can run; 0 for no limit."""
    asked = (request.budget or 0) * 60.0
    possible = MAX_JOB_SECONDS * (shards or MAX_MATRIX_JOBS)
    return min(asked or possible, possible) if elsewhere else asked


def suite_hash(configuration: Configuration) -> str:
    """Return a hash of everything that discovery reads: the files of the suite and the configuration."""
    digest = hashlib.sha256(configuration.path.read_bytes())
    for path in sorted(configuration.benchmark_dir.rglob("*.py")):
        digest.update(path.relative_to(configuration.benchmark_dir).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _selected(benchmarks: tuple[Benchmark, ...], request: PlanRequest) -> tuple[Selected, ...]:
    """Return the requested cases of *benchmarks*; raises UsageError when there are none."""
    selected = tuple(select(benchmarks, request.bench, request.k, request.m))
    if not selected:
        raise UsageError(f"no benchmark matches {request.asked}; list asv's names with --bench .")
    return tuple((benchmark, replace(selection, rounds=request.rounds or 0)) for benchmark, selection in selected)


def find_environments(
    configuration: Configuration,
    engine: Supervisor | EngineSession,
    env: Mapping[str, str],
    pythons: tuple[str, ...] = (),
) -> SuiteEnvironments:
    """Return the environments that a new *engine* finds for *pythons*, by default for those of the configuration.

    With uv, a Python counts as here if uv can start it or $UV_PYTHON_DOWNLOADS permits downloads. Of other
    types asv itself knows what it can make. Raises UsageError when none can be made here.
    """
    request = protocol.Describe(place=protocol.Place(config=str(configuration.path), pythons=pythons))
    events = engine.ask(request, f"asv cannot use {configuration.path}")
    (environments,) = (event for event in events if isinstance(event, SuiteEnvironments))
    kind = environment_type(pythons, configuration.asv.environment_type)
    if kind == "uv" and not may_download(env):
        found = environments.here
        _, absent = split_by_presence((each.python for each in found), find_interpreters(env))
        environments = replace(
            environments,
            here=tuple(each for each in found if each.python not in absent),
            elsewhere=tuple(each for each in found if each.python in absent),
        )
    if not environments.here:
        raise UsageError(no_environment(configuration, kind, environments, env))
    return environments


NAME_A_PYTHON = "name yours: --python existing:/path/to/python"
"""The fix for `own_python_warning`."""


def own_python_warning(configuration: Configuration, asked: tuple[str, ...]) -> str:
    """Return the warning that Windtunnel measures its own Python by default; empty if it does not."""
    if asked or configuration.asv.environment_type != EXISTING:
        return ""
    return f"environment_type {EXISTING!r} without --python measures Windtunnel's own Python; asv ignores 'pythons'"


NEEDED = {"conda": "conda or micromamba on PATH", "rattler": "py-rattler in the environment of windtunnel"}
"""What asv needs for environments of a type that is not always there."""


def no_environment(
    configuration: Configuration, kind: str, environments: SuiteEnvironments, env: Mapping[str, str]
) -> str:
    """Return the message that no environment of type *kind* can be made here: for which Pythons, why, the fix."""
    names = ", ".join(environments.missing)
    if kind not in FINDS_PYTHON:
        why = f": {environments.reason.rstrip('. ')}" if environments.reason else ""
        return (
            f"{configuration.path}: asv makes no environment of type {kind!r} here{why}; install "
            f"{NEEDED.get(kind, 'what it needs')}, or use another type, such as --python virtualenv:3.13"
        )
    if not names:
        return f"{configuration.path}: the matrix excludes every environment; correct 'exclude' and 'pythons'"
    return (
        f"none of the Pythons {names} is on this machine; {install_hint(environments.missing[0], env)}, "
        "or name one that is here with --python; 'windtunnel doctor' lists them"
    )


def _relative_path(config: Path, env: Mapping[str, str]) -> str:
    """Return the path of the configuration in the suite's repository; its name when it is in none."""
    try:
        root = Repository.at(config.parent, env).root
    except UsageError:
        return config.name
    path = config.parent.resolve() / config.name
    return path.relative_to(root.resolve()).as_posix() if path.is_relative_to(root.resolve()) else config.name
