"""Measures two commits against each other, process by process in turn, in environments of their own."""

import random
import re
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from windtunnel.asv.protocol import Broken, CommitReady, PrepareComparison
from windtunnel.asv.results_format.suite_files import decode_benchmarks
from windtunnel.compare.case_matching import ComparableCases, match_cases
from windtunnel.compare.environment_pair import EnvironmentPair
from windtunnel.compare.format import ComparisonReport
from windtunnel.compare.request import CompareRequest, ComparisonSetup
from windtunnel.compare.schedule import ComparableCase, ProcessCollection, schedule_round
from windtunnel.compare.session import ComparisonSession
from windtunnel.errors import DataError
from windtunnel.model.benchmark import Benchmark, select
from windtunnel.model.measure import Stage
from windtunnel.model.schedule import COMPARISON, ComparedCommit, Process

INTERRUPTED = "Measuring was interrupted: what had been measured by then is judged."
BROKEN_OFF = "Measuring broke off: what had been measured by then is judged."


def compare(request: CompareRequest, setting: ComparisonSetup) -> ComparisonReport:
    """Return the judgement; after Ctrl-C that of what was measured by then, with the note INTERRUPTED.

    An environment in which either commit cannot be built is noted and does not stop the others. An engine that dies
    ends the measuring: what was measured is judged, with the note BROKEN_OFF and the reason.
    """
    started = setting.clock()
    match = ComparisonSession(setting=setting, request=request)
    with ExitStack() as stack:
        try:
            for environment in setting.environments:
                try:
                    match.join(_ring(stack, request, setting, environment))
                except DataError as error:
                    match.notes.append(str(error))
            match.building_seconds = setting.clock() - started
            match.play(float("inf") if request.seconds is None else started + request.seconds)
        except KeyboardInterrupt:
            match.notes.append(INTERRUPTED)
        except DataError as error:
            match.notes += [BROKEN_OFF, str(error)]
    return match.report(setting.clock() - started)


def measure_rounds(
    setting: ComparisonSetup, compared: ComparableCase, commits: tuple[str, str], rounds: int
) -> tuple[Process, ...]:
    """Return *rounds* processes of *entrant* on each of two commits, in turn, however clear they are.

    Raises DataError where a commit cannot be built, does not have the case, or the case gives no value there.
    """
    request = CompareRequest(base=commits[0], head=commits[1], bench=(f"^{re.escape(compared.case.name)}$",))
    with ExitStack() as stack:
        ring = _ring(stack, request, setting, compared.environment)
        if compared not in ring.comparable.cases:
            raise DataError(f"{compared.case.name} is not the same benchmark on both commits")
        rng = random.Random(rounds)  # noqa: S311 - which commit begins, not a secret
        for _ in range(rounds):
            ring.take(schedule_round([(compared, Stage.SCREENING, COMPARISON)], rng), setting.listen)
            for state, stopped in ring.stopped():
                raise DataError(f"{compared.case.name} {state} {stopped.reason}")
    return tuple(ring.collection.by_case[compared.benchmark, compared.case.index])


def find_comparable_cases(request: CompareRequest, setting: ComparisonSetup) -> tuple[ComparableCase, ...]:
    """Return the cases that take part, without measuring any; raises DataError where a commit cannot be built."""
    with ExitStack() as stack:
        rings = [_ring(stack, request, setting, environment) for environment in setting.environments]
    return tuple(one for ring in rings for one in ring.comparable.cases)


def _ring(stack: ExitStack, request: CompareRequest, setting: ComparisonSetup, environment: str) -> EnvironmentPair:
    """Build both commits in *environment* and see which cases take part; raises DataError where that fails."""
    out = setting.folder / environment
    out.mkdir(parents=True, exist_ok=True)
    session = stack.enter_context(setting.supervisor.session())
    session.send(
        PrepareComparison(
            config=str(setting.config),
            environment=environment,
            base=request.base,
            head=request.head,
            suite_in_repository=setting.suite_in_repository,
            environments=str(setting.folder / "env"),
            out=str(out),
        )
    )
    sides: dict[ComparedCommit, CommitReady] = {}
    for event in session.events():
        match event:
            case CommitReady():
                sides[event.commit] = event
                setting.listen(event)
            case Broken():
                raise DataError(f"{environment}: {event.step} failed: {event.reason}")
            case _:
                pass
        if len(sides) == len(ComparedCommit):
            break
    return EnvironmentPair(
        name=environment,
        session=session,
        sides=sides,
        comparable=_lineup(request, setting, environment, out),
        collection=ProcessCollection(machine=setting.machine.name),
    )


def _lineup(request: CompareRequest, setting: ComparisonSetup, environment: str, out: Path) -> ComparableCases:
    """Return who takes part: what was asked for, of this shard, of these suspects."""
    base, head = (tuple(select(_benchmarks(out / f"{commit}.json"), request.bench)) for commit in ComparedCommit)
    comparable = match_cases(base, head, environment, setting.expectations)
    which, of = request.shard
    names = sorted({one.benchmark for one in comparable.cases})
    random.Random(0).shuffle(names)  # noqa: S311 - neighbours in a suite take alike long; every shard draws alike
    mine = frozenset(names[which - 1 :: of])
    cases = tuple(one for one in comparable.cases if one.benchmark in mine)
    if request.only is not None:
        suspects = {one.identity for one in request.only}
        cases = tuple(one for one in cases if one.identity in suspects)
    if which > 1 or request.only is not None:
        return ComparableCases(cases=cases, added=(), removed=(), incomparable=())
    return replace(comparable, cases=cases)


def _benchmarks(path: Path) -> tuple[Benchmark, ...]:
    return decode_benchmarks(path.read_bytes(), path.name).value or ()
