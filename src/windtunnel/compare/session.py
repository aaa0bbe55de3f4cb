"""One comparison under way: which rounds are asked for until every case is decided or time is up."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from windtunnel.compare.decide import decide, false_alarms
from windtunnel.compare.environment_pair import EnvironmentPair
from windtunnel.compare.format import (
    Budget,
    ComparedEnvironment,
    ComparisonContext,
    ComparisonReport,
    MachineTiming,
    NotCompared,
)
from windtunnel.compare.request import BatchStarted, CompareRequest, ComparisonSetup
from windtunnel.compare.schedule import Arms, ComparableCase, NextRounds, next_steps, schedule_round
from windtunnel.model.measure import CaseIdentity, PairedSamples, Stage
from windtunnel.model.run_format import CaseState
from windtunnel.model.schedule import AA, COMPARISON, ScheduledProcess

OUT_OF_TIME = "The budget was used up before every case was decided."
NOT_REACHED = "measuring ended before its first round"

PART = 20
"""Processes after which the clock is read: as many as a budget is overdrawn by, or Ctrl-C loses, at most."""

Identity = tuple[str, tuple[str, ...], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedRounds:
    """Rounds that are wanted of one case, in the comparison or in the A/A arm."""

    ring: EnvironmentPair
    compared: ComparableCase
    arms: Arms
    step: NextRounds


@dataclass(slots=True, kw_only=True)
class ComparisonSession:
    """The *rings* of a comparison, an environment each, and how far it has come.

    *building_seconds* is how long it took to make the rings; they are not all made until it is known.
    """

    setting: ComparisonSetup
    request: CompareRequest
    rings: list[EnvironmentPair] = field(default_factory=list)
    aa_cases: frozenset[Identity] = frozenset()
    notes: list[str] = field(default_factory=list)
    building_seconds: float = float("inf")

    def join(self, ring: EnvironmentPair) -> None:
        """Let the cases of *ring* take part, too."""
        self.rings.append(ring)
        self.notes += [note for note in ring.comparable.notes if note not in self.notes]

    def play(self, deadline: float) -> None:
        """Run rounds until every case is decided, out of looks or stopped, or until the clock says *deadline*."""
        rng = random.Random(self.request.seed)  # noqa: S311 - an order, not a secret
        self.aa_cases = self._drawn(rng)
        while not self._same_artifact() and (asked := self._asked()):
            self._announce(asked)
            for number in range(max(one.step.rounds for one in asked)):
                for ring, processes in self._parts(asked, number, rng):
                    ring.take(processes, self.setting.listen)
                    if self.setting.clock() > deadline:
                        self.notes.append(OUT_OF_TIME)
                        return

    def _parts(
        self, asked: Sequence[RequestedRounds], number: int, rng: random.Random
    ) -> Iterator[tuple[EnvironmentPair, tuple[ScheduledProcess, ...]]]:
        """Yield the turns of the round *number*, a few at a time; the two of a case stay together."""
        for ring in self.rings:
            processes = _round(ring, asked, number, rng)
            for place in range(0, len(processes), PART):
                yield ring, processes[place : place + PART]

    def report(self, seconds: float) -> ComparisonReport:
        """Judge what was measured in *seconds*."""
        same = self._same_artifact()
        samples = [] if same else self._trials(COMPARISON)
        reached = [one for one in samples if one.stage_samples]
        unreached = tuple(_unreached(one) for one in samples if not one.stage_samples)
        stopped = [one for ring in self.rings for one in ring.stopped()]
        processes = sum(len(found) for ring in self.rings for found in ring.collection.by_case.values())
        context = ComparisonContext(
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
                machine_timings=(self._leg(seconds),),
            ),
            failed=tuple(one for state, one in stopped if state is CaseState.FAILED),
            skipped=(*(one for state, one in stopped if state is CaseState.SKIPPED), *unreached),
            added=tuple(one for ring in self.rings for one in ring.comparable.added),
            removed=tuple(one for ring in self.rings for one in ring.comparable.removed),
            incomparable=tuple(one for ring in self.rings for one in ring.comparable.incomparable),
            same_artifact=same,
            aa=false_alarms(self._trials(AA), self.request.rules),
            notes=tuple(self.notes),
        )
        return decide(context, reached)

    def _leg(self, seconds: float) -> MachineTiming:
        building = min(self.building_seconds, seconds)
        stage = Stage.SCREENING if self.request.only is None else Stage.CONFIRMATION
        return MachineTiming(stage=stage, building_seconds=building, measuring_seconds=seconds - building)

    def _announce(self, asked: Sequence[RequestedRounds]) -> None:
        cases = {one.compared.identity for one in asked}
        processes = 2 * sum(one.step.rounds for one in asked)
        self.setting.listen(BatchStarted(stage=asked[0].step.stage, cases=len(cases), processes=processes))

    def _asked(self) -> tuple[RequestedRounds, ...]:
        """Return what is to be measured next."""
        found: list[RequestedRounds] = []
        for arms in (COMPARISON, AA):
            who = list(self._running(arms))
            steps = next_steps([self._trial(ring, one, arms) for ring, one in who], self.request.rules)
            found += [
                RequestedRounds(ring=ring, compared=one, arms=arms, step=step)
                for (ring, one), step in zip(who, steps, strict=True)
                if step and (self.request.confirm or step.stage is Stage.SCREENING)
            ]
        return tuple(found)

    def _running(self, arms: Arms) -> Iterator[tuple[EnvironmentPair, ComparableCase]]:
        """Yield the cases that take part and have not stopped."""
        for ring in self.rings:
            for one in ring.comparable.cases:
                taking_part = arms == COMPARISON or one.identity in self.aa_cases
                if taking_part and not ring.collection.stopped(one, arms):
                    yield ring, one

    def _trials(self, arms: Arms) -> list[PairedSamples]:
        return [self._trial(ring, one, arms) for ring, one in self._running(arms)]

    def _trial(self, ring: EnvironmentPair, one: ComparableCase, arms: Arms) -> PairedSamples:
        return ring.collection.paired(one, arms, self.request.screening_of(one) if arms == COMPARISON else ())

    def _drawn(self, rng: random.Random) -> frozenset[Identity]:
        """Return the cases of the A/A arm; a confirmation of suspects has none."""
        everyone = [one.identity for ring in self.rings for one in ring.comparable.cases]
        if not everyone or not self.request.aa_share or self.request.only is not None:
            return frozenset()
        return frozenset(rng.sample(everyone, max(1, round(self.request.aa_share * len(everyone)))))

    def _same_artifact(self) -> bool:
        return bool(self.rings) and all(ring.same_artifact for ring in self.rings)


def _unreached(one: CaseIdentity) -> NotCompared:
    return NotCompared(benchmark=one.benchmark, params=one.params, environment=one.environment, reason=NOT_REACHED)


def _round(
    ring: EnvironmentPair, asked: Sequence[RequestedRounds], number: int, rng: random.Random
) -> tuple[ScheduledProcess, ...]:
    """Return the turns of *ring* in the round *number* of a batch, without cases that have stopped meanwhile."""
    wanted = [one for one in asked if one.ring is ring and one.step.rounds > number]
    running = [one for one in wanted if not ring.collection.stopped(one.compared, one.arms)]
    return schedule_round([(one.compared, one.step.stage, one.arms) for one in running], rng)
