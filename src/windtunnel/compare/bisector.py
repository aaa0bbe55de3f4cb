"""Runs a bisection: measures the commits, or sets of packages, that the search asks for, and keeps the answers."""

import dataclasses
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from msgspec.structs import replace

from windtunnel.compare import bisection
from windtunnel.compare.bisect_format import Bisection, DecidedBy, MeasuredCommit, package_set
from windtunnel.compare.case_matching import ComparableCase
from windtunnel.compare.cause import find_cause
from windtunnel.compare.environment_pair import EnvironmentPair, build_pair
from windtunnel.compare.figures import explains
from windtunnel.compare.request import CompareRequest, CompareSettings, ComparisonSetup, Touched
from windtunnel.compare.samples_format import PairedSamples
from windtunnel.compare.schedule import ProcessCollection, schedule_round
from windtunnel.errors import DataError
from windtunnel.model import schedule

OUT_OF_TIME = "out of time"

SEEDS = (0, 1, 2)
"""Hash seeds; three are enough for a change of half a per cent."""

Step = bisection.MeasureMore | bisection.CommitRange | str
"""What to do next, or the answer: a range, or why nothing is found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bisector:
    """One search."""

    setup: ComparisonSetup
    case: ComparableCase
    save: Callable[[Bisection], None]
    """Called after every measurement, so that a later call can continue."""
    log: Callable[[str], None]
    count: bool = True
    """Whether instruction counts may decide, and the functions that do more work are searched."""
    expected: float | None = None
    """The relative change of time that is to be explained; None to measure it."""
    find_touched: Callable[[str, str], Touched]
    """Finds what the diff of two commits changes; None if that is unknown."""

    def search(self, state: Bisection, deadline: float) -> Bisection:
        """Continue from *state* until there is an answer, or until the clock reaches *deadline*."""
        while True:
            decided_by, step = self._next(state)
            if isinstance(step, bisection.MeasureMore) and self.setup.clock() >= deadline:
                return replace(state, answer="unfinished", reason=OUT_OF_TIME)
            match step:
                case bisection.MeasureMore():
                    state = self._measure(state, step) if step.rounds else self._count(state, step.position)
                    self.save(state)
                case bisection.CommitRange() as found:
                    answered = self._with_change(replace(_with_answer(state, found), decided_by=decided_by))
                    return self._with_cause(self._ask_alone(answered, deadline), deadline)
                case str(nothing):
                    found_nothing = replace(state, answer="nothing", reason=nothing)
                    return self._with_change(found_nothing)

    def _next(self, state: Bisection) -> tuple[DecidedBy, Step]:
        """Return what decides, and what to do next."""
        commits, last = len(state.candidates), len(state.candidates) - 1
        if self.count and state.good_counts is None:
            return "instructions", bisection.MeasureMore(position=last)
        change, probes = self._count_change(state) if self.count else None, self._probes(state)
        if change is not None and state.good_counts is not None:
            expected = self.expected
            if expected is None:
                ends = bisection.next_step(commits, dict([*probes.items()][:1]), state.error)
                if isinstance(ends, bisection.MeasureMore) and ends.position == last:
                    return "time", ends
                expected = None if isinstance(ends, str) else self._total(state)
            if explains(change, expected):
                left = bisection.next_count(state.good_counts, commits, self._counted(state))
                return "instructions", left if left.next is None else bisection.MeasureMore(position=left.next)
        return "time", bisection.next_step(commits, probes, state.error)

    def _ask_alone(self, state: Bisection, deadline: float) -> Bisection:
        """Add whether the found package changes the case without those that moved before it."""
        if not state.packages or state.answer != "commit":
            return state
        if state.before == state.candidates[0].hash:
            return replace(state, alone_shows=True)
        while state.alone is None or not state.alone.reason:
            side = self._alone_side(state)
            if isinstance(side, str):
                return replace(state, alone_shows=None if side == "undecided" else side == "after")
            if self.setup.clock() >= deadline:
                break
            state = replace(state, alone=self._measure_alone(state, side))
            self.save(replace(state, answer="unfinished"))
        return state

    def _with_cause(self, state: Bisection, deadline: float) -> Bisection:
        """Add the functions whose work changed with the found commit; saved, so that a later call shows them again."""
        if not self.count or state.packages or state.answer != "commit":
            return replace(state, cause=None)
        if state.cause is not None or self.setup.clock() >= deadline:
            return state
        self.log(f"{state.after[:10]}: which functions do more or less work")
        try:
            profiles = profile_case(self.setup, self.case, CompareRequest(base=state.before, head=state.after))
        except DataError as error:
            self.log(f"no profile: {error}")
            return state
        touched = self.find_touched(state.before, state.after)
        base, head = profiles["base"], profiles["head"]
        explained = replace(state, cause=find_cause(base, head, touched, state.relative_change))
        self.save(replace(explained, answer="unfinished"))
        return explained

    def _alone_side(self, state: Bisection) -> bisection.ChangeSide | bisection.MeasureMore:
        if state.decided_by == "time":
            samples = self._samples(state.alone) if state.alone else None
            return bisection.next_alone(len(state.candidates), self._probes(state), samples, state.error)
        bad = self._bad_counts(state)
        if state.alone is None or state.good_counts is None or bad is None:
            return bisection.MeasureMore(position=len(state.candidates))
        return bisection.count_side(state.good_counts, bad, state.alone.counts)

    def _measure_alone(self, state: Bisection, step: bisection.MeasureMore) -> MeasuredCommit:
        before = state.alone or MeasuredCommit(hash=state.after)
        index = [one.name for one in state.packages].index(state.after)
        sides = _package_sides(state, (index,))
        self.log(f"{state.after} alone, with all other packages as before")
        try:
            if step.rounds:
                ended = measure_rounds(self.setup, self.case, sides, step.rounds)
                return replace(before, processes=before.processes + ended)
            counted = count_instructions(self.setup, self.case, sides, ("head",))
            return replace(before, counts=counted["head"])
        except DataError as error:
            return replace(before, reason=str(error))

    def _measure(self, state: Bisection, requested: bisection.MeasureMore) -> Bisection:
        name, good = _name(state, requested.position), _name(state, 0)
        self.log(f"{name}: {requested.rounds} rounds against {good}")
        try:
            ended = measure_rounds(self.setup, self.case, _sides(state, requested.position), requested.rounds)
        except DataError as error:
            return self._set_aside(state, requested.position, error)
        before = _measured(state, requested.position)
        return _with_measured(state, replace(before, processes=before.processes + ended))

    def _count(self, state: Bisection, position: int) -> Bisection:
        ends = position == len(state.candidates) - 1
        commits: Sequence[schedule.ComparedCommit] = schedule.COMPARED_COMMITS if ends else ("head",)
        self.log(f"{_name(state, position)}: counting instructions")
        try:
            counted = count_instructions(self.setup, self.case, _sides(state, position), commits)
        except DataError as error:
            reasoned = replace(state, good_counts=schedule.InstructionCounts(reason=str(error))) if ends else state
            return self._set_aside(reasoned, position, error)
        head = counted["head"]
        if ends:
            state = replace(state, good_counts=counted["base"])
            if reason := counted["base"].reason or head.reason:
                self.log(f"instructions were not counted, so time decides: {reason}")
        return _with_measured(state, replace(_measured(state, position), counts=head))

    def _set_aside(self, state: Bisection, position: int, error: DataError) -> Bisection:
        self.log(f"{_name(state, position)} is set aside: {error}")
        return _with_measured(state, MeasuredCommit(hash=state.candidates[position].hash, reason=str(error)))

    def _count_change(self, state: Bisection) -> float | None:
        return bisection.count_change(state.good_counts, self._bad_counts(state))

    def _bad_counts(self, state: Bisection) -> schedule.InstructionCounts | None:
        """Return the counts of the bad commit, which is counted first."""
        return next(iter(self._counted(state).values()), None)

    def _counted(self, state: Bisection) -> dict[int, schedule.InstructionCounts | None]:
        positions = {one.hash: position for position, one in enumerate(state.candidates)}
        return {
            positions[one.hash]: None if one.reason else one.counts
            for one in state.measured
            if one.counts is not None or one.reason
        }

    def _probes(self, state: Bisection) -> dict[int, PairedSamples | str]:
        positions = {one.hash: position for position, one in enumerate(state.candidates)}
        tested = (one for one in state.measured if one.processes or one.reason)
        return {positions[one.hash]: one.reason or self._samples(one) for one in tested}

    def _samples(self, measured: MeasuredCommit) -> PairedSamples:
        collection = ProcessCollection(machine=self.setup.machine.name)
        collection.add(measured.processes)
        return collection.samples(self.case, schedule.COMPARISON)

    def _total(self, state: Bisection) -> float | None:
        return bisection.total_change(self._samples(state.measured[0]), len(state.candidates), state.error)[0]

    def _with_change(self, state: Bisection) -> Bisection:
        """Add the change between good and bad commit."""
        if state.decided_by == "instructions":
            return replace(state, relative_change=self._count_change(state))
        if not state.measured or state.measured[0].reason or not state.measured[0].processes:
            return state
        samples = self._samples(state.measured[0])
        change, interval, confidence = bisection.total_change(samples, len(state.candidates), state.error)
        return replace(state, relative_change=change, interval=interval, confidence=confidence)


def _sides(state: Bisection, position: int) -> CompareRequest:
    """Return what to compare for the candidate at *position*: it and the good one."""
    if state.packages:
        return _package_sides(state, tuple(range(position)))
    return CompareRequest(base=state.candidates[0].hash, head=state.candidates[position].hash)


def _package_sides(state: Bisection, moved: tuple[int, ...]) -> CompareRequest:
    """Return the project's commit with the earlier packages, and with those at the positions *moved* as later."""
    packages = package_set(state.packages, ()), package_set(state.packages, moved)
    return CompareRequest(base=state.commit, head=state.commit, packages=packages)


def _name(state: Bisection, position: int) -> str:
    one = state.candidates[position]
    return one.subject[:60] if state.packages else f"{one.hash[:10]} {one.subject[:60]}"


def _with_answer(state: Bisection, found: bisection.CommitRange) -> Bisection:
    hashes = [one.hash for one in state.candidates]
    answer = "commit" if found.exact else "range"
    return replace(state, answer=answer, before=hashes[found.before], after=hashes[found.after])


def _measured(state: Bisection, position: int) -> MeasuredCommit:
    """Return what is known of the candidate at *position*."""
    name = state.candidates[position].hash
    return next((one for one in state.measured if one.hash == name), MeasuredCommit(hash=name))


def _with_measured(state: Bisection, measured: MeasuredCommit) -> Bisection:
    """Replace the entry of the same commit, or append *measured*."""
    if any(one.hash == measured.hash for one in state.measured):
        return replace(state, measured=tuple(measured if one.hash == measured.hash else one for one in state.measured))
    return replace(state, measured=(*state.measured, measured))


def measure_rounds(
    setup: ComparisonSetup, case: ComparableCase, sides: CompareRequest, rounds: int
) -> tuple[schedule.Process, ...]:
    """Return *rounds* processes of *case* on each side, in alternation.

    Raises DataError if a side cannot be built, does not have the case, or gives no value.
    """
    with _built(setup, case, sides) as pair:
        rng = random.Random(rounds)  # noqa: S311 - which commit runs first, not a secret
        for _ in range(rounds):
            pair.run(schedule_round([(case, "screening", schedule.COMPARISON)], rng))
            for kind, missing in pair.without_value():
                raise DataError(f"{case.case.name} {kind}: {missing.reason}")
        return tuple(pair.collection.of(case, schedule.COMPARISON))


def count_instructions(
    setup: ComparisonSetup, case: ComparableCase, sides: CompareRequest, commits: Sequence[schedule.ComparedCommit]
) -> Mapping[schedule.ComparedCommit, schedule.InstructionCounts]:
    """Return the instructions of *case* on the sides *commits*; a count that is impossible has a reason.

    Raises DataError if a side cannot be built, or does not have the case.
    """
    with _built(setup, case, sides) as pair:
        (counts,) = pair.count([case], commits, SEEDS).values()
    return dict(zip(commits, counts, strict=True))


def profile_case(
    setup: ComparisonSetup, case: ComparableCase, sides: CompareRequest
) -> Mapping[schedule.ComparedCommit, schedule.CaseProfile]:
    """Return where *case* spends its work on each side; a profile that is impossible has a reason.

    Raises DataError if a side cannot be built, or does not have the case.
    """
    with _built(setup, case, sides) as pair:
        (profiles,) = pair.profile([case]).values()
    return dict(zip(schedule.COMPARED_COMMITS, profiles, strict=True))


@contextmanager
def _built(setup: ComparisonSetup, case: ComparableCase, sides: CompareRequest) -> Iterator[EnvironmentPair]:
    """Yield both sides, which have *case*."""
    name = case.case.name
    request = dataclasses.replace(sides, options=CompareSettings(bench=(f"^{re.escape(name)}$",)))
    with ExitStack() as stack:
        pair = build_pair(stack, request, setup, case.samples.environment)
        if (case.samples.identity, case.case) not in (
            (one.samples.identity, one.case) for one in pair.comparable.cases
        ):
            raise DataError(f"{name} is not the same benchmark on both commits")
        yield pair
