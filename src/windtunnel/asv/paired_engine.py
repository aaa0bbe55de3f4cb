"""Builds two commits in two environments and runs their processes one at a time, in any order."""

import contextlib
import math
import os
import random
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec
from asv import environment, util
from asv.runner import run_benchmark

from windtunnel import files
from windtunnel.asv import builds, protocol
from windtunnel.asv.discovery import discover_modules, refuse_suite, write_benchmarks
from windtunnel.asv.function_profiler import profile_case
from windtunnel.asv.instruction_counter import count_cases
from windtunnel.asv.launcher import DEFAULTS, SLOWDOWN, TIMES_FILE, Launcher, Parent, in_every_benchmark, round_layout
from windtunnel.asv.measure import InstalledCommit, SetupCaches, install, process_outcome, read_entries
from windtunnel.asv.pytest_own_suite import PROJECT, own_pytest_suite
from windtunnel.asv.reach import find_module, map_cases
from windtunnel.asv.suite import CannotContinueError, find_environment, install_packages, load, python_build, step
from windtunnel.git.process import Git
from windtunnel.model.run_format import CaseState
from windtunnel.model.schedule import AA, COMPARED_COMMITS, COMPARISON, Arm, ComparedCommit, Process, ScheduledProcess

DEFAULT_REPEAT = (1, 16, 0.1)
"""Samples of a process when the suite sets none: minimum, maximum, and seconds after which to stop.

asv takes ten in up to 20 s. Here the unit is the process: more processes are worth more than more samples.
"""

DEFAULT_SAMPLE_TIME = 0.002
"""Seconds of a sample when the suite sets none; asv's default is 0.01. A busy machine's speed lasts for 10 ms."""

NOT_SLOWED = "no slowdown can be built in: asv's clock does not time it, or what it times takes less than 100 µs"

OF_SAMPLES = ("cpu", "queued", "own", "probe")
"""What `benchmark_plugin` notes of each sample; empty where it does not know it of all."""

IN_FILE = "windtunnel_in_file"
"""Attribute of a process: run the tests before it in its file first. `pytest_bridge` imports nothing and repeats it."""

RAN_IN_FILE = "windtunnel: measured after the tests before it"
"""What `pytest_bridge` prints if a test needed that."""

NOT_FINITE = "the benchmark returned a number that is infinite or beyond 1e308; return a finite one"

Entries = list[dict[str, Any]]
"""Entries of a benchmarks.json."""

DEFAULT_WARM_UP = 0.02
"""Seconds of warm-up when the suite sets none; asv's default is 0.1. PyPy and GraalPy keep asv's seconds."""


def prepare(
    request: protocol.PrepareComparison, emit: protocol.Emit, stack: contextlib.ExitStack
) -> Callable[[protocol.FurtherRequest], None]:
    """Build both commits and emit what each offers; return what executes further requests until *stack* ends it."""
    stack.enter_context(in_every_benchmark())
    seed = random.SystemRandom().randrange(2**32)
    runners = {commit: runner_for(request, commit, seed) for commit in COMPARED_COMMITS}
    runners["head"].numbers, runners["head"].in_file = runners["base"].numbers, runners["base"].in_file
    if not request.interpreters:
        check_separate(runners.values())
    for commit, runner in runners.items():
        try:
            emit(runner.prepare(request, commit, Path(request.out), emit))
        except CannotContinueError as error:
            raise CannotContinueError(f"{error.step} of {commit}", error.reason) from None
    launching = [stack.enter_context(runner.launching()) for runner in runners.values()]
    launchers = {arm: launcher for of_commit in launching for arm, launcher in of_commit.items()}
    for first, second in (COMPARISON, AA):
        launchers[first].pair_with(launchers[second])
        launchers[second].pair_with(launchers[first])
    return lambda further: execute(further, runners, emit)


def execute(
    request: protocol.FurtherRequest, runners: Mapping[ComparedCommit, "CommitRunner"], emit: protocol.Emit
) -> None:
    """Do what *request* asks for; raises CannotContinueError if it is not of a comparison."""
    match request:
        case protocol.RunProcesses(processes=processes):
            together = sum(each.forks for each in processes)
            modules = [find_module(runners["head"].conf.benchmark_dir, each.benchmark) for each in processes]
            for number, scheduled in enumerate(processes):
                runner, left = runners[scheduled.arm.commit], tuple(dict.fromkeys(modules[number:]))
                with round_layout(scheduled, runner.seed, runner.rounds):
                    emit(runner.run_process(scheduled, runner.entries[scheduled.benchmark], together, left))
        case protocol.CountInstructions(cases=cases, seeds=seeds, seconds=seconds):
            countable = {commit: runner.countable() for commit, runner in runners.items()}
            for case, counts in count_cases(countable, cases, seeds, seconds):
                emit(protocol.InstructionsCounted(case=case, counts=counts))
        case protocol.ProfileCases(cases=cases):
            for case in cases:
                emit(protocol.CaseProfiled(case=case, profile=profile_case(runners[case.commit].countable(), case)))
        case protocol.MapCases():
            runner = runners["head"]
            map_cases(request, runner.countable(), runner.conf.repo, runner.hash, emit)
        case _:
            raise CannotContinueError("request", f"{type(request).__name__} is not of a comparison")


@dataclass(slots=True, kw_only=True)
class CommitRunner:
    """One commit in its environment."""

    conf: Any
    env: Any
    hash: str
    commit: ComparedCommit = "base"
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Entries of benchmarks.json, by name: head's suite with the project of this commit."""
    launchers: Mapping[Arm, Launcher] = field(default_factory=dict)
    """Each arm has its own, so that its processes have parents of their own."""
    numbers: dict[tuple[str, int], dict[ComparedCommit, int]] = field(default_factory=dict)
    """Calls per sample that the first process of each commit chose, by case; both commits share it."""
    in_file: set[tuple[str, int]] = field(default_factory=set)
    """Cases that run after the tests before them in their file; both commits share it."""
    caches: SetupCaches | None = None
    slowdown: float = 0.0
    """The share by which processes of this commit take longer on purpose."""
    packages: tuple[str, ...] = ()
    """Packages to set in the environment: ``name==version``, or ``-name`` for one to remove."""
    seed: int = 0
    """The seed of the memory layouts, the same for both commits."""
    rounds: Counter[tuple[Arm, str, int]] = field(default_factory=Counter)
    """How many processes each case has had."""

    def prepare(
        self, request: protocol.PrepareComparison, commit: ComparedCommit, out: Path, emit: protocol.Emit
    ) -> protocol.Installed:
        """Build and install; write the benchmarks to the folder *out*."""
        installed = install(self.conf, self.env, self.hash, request.place.builds, emit)
        with step("packages"):
            install_packages(self.env, self.packages)
        with step("discovery"):
            build = python_build(self.env) if self.packages else installed.build
            found, problems = discover_modules(self.env, self.conf.benchmark_dir)
            if commit == "head" and problems and not found:
                refuse_suite(problems)
            own, own_problems = found, problems
            if commit == "base" and request.suite_in_repository:
                own, own_problems = self.own_suite(request.suite_in_repository, found, problems)
            elif commit == "base" and Path(self.conf.benchmark_dir, PROJECT).is_file():
                git = Git(directory=Path(self.conf.repo), env=os.environ)
                suite = Path(self.conf.benchmark_dir)
                own, own_problems = own_pytest_suite(suite, git, self.hash, found, problems)
        write_benchmarks(found, str(out / f"{commit}.json"))
        if commit == "base":
            write_benchmarks(own, str(out / "own.json"))
        self.entries = read_entries(out / f"{commit}.json", self.conf)
        return msgspec.structs.replace(
            installed,
            commit=commit,
            build=build,
            artifact=builds.artifact_digest(self.env, self.hash),
            wheels=builds.wheel_names(self.env, self.hash),
            problems=problems,
            own_problems=own_problems,
        )

    def own_suite(self, path: str, found: Entries, problems: dict[str, str]) -> tuple[Entries, dict[str, str]]:
        """Return the benchmarks of the suite that the commit has at *path*, and why modules cannot be imported.

        They are those of head's suite, *found* and *problems*, if the code of both suites is equal, or if it cannot be
        read: a partial clone may lack it.
        """
        git = Git(directory=Path(self.conf.repo), env=os.environ)
        listed = git.attempt("ls-tree", "--full-tree", self.hash, "--", path)
        if listed.exit_code == 0 and not listed.out:
            return [], {}
        archive = git.attempt("archive", f"{self.hash}:{path}")
        if archive.exit_code:
            return found, problems
        with tempfile.TemporaryDirectory(prefix="windtunnel-suite-") as folder:
            suite = Path(folder) / Path(path).name
            try:
                files.unpack(archive.out, suite)
            except tarfile.TarError:  # a link that leads out of the suite
                return found, problems
            if _code_of(suite) == _code_of(Path(self.conf.benchmark_dir)):
                return found, problems
            return discover_modules(self.env, str(suite))

    @contextlib.contextmanager
    def launching(self) -> Iterator[Mapping[Arm, Launcher]]:
        """Yield the launchers of the commit's processes; close them and remove the setup caches at the end."""
        of_commit = [arm for arm in Arm if arm.commit == self.commit]
        with contextlib.ExitStack() as stack:
            with step("launch method"):
                self.launchers = {
                    arm: Launcher(env=self.env, suite=self.conf.benchmark_dir, method=self.conf.launch_method)
                    for arm in of_commit
                }
            for launcher in self.launchers.values():
                stack.enter_context(contextlib.closing(launcher))
            create = self.launchers[of_commit[0]].create_setup_cache
            self.caches = stack.enter_context(contextlib.closing(SetupCaches(entries=self.entries, create=create)))
            yield self.launchers

    def run_process(
        self, scheduled: ScheduledProcess, entry: dict[str, Any], together: int, modules: tuple[str, ...] = ("",)
    ) -> Process:
        """Run one process, or several forks of one parent, whose samples belong together.

        *together* is the number of processes in the request, and *modules* are those that it still runs.
        """
        assert self.caches
        cache = self.caches.get(entry)
        if cache.failure:
            return _failed(scheduled, cache.failure)
        started = monotonic()
        launcher = self.launchers[scheduled.arm]
        with step("import of the suite"):
            spawner = launcher.spawner(entry, scheduled.index, together, modules)
        starting, found = monotonic() - started, []
        for _ in range(scheduled.forks if isinstance(spawner, Parent) else 1):
            found.append(self._run(scheduled, entry, spawner))
            if found[-1].state != "measured":
                return msgspec.structs.replace(found[-1], seconds=monotonic() - started)
        return _joined(found, monotonic() - started, starting)

    def _run(self, scheduled: ScheduledProcess, entry: dict[str, Any], spawner: Any) -> Process:
        """Run one process of *spawner*."""
        assert self.caches
        cache, index = self.caches.get(entry), scheduled.index
        with tempfile.TemporaryDirectory(prefix="windtunnel-times-") as times_folder:
            times_file = Path(times_folder) / "times.json"
            params = {TIMES_FILE: str(times_file), **self._sampling(scheduled)}
            try:
                result = run_benchmark(
                    entry, spawner, profile=False, selected_idx={index}, extra_params=params, cwd=cache.folder
                )
            except (util.UserError, RuntimeError, OSError) as error:
                if isinstance(error.__context__, KeyboardInterrupt):  # asv converts it to a UserError
                    raise KeyboardInterrupt from None
                self.launchers[scheduled.arm].close()
                return _failed(scheduled, f"the process that it was forked from has ended: {error}")
            times = _read_times(times_file)
        timed, own = times.get("timed", ()), times.get("own", ())
        value, samples = result.result[index], result.samples[index]
        state, reason = process_outcome(value, samples, result.stderr, result.errcode)
        measured = state == "measured"
        if measured and self.slowdown and not own:
            return _ended(scheduled, "skipped", NOT_SLOWED)
        if measured and samples is None and not is_finite(value):
            return _failed(scheduled, NOT_FINITE)
        if measured and samples is not None:
            chosen = self.numbers.setdefault((scheduled.benchmark, scheduled.case.index), {})
            chosen.setdefault(self.commit, int(result.number[index]))
        if RAN_IN_FILE in (result.stderr or ""):
            self.in_file.add((scheduled.benchmark, scheduled.case.index))
        wall = tuple(map(float, samples or ())) if measured else ()
        return Process(
            scheduled=scheduled,
            state=state,
            value=float(value) if measured and samples is None else None,
            wall=wall,
            **_of_samples(times, len(wall)),
            forks=(len(wall),) if wall else (),
            seconds=0.0,
            timed=sum(timed),
            sampled=sum(wall) * int(result.number[index] or 1) if wall else 0.0,
            reason=reason,
        )

    def countable(self) -> InstalledCommit:
        """Return what counting needs of the commit."""
        assert self.caches
        return InstalledCommit(env=self.env, suite=self.conf.benchmark_dir, entries=self.entries, caches=self.caches)

    def _sampling(self, scheduled: ScheduledProcess) -> dict[str, Any]:
        """Return the attributes of a process: both commits make the same calls, as many as fit on the slower one."""
        case = scheduled.benchmark, scheduled.case.index
        chosen = self.numbers.get(case, {})
        further = {SLOWDOWN: self.slowdown} if self.slowdown else {}
        if case in self.in_file:
            further[IN_FILE] = True
        return short_sampling(min(chosen.values()) if self.commit in chosen else None) | further


def short_sampling(number: int | None) -> dict[str, Any]:
    """Return the attributes of a process: what replaces asv's defaults, and the *number* of calls if it is known."""
    defaults = {"repeat": DEFAULT_REPEAT, "sample_time": DEFAULT_SAMPLE_TIME, "warmup_time": DEFAULT_WARM_UP}
    return {DEFAULTS: defaults} | ({"number": number} if number else {})


def runner_for(request: protocol.PrepareComparison, commit: ComparedCommit, seed: int) -> CommitRunner:
    """Return the runner of *commit*, whose environment is separate from the other commit's and from those of ``run``.

    *seed* is that of the layouts, the same for both commits.
    """
    with step("configuration"):
        conf = load(request.place)
        conf.env_dir = str(Path(request.environments) / commit)
        if request.interpreters:
            interpreters = dict(zip(COMPARED_COMMITS, request.interpreters, strict=True))
            env = environment.ExistingEnvironment(conf, interpreters[commit], {}, {})
        else:
            env = find_environment(conf, request.place.environment, request.place.pythons)
    of_base = commit == "base"
    return CommitRunner(
        conf=conf,
        env=env,
        hash=request.base if of_base else request.head,
        commit=commit,
        seed=seed,
        slowdown=0.0 if of_base else request.slowdown,
        packages=request.base_packages if of_base else request.head_packages,
    )


def check_separate(runners: Collection[CommitRunner]) -> None:
    """Raise CannotContinueError if the environments of the commits share a folder: one would replace the other."""
    paths = {getattr(runner.env, "_path", number) for number, runner in enumerate(runners)}  # asv has no public way
    if len(paths) < len(runners):
        raise CannotContinueError(
            "environment",
            f"{paths.pop()} would hold both commits, because the environment type {next(iter(runners)).env.tool_name} "
            "ignores 'env_dir'; prepare two environments and name them with --base-python and --head-python",
        )


def _code_of(suite: Path) -> dict[str, bytes]:
    """Return the modules of *suite* by path."""
    return {path.relative_to(suite).as_posix(): path.read_bytes() for path in suite.rglob("*.py") if path.is_file()}


def _joined(found: Sequence[Process], seconds: float, starting: float) -> Process:
    """Return the forks *found* of one parent as one process; what any of them lacks, it lacks."""

    def all_of(name: str) -> tuple[float, ...]:
        values = [getattr(one, name) for one in found]
        return tuple(value for each in values for value in each) if all(values) else ()

    return msgspec.structs.replace(
        found[0],
        **{name: all_of(name) for name in ("wall", *OF_SAMPLES)},
        forks=tuple(count for one in found for count in one.forks),
        timed=sum(one.timed for one in found),
        sampled=sum(one.sampled for one in found),
        seconds=seconds,
        starting=starting,
    )


def _failed(scheduled: ScheduledProcess, reason: str) -> Process:
    return _ended(scheduled, "failed", reason)


def _ended(scheduled: ScheduledProcess, state: CaseState, reason: str) -> Process:
    return Process(scheduled=scheduled, state=state, value=None, wall=(), cpu=(), seconds=0.0, reason=reason)


def is_finite(value: float) -> bool:
    """Return whether *value* is a finite float; JSON has no infinity, and Python's integers have no limit."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _of_samples(times: dict[str, tuple[float, ...]], number: int) -> dict[str, Any]:
    """Return what is noted of all of *number* samples."""
    return {name: of if len(of := times.get(name, ())) == number else () for name in OF_SAMPLES}


def _read_times(path: Path) -> dict[str, tuple[float, ...]]:
    """Return what `benchmark_plugin` knows of the samples of a process; empty if it knows nothing."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, tuple[float, ...]])
    except (OSError, msgspec.DecodeError):
        return {}
