"""One comparison under way: which rounds are asked for until every case is decided or time is up."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from windtunnel.compare.decide import false_alarms, judge
from windtunnel.compare.environment_pair import Ring
from windtunnel.compare.format import Budget, ComparedEnvironment, Context, Judgement, Leg, NotCompared
from windtunnel.compare.next_steps import Step, next_steps
from windtunnel.compare.request import Batch, CompareRequest, Setting
from windtunnel.compare.schedule import Entrant, Seats, round_of
from windtunnel.model.measure import Compared, Stage, Trial
from windtunnel.model.run_format import State
from windtunnel.model.schedule import ALIKE, COMPARISON, Turn

OUT_OF_TIME = "The budget was used up before every case was decided."
NOT_REACHED = "measuring ended before its first round"

PART = 20
"""Processes after which the clock is read: as many as a budget is overdrawn by, or Ctrl-C loses, at most."""

Identity = tuple[str, tuple[str, ...], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Rounds that are wanted of one case, in the comparison or in the A/A arm."""

    ring: Ring
    entrant: Entrant
    seats: Seats
    step: Step


@dataclass(slots=True, kw_only=True)
class Match:
    """The *rings* of a comparison, an environment each, and how far it has come.

    *building_seconds* is how long it took to make the rings; they are not all made until it is known.
    """

    setting: Setting
    request: CompareRequest
    rings: list[Ring] = field(default_factory=list)
    alike: frozenset[Identity] = frozenset()
    notes: list[str] = field(default_factory=list)
    building_seconds: float = float("inf")

    def join(self, ring: Ring) -> None:
        """Let the cases of *ring* take part, too."""
        self.rings.append(ring)
        self.notes += [note for note in ring.lineup.notes if note not in self.notes]

    def play(self, deadline: float) -> None:
        """Run rounds until every case is decided, out of looks or stopped, or until the clock says *deadline*."""
        rng = random.Random(self.request.seed)  # noqa: S311 - an order, not a secret
        self.alike = self._drawn(rng)
        while not self._same_artifact() and (asked := self._asked()):
            self._announce(asked)
            for number in range(max(one.step.rounds for one in asked)):
                for ring, turns in self._parts(asked, number, rng):
                    ring.take(turns, self.setting.listen)
                    if self.setting.clock() > deadline:
                        self.notes.append(OUT_OF_TIME)
                        return

    def _parts(
        self, asked: Sequence[Asked], number: int, rng: random.Random
    ) -> Iterator[tuple[Ring, tuple[Turn, ...]]]:
        """Yield the turns of the round *number*, a few at a time; the two of a case stay together."""
        for ring in self.rings:
            turns = _round(ring, asked, number, rng)
            for place in range(0, len(turns), PART):
                yield ring, turns[place : place + PART]

    def judgement(self, seconds: float) -> Judgement:
        """Judge what was measured in *seconds*."""
        same = self._same_artifact()
        trials = [] if same else self._trials(COMPARISON)
        reached = [one for one in trials if one.passes]
        unreached = tuple(_unreached(one) for one in trials if not one.passes)
        stopped = [one for ring in self.rings for one in ring.stopped()]
        processes = sum(len(found) for ring in self.rings for found in ring.collection.by_case.values())
        context = Context(
            base=self.request.base,
            head=self.request.head,
            rules=self.request.rules,
            machines=(self.setting.machine,),
            environments=tuple(
                ComparedEnvironment(name=ring.name, differences=ring.differences(self.setting.project))
                for ring in self.rings
            ),
            budget=Budget(
                seconds=seconds,
                allowed_seconds=self.request.seconds,
                processes=processes,
                legs=(self._leg(seconds),),
            ),
            failed=tuple(one for state, one in stopped if state is State.FAILED),
            skipped=(*(one for state, one in stopped if state is State.SKIPPED), *unreached),
            added=tuple(one for ring in self.rings for one in ring.lineup.added),
            removed=tuple(one for ring in self.rings for one in ring.lineup.removed),
            incomparable=tuple(one for ring in self.rings for one in ring.lineup.incomparable),
            same_artifact=same,
            aa=false_alarms(self._trials(ALIKE), self.request.rules),
            notes=tuple(self.notes),
        )
        return judge(context, reached)

    def _leg(self, seconds: float) -> Leg:
        building = min(self.building_seconds, seconds)
        stage = Stage.SCREENING if self.request.only is None else Stage.CONFIRMATION
        return Leg(stage=stage, building_seconds=building, measuring_seconds=seconds - building)

    def _announce(self, asked: Sequence[Asked]) -> None:
        cases = {one.entrant.identity for one in asked}
        processes = 2 * sum(one.step.rounds for one in asked)
        self.setting.listen(Batch(stage=asked[0].step.stage, cases=len(cases), processes=processes))

    def _asked(self) -> tuple[Asked, ...]:
        """Return what is to be measured next."""
        found: list[Asked] = []
        for seats in (COMPARISON, ALIKE):
            who = list(self._running(seats))
            steps = next_steps([self._trial(ring, one, seats) for ring, one in who], self.request.rules)
            found += [
                Asked(ring=ring, entrant=one, seats=seats, step=step)
                for (ring, one), step in zip(who, steps, strict=True)
                if step and (self.request.confirm or step.stage is Stage.SCREENING)
            ]
        return tuple(found)

    def _running(self, seats: Seats) -> Iterator[tuple[Ring, Entrant]]:
        """Yield the cases that take part and have not stopped."""
        for ring in self.rings:
            for one in ring.lineup.entrants:
                taking_part = seats == COMPARISON or one.identity in self.alike
                if taking_part and not ring.collection.stopped(one, seats):
                    yield ring, one

    def _trials(self, seats: Seats) -> list[Trial]:
        return [self._trial(ring, one, seats) for ring, one in self._running(seats)]

    def _trial(self, ring: Ring, one: Entrant, seats: Seats) -> Trial:
        return ring.collection.trial(one, seats, self.request.screening_of(one) if seats == COMPARISON else ())

    def _drawn(self, rng: random.Random) -> frozenset[Identity]:
        """Return the cases of the A/A arm; a confirmation of suspects has none."""
        everyone = [one.identity for ring in self.rings for one in ring.lineup.entrants]
        if not everyone or not self.request.alike or self.request.only is not None:
            return frozenset()
        return frozenset(rng.sample(everyone, max(1, round(self.request.alike * len(everyone)))))

    def _same_artifact(self) -> bool:
        return bool(self.rings) and all(ring.same_artifact for ring in self.rings)


def _unreached(one: Compared) -> NotCompared:
    return NotCompared(benchmark=one.benchmark, params=one.params, environment=one.environment, reason=NOT_REACHED)


def _round(ring: Ring, asked: Sequence[Asked], number: int, rng: random.Random) -> tuple[Turn, ...]:
    """Return the turns of *ring* in the round *number* of a batch, without cases that have stopped meanwhile."""
    wanted = [one for one in asked if one.ring is ring and one.step.rounds > number]
    running = [one for one in wanted if not ring.collection.stopped(one.entrant, one.seats)]
    return round_of([(one.entrant, one.step.stage, one.seats) for one in running], rng)
