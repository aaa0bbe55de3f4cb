"""From what shall be measured to turns, and from what was measured to trials."""

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from windtunnel.compare.process_value import Timings, processes, statistic
from windtunnel.model.benchmark import Case
from windtunnel.model.measure import Better, Compared, Kind, Pass, Processes, Stage, Trial
from windtunnel.model.run_format import State
from windtunnel.model.schedule import Process, Seat, Turn

Seats = tuple[Seat, Seat]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant(Compared):
    """A case that takes part: where it stands in its suite, and what its owner said of it."""

    case: Case
    unit: str
    kind: Kind
    better: Better
    threshold: float


def round_of(who: Sequence[tuple[Entrant, Stage, Seats]], rng: random.Random) -> tuple[Turn, ...]:
    """Return the turns of one round: all cases in random order, the two seats of a case side by side, either first."""
    pairs = [_pair(one, stage, seats, rng) for one, stage, seats in who]
    rng.shuffle(pairs)
    return tuple(turn for pair in pairs for turn in pair)


def _pair(entrant: Entrant, stage: Stage, seats: Seats, rng: random.Random) -> list[Turn]:
    turns = [Turn(seat=seat, stage=stage, benchmark=entrant.benchmark, case=entrant.case) for seat in seats]
    rng.shuffle(turns)
    return turns


@dataclass(slots=True, kw_only=True)
class Collection:
    """The processes of one comparison on one machine, as they come in."""

    machine: str
    by_case: dict[tuple[str, int], list[Process]] = field(default_factory=lambda: defaultdict(list))

    def add(self, found: Iterable[Process]) -> None:
        """Take *found* in, in the order of the rounds."""
        for process in found:
            self.by_case[process.turn.benchmark, process.turn.case.index].append(process)

    def stopped(self, entrant: Entrant, seats: Seats) -> dict[Seat, Process]:
        """Return the process of each seat that gave no value, which ends the case; usually there is none."""
        return {
            one.turn.seat: one
            for one in self.by_case[entrant.benchmark, entrant.case.index]
            if one.turn.seat in seats and one.state is not State.MEASURED
        }

    def trial(self, entrant: Entrant, seats: Seats, earlier: Sequence[Pass] = ()) -> Trial:
        """Return the trial of *entrant*: the passes measured here after *earlier* ones from elsewhere."""
        mine = [one for one in self.by_case[entrant.benchmark, entrant.case.index] if one.turn.seat in seats]
        passes = tuple(
            Pass(stage=stage, machine=self.machine, baseline=sides[0], contender=sides[1])
            for stage in Stage
            if any(one.turn.stage is stage for one in mine)
            for sides in [_sides([one for one in mine if one.turn.stage is stage], mine, seats)]
        )
        return Trial(
            benchmark=entrant.benchmark,
            params=entrant.params,
            environment=entrant.environment,
            unit=entrant.unit,
            kind=entrant.kind,
            better=entrant.better,
            threshold=entrant.threshold,
            passes=(*earlier, *passes),
        )


def _sides(of_stage: Sequence[Process], of_case: Sequence[Process], seats: Seats) -> tuple[Processes, Processes]:
    """Return both sides of a pass, as long as both have rounds; one statistic stands for every process of the case."""
    rounds = min(sum(one.turn.seat is seat for one in of_stage) for seat in seats)
    of_stage = [one for seat in seats for one in [one for one in of_stage if one.turn.seat is seat][:rounds]]
    if any(one.value is not None for one in of_stage):
        first, second = (tuple(one.value or 0.0 for one in of_stage if one.turn.seat is seat) for seat in seats)
        return Processes(values=first), Processes(values=second)
    by = statistic(*(_timings(of_case, seat) for seat in seats))
    before, after = (processes(_timings(of_stage, seat), by) for seat in seats)
    return before, after


def _timings(found: Sequence[Process], seat: Seat) -> tuple[Timings, ...]:
    return tuple(Timings(wall=one.wall, cpu=one.cpu) for one in found if one.turn.seat is seat and one.wall)
