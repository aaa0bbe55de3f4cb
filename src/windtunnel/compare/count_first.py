"""Counts choose what is timed: cases that execute as many instructions on both commits share a small part of the time.

Each case that computes is counted once on each commit: after the first round where rounds are expensive, else those
that are open after the usual rounds. Counts say nothing of the times, which alone decide, so choosing by them changes
no error rate (docs/explanation/statistics.md).

Where the time does not suffice for all cases, a choice of them is measured, and more while there is time.
"""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from windtunnel.compare.case_matching import ComparableCase
from windtunnel.compare.environment_pair import EnvironmentPair, RequestedRounds
from windtunnel.compare.request import CompareRequest, Listener, WorkStarted
from windtunnel.compare.samples_format import WorkSamples
from windtunnel.compare.schedule import EXPECTED_ROUNDS, choose_statistic, count_affordable
from windtunnel.compare.significance import SAME_WORK, work_change
from windtunnel.model.benchmark import Identity
from windtunnel.model.schedule import COMPARISON, Process
from windtunnel.text import numbers

MAX_COUNTING_SHARE = 0.2
"""The part of the time limit that counting may take; if it is expected to take more, time alone decides."""

POOLED_SHARE = 0.2
"""The part of the screening time that cases with equal counts share: layout and cache can differ all the same."""

SLOWDOWN = 20.0
"""How many times as long importing and calling takes under valgrind: 18 for importing numpy and asyncio."""

CALLS = 8
"""The calls that a count of one case takes, about."""

SETUPS = 2
"""The setups that it takes."""

CASE_SECONDS = 1.0
"""What the count of a case takes beside its calls."""

SEEDS = (1,)
"""With one hash seed a count repeats almost to the last instruction."""


MIN_CHOSEN = 10
"""Cases that are measured even if the time does not suffice for them."""


def ended_processes(pairs: Sequence[EnvironmentPair]) -> list[Process]:
    """Return what was measured."""
    return [one for pair in pairs for of_case in pair.collection.by_case.values() for one in of_case]


def choose_cases(pairs: Sequence[EnvironmentPair], number: int, control: Collection[Identity], seconds: float) -> None:
    """Measure the first *number* of the cases of *pairs*, at least `MIN_CHOSEN`, and those of the *control*.

    Where imports take most of the time, cases of modules with a short import come first, as many as *seconds* suffice
    for; each module is tried in the first round. The *control* is not counted.
    """
    ended = ended_processes(pairs)
    cases = [(pair, one) for pair in pairs for one in pair.comparable.cases]
    starting, took = sum(one.starting for one in ended), sum(one.seconds for one in ended)
    if 2 * starting > took:
        order = {module: place for place, module in enumerate(dict.fromkeys(_module(one) for _, one in cases))}
        starts = dict.fromkeys(order, 0.0)
        for process in ended:
            module = process.scheduled.benchmark.partition(".")[0]
            starts[module] = max(starts[module], process.starting)
        cases.sort(key=lambda each: (starts[_module(each[1])], order[_module(each[1])]))
        modules = [_module(one) for _, one in cases]
        begins = [starts[one] * (one != before) for before, one in pairwise(["", *modules])]
        own = (took - starting) / len(ended)
        new = [one.samples.identity not in control for _, one in cases]
        costs = accumulate(2 * (own + each) * counts for each, counts in zip(begins, new, strict=True))
        number = sum(cost * EXPECTED_ROUNDS <= seconds for cost in costs)
    kept = [*cases[: max(number, MIN_CHOSEN)], *(each for each in cases if each[1].samples.identity in control)]
    for pair in pairs:
        pair.collection.chosen = {one.samples.identity for other, one in kept if other is pair}


def choose_more(pairs: Sequence[EnvironmentPair], seconds: float) -> bool:
    """Measure further cases in *seconds*, of those that were left out; return whether there are any."""
    kept = {name for pair in pairs for name in pair.collection.chosen or ()}
    ended = ended_processes(pairs)
    number = count_affordable(len(ended), sum(one.seconds for one in ended), seconds)
    if not kept or not number:
        return False
    choose_cases(pairs, len(kept) + number, kept, seconds)
    return kept != {name for pair in pairs for name in pair.collection.chosen or ()}


def _module(one: ComparableCase) -> str:
    return one.samples.benchmark.partition(".")[0]


@dataclass(slots=True, kw_only=True)
class WorkChoice:
    """Which cases do more or less work on head, and which do the same."""

    clock: Callable[[], float]
    """Returns seconds since any fixed time."""
    say: Callable[[str], None]
    """Receives a line of progress."""
    listen: Listener
    seconds: float
    """What cases with equal counts may take together, from when nothing else is screened."""
    changes: dict[Identity, float] = field(default_factory=dict)
    """The logarithm of head / base, of each case that was counted on both commits."""
    same: dict[Identity, WorkSamples] = field(default_factory=dict)
    """The counts of those that execute as many instructions on both."""
    _ends: float | None = None

    def count(
        self,
        pairs: Sequence[EnvironmentPair],
        request: CompareRequest,
        worth: float,
        among: Collection[Identity] | None = None,
    ) -> None:
        """Count the cases that compute (those *among* them) once on each commit; raises DataError if the engine fails.

        Where counting takes longer than it is *worth*, in seconds, nothing is counted.
        """
        if request.seconds is None or request.self_check or request.options.instructions == "none":
            return
        computing = [(pair, _computing(pair, among)) for pair in pairs]
        found = [(pair, cases) for pair, cases in computing if cases]
        cost = sum(expected_seconds(list(cases.values())) for _, cases in found)
        if not found or cost >= worth:
            return
        share, takes = MAX_COUNTING_SHARE * request.seconds, numbers.duration(cost)
        if cost > share:
            self.say(
                f"Counting instructions first would take about {takes}, too much of the limit: time alone decides."
            )
            return
        what = f"counting instructions to choose what to time (about {takes})"
        self.listen(WorkStarted(what=what, cases=sum(len(cases) for _, cases in found)))
        begun, reason = self.clock(), ""
        for pair, cases in found:
            wanted = [one for one in pair.comparable.cases if one.samples.identity in cases]
            left = max(0.0, begun + share - self.clock())
            for name, (base, head) in pair.count(wanted, seeds=SEEDS, seconds=left).items():
                reason = reason or base.reason or head.reason
                if (change := work_change(base, head)) is not None:
                    self.changes[name] = change
                if self.is_same(name):
                    self.same[name] = WorkSamples(base=base, head=head)
        same = len(self.same)
        known = (
            f"{same} of {numbers.count(len(self.changes), 'case')} do the same work: equal instructions on both commits"
        )
        known += "; the others are timed first" if same < len(self.changes) else ""
        self.say(known if self.changes else f"nothing was counted: {reason}")

    def is_same(self, case: Identity) -> bool:
        """Return whether *case* executes as many instructions on both commits, within the error of counts."""
        return abs(self.changes.get(case, math.inf)) <= math.log1p(SAME_WORK)

    def choose(self, requested: Sequence[RequestedRounds]) -> tuple[tuple[RequestedRounds, ...], float]:
        """Return which rounds of screening come next, and until when: the deepest changes of counts first.

        Then follow cases without counts, and last those with equal ones, until their time is over.
        """
        ranks = {id(one): self._rank(one.case.samples.identity) for one in requested}
        first = min(ranks.values(), default=0)
        chosen = tuple(one for one in requested if ranks[id(one)] == first)
        if first < SAME:
            return chosen, math.inf
        if self._ends is None:
            self._ends = self.clock() + self.seconds
        return (chosen if self.clock() < self._ends else ()), self._ends

    def note(self) -> tuple[str, ...]:
        """Return what the report says of cases with equal counts."""
        if not self.same:
            return ()
        counted = f"{len(self.same)} of {numbers.count(len(self.changes), 'counted case')} do the same work"
        within, share = numbers.share(SAME_WORK), numbers.share(POOLED_SHARE)
        then = f"share {share} of the screening time" if self.seconds else "were timed no further"
        return (f"{counted}: equal instructions on both commits, within {within}. So they {then}.",)

    def _rank(self, case: Identity) -> int:
        """Return when *case* is timed: 0 to 2 if its counts differ, by how much, 3 if they are unknown, `SAME`."""
        if case not in self.changes:
            return 3 if self.changes else 0
        return SAME if self.is_same(case) else sum(abs(self.changes[case]) < depth for depth in DEPTHS)


DEPTHS = (0.1, 0.02)
"""Changes of counts, as logarithms, from which cases are timed before others."""

SAME = 4
"""The rank of cases with equal counts."""


def expected_seconds(ended: Sequence[tuple[Process, Process]]) -> float:
    """Return how long counting may take: *ended* are the processes of the first round on base and on head.

    Both commits are counted at once, so the slower one decides. What the process with the least setup takes beside its
    calls is the start of a process, not a setup.
    """
    least = min(_setup(one) for pair in ended for one in pair)
    each: list[list[float]] = [
        [
            CASE_SECONDS + SLOWDOWN * (one.starting + CALLS * min(one.wall) + SETUPS * (_setup(one) - least))
            for one in arm
        ]
        for arm in zip(*ended, strict=True)
    ]
    return max(map(sum, each))


def _setup(one: Process) -> float:
    return max(one.seconds - one.starting - one.timed, 0.0)


def _computing(
    pair: EnvironmentPair, among: Collection[Identity] | None = None
) -> dict[Identity, tuple[Process, Process]]:
    """Return the first processes of the cases of *pair*, of those *among* them, that compute on both commits."""
    found: dict[Identity, tuple[Process, Process]] = {}
    for one in pair.comparable.cases:
        if among is not None and one.samples.identity not in among:
            continue
        ended = pair.collection.of(one, COMPARISON)
        base, head = ([each for each in ended if each.scheduled.arm is arm and each.wall] for arm in COMPARISON)
        if one.samples.kind == "time" and choose_statistic(base, head) == "cpu_minimum":
            found[one.samples.identity] = base[0], head[0]
    return found
