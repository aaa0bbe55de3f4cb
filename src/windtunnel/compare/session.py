"""Compare two commits: request rounds until every case is decided or the time limit is reached."""

import random
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from msgspec.structs import replace

from windtunnel.asv.protocol import Working
from windtunnel.compare import figures, summary
from windtunnel.compare import format as verdicts
from windtunnel.compare.case_matching import ComparableCase, Missing
from windtunnel.compare.count_first import POOLED_SHARE, WorkChoice, choose_cases, choose_more, ended_processes
from windtunnel.compare.counting import WorkSession, choose_profiled
from windtunnel.compare.decide import count_false_alarms, decide
from windtunnel.compare.environment_pair import (
    EnvironmentPair,
    RequestedRounds,
    UnbuiltError,
    build_pair,
    leave_out,
)
from windtunnel.compare.request import WHOLE, CompareRequest, ComparisonSetup, InstructionsMode, WorkStarted
from windtunnel.compare.samples_format import PairedSamples
from windtunnel.compare.schedule import (
    EXPECTED_ROUNDS,
    achieved_slowdown,
    count_affordable,
    find_suspects,
    next_rounds,
    schedule_round,
    time_spent,
)
from windtunnel.errors import DataError
from windtunnel.model.benchmark import Identity
from windtunnel.model.schedule import AA, COMPARISON, Arms, ScheduledProcess
from windtunnel.text import numbers

COUNTING_INTERRUPTED = "Counting was interrupted; the verdict on time is complete."
INTERRUPTED = "Measuring was interrupted; the verdicts use what was measured until then."
NO_CASE_MATCHES = "No case matches the expressions that were asked for."
ENGINE_FAILED = "The measuring engine failed; the verdicts use what was measured until then."
NOT_ALL_COUNTED = "Instructions were not counted to the end"
NOT_REACHED = "measuring ended before its first round"

SCREENING_SHARES = (0.7, 0.9)
"""The shares of the time limit after which suspects are measured again, although other cases are still screened.

Confirmation uses fresh data alone, so its error rate does not depend on when screening ends.
"""

MAX_CONTROL_CASES = 4
"""Cases of the control that are measured again beside suspects, for the usual rounds: has the machine changed?"""

PROCESSES_PER_BUDGET_CHECK = 20
"""The clock is read after this many processes, so a time limit is exceeded, or Ctrl-C loses, at most so many."""


def compare(request: CompareRequest, setup: ComparisonSetup) -> verdicts.ComparisonReport:
    """Measure and decide; Ctrl-C ends the measuring, and the report notes it.

    An environment in which a commit cannot be built is reported and does not stop the others. If the engine fails, the
    report notes the reason and uses what was measured.
    """
    started = setup.clock()
    session = ComparisonSession(setup=setup, request=request)
    with ExitStack() as stack:
        try:
            for environment in setup.environments:
                try:
                    session.add(build_pair(stack, request, setup, environment))
                except UnbuiltError as error:
                    session.failures.append(error.failure)
                except DataError as error:
                    session.notes.append(str(error))
            if session.matches_nothing:
                session.notes.append(NO_CASE_MATCHES)
            built = setup.clock()
            session.building_seconds = built - started
            deadline = float("inf") if request.seconds is None else built + request.seconds
            session.leave_out()
            session.mapping_seconds = setup.clock() - built
            session.measure(deadline)
            session.explain(deadline)
        except KeyboardInterrupt:
            session.notes.append(COUNTING_INTERRUPTED if session.measured else INTERRUPTED)
        except DataError as error:
            session.notes += [ENGINE_FAILED, str(error)]
    return session.report(setup.clock() - started)


@dataclass(slots=True, kw_only=True)
class ComparisonSession:
    """The state of a comparison while it is measured."""

    setup: ComparisonSetup
    request: CompareRequest
    pairs: list[EnvironmentPair] = field(default_factory=list)
    """One for each environment."""
    aa_cases: frozenset[Identity] = frozenset()
    """The cases that are also compared base against base: none beside a control, which checks the same for less."""
    failures: list[verdicts.EnvironmentFailure] = field(default_factory=list)
    """The environments in which nothing is compared."""
    notes: list[str] = field(default_factory=list)
    reach: verdicts.Reach | None = None
    """Which cases the change can reach; None if all are measured."""
    building_seconds: float = float("inf")
    """How long building took; infinite until it has ended."""
    mapping_seconds: float = 0.0
    """How long finding what cases run took."""
    work_seconds: float = 0.0
    """How long counting and profiling took."""
    work: WorkSession | None = None
    """What was counted and profiled; None if nothing was to be."""
    begun: float = 0.0
    """When measuring began, by the clock of the setup."""
    screening_seconds: float = float("inf")
    """How long screening may take."""
    work_choice: WorkChoice | None = None
    """Which cases do the same work on both commits, if they were counted first."""
    screening_ends: float = float("inf")
    """When the screening of these ends."""
    usual_ended: bool = False
    """Whether all cases had their usual rounds."""
    measured: bool = False
    """Whether measuring has ended."""
    reported: dict[Identity, verdicts.Comparison] = field(default_factory=dict)
    """What was reported of cases while others are measured."""

    def add(self, pair: EnvironmentPair) -> None:
        """Add the cases of *pair*."""
        self.pairs.append(pair)
        self.notes += [note for note in pair.notes if note not in self.notes]

    @property
    def matches_nothing(self) -> bool:
        """Whether both commits were built, and no case of either has one of the names that were asked for."""
        asked = self.request.options.asked and self.request.shard == WHOLE and self.request.changed is None
        found = [pair.comparable for pair in self.pairs]
        return bool(asked and found) and not any(one.cases or any(one.missing.values()) for one in found)

    def leave_out(self) -> None:
        """Leave out the cases that, by a map of what they run, run no code that differs; some stay as a control."""
        if not self._same_artifact():
            self.reach = leave_out(self.pairs, self.request, self.setup)

    def measure(self, deadline: float) -> None:
        """Run rounds until no case needs any, or until the clock reaches *deadline*."""
        rng = random.Random(self.request.seed)  # noqa: S311 - an order, not a secret
        known = [one.samples.identity for pair in self.pairs for one in pair.comparable.cases]
        if self.request.only is not None:
            self.aa_cases = frozenset(one.identity for one in self.request.only_aa)
        elif (
            known
            and (share := self.request.options.aa_share)
            and not self.request.self_check
            and not (self.reach and self.reach.guard)
        ):
            self.aa_cases = frozenset(rng.sample(known, max(1, round(share * len(known)))))
        self.begun = begun = self.setup.clock()
        whole = self.request.options.no_confirm or self.request.self_check
        limits = iter([begun + share * (deadline - begun) for share in SCREENING_SHARES if not whole])
        limit, screened = next(limits, deadline), False
        self.screening_seconds = limit - begun
        if (cases := len([*self._running(COMPARISON)])) and not self._same_artifact():
            limited = f", at most {numbers.duration(deadline - begun)}" if deadline < float("inf") else ""
            self._say(f"{numbers.count(cases, 'case')} on both commits{limited}; results come as they are decided")
        while not self._same_artifact():
            requested = self._next_rounds(screened=screened)
            self._report_decided(requested)
            left = SCREENING_SHARES[0] * (deadline - self.setup.clock())
            if not (requested or screened or choose_more(self.pairs, left)):
                break
            if not requested:  # the rest of the time is for the cases that screening left open
                limit, screened = next(limits, deadline), False
                continue
            cases = len({one.case.samples.identity for one in requested})
            runs = 2 * sum(one.rounds for one in requested)
            self.setup.listen(WorkStarted(what=requested[0].stage, cases=cases, processes=runs))
            screening = any(one.stage == "screening" for one in requested)
            if not self._run(requested, rng, min(limit, self.screening_ends) if screening else deadline):
                if self.setup.clock() > deadline:
                    self.notes.append(verdicts.OUT_OF_TIME)
                    self._report_decided(())
                    break
                screened = True
        self.measured = True

    def _choose(self) -> None:
        """Choose the cases that the time suffices for, if it does not for all: the first in order, and a control."""
        number = count_affordable(
            len(ended_processes(self.pairs)), self.setup.clock() - self.begun, self.screening_seconds
        )
        control = {one.identity for one in (self.reach.guard if self.reach else ())[:MAX_CONTROL_CASES]}
        if number is not None and number < sum(len(pair.comparable.cases) for pair in self.pairs):
            choose_cases(self.pairs, number, control, self.screening_seconds)

    def _run(self, requested: Sequence[RequestedRounds], rng: random.Random, limit: float) -> bool:
        """Run the rounds *requested*; return whether they ended before the clock passed *limit*."""
        begins = self.request.only is None and not ended_processes(self.pairs)
        for number in range(max(one.rounds for one in requested)):
            for pair, processes in self._parts(requested, number, rng):
                pair.run(processes)
                if self.setup.clock() > limit:
                    return False
                if number == 0 and begins:
                    self._choose()
            spent = self.setup.clock() - self.begun
            if number == 0 and begins and self._count_first(spent * (EXPECTED_ROUNDS - 1), POOLED_SHARE):
                return True
        return True

    def _count_first(self, worth: float, share: float, among: Collection[Identity] | None = None) -> bool:
        """Count the cases that compute, if that is *worth* its seconds; return whether any is counted.

        Those with equal counts then have a *share* of the screening time.
        """
        begun = self.setup.clock()
        seconds = share and share * self.screening_seconds
        choice = WorkChoice(clock=self.setup.clock, say=self._say, listen=self.setup.listen, seconds=seconds)
        choice.count(self.pairs, self.request, worth, among)
        self.work_seconds += self.setup.clock() - begun
        self.work_choice = choice if choice.changes else None
        return bool(choice.changes)

    def _report_decided(self, requested: Sequence[RequestedRounds]) -> None:
        """Report each suspect, and each case that is decided: *requested* does not measure it further."""
        samples = [one for one in self._samples(COMPARISON) if one.rounds("screening")]
        further = {one.case.samples.identity for one in requested if one.arms == COMPARISON}
        for line in figures.report_decided(decide(self._context(), samples).comparisons, further, self.reported):
            self._say(line)

    def _say(self, text: str) -> None:
        self.setup.listen(Working(text=text))

    def _context(self, **further: Any) -> verdicts.ReportContext:
        request = self.request
        return verdicts.ReportContext(base=request.base, head=request.head, rules=request.rules, **further)

    def _explain_found(self, deadline: float) -> None:
        """Find the causes of what has changed, if anything has, before the rest of the time is for open cases."""
        found = self.report(0.0)
        if found.changed and self.request.options.instructions != "none" and not self.request.self_check:
            self._say(f"So far: {summary.headline(found)}. Next its causes, then the cases that are open.")
            self._explain(deadline, "suspects")

    def explain(self, deadline: float) -> None:
        """Count instructions and find causes until the clock reaches *deadline*; a failure of the engine is noted."""
        if self.request.options.instructions != "none" and not self._same_artifact():
            self._explain(deadline, self.request.options.instructions)

    def _explain(self, deadline: float, mode: InstructionsMode) -> None:
        """Count what *mode* chooses and was not counted before, and profile what changed."""
        begun = self.setup.clock()
        work = self.work = self.work or WorkSession(setup=self.setup, pairs=self.pairs)
        work.deadline, work.same = deadline, self.work_choice.same if self.work_choice else {}
        samples = [one for one in self._samples(COMPARISON) if one.stage_samples]
        found = () if self.request.options.no_confirm else find_suspects(samples, self.request.rules)
        suspects = {one.identity for one in found}
        counted = {one.identity for one in self.request.only or () if one.work and one.work.counted}
        chosen = work.choose(decide(self._context(), samples), suspects, mode, counted)
        if chosen and self.measured:
            self._say(f"The verdict on time stands: {summary.headline(self.report(0.0))}")
        try:
            work.count(chosen, suspects)
            work.explain(choose_profiled(decide(self._context(), [work.with_work(one) for one in samples])))
        except DataError as error:
            self.notes.append(f"{NOT_ALL_COUNTED}: {error}")
        self.work_seconds += self.setup.clock() - begun

    def report(self, seconds: float) -> verdicts.ComparisonReport:
        """Decide what was measured in *seconds*."""
        same, work = self._same_artifact(), self.work
        samples = [] if same else [work.with_work(one) if work else one for one in self._samples(COMPARISON)]
        missing: Missing = {
            kind: [one for pair in self.pairs for one in pair.comparable.missing[kind]]
            for kind in verdicts.MISSING_KINDS
        }
        for pair in self.pairs:
            for kind, one in pair.without_value():
                missing[kind].append(one)
        missing["skipped"] += [verdicts.NotCompared.of(one, NOT_REACHED) for one in samples if not one.stage_samples]
        missing_fields: dict[str, Any] = {kind: tuple(missing[kind]) for kind in verdicts.MISSING_KINDS}
        ended, building = ended_processes(self.pairs), min(self.building_seconds, seconds)
        counted = self.work_choice.note() if self.work_choice else ()
        context = self._context(
            machines=(self.setup.machine,),
            environments=tuple(
                verdicts.ComparedEnvironment(
                    name=pair.name,
                    differences=pair.differences(self.setup.project),
                    **dict(zip(("base_python", "head_python"), map(str, self.setup.interpreters), strict=False)),
                )
                for pair in self.pairs
            ),
            environment_failures=(*self.setup.missing, *self.failures),
            budget=verdicts.Budget(
                seconds=seconds,
                allowed_seconds=self.request.seconds,
                processes=len(ended),
                process_seconds=sum(one.seconds for one in ended),
                machine_timings=(
                    verdicts.MachineTiming(
                        stage="screening" if self.request.only is None else "confirmation",
                        building_seconds=building,
                        measuring_seconds=seconds - building,
                        mapping_seconds=self.mapping_seconds,
                        work_seconds=self.work_seconds,
                        **time_spent(ended),
                    ),
                ),
            ),
            same_artifact=same,
            reach=self.reach,
            aa=count_false_alarms(self._samples(AA), self.request.rules),
            self_check=self._self_check(),
            notes=(*summary.explain_self_check(self.request.self_check), *self.request.notes, *self.notes, *counted),
            **missing_fields,
        )
        return decide(context, [one for one in samples if one.stage_samples])

    def _parts(
        self, requested: Sequence[RequestedRounds], number: int, rng: random.Random
    ) -> Iterator[tuple[EnvironmentPair, tuple[ScheduledProcess, ...]]]:
        """Yield the processes of round *number* in parts of an even size, so the arms of a case stay together."""
        for pair in self.pairs:
            wanted = [one for one in requested if one.pair is pair and one.rounds > number]
            running = [one for one in wanted if not pair.collection.without_value(one.case, one.arms)]
            pair.collection.begin_round()
            cases = [(one.case, one.stage, one.arms) for one in running]
            processes = schedule_round(cases, rng, pair.collection.forks)
            for start in range(0, len(processes), PROCESSES_PER_BUDGET_CHECK):
                yield pair, processes[start : start + PROCESSES_PER_BUDGET_CHECK]

    def _next_rounds(self, *, screened: bool) -> tuple[RequestedRounds, ...]:
        """Return what to measure next; what was counted first says which cases that are screened come next."""
        found = self._undecided(screened=screened)
        if not found and self.request.shard == WHOLE and self.request.seconds is not None:  # time left: suspects first
            found = self._undecided(screened=True, patient=True) or self._undecided(screened=screened, patient=True)
            if found and found[0].stage == "screening" and not self.usual_ended:
                self.usual_ended = True
                deadline = self.begun + self.request.seconds
                self._explain_found(deadline)
                if not self.work_choice:
                    self._count_first(deadline - self.setup.clock(), 0.0, {one.case.samples.identity for one in found})
        screening = [one for one in found if one.stage == "screening"]
        if self.work_choice is None or not screening:
            return found
        chosen, self.screening_ends = self.work_choice.choose(screening)
        return chosen or self._undecided(screened=True)

    def _undecided(self, *, screened: bool, patient: bool = False) -> tuple[RequestedRounds, ...]:
        """Return the rounds that cases need, of the comparison and of the A/A comparison."""
        found: list[RequestedRounds] = []
        for arms in (COMPARISON, AA):
            running = list(self._running(arms))
            samples = [self._samples_of(pair, one, arms) for pair, one in running]
            others = max(0, len(self.request.suspects(arms) or ()) - len(running))
            stage, rounds = next_rounds(samples, self.request.rules, others, screened=screened, patient=patient)
            if stage == "confirmation" and arms == COMPARISON and any(rounds):
                control = {one.identity for one in (self.reach.guard if self.reach else ())[:MAX_CONTROL_CASES]}
                last = self.request.rules.confirmation.interim_analyses[-1]
                also = [each.identity in control and each.rounds("confirmation") < last for each in samples]
                rounds = tuple(max(one, more * max(rounds)) for one, more in zip(rounds, also, strict=True))
            if stage == "screening" or not self.request.options.no_confirm:
                found += [
                    RequestedRounds(pair=pair, case=one, arms=arms, stage=stage, rounds=number)
                    for (pair, one), number in zip(running, rounds, strict=True)
                    if number
                ]
        return tuple(found)

    def _running(self, arms: Arms) -> Iterator[tuple[EnvironmentPair, ComparableCase]]:
        """Yield the cases of *arms* whose processes all gave a value."""
        suspects = self.request.suspects(arms)
        chosen = self.aa_cases if arms == AA else suspects and frozenset(one.identity for one in suspects)
        for pair in self.pairs:
            for one in pair.comparable.cases:
                included = chosen is None or one.samples.identity in chosen
                if included and pair.collection.measures(one) and not pair.collection.without_value(one, arms):
                    yield pair, one

    def _samples(self, arms: Arms) -> list[PairedSamples]:
        return [self._samples_of(pair, one, arms) for pair, one in self._running(arms)]

    def _samples_of(self, pair: EnvironmentPair, one: ComparableCase, arms: Arms) -> PairedSamples:
        return pair.collection.samples(one, arms, self.request.screening_of(one.samples, arms))

    def _same_artifact(self) -> bool:
        return not self.request.self_check and bool(self.pairs) and all(pair.same_artifact for pair in self.pairs)

    def _self_check(self) -> verdicts.SelfCheck | None:
        """Return the self-check of the request, with the slowdown that the processes of head measured."""
        check = self.request.self_check
        cases = [pair.collection.of(one, COMPARISON) for pair in self.pairs for one in pair.comparable.cases]
        achieved = [share for ended in cases if (share := achieved_slowdown(ended)) is not None]
        return replace(check, achieved=median(achieved)) if check and achieved else check
