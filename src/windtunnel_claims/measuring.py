"""Measures claims of one commit in one environment: builds it, and measures blocks until every claim is decided.

A round has one block of each series with an undecided claim. What is measured is saved after each block, so that
nothing is lost when the measuring is interrupted, and a later call continues.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean

from msgspec.structs import replace

from windtunnel.asv import protocol
from windtunnel.asv.engine_session import EngineSession, Supervisor
from windtunnel.asv.results_format.files import decode_benchmarks
from windtunnel.cli.progress import LiveLine
from windtunnel.errors import DataError
from windtunnel.model.identity import CommitHash, EnvironmentName, Instant
from windtunnel.model.run_format import MachineRecord, PythonBuild, error_line
from windtunnel.text import numbers
from windtunnel.text.escaping import visible
from windtunnel_claims import samples_format as stored
from windtunnel_claims.block_values import Benchmarks, NoValues, find_indices
from windtunnel_claims.board import target_of
from windtunnel_claims.claim import Claim
from windtunnel_claims.claims_file import ClaimsFile
from windtunnel_claims.decide import BlockDecider, BlockDecision
from windtunnel_claims.series_plan import block_order, counted_case, plan_series, resume

MAX_FAILURES = 2
"""A case that failed so often in a call is not tried again."""

TOO_MANY = f"a run returned more than {stored.MAX_SAMPLES} values; return fewer, or set a smaller 'number' or 'repeat'"


FULL = (
    f"one file holds at most {stored.MAX_TOTAL_SAMPLES} values, and this one is full; return fewer values in each run "
    "of a benchmark, or measure some of the claims into another folder: --claim and --into"
)


@dataclass(slots=True, kw_only=True)
class ClaimsMeasuring:
    """The measuring of the claims of one commit in one environment: what it needs, and what it has measured so far."""

    claims_file: ClaimsFile
    selected: frozenset[str]
    """The claims to decide."""
    earlier: stored.ClaimSamples | None
    """What an earlier call measured, which is continued if it fits."""
    project: str
    place: protocol.Place
    """The suite and the project, the Python and the environment, and the builds to install from."""
    commit: CommitHash
    date: Instant
    """The date of the commit, in milliseconds since 1970."""
    machine: MachineRecord
    supervisor: Supervisor
    benchmarks_file: Path
    """Where the engine writes the benchmarks of the suite."""
    deadline: float
    """When no further block begins, by the clock."""
    boot: str
    """What identifies the boot of the machine."""
    known_seconds: Mapping[str, float]
    """How long a block with a claim took before, by the id of the claim."""
    seed: int
    """The number that all random orders come from, unless earlier values are continued."""
    save: Callable[[stored.ClaimSamples], None]
    live: LiveLine
    """Shows what is measured."""
    clock: Callable[[], float] = time.monotonic
    """Seconds, for the deadline."""
    now: Callable[[], float] = time.time
    """Seconds since 1970."""

    session: EngineSession = field(init=False)
    benchmarks: Benchmarks = field(default_factory=dict)
    """The benchmarks of the suite in the environment."""
    decider: BlockDecider = field(init=False)
    series: list[stored.ClaimSeries] = field(default_factory=list)
    samples: stored.ClaimSamples = field(init=False)
    """What is saved."""
    failures: Counter[tuple[int, int]] = field(default_factory=Counter)
    """How often each case failed, by the indices of its series and of the case."""
    states: dict[str, BlockDecision] = field(default_factory=dict)
    """What is decided, by the id of each claim that is in scope."""
    out_of_time: bool = False
    """Whether the deadline ended it."""
    interrupted: bool = False
    """Whether Ctrl-C ended it."""
    broken: str = ""
    """Why the engine ended it; empty if it did not."""

    @property
    def claims(self) -> Mapping[str, Claim]:
        """The claims and the controls, by id."""
        return {claim.id: claim for claim in self.claims_file.all_claims}

    @property
    def controls(self) -> frozenset[str]:
        """The controls, which every round measures."""
        return frozenset(control.id for control in self.claims_file.controls)

    def run(self) -> bool:
        """Measure the selected claims and the controls until each is decided; return False if no build can be measured.

        Ctrl-C, the deadline and a failed engine end it; what was measured is kept.
        """
        with self.supervisor.session() as self.session:
            try:
                build = self._prepare()
            except DataError as error:  # it cannot be installed, or the suite not be imported
                self.broken = str(error)
                return False
            self._begin(build)
            try:
                self.out_of_time = not self._measure_rounds()
            except KeyboardInterrupt:
                self.interrupted = True
            except DataError as error:
                self.broken = str(error)
            self._save(interrupted=self.interrupted or self.out_of_time or bool(self.broken))
        return True

    def _prepare(self) -> PythonBuild:
        """Build and install the commit; return the Python. Raises DataError."""
        request = protocol.PrepareBlocks(place=self.place, commit=self.commit, out=str(self.benchmarks_file))
        build, console = None, self.live.console
        for event in self.session.ask(request, f"{self.commit[:12]} in {self.place.environment}"):
            match event:
                case protocol.Working():
                    console.log(visible(event.text, 400))
                case protocol.BuildRefused():
                    console.warn(visible(f"{event.commit[:12]} is built here: {event.reason}", 400))
                case protocol.Installed():
                    build = event.build
                    built = "built and installed" if event.elsewhere_seconds is None else "installed from its build"
                    console.log(f"{built} in {event.seconds:.0f} s")
                    for module, reason in event.problems.items():
                        said = f"{module} of the suite cannot be imported: {error_line(reason)}"
                        console.warn(visible(said, 400))
                case _:
                    pass
        assert build
        return build

    def _begin(self, build: PythonBuild) -> None:
        """Plan the series, with the earlier blocks and counts that fit, and decide what they decide."""
        found = decode_benchmarks(self.benchmarks_file.read_bytes(), self.benchmarks_file.name).value or ()
        self.benchmarks = {benchmark.name: benchmark for benchmark in found}
        today = datetime.fromtimestamp(self.now(), UTC).strftime("%Y-%m-%d"), self.boot
        self.decider = BlockDecider(benchmarks=self.benchmarks, measuring=self.claims_file.measuring, today=today)
        kept = self.earlier if self.earlier and self.earlier.build == build else None
        started = kept.started if kept else self.now()
        self.samples = stored.ClaimSamples(
            schema=stored.SAMPLES_SCHEMA,
            project=self.project,
            commit=self.commit,
            date=self.date,
            python=self.place.pythons[0],
            environment=EnvironmentName(self.place.environment),
            machine=self.machine,
            build=build,
            started=started,
            ended=kept.ended if kept else started,
            interrupted=True,
            seed=kept.seed if kept else self.seed,
            series=(),
        )
        planned = plan_series(self.claims_file.all_claims, self.benchmarks, target_of(self.samples))
        self.series = resume(planned, kept, self.selected | self.controls)
        self._decide_all()

    def _measure_rounds(self) -> bool:
        """Measure rounds; return False when the time is up."""
        number = 0
        while open_series := self._open_series():
            number += 1
            self._show_round(number, open_series)
            for done, at in enumerate(open_series):
                if self.clock() >= self.deadline:
                    return False
                claims = ", ".join(self._undecided(at)) or "controls"
                block = len(self.series[at].blocks) + 1
                self.live.console.detail(visible(f"round {number}: block {block} of {claims}", 400))
                self.live.update(visible(f"round {number}: {claims}"), completed=done)
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
            and len(series.blocks) < stored.MAX_BLOCKS
            and len(series.blocks) - self._quiet(at) < self._most(at)
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
            found = find_indices(series, self.claims[control].cases, self.benchmarks)
            needed |= set() if isinstance(found, NoValues) else {*found}
        return frozenset(case for case in needed if not series.cases[case].absence)

    def _measure_block(self, at: int) -> None:
        """Measure a block of a series, and save it."""
        series, needed = self.series[at], sorted(self._needed(at))
        seed = f"{self.samples.seed} {series.given} {series.processes} {series.cases} {len(series.blocks)}"
        order = block_order(range(len(needed)), series.processes, seed)
        cases = tuple(
            counted_case(self.benchmarks[case.benchmark], case.params)
            for case in (series.cases[each] for each in needed)
        )
        request = protocol.MeasureBlock(
            cases=cases,
            order=order,
            separate=series.processes is stored.ProcessMode.SEPARATE,
            awake=series.round_trips and sum(1 if block.awake else -1 for block in series.blocks) < 0,
        )
        asked = self.session.ask(request, f"measuring in {self.place.environment} stopped")
        (ended,) = (event for event in asked if isinstance(event, protocol.BlockEnded))
        self._add(at, needed, ended)
        self._decide_all(at)
        self._save(interrupted=True)

    def _add(self, at: int, needed: Sequence[int], ended: protocol.BlockEnded) -> None:
        """Add a block to its series; give up cases that are skipped or fail again."""
        series = self.series[at]
        kept = sum(len(visit.samples) for each in self.series for block in each.blocks for visit in block.visits)
        if kept + sum(len(visit.samples) for visit in ended.visits) > stored.MAX_TOTAL_SAMPLES:
            raise DataError(FULL)
        large = {visit.case for visit in ended.visits if len(visit.samples) > stored.MAX_SAMPLES}
        absent = {needed[each.case]: (each.state, error_line(each.reason)) for each in ended.absences}
        absent |= {needed[case]: ("failed", TOO_MANY) for case in large}
        visits = tuple(replace(visit, case=needed[visit.case]) for visit in ended.visits if visit.case not in large)
        described = list(series.cases)
        for case, (state, reason) in absent.items():
            self.failures[at, case] += 1
            if state == "skipped" or reason == TOO_MANY or self.failures[at, case] >= MAX_FAILURES:
                described[case] = replace(described[case], absence=f"{state}: {reason}"[: stored.MAX_REASON])
                self.live.console.log(visible(f"{described[case].name} {described[case].absence}", 400))
        reason = "; ".join(f"{series.cases[case].name} {state}: {why}" for case, (state, why) in absent.items())
        block = stored.Block(
            started=ended.started,
            visits=visits,
            seconds=ended.seconds,
            background_load=ended.background_load,
            awake=ended.awake,
            boot=self.boot,
            reason=reason[: stored.MAX_REASON],
        )
        self.series[at] = replace(series, cases=tuple(described), blocks=(*series.blocks, block))
        self.samples = replace(self.samples, ended=ended.started + ended.seconds)

    def _decide_all(self, only: int | None = None) -> None:
        """Decide the claims of all series, or of one."""
        self.samples = replace(self.samples, series=tuple(self.series))
        claims, target = self.claims, target_of(self.samples)
        for at, series in enumerate(self.series):
            if only in (None, at):
                for claim in series.claims:
                    self.states[claim] = self.decider.decide(claims[claim], series, self.samples, target)

    def _save(self, *, interrupted: bool) -> None:
        self.samples = replace(self.samples, series=tuple(self.series), interrupted=interrupted)
        if any(series.blocks for series in self.series):
            self.save(self.samples)

    def _show_round(self, number: int, open_series: Sequence[int]) -> None:
        """Show the state at the beginning of a round, with the time that is left if it can be estimated."""
        undecided = sum(len(self._undecided(at)) for at in open_series)
        claims, series = numbers.count(undecided, "claim"), numbers.count(len(open_series), "series", "series")
        left = self.time_left(open_series)
        minutes = f", {max(left[0], 1) / 60:.0f} to {max(left[1], 1) / 60:.0f} min left" if left else ""
        self.live.console.log(f"round {number}: {claims} undecided, {series} to measure{minutes}")
        self.live.update(f"round {number}", completed=0, total=len(open_series), left=minutes)

    def time_left(self, open_series: Sequence[int]) -> tuple[float, float] | None:
        """Return the seconds until the next analysis of each claim, and until its last; None if no block is known."""
        known = {at: self._seconds(at) for at in open_series}
        if not (measured := [seconds for seconds in known.values() if seconds is not None]):
            return None
        to_next = to_last = 0.0
        for at, found in known.items():
            seconds = fmean(measured) if found is None else found
            to_next += seconds * max((self.states[claim].blocks_to_next for claim in self._undecided(at)), default=0)
            to_last += seconds * max(0, self._most(at) - self._quiet(at))
        return to_next, to_last

    def _seconds(self, at: int) -> float | None:
        """Return how long a block of a series takes: its newest one, else what it took before."""
        if blocks := self.series[at].blocks:
            return blocks[-1].seconds
        return max(
            (self.known_seconds[claim] for claim in self.series[at].claims if claim in self.known_seconds), default=None
        )

    def _most(self, at: int) -> int:
        """Return the blocks of a series at its last analysis, in all conditions."""
        return self.decider.measuring.analyses[-1] * (2 if self.series[at].round_trips else 1)

    def _quiet(self, at: int) -> int:
        """Return how many blocks of a series other processes did not disturb."""
        return sum(block.is_quiet(self.decider.measuring.background_load) for block in self.series[at].blocks)
