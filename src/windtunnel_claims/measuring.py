"""Measures claims of one commit in one environment: builds it, and measures blocks until every claim is decided.

A round has one block of each series with an undecided claim. What is measured is saved after each block, so that
nothing is lost when the measuring is interrupted, and a later call continues.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from msgspec.structs import replace

from windtunnel.asv.engine_session import EngineSession, Supervisor
from windtunnel.asv.protocol import (
    BlockCase,
    BlockEnded,
    CountInstructions,
    Installed,
    InstructionsCounted,
    MeasureBlock,
    Place,
    PrepareBlocks,
)
from windtunnel.asv.results_format.suite_files import decode_benchmarks
from windtunnel.errors import DataError
from windtunnel.model.identity import CommitHash, EnvironmentName, Instant, MachineName
from windtunnel.model.run_format import CaseState, MachineRecord, PythonBuild, error_line
from windtunnel.model.witness import DEFAULT_SEEDS
from windtunnel_claims.block_values import Benchmarks
from windtunnel_claims.board import FREE_THREADED
from windtunnel_claims.claim import Claim
from windtunnel_claims.claims_file import ClaimsFile
from windtunnel_claims.decide import BlockDecider, BlockDecision
from windtunnel_claims.format import ClaimTarget
from windtunnel_claims.measuring_types import (
    BlockStarted,
    CaseGivenUp,
    CountsStarted,
    MeasuredClaims,
    MeasuringEvent,
    RoundStarted,
)
from windtunnel_claims.samples_format import (
    MAX_BLOCKS,
    MAX_REASON,
    MAX_SAMPLES,
    MAX_TOTAL_SAMPLES,
    SAMPLES_SCHEMA,
    Block,
    ClaimSamples,
    ClaimSeries,
    ProcessMode,
    Visit,
)
from windtunnel_claims.series_plan import (
    add_counts,
    block_order,
    case_index,
    cases_to_count,
    find_cases,
    keep_counts,
    plan_series,
    resume,
)

MAX_FAILURES = 2
"""A case that failed so often in a call is not tried again."""

TOO_MANY = f"a run returned more than {MAX_SAMPLES} values; return fewer, or set a smaller 'number' or 'repeat'"


FULL = (
    f"one file holds at most {MAX_TOTAL_SAMPLES} values, and this one is full; return fewer values in each run of a "
    "benchmark, or measure some of the claims into another folder: --claim and --into"
)


class UnbuiltTargetError(DataError):
    """The commit cannot be installed in the environment, or the suite not be imported there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuringSetup:
    """Where and how claims are measured."""

    project: str
    place: Place
    """The suite and the project, the Python and the environment, and the builds to install from."""
    commit: CommitHash
    date: Instant
    """The date of the commit, in milliseconds since 1970."""
    machine: MachineRecord
    supervisor: Supervisor
    benchmarks: Path
    """The file for the benchmarks of the suite, which the engine writes."""
    clock: Callable[[], float]
    """Seconds, for the budget."""
    now: Callable[[], float]
    """Seconds since 1970."""
    deadline: float
    """When no further block begins, by the clock."""
    seed: int
    """The number that all random orders come from, unless earlier values are continued."""
    save: Callable[[ClaimSamples], None]
    listen: Callable[[MeasuringEvent], None]

    @property
    def python(self) -> str:
        """The Python that measures."""
        return self.place.pythons[0]

    @property
    def environment(self) -> str:
        """asv's name of its environment."""
        return self.place.environment


def measure_claims(
    claims: ClaimsFile,
    selected: frozenset[str],
    earlier: ClaimSamples | None,
    setup: MeasuringSetup,
) -> MeasuredClaims:
    """Measure the *selected* claims and the controls until each is decided; continue *earlier* values if they fit.

    Ctrl-C, a budget and a failed engine end it; what was measured is in the result. Raises UnbuiltTargetError when
    nothing can be measured.
    """
    target = ClaimTarget(
        name=setup.python,
        python=setup.python,
        machine=MachineName(setup.machine.name),
        environment=EnvironmentName(setup.environment),
        cores=setup.machine.cores,
        gil=not FREE_THREADED.fullmatch(setup.python),
    )
    with setup.supervisor.session() as session:
        build = _prepare(session, setup)
        found = decode_benchmarks(setup.benchmarks.read_bytes(), setup.benchmarks.name).value or ()
        benchmarks: Benchmarks = {benchmark.name: benchmark for benchmark in found}
        kept = earlier if earlier and earlier.build == build else None
        controls = frozenset(control.id for control in claims.controls)
        planned = resume(plan_series(claims.all_claims, benchmarks, target), kept, selected | controls)
        series = [keep_counts(each, kept.series if kept else ()) for each in planned]
        work = BlockMeasuring(
            setup=setup,
            session=session,
            target=target,
            benchmarks=benchmarks,
            decider=BlockDecider(benchmarks=benchmarks, measuring=claims.measuring),
            claims={claim.id: claim for claim in claims.all_claims},
            selected=selected,
            controls=controls,
            series=series,
            samples=_samples(setup, build, kept, series),
        )
        return work.run()


def _prepare(session: EngineSession, setup: MeasuringSetup) -> PythonBuild:
    """Build and install the commit; return the Python. Raises UnbuiltTargetError."""
    request = PrepareBlocks(place=setup.place, commit=setup.commit, out=str(setup.benchmarks))
    build = None
    try:
        for event in session.ask(request, f"{setup.commit[:12]} in {setup.environment}"):
            if isinstance(event, Installed):
                build = event.build
            setup.listen(event)
    except DataError as error:
        raise UnbuiltTargetError(str(error)) from None
    assert build
    return build


def _samples(
    setup: MeasuringSetup, build: PythonBuild, earlier: ClaimSamples | None, series: Sequence[ClaimSeries]
) -> ClaimSamples:
    started = earlier.started if earlier else setup.now()
    return ClaimSamples(
        schema=SAMPLES_SCHEMA,
        project=setup.project,
        commit=setup.commit,
        date=setup.date,
        python=setup.python,
        environment=EnvironmentName(setup.environment),
        machine=setup.machine,
        build=build,
        started=started,
        ended=earlier.ended if earlier else started,
        interrupted=True,
        seed=earlier.seed if earlier else setup.seed,
        series=tuple(series),
    )


@dataclass(slots=True, kw_only=True)
class BlockMeasuring:
    """The state of a call."""

    setup: MeasuringSetup
    session: EngineSession
    target: ClaimTarget
    benchmarks: Benchmarks
    decider: BlockDecider
    claims: Mapping[str, Claim]
    selected: frozenset[str]
    """The claims to decide."""
    controls: frozenset[str]
    """The controls, which every round measures."""
    series: list[ClaimSeries]
    samples: ClaimSamples
    """What is saved."""
    failures: Counter[tuple[int, int]] = field(default_factory=Counter)
    """How often each case failed, by the indices of its series and of the case."""
    states: dict[str, BlockDecision] = field(default_factory=dict)

    def run(self) -> MeasuredClaims:
        """Measure rounds until nothing is undecided, the time is up, Ctrl-C, or a failure of the engine."""
        out_of_time = interrupted = False
        broken = ""
        self._decide_all()
        try:
            self._count()
            out_of_time = not self._measure_rounds()
        except KeyboardInterrupt:
            interrupted = True
        except DataError as error:
            broken = str(error)
        self._save(interrupted=interrupted or out_of_time or bool(broken))
        return MeasuredClaims(
            samples=self.samples,
            benchmarks=self.benchmarks,
            target=self.target,
            states=self.states,
            out_of_time=out_of_time,
            interrupted=interrupted,
            broken=broken,
        )

    def _count(self) -> None:
        """Count the instructions that claims ask for and that earlier values lack."""
        wanted = cases_to_count(self.series, self.claims, self.selected, self.benchmarks)
        if not wanted or self.setup.clock() >= self.setup.deadline:
            return
        self.setup.listen(CountsStarted(cases=len(wanted)))
        names = {case: name for name, case in wanted.items()}
        request = CountInstructions(cases=tuple(names), seeds=DEFAULT_SEEDS)
        for event in self.session.ask(request, "counting stopped"):
            if isinstance(event, InstructionsCounted):  # kept at once: Ctrl-C loses none
                counts = {names[event.case]: event.counts}
                self.series = [add_counts(series, counts) for series in self.series]
        self._decide_all()
        self._save(interrupted=True)

    def _measure_rounds(self) -> bool:
        """Measure rounds; return False when the time is up."""
        number = 0
        while open_series := self._open_series():
            number += 1
            self.setup.listen(self._round(number, open_series))
            for at in open_series:
                if self.setup.clock() >= self.setup.deadline:
                    return False
                self._measure_block(at)
        return True

    def _open_series(self) -> tuple[int, ...]:
        """Return the series with undecided claims and those of controls; empty if no claim is undecided.

        A series is given up when as many of its blocks were disturbed as its last analysis needs.
        """
        listed = [
            at
            for at, series in enumerate(self.series)
            if self._needed(at)
            and len(series.blocks) < MAX_BLOCKS
            and len(series.blocks) - self._quiet(at) < self.decider.measuring.analyses[-1]
        ]
        if not any(self._undecided(at) for at in listed):
            return ()
        return tuple(listed)

    def _undecided(self, at: int) -> tuple[str, ...]:
        """Return the claims of a series that are to be decided and are not."""
        return tuple(
            claim for claim in self.series[at].claims if claim in self.selected and not self.states[claim].is_final
        )

    def _needed(self, at: int) -> frozenset[int]:
        """Return the cases that the next block of a series runs."""
        series = self.series[at]
        if series.skipped:
            return frozenset()
        needed = {case for claim in self._undecided(at) for case in self.states[claim].cases}
        for control in self.controls.intersection(series.claims):
            needed |= find_cases(series, self.claims[control], self.benchmarks)
        return frozenset(case for case in needed if not series.cases[case].absence)

    def _measure_block(self, at: int) -> None:
        """Measure a block of a series, and save it."""
        series, needed = self.series[at], sorted(self._needed(at))
        self.setup.listen(BlockStarted(claims=self._undecided(at), cases=len(needed), number=len(series.blocks) + 1))
        seed = f"{self.samples.seed} {series.given} {series.processes} {series.cases} {len(series.blocks)}"
        order = block_order(range(len(needed)), series.processes, seed)
        cases = tuple(
            BlockCase(benchmark=case.benchmark, index=case_index(self.benchmarks[case.benchmark], case.params))
            for case in (series.cases[each] for each in needed)
        )
        ended = self._ended(MeasureBlock(cases=cases, order=order, separate=series.processes is ProcessMode.SEPARATE))
        self._add(at, needed, ended)
        self._decide_all(at)
        self._save(interrupted=True)

    def _ended(self, request: MeasureBlock) -> BlockEnded:
        asked = self.session.ask(request, f"measuring in {self.setup.environment} stopped")
        (ended,) = (event for event in asked if isinstance(event, BlockEnded))
        return ended

    def _add(self, at: int, needed: Sequence[int], ended: BlockEnded) -> None:
        """Add a block to its series; give up cases that are skipped or fail again."""
        series = self.series[at]
        kept = sum(len(visit.samples) for each in self.series for block in each.blocks for visit in block.visits)
        if kept + sum(len(visit.samples) for visit in ended.visits) > MAX_TOTAL_SAMPLES:
            raise DataError(FULL)
        large = {visit.case for visit in ended.visits if len(visit.samples) > MAX_SAMPLES}
        absent = {needed[each.case]: (each.state, error_line(each.reason)) for each in ended.absences}
        absent |= {needed[case]: (CaseState.FAILED, TOO_MANY) for case in large}
        visits = tuple(
            Visit(case=needed[visit.case], samples=visit.samples) for visit in ended.visits if visit.case not in large
        )
        described = list(series.cases)
        for case, (state, reason) in absent.items():
            self.failures[at, case] += 1
            if state is CaseState.SKIPPED or reason == TOO_MANY or self.failures[at, case] >= MAX_FAILURES:
                described[case] = replace(described[case], absence=f"{state}: {reason}"[:MAX_REASON])
                self.setup.listen(CaseGivenUp(case=described[case].name, reason=described[case].absence))
        reason = "; ".join(f"{series.cases[case].name} {state}: {why}" for case, (state, why) in absent.items())
        block = Block(
            started=ended.started,
            visits=visits,
            seconds=ended.seconds,
            background_load=ended.background_load,
            reason=reason[:MAX_REASON],
        )
        self.series[at] = replace(series, cases=tuple(described), blocks=(*series.blocks, block))
        self.samples = replace(self.samples, ended=ended.started + ended.seconds)

    def _decide_all(self, only: int | None = None) -> None:
        """Decide the claims of all series, or of one."""
        self.samples = replace(self.samples, series=tuple(self.series))
        for at, series in enumerate(self.series):
            if only in (None, at):
                for claim in series.claims:
                    self.states[claim] = self.decider.decide(self.claims[claim], series, self.samples, self.target)

    def _save(self, *, interrupted: bool) -> None:
        self.samples = replace(self.samples, series=tuple(self.series), interrupted=interrupted)
        if any(series.blocks for series in self.series):
            self.setup.save(self.samples)

    def _round(self, number: int, open_series: Sequence[int]) -> RoundStarted:
        """Return the state at the beginning of a round, with the time that is left if it can be estimated."""
        undecided = {at: self._undecided(at) for at in open_series}
        measured = [block.seconds for at in open_series for block in self.series[at].blocks]
        return RoundStarted(
            number=number,
            series=len(open_series),
            undecided=sum(map(len, undecided.values())),
            least_seconds=sum(self._next(claims) * self._seconds(at, measured) for at, claims in undecided.items()),
            most_seconds=sum(self._last(at) * self._seconds(at, measured) for at in undecided),
            is_estimated=bool(measured),
        )

    def _next(self, claims: Sequence[str]) -> int:
        """Return after how many blocks all *claims* have had their next analysis."""
        return max((self.states[claim].blocks_to_next for claim in claims), default=0)

    def _last(self, at: int) -> int:
        """Return after how many blocks the claims of a series have had their last analysis."""
        return max(0, self.decider.measuring.analyses[-1] - self._quiet(at))

    def _quiet(self, at: int) -> int:
        """Return how many blocks of a series other processes did not disturb."""
        return sum(block.is_quiet(self.decider.measuring.background_load) for block in self.series[at].blocks)

    def _seconds(self, at: int, measured: Sequence[float]) -> float:
        """Return the seconds of the newest block of a series, else of a usual block."""
        blocks = self.series[at].blocks
        return blocks[-1].seconds if blocks else fmean(measured or [0.0])
