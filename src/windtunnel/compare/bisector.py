"""Searches for the commit that changed a benchmark: measures what `analysis.bisection` asks for, and keeps it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from windtunnel.compare.bisect_format import Answer, Bisection, Tried
from windtunnel.compare.bisection import Found, Measure, NothingToFind, Probe, next_step, told
from windtunnel.compare.measure import rounds_of_one
from windtunnel.compare.request import Setting
from windtunnel.compare.schedule import Collection, Entrant
from windtunnel.errors import DataError
from windtunnel.model.measure import Trial
from windtunnel.model.result import Interval
from windtunnel.model.schedule import COMPARISON


@dataclass(frozen=True, slots=True, kw_only=True)
class Bisector:
    """One search; *keep* is called after every measurement, so that a later call can go on from there."""

    setting: Setting
    entrant: Entrant
    keep: Callable[[Bisection], None]
    say: Callable[[str], None]

    def search(self, so_far: Bisection, deadline: float) -> Bisection:
        """Go on from *so_far* until there is an answer or the clock says *deadline*."""
        state = so_far
        while True:
            match next_step(len(state.candidates), self._probes(state), state.error):
                case Measure() as asked if self.setting.clock() < deadline:
                    state = self._measured(state, asked)
                    self.keep(state)
                case Measure():
                    return replace(state, answer=Answer.UNFINISHED, reason="out of time")
                case Found() as found:
                    return self._with_change(_found(state, found))
                case NothingToFind() as nothing:
                    return self._with_change(replace(state, answer=Answer.NOTHING, reason=nothing.reason))

    def _measured(self, state: Bisection, asked: Measure) -> Bisection:
        commit = state.candidates[asked.position]
        self.say(
            f"{commit.hash[:10]} {commit.subject[:60]}: {asked.rounds} rounds against {state.candidates[0].hash[:10]}"
        )
        try:
            found = rounds_of_one(self.setting, self.entrant, (state.candidates[0].hash, commit.hash), asked.rounds)
        except DataError as error:
            self.say(f"{commit.hash[:10]} is set aside: {error}")
            return _with(state, Tried(hash=commit.hash, reason=str(error)))
        before = next((one for one in state.tried if one.hash == commit.hash), Tried(hash=commit.hash))
        return _with(state, replace(before, processes=before.processes + found))

    def _probes(self, state: Bisection) -> tuple[Probe, ...]:
        places = {one.hash: place for place, one in enumerate(state.candidates)}
        return tuple(
            Probe(position=places[one.hash], trial=None if one.reason else self._trial(one), reason=one.reason)
            for one in state.tried
        )

    def _trial(self, one: Tried) -> Trial:
        collection = Collection(machine=self.setting.machine.name)
        collection.add(one.processes)
        return collection.trial(self.entrant, COMPARISON)

    def _with_change(self, state: Bisection) -> Bisection:
        """Add how far good and bad lie apart."""
        if not state.tried or state.tried[0].reason:
            return state
        found = told(self._trial(state.tried[0]), len(state.candidates), state.error)
        interval = None if found.low is None or found.high is None else Interval(low=found.low, high=found.high)
        return replace(state, relative_change=found.change, interval=interval, confidence=found.confidence)


def _found(state: Bisection, found: Found) -> Bisection:
    hashes = [one.hash for one in state.candidates]
    answer = Answer.COMMIT if found.exact else Answer.RANGE
    return replace(state, answer=answer, before=hashes[found.before], after=hashes[found.after])


def _with(state: Bisection, tried: Tried) -> Bisection:
    """Put *tried* where its commit was, or behind the others."""
    if any(one.hash == tried.hash for one in state.tried):
        return replace(state, tried=tuple(tried if one.hash == tried.hash else one for one in state.tried))
    return replace(state, tried=(*state.tried, tried))
