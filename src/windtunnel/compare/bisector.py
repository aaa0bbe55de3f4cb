"""Searches for the commit that changed a benchmark: measures what `analysis.bisection` asks for, and keeps it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from windtunnel.compare.bisect_format import Bisection, BisectionAnswer, TestedCommit
from windtunnel.compare.bisection import ChangeFound, MeasureMore, NoChangeFound, Probe, next_step, total_change
from windtunnel.compare.measure import measure_rounds
from windtunnel.compare.request import ComparisonSetup
from windtunnel.compare.schedule import ComparableCase, ProcessCollection
from windtunnel.errors import DataError
from windtunnel.model.measure import PairedSamples
from windtunnel.model.result import Interval
from windtunnel.model.schedule import COMPARISON


@dataclass(frozen=True, slots=True, kw_only=True)
class Bisector:
    """One search; *keep* is called after every measurement, so that a later call can go on from there."""

    setting: ComparisonSetup
    compared: ComparableCase
    keep: Callable[[Bisection], None]
    say: Callable[[str], None]

    def search(self, so_far: Bisection, deadline: float) -> Bisection:
        """Go on from *so_far* until there is an answer or the clock says *deadline*."""
        state = so_far
        while True:
            match next_step(len(state.candidates), self._probes(state), state.error):
                case MeasureMore() as asked if self.setting.clock() < deadline:
                    state = self._measured(state, asked)
                    self.keep(state)
                case MeasureMore():
                    return replace(state, answer=BisectionAnswer.UNFINISHED, reason="out of time")
                case ChangeFound() as found:
                    return self._with_change(_found(state, found))
                case NoChangeFound() as nothing:
                    return self._with_change(replace(state, answer=BisectionAnswer.NOTHING, reason=nothing.reason))

    def _measured(self, state: Bisection, asked: MeasureMore) -> Bisection:
        commit = state.candidates[asked.position]
        self.say(
            f"{commit.hash[:10]} {commit.subject[:60]}: {asked.rounds} rounds against {state.candidates[0].hash[:10]}"
        )
        try:
            found = measure_rounds(self.setting, self.compared, (state.candidates[0].hash, commit.hash), asked.rounds)
        except DataError as error:
            self.say(f"{commit.hash[:10]} is set aside: {error}")
            return _with(state, TestedCommit(hash=commit.hash, reason=str(error)))
        before = next((one for one in state.tested if one.hash == commit.hash), TestedCommit(hash=commit.hash))
        return _with(state, replace(before, processes=before.processes + found))

    def _probes(self, state: Bisection) -> tuple[Probe, ...]:
        places = {one.hash: place for place, one in enumerate(state.candidates)}
        return tuple(
            Probe(position=places[one.hash], paired=None if one.reason else self._trial(one), reason=one.reason)
            for one in state.tested
        )

    def _trial(self, one: TestedCommit) -> PairedSamples:
        collection = ProcessCollection(machine=self.setting.machine.name)
        collection.add(one.processes)
        return collection.paired(self.compared, COMPARISON)

    def _with_change(self, state: Bisection) -> Bisection:
        """Add how far good and bad lie apart."""
        if not state.tested or state.tested[0].reason:
            return state
        found = total_change(self._trial(state.tested[0]), len(state.candidates), state.error)
        interval = None if found.low is None or found.high is None else Interval(low=found.low, high=found.high)
        return replace(state, relative_change=found.change, interval=interval, confidence=found.confidence)


def _found(state: Bisection, found: ChangeFound) -> Bisection:
    hashes = [one.hash for one in state.candidates]
    answer = BisectionAnswer.COMMIT if found.exact else BisectionAnswer.RANGE
    return replace(state, answer=answer, before=hashes[found.before], after=hashes[found.after])


def _with(state: Bisection, tested: TestedCommit) -> Bisection:
    """Put *tried* where its commit was, or behind the others."""
    if any(one.hash == tested.hash for one in state.tested):
        return replace(state, tested=tuple(tested if one.hash == tested.hash else one for one in state.tested))
    return replace(state, tested=(*state.tested, tested))
