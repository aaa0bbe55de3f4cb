"""Count instructions and find causes once the times are decided: of which cases, in which order, and until when.

Neither changes a verdict on time. What cannot be counted, or is not reached, has a reason.

Of suspects, and of cases with a threshold for instructions, every timing is counted. Beyond them, a case is counted
only if it computes all the time: in every stage the minimum CPU time stands for its processes, which needs a median CPU
share of at least 95 % on both commits (`windtunnel.compare.schedule.choose_statistic`). The instructions of a case that
waits depend on how long it waits. How busy the machine is does not matter.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from windtunnel.asv.protocol import Working
from windtunnel.compare.case_matching import ComparableCase
from windtunnel.compare.cause import find_cause
from windtunnel.compare.environment_pair import EnvironmentPair
from windtunnel.compare.figures import by_size
from windtunnel.compare.format import Comparison, ComparisonReport
from windtunnel.compare.request import ComparisonSetup, InstructionsMode, WorkStarted
from windtunnel.compare.samples_format import Cause, PairedSamples, WorkSamples
from windtunnel.errors import DataError
from windtunnel.model.benchmark import Identity
from windtunnel.model.run_format import error_line
from windtunnel.model.schedule import InstructionCounts
from windtunnel.text.escaping import cut, visible

MAX_SUSPECTS = 40
"""Suspects that are counted, the largest changes first; a change of the whole suite needs no more."""

MAX_PROFILED = 10
"""Changes that are profiled, the largest first."""

MAX_BATCH = 20
"""Cases of one request: they share the start of Python."""

START_SECONDS = 20.0
"""The time that a request takes before its first case: five starts of Python under valgrind on each commit."""

CASE_SECONDS = 5.0
"""The further time that a case is expected to take until one was counted."""

MIN_CASE_SECONDS = 0.001

MAX_REASON_LENGTH = 300
"""Characters of a reason."""

NOT_IN_TIME = "the time limit was reached before"
NOT_AFTER_INTERRUPTION = "counting was interrupted before"
NOT_AFTER_FAILURE = "the measuring engine failed before"
WAITS = "they wait: they compute less than 95 % of the time that other programs leave them"
UNTIMED = "only timings are counted"
TOO_MANY_SUSPECTS = f"more than {MAX_SUSPECTS} cases are suspects, and those with the largest changes were counted"

CHANGED = frozenset({"regressed", "improved"})


def is_cpu_bound(one: PairedSamples) -> bool:
    """Return whether *one* is a timing that computes all the time."""
    computes = {each.statistic for each in one.stage_samples} == {"cpu_minimum"}
    return one.kind == "time" and computes


def choose_counted(
    report: ComparisonReport, suspects: Collection[Identity], mode: InstructionsMode
) -> tuple[Comparison, ...]:
    """Return the cases of *report* to count, in this order: what changed, other suspects, other cases.

    With `"all"` these are the cases that compute, and with any mode but ``none`` those with a threshold
    for instructions.
    """
    if mode == "none":
        return ()
    timed = [one for one in report.comparisons if one.kind == "time"]
    of_suspects = [one for one in timed if one.identity in suspects]
    changed = by_size([one for one in of_suspects if one.verdict in CHANGED])
    others = by_size([one for one in of_suspects if one.verdict not in CHANGED])
    rest = [one for one in timed if one.identity not in suspects]
    gated = [one for one in rest if one.instructions_threshold > 0]
    computing = [one for one in rest if not one.instructions_threshold > 0 and is_cpu_bound(one)]
    return (*changed, *others, *gated, *(computing if mode == "all" else ()))


def choose_profiled(report: ComparisonReport) -> tuple[Comparison, ...]:
    """Return the changes of *report* to profile: confirmed ones of time, then those that only instructions show."""
    changed = by_size([one for one in report.comparisons if one.significant and one.verdict in CHANGED])
    by_instructions = [one for one in report.instruction_regressions if one not in changed]
    timed = [one for one in (*changed, *by_instructions) if one.kind == "time"]
    return tuple(timed[:MAX_PROFILED])


@dataclass(slots=True, kw_only=True)
class WorkSession:
    """What is counted and profiled in one comparison."""

    setup: ComparisonSetup
    pairs: Sequence[EnvironmentPair]
    deadline: float = math.inf
    """When to stop, by the clock of the setup."""
    same: Mapping[Identity, WorkSamples] = field(default_factory=dict)
    """What was counted with one seed, to choose what to time, and is equal: only of suspects more is counted."""
    work: dict[Identity, WorkSamples] = field(default_factory=dict)
    causes: dict[Identity, Cause] = field(default_factory=dict)

    def choose(
        self, report: ComparisonReport, suspects: Collection[Identity], mode: InstructionsMode, counted: set[Identity]
    ) -> tuple[Comparison, ...]:
        """Return what *mode* chooses to count and neither was counted here nor is among *counted*.

        What it does not choose gets a reason.
        """
        known = counted | {name for name, one in self.work.items() if one.counted} | (self.same.keys() - suspects)
        self.work = {**self.same, **self.work}
        if mode == "all":
            self.skip_waiting([one for one in report.comparisons if one.identity not in known])
        return tuple(one for one in choose_counted(report, suspects, mode) if one.identity not in known)

    def with_work(self, one: PairedSamples) -> PairedSamples:
        """Return *one* with what is known of its work."""
        return replace(one, work=self.work.get(one.identity, one.work), cause=self.causes.get(one.identity, one.cause))

    def skip_waiting(self, comparisons: Sequence[Comparison]) -> None:
        """Give those of *comparisons* a reason that do not compute all the time, or are not timings."""
        self._skip([one for one in comparisons if one.kind != "time"], UNTIMED)
        self._skip([one for one in comparisons if one.kind == "time" and not is_cpu_bound(one)], WAITS)

    def count(self, chosen: Sequence[Comparison], suspects: Collection[Identity]) -> None:
        """Count the instructions of *chosen*; those that are not reached get a reason. Raises DataError."""
        left = [one for one in chosen if one.identity in suspects][MAX_SUSPECTS:]
        self._skip(left, TOO_MANY_SUSPECTS)
        passed_over = {one.identity for one in left}
        wanted = [one for one in chosen if one.identity not in passed_over]
        self._skip(wanted, NOT_IN_TIME)  # until it is counted
        try:
            for pair, cases in self._batches("counting instructions", wanted):
                for name, counts in pair.count(cases, seconds=min(self.deadline - self.setup.clock(), 1e9)).items():
                    base, head = map(_shortened, counts)
                    self.work[name] = WorkSamples(base=base, head=head)
        except (DataError, KeyboardInterrupt) as error:
            reason = NOT_AFTER_FAILURE if isinstance(error, DataError) else NOT_AFTER_INTERRUPTION
            self._skip([one for one in wanted if not self.work[one.identity].counted], reason)
            raise

    def explain(self, chosen: Sequence[Comparison]) -> None:
        """Profile *chosen* and find the functions that changed. Raises DataError."""
        chosen = [one for one in chosen if one.identity not in self.causes]
        by_identity = {one.identity: one for one in chosen}
        touched = self.setup.find_touched() if chosen else None
        for pair, cases in self._batches("profiling", chosen):
            for name, (base, head) in pair.profile(cases).items():
                cause = self.causes[name] = find_cause(base, head, touched, by_identity[name].relative_change)
                for line in cause.sentences()[:1]:
                    self.setup.listen(Working(text=f"  because of {visible(line, 300)}"))

    def _skip(self, cases: Sequence[Comparison], reason: str) -> None:
        none = InstructionCounts(reason=reason)
        self.work |= {one.identity: WorkSamples(base=none, head=none) for one in cases}

    def _batches(
        self, what: str, chosen: Sequence[Comparison]
    ) -> Iterator[tuple[EnvironmentPair, tuple[ComparableCase, ...]]]:
        """Yield the cases of *chosen* in parts that are expected to end before the deadline, in their order."""
        places = {one.samples.identity: (pair, one) for pair in self.pairs for one in pair.comparable.cases}
        left = [places[one.identity] for one in chosen if one.identity in places]
        if left:
            self.setup.listen(WorkStarted(what=what, cases=len(left)))
        seconds = CASE_SECONDS
        while left and (fitting := self._fitting(seconds)) > 0:
            pair = left[0][0]
            batch = [case for other, case in left if other is pair][:fitting]
            done = {case.samples.identity for case in batch}
            left = [(other, case) for other, case in left if case.samples.identity not in done]
            started = self.setup.clock()
            yield pair, tuple(batch)
            seconds = max((self.setup.clock() - started - START_SECONDS) / len(batch), MIN_CASE_SECONDS)

    def _fitting(self, seconds: float) -> int:
        """Return how many cases of *seconds* each one request may have."""
        return int(min((self.deadline - self.setup.clock() - START_SECONDS) / seconds, MAX_BATCH))


def _shortened(counts: InstructionCounts) -> InstructionCounts:
    """Return *counts* with a reason of one short line."""
    return replace(counts, reason=cut(error_line(counts.reason), MAX_REASON_LENGTH)) if counts.reason else counts
