"""Build both commits in one environment, choose the cases that are compared, and run their processes."""

import contextlib
import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from windtunnel import files, formats
from windtunnel.asv import protocol
from windtunnel.asv.engine_session import BrokenError, EngineSession
from windtunnel.asv.results_format.files import decode_benchmarks, environment_part
from windtunnel.compare import case_matching
from windtunnel.compare.format import MISSING_KINDS, EnvironmentFailure, MissingKind, NotCompared, Reach
from windtunnel.compare.reach import choose_reached, join_reach, known_cases, reach_without_map, sort_cases
from windtunnel.compare.request import CompareRequest, ComparisonSetup, Listener, WorkStarted, divide
from windtunnel.compare.schedule import ProcessCollection
from windtunnel.errors import DataError
from windtunnel.model import schedule
from windtunnel.model.benchmark import Benchmark, Identity, Selection, select
from windtunnel.model.build_change import PackageChange, normal_name
from windtunnel.model.reach_map import ReachMap
from windtunnel.model.run_format import PythonBuild, error_line

NOT_CHOSEN = (
    "the time limit does not suffice for all cases; those that run most of what changed are measured, then those not "
    "measured for longest; first of modules with a short import, where imports take most of the time"
)
NOT_RETURNED = "the engine returned no"


MAX_MAP_SHARE = 0.25
"""The part of the time limit that finding what cases run may take; cases without an answer are measured."""

MAPS = "reach"
"""Folder of an environment that keeps what the cases of each commit run."""


class UnbuiltError(DataError):
    """Nothing can be compared in an environment; *failure* is its entry in the report."""

    def __init__(self, environment: str, broken: protocol.Broken) -> None:
        """Name the environment, the step and the reason."""
        reason = f"{broken.step} failed: {broken.reason}"
        super().__init__(f"{environment}: {reason}")
        on = next((commit for commit in schedule.COMPARED_COMMITS if broken.step.endswith(f" of {commit}")), None)
        self.failure = EnvironmentFailure(name=environment, on=on, reason=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentPair:
    """One environment, built once for each commit."""

    name: str
    session: EngineSession
    ready: Mapping[schedule.ComparedCommit, protocol.Installed]
    comparable: case_matching.ComparableCases
    collection: ProcessCollection
    listen: Listener

    @property
    def same_artifact(self) -> bool:
        """Whether both commits build the same artifact."""
        base, head = (self.ready[commit] for commit in schedule.COMPARED_COMMITS)
        return bool(base.artifact) and base.artifact == head.artifact

    @property
    def notes(self) -> tuple[str, ...]:
        """What the report states about the pair: problems of its cases, and commits that another job has built."""
        saved = [commit for commit in schedule.COMPARED_COMMITS if self.ready[commit].elsewhere_seconds is not None]
        installed = {1: "was installed from a build of another job", 2: "were installed from builds of other jobs"}
        origin = (f"{' and '.join(saved)} {installed[len(saved)]}.",) if saved else ()
        return (*self.comparable.notes, *origin)

    def differences(self, project: str) -> tuple[str, ...]:
        """Return how the installed packages moved, apart from *project*, also under the name of its distribution."""
        built = (self._packages(self.ready[commit].build, project) for commit in schedule.COMPARED_COMMITS)
        base, head = (dict(one.partition("==")[::2] for one in packages) for packages in built)
        moved = (PackageChange(name=one, before=base.get(one, ""), after=head.get(one, "")) for one in {**base, **head})
        return tuple(sorted(one.description for one in moved if one.before != one.after))

    def has_packages_of(self, build: PythonBuild, project: str) -> bool:
        """Return whether head runs on the Python of *build*, with its packages apart from *project*."""
        return self._packages(build, project) == self._packages(self.ready["head"].build, project)

    def _packages(self, build: PythonBuild, project: str) -> set[str]:
        built = {normal_name(name) for name in (project, *(name for one in self.ready.values() for name in one.wheels))}
        every = (*build.packages, f"Python=={build.version}")
        return {name for name in every if normal_name(name.partition("==")[0]) not in built}

    def without_value(self) -> Iterator[tuple[MissingKind, NotCompared]]:
        """Yield the cases that failed or were skipped, and where, and those for which there is no time."""
        for one in self.comparable.cases:
            if not self.collection.measures(one):
                yield "skipped", NotCompared.of(one.samples, NOT_CHOSEN)
            elif ended := self.collection.without_value(one, schedule.COMPARISON):
                yield _not_compared(one, ended)

    def run(self, processes: tuple[schedule.ScheduledProcess, ...]) -> None:
        """Run *processes* of the chosen cases and collect what they measured; raises DataError if the engine fails."""
        wanted = {
            (one.samples.benchmark, one.case.index) for one in self.comparable.cases if self.collection.measures(one)
        }
        processes = tuple(one for one in processes if (one.benchmark, one.case.index) in wanted)
        if processes:
            events = self.ask(protocol.RunProcesses(processes=processes))
            self.collection.add([event for event in events if isinstance(event, schedule.Process)])

    def count(
        self,
        cases: Sequence[case_matching.ComparableCase],
        commits: Sequence[schedule.ComparedCommit] = schedule.COMPARED_COMMITS,
        seeds: tuple[int, ...] = (),
        seconds: float | None = None,
    ) -> Mapping[Identity, tuple[schedule.InstructionCounts, ...]]:
        """Return the instructions of *cases* on each of *commits*; raises DataError if the engine fails.

        A count that is impossible, or not made in *seconds*, has a reason. Without *seeds*, the hash seeds are the
        usual ones.
        """
        request = protocol.CountInstructions(
            cases=_on(cases, commits), seeds=seeds or schedule.DEFAULT_SEEDS, seconds=seconds
        )
        events = [event for event in self.ask(request) if isinstance(event, protocol.InstructionsCounted)]
        found = {event.case: event.counts for event in events}
        none = schedule.InstructionCounts(reason=f"{NOT_RETURNED} count")
        return {one.samples.identity: tuple(found.get(case, none) for case in _on([one], commits)) for one in cases}

    def profile(
        self, cases: Sequence[case_matching.ComparableCase]
    ) -> Mapping[Identity, tuple[schedule.CaseProfile, ...]]:
        """Return the profiles of *cases* on base and on head, as `count` returns counts."""
        request = protocol.ProfileCases(cases=_on(cases))
        events = [event for event in self.ask(request) if isinstance(event, protocol.CaseProfiled)]
        found, none = (
            {event.case: event.profile for event in events},
            schedule.CaseProfile(reason=f"{NOT_RETURNED} profile"),
        )
        return {one.samples.identity: tuple(found.get(case, none) for case in _on([one])) for one in cases}

    def map_cases(self, cases: Sequence[case_matching.ComparableCase], file: Path, seconds: float | None) -> ReachMap:
        """Return what *cases* run with head's project, by name; *file* keeps it, and *seconds* limit what it may take.

        Raises DataError if the engine fails.
        """
        request = protocol.MapCases(cases=_on(cases, ("head",)), file=str(file), seconds=seconds)
        for _ in self.ask(request):
            pass  # each is shown
        found = formats.decode(file.read_bytes(), ReachMap, str(file))
        keys = {one.case.name: _map_key(one) for one in self.comparable.cases}
        return replace(found, cases={name: found.cases[key] for name, key in keys.items() if key in found.cases})

    def ask(self, request: protocol.FurtherRequest) -> Iterator[protocol.Event]:
        """Yield the events that answer *request*; raises DataError if the engine fails."""
        for event in self.session.ask(request, f"measuring in {self.name} stopped"):
            if isinstance(
                event, schedule.Process | protocol.InstructionsCounted | protocol.CaseProfiled | protocol.CaseMapped
            ):
                self.listen(event)
            yield event


def _map_key(one: case_matching.ComparableCase) -> str:
    return f"{one.samples.benchmark}-{one.case.index}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedRounds:
    """The rounds to measure next of one case."""

    pair: EnvironmentPair
    case: case_matching.ComparableCase
    arms: schedule.Arms
    stage: schedule.Stage
    rounds: int


def _on(
    cases: Sequence[case_matching.ComparableCase],
    commits: Sequence[schedule.ComparedCommit] = schedule.COMPARED_COMMITS,
) -> tuple[schedule.CountedCase, ...]:
    """Return each of *cases* with the project of each of *commits*."""
    return tuple(
        schedule.CountedCase(
            commit=commit,
            benchmark=one.samples.benchmark,
            index=one.case.index if commit == "head" or one.base_index is None else one.base_index,
        )
        for one in cases
        for commit in commits
    )


def leave_out(pairs: list[EnvironmentPair], request: CompareRequest, setup: ComparisonSetup) -> Reach | None:
    """Leave out of *pairs* what the change cannot reach; return which cases it can, None if all are to be measured."""
    if request.code is None:
        return None
    found: list[Reach] = []
    for place, pair in enumerate(pairs):
        comparable, code, mapped = pair.comparable, request.code, ReachMap()
        cases = comparable.cases
        reach = reach_without_map(len(cases), code, setup.dependencies, pair.differences(setup.project))
        if not reach.reached:
            seconds = None if request.seconds is None else request.seconds * MAX_MAP_SHARE / len(pairs)
            mapped, commit = _find_map(pair, request, setup, seconds) if cases and code.functions else (mapped, "")
            comparable, reach = choose_reached(comparable, code, mapped, setup.dependencies, request.seed)
            reach = replace(reach, map_commit=commit)
        ordered = sort_cases(comparable.cases, code, mapped, request.seen, request.seed)
        pairs[place] = dataclasses.replace(pair, comparable=replace(comparable, cases=ordered))
        found.append(reach)
    return join_reach(found)


def _find_map(
    pair: EnvironmentPair, request: CompareRequest, setup: ComparisonSetup, seconds: float | None
) -> tuple[ReachMap, str]:
    """Return what the cases of *pair* run on head, and the commit whose kept map says it of some.

    The others run once to find out, for at most *seconds*.
    """
    known, commit = ReachMap(), ""
    if pair.name in request.kept:
        kept, holds = request.kept[pair.name]
        if holds.cases and pair.has_packages_of(kept.build, setup.project):
            known, commit = holds, kept.commit
    left = [one for one in pair.comparable.cases if one.case.name not in known.cases]
    if not left:
        return known, commit
    file = setup.folder / environment_part(pair.name) / MAPS / f"{request.head}.json"
    seeded = _seed_map(pair, file, setup)
    if running := len([one for one in left if _map_key(one) not in seeded]):
        setup.listen(WorkStarted(what="finding what cases run", cases=running, processes=running))
    found = pair.map_cases(left, file, seconds)
    return replace(found, imports={**known.imports, **found.imports}, cases={**found.cases, **known.cases}), commit


def _seed_map(pair: EnvironmentPair, file: Path, setup: ComparisonSetup) -> Collection[str]:
    """Begin the map in *file* with what the newest one beside it says of head too; return the keys of its cases."""
    maps = sorted(file.parent.glob("*.json"), key=lambda each: (each == file, each.stat().st_mtime))
    with contextlib.suppress(OSError, DataError):
        for path in maps[-1:]:
            found = formats.decode(path.read_bytes(), ReachMap, str(path))
            if path == file:
                return found.cases
            code = setup.find_code(path.stem)
            if code is not None and found.build and pair.has_packages_of(found.build, setup.project):
                found = replace(known_cases(found, code, setup.dependencies), build=pair.ready["head"].build)
                files.write_atomically(file, formats.encode(found))
                return found.cases
    return ()


CheckCases = Callable[[tuple[str, ...]], None]
"""Gets the names of the cases of base before head is built, and raises an error to end there."""


def build_pair(
    stack: ExitStack, request: CompareRequest, setup: ComparisonSetup, environment: str, check: CheckCases | None = None
) -> EnvironmentPair:
    """Build both commits in *environment* and match their cases; *stack* ends the engine.

    Raises UnbuiltError if a commit cannot be built.
    """
    out = setup.folder / environment_part(environment)
    out.mkdir(parents=True, exist_ok=True)
    session = stack.enter_context(setup.supervisor.session())
    preparation = protocol.PrepareComparison(
        place=replace(setup.place, environment=environment),
        base=request.base,
        head=request.head,
        interpreters=tuple(map(str, setup.interpreters)),
        suite_in_repository=setup.suite_in_repository,
        environments=str(setup.folder / "env"),
        out=str(out),
        slowdown=request.self_check.slowdown if request.self_check else 0.0,
        base_packages=request.packages[0],
        head_packages=request.packages[1],
    )
    ready: dict[schedule.ComparedCommit, protocol.Installed] = {}
    try:
        for event in session.ask(preparation, environment):
            if isinstance(event, protocol.Installed | protocol.BuildRefused | protocol.Working):
                setup.listen(event)
            if isinstance(event, protocol.Installed):
                ready[event.commit] = event
                if check and event.commit == "base":
                    selected = _selected(out / f"{event.commit}.json", request)
                    check(tuple(case.name for _, selection in selected for case in selection.cases))
    except BrokenError as error:
        raise UnbuiltError(environment, error.event) from None
    problems = {"base": ready["base"].problems, "head": ready["head"].problems, "own": ready["base"].own_problems}
    base, head, own = (
        case_matching.Suite(_selected(out / f"{name}.json", request), why) for name, why in problems.items()
    )
    matched = case_matching.match_cases(base, head, own, environment, setup.expectations)
    if request.changed is not None:
        matched = case_matching.without_unaffected(matched, request.changed, setup.dependencies)
    return EnvironmentPair(
        name=environment,
        session=session,
        ready=ready,
        comparable=_requested(matched, request),
        collection=ProcessCollection(machine=setup.machine.name),
        listen=setup.listen,
    )


def find_comparable_cases(
    request: CompareRequest, setup: ComparisonSetup, check: CheckCases | None = None
) -> tuple[case_matching.ComparableCase, ...]:
    """Return the cases of *request* without measuring any; raises DataError if a commit cannot be built."""
    with ExitStack() as stack:
        pairs = [build_pair(stack, request, setup, environment, check) for environment in setup.environments]
    return tuple(one for pair in pairs for one in pair.comparable.cases)


def _requested(comparable: case_matching.ComparableCases, request: CompareRequest) -> case_matching.ComparableCases:
    """Return the cases of this shard; with *only*, the suspects among them. The first shard lists missing cases."""
    which, of, division = request.shard
    mine = frozenset(divide({one.samples.benchmark for one in comparable.cases}, of, division)[which - 1])
    cases = tuple(one for one in comparable.cases if one.samples.benchmark in mine)
    if request.only is not None:
        suspects = {one.identity for one in (*request.only, *request.only_aa)}
        cases = tuple(one for one in cases if one.samples.identity in suspects)
    if which > 1 or request.only is not None:
        return case_matching.ComparableCases(cases=cases, missing={kind: [] for kind in MISSING_KINDS})
    return replace(comparable, cases=cases)


def _not_compared(
    one: case_matching.ComparableCase, ended: Mapping[schedule.Arm, schedule.Process]
) -> tuple[MissingKind, NotCompared]:
    """Return the entry of a case whose processes *ended* without a value; what fails on head is a failure."""
    failed = {arm.commit: process for arm, process in ended.items() if process.state == "failed"}
    reason = error_line(next(iter((failed or ended).values())).reason)
    on = tuple(arm.commit for arm in schedule.COMPARISON if arm in ended)
    if not failed:
        return "skipped", NotCompared.of(one.samples, reason, on)
    if on == ("base",):
        return case_matching.not_on_base(one.samples, one.samples.suite_change, reason)
    if one.samples.suite_change == "new" and "head" in failed:
        on, reason = ("head",), error_line(failed["head"].reason)
    return "failed", NotCompared.of(one.samples, reason, on)


def _selected(path: Path, request: CompareRequest) -> tuple[tuple[Benchmark, Selection], ...]:
    asked = request.options
    return tuple(select(decode_benchmarks(path.read_bytes(), path.name).value or (), asked.bench, asked.k, asked.m))
