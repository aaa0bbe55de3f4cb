"""Runs a bisection: measures the commits that the search asks for, keeps the answers."""

import random
import re
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from msgspec.structs import replace

from windtunnel.compare.bisect_format import Bisection, BisectionAnswer, MeasuredCommit
from windtunnel.compare.bisection import ChangeFound, MeasureMore, NoChangeFound, Probe, next_step, total_change
from windtunnel.compare.case_matching import ComparableCase
from windtunnel.compare.environment_pair import build_pair
from windtunnel.compare.request import CompareRequest, CompareSettings, ComparisonSetup
from windtunnel.compare.samples import ProcessCollection
from windtunnel.compare.samples_format import PairedSamples
from windtunnel.compare.schedule import schedule_round
from windtunnel.errors import DataError
from windtunnel.model.result import Interval
from windtunnel.model.schedule import COMPARISON, Process, Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Bisector:
    """One search."""

    setup: ComparisonSetup
    case: ComparableCase
    save: Callable[[Bisection], None]
    """Called after every measurement, so that a later call can continue."""
    log: Callable[[str], None]

    def search(self, state: Bisection, deadline: float) -> Bisection:
        """Continue from *state* until there is an answer, or until the clock reaches *deadline*."""
        while True:
            match next_step(len(state.candidates), self._probes(state), state.error):
                case MeasureMore() as requested if self.setup.clock() < deadline:
                    state = self._measure(state, requested)
                    self.save(state)
                case MeasureMore():
                    return replace(state, answer=BisectionAnswer.UNFINISHED, reason="out of time")
                case ChangeFound() as found:
                    return self._with_change(_with_answer(state, found))
                case NoChangeFound() as nothing:
                    return self._with_change(replace(state, answer=BisectionAnswer.NOTHING, reason=nothing.reason))

    def _measure(self, state: Bisection, requested: MeasureMore) -> Bisection:
        good, commit = state.candidates[0], state.candidates[requested.position]
        self.log(f"{commit.hash[:10]} {commit.subject[:60]}: {requested.rounds} rounds against {good.hash[:10]}")
        try:
            ended = measure_rounds(self.setup, self.case, (good.hash, commit.hash), requested.rounds)
        except DataError as error:
            self.log(f"{commit.hash[:10]} is set aside: {error}")
            return _with_measured(state, MeasuredCommit(hash=commit.hash, reason=str(error)))
        before = next((one for one in state.measured if one.hash == commit.hash), MeasuredCommit(hash=commit.hash))
        return _with_measured(state, replace(before, processes=before.processes + ended))

    def _probes(self, state: Bisection) -> tuple[Probe, ...]:
        positions = {one.hash: position for position, one in enumerate(state.candidates)}
        return tuple(
            Probe(
                position=positions[one.hash],
                samples=None if one.reason else self._samples(one),
                reason=one.reason,
            )
            for one in state.measured
        )

    def _samples(self, measured: MeasuredCommit) -> PairedSamples:
        collection = ProcessCollection(machine=self.setup.machine.name)
        collection.add(measured.processes)
        return collection.samples(self.case, COMPARISON)

    def _with_change(self, state: Bisection) -> Bisection:
        """Add the change between good and bad commit."""
        if not state.measured or state.measured[0].reason:
            return state
        total = total_change(self._samples(state.measured[0]), len(state.candidates), state.error)
        interval = None if total.low is None or total.high is None else Interval(low=total.low, high=total.high)
        return replace(state, relative_change=total.change, interval=interval, confidence=total.confidence)


def measure_rounds(
    setup: ComparisonSetup, case: ComparableCase, commits: tuple[str, str], rounds: int
) -> tuple[Process, ...]:
    """Return *rounds* processes of *case* on each of two commits, in alternation.

    Raises DataError if a commit cannot be built, does not have the case, or gives no value.
    """
    name = case.case.name
    request = CompareRequest(base=commits[0], head=commits[1], options=CompareSettings(bench=(f"^{re.escape(name)}$",)))
    with ExitStack() as stack:
        pair = build_pair(stack, request, setup, case.samples.environment)
        if (case.samples.identity, case.case) not in (
            (one.samples.identity, one.case) for one in pair.comparable.cases
        ):
            raise DataError(f"{name} is not the same benchmark on both commits")
        rng = random.Random(rounds)  # noqa: S311 - which commit runs first, not a secret
        for _ in range(rounds):
            pair.run(schedule_round([(case, Stage.SCREENING, COMPARISON)], rng), setup.listen)
            for kind, missing in pair.without_value():
                raise DataError(f"{name} {kind}: {missing.reason}")
    return tuple(pair.collection.of(case, COMPARISON))


def _with_answer(state: Bisection, found: ChangeFound) -> Bisection:
    hashes = [one.hash for one in state.candidates]
    answer = BisectionAnswer.COMMIT if found.exact else BisectionAnswer.RANGE
    return replace(state, answer=answer, before=hashes[found.before], after=hashes[found.after])


def _with_measured(state: Bisection, measured: MeasuredCommit) -> Bisection:
    """Replace the entry of the same commit, or append *measured*."""
    if any(one.hash == measured.hash for one in state.measured):
        return replace(state, measured=tuple(measured if one.hash == measured.hash else one for one in state.measured))
    return replace(state, measured=(*state.measured, measured))
