"""One commit of a comparison in its environment: built, asked what it offers, and run one process at a time.

Drives asv's objects like `measuring`.
"""

import contextlib
import json
import math
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from asv import environment, util
from asv.benchmarks import Benchmarks
from asv.repo import get_repo
from asv.runner import run_benchmark

from windtunnel.asv.build_info import artifact_digest, python_build
from windtunnel.asv.launcher import CPU_FILE, Launcher, in_every_benchmark
from windtunnel.asv.protocol import CommitReady, Compare, Emit, ProcessesDone, RunProcesses
from windtunnel.asv.rounds import process_outcome
from windtunnel.asv.suite import CannotContinueError, discovered_by, load, step
from windtunnel.model.run_format import State
from windtunnel.model.schedule import ComparedCommit, Process, ScheduledProcess

REPEAT = (1, 4, 0.05)
"""Samples a process where the suite says nothing: at least, at most, and seconds after which there are enough. asv
takes ten in up to 20 s; here the process is the unit, and more processes say more than more samples."""

ASV_SAMPLE_TIME = 0.01
SAMPLE_TIME = 0.005
"""Seconds a sample, where the suite leaves asv its own: clocks tick in nanoseconds."""

WARM_UP = 0.02
"""Seconds of warm-up where the suite says nothing; asv takes 0.1, PyPy a second, which it keeps."""


@dataclass(slots=True, kw_only=True)
class CommitRunner:
    """One commit in its environment; *numbers* is shared: both commits make as many calls a sample."""

    conf: Any
    env: Any
    hash: str
    launcher: Launcher | None = None
    numbers: dict[tuple[str, int], int] = field(default_factory=dict)
    caches: dict[str, tuple[str | None, str]] = field(default_factory=dict)

    def prepare(self, request: Compare, commit: ComparedCommit, out: Path) -> CommitReady:
        """Build and install; write the benchmarks of the commit's own suite to *out*."""
        started = monotonic()
        with step(f"environment of {commit}"):
            self.env.create()
        environment_seconds, started = monotonic() - started, monotonic()
        with step(f"install of {commit}"):
            repo = get_repo(self.conf)
            self.env.install_project(self.conf, repo, self.hash)
        install_seconds = monotonic() - started
        with step(f"discovery of {commit}"):
            entries = discovered_by(self.env, str(self._suite(request, commit, repo)))
            packages = python_build(self.env).packages
        util.write_json(str(out), {entry["name"]: entry for entry in entries}, Benchmarks.api_version)
        return CommitReady(
            commit=commit,
            environment_seconds=environment_seconds,
            install_seconds=install_seconds,
            packages=packages,
            artifact=artifact_digest(self.env, self.hash),
        )

    def _suite(self, request: Compare, commit: ComparedCommit, repo: Any) -> Path:
        """Return the suite of *commit*: head's lies in the work tree, base's in the environment's checkout."""
        here = Path(self.conf.benchmark_dir).absolute()
        if commit is ComparedCommit.HEAD or not request.suite_in_repository:
            return here
        self.env.checkout_project(repo, self.hash)
        there = Path(self.env.path if hasattr(self.env, "path") else self.env._path) / "project"  # noqa: SLF001 - asv's
        suite = there / request.suite_in_repository
        return suite if suite.is_dir() else here

    @contextlib.contextmanager
    def ready_to_run(self) -> Iterator[None]:
        """Hold what processes are started from."""
        with step("launch method"):
            launcher = Launcher(env=self.env, suite=self.conf.benchmark_dir, method=self.conf.launch_method)
        with contextlib.closing(launcher) as self.launcher:
            try:
                yield
            finally:
                for folder, _ in self.caches.values():
                    if folder:
                        util.long_path_rmtree(folder, ignore_errors=True)

    def run_process(self, scheduled: ScheduledProcess, entry: dict[str, Any], together: int) -> Process:
        """Run the process of *turn*, one of so many that were asked for *together*."""
        started = monotonic()
        folder, failure = self._cache_of(entry)
        if failure:
            return _failed(scheduled, failure)
        index = scheduled.case.index
        assert self.launcher
        with step("import of the suite"):
            spawner = self.launcher.spawner(entry, index, together)
        with tempfile.TemporaryDirectory(prefix="windtunnel-cpu-") as place:
            cpu_file = Path(place) / "cpu.json"
            asked = {CPU_FILE: str(cpu_file), **self._sampling(entry, index)}
            try:
                result = run_benchmark(
                    entry, spawner, profile=False, selected_idx={index}, extra_params=asked, cwd=folder
                )
            except (util.UserError, RuntimeError, OSError) as error:
                if isinstance(error.__context__, KeyboardInterrupt):  # asv makes a UserError of it
                    raise KeyboardInterrupt from None
                self.launcher.close()
                return _failed(scheduled, f"the process that it was forked from has ended: {error}")
            cpu = _numbers(cpu_file)
        value, samples = result.result[index], result.samples[index]
        state, reason = process_outcome(value, samples, result.stderr)
        if state is State.MEASURED and samples is None and not _comparable(value):
            return _failed(
                scheduled, "the benchmark returned a number that is infinite or beyond 1e308; return a finite one"
            )
        if state is State.MEASURED and samples is not None:
            self.numbers[scheduled.benchmark, index] = int(result.number[index])
        wall = tuple(map(float, samples or ())) if state is State.MEASURED else ()
        return Process(
            scheduled=scheduled,
            state=state,
            value=float(value) if state is State.MEASURED and samples is None else None,
            wall=wall,
            cpu=cpu if len(cpu) == len(wall) else (),
            seconds=monotonic() - started,
            reason=reason,
        )

    def _sampling(self, entry: dict[str, Any], index: int) -> dict[str, Any]:
        """Return what asv shall do otherwise than the suite or its own defaults say."""
        asked: dict[str, Any] = {}
        if entry.get("repeat") == 0:
            asked["repeat"] = REPEAT
        if entry.get("warmup_time", 0) < 0 and "pypy" not in self.env.python:
            asked["warmup_time"] = WARM_UP
        if number := self.numbers.get((entry["name"], index)):
            asked["number"] = number
        elif entry.get("sample_time") == ASV_SAMPLE_TIME:
            asked["sample_time"] = SAMPLE_TIME
        return asked

    def _cache_of(self, entry: dict[str, Any]) -> tuple[str | None, str]:
        """Return the folder of the benchmark's setup_cache, None without one, and why it failed."""
        key = entry.get("setup_cache_key")
        if not key:
            return None, ""
        if key not in self.caches:
            timeout = entry.get("setup_cache_timeout") or entry["timeout"]
            assert self.launcher
            folder, output = self.launcher.setup_cache(entry["name"], timeout)
            self.caches[key] = (folder, "" if folder else f"setup_cache failed\n{output}")
        return self.caches[key]


def runner_for(request: Compare, commit: ComparedCommit) -> CommitRunner:
    """Return the runner of *commit*, whose environment lies apart from the other's and from those of ``run``."""
    with step("configuration"):
        conf = load(request.config)
        conf.env_dir = str(Path(request.environments) / commit)
        (env,) = environment.get_environments(conf, [request.environment])
    if not hasattr(env, "_cache") or isinstance(env, environment.ExistingEnvironment):
        raise CannotContinueError(
            "environment",
            f"{request.environment} is an interpreter as it is: it cannot hold two commits; set environment_type to uv "
            "or virtualenv in the asv configuration",
        )
    return CommitRunner(conf=conf, env=env, hash=request.base if commit is ComparedCommit.BASE else request.head)


def _failed(scheduled: ScheduledProcess, reason: str) -> Process:
    return Process(scheduled=scheduled, state=State.FAILED, value=None, wall=(), cpu=(), seconds=0.0, reason=reason)


def _comparable(value: float) -> bool:
    """Return whether a float holds *value*: JSON has no infinity, and Python's integers have no end."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _numbers(path: Path) -> tuple[float, ...]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ()
    return tuple(map(float, found)) if isinstance(found, list) else ()


def compare(request: Compare, receive: Callable[[], RunProcesses | None], emit: Emit) -> None:
    """Build both commits, tell what each offers, then run turns as they are asked for until nobody asks."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(in_every_benchmark())
        runners = {commit: runner_for(request, commit) for commit in ComparedCommit}
        for commit, runner in runners.items():
            ready = runner.prepare(request, commit, Path(request.out) / f"{commit}.json")
            emit(ready)
        entries = _entries(Path(request.out) / f"{ComparedCommit.HEAD}.json", runners[ComparedCommit.HEAD].conf)
        for runner in runners.values():
            stack.enter_context(runner.ready_to_run())
        launchers = [runner.launcher for runner in runners.values() if runner.launcher]
        for one in launchers:
            one.ally(*(other for other in launchers if other is not one))
        while (asked := receive()) is not None:
            for scheduled in asked.processes:
                emit(
                    runners[scheduled.arm.commit].run_process(
                        scheduled, entries[scheduled.benchmark], together=len(asked.processes)
                    )
                )
            emit(ProcessesDone())


def _entries(path: Path, conf: Any) -> dict[str, dict[str, Any]]:
    found = {}
    for name, entry in json.loads(path.read_text(encoding="utf-8")).items():
        if isinstance(entry, dict):
            found[name] = {**entry, "timeout": entry.get("timeout") or conf.default_benchmark_timeout}
    return found
