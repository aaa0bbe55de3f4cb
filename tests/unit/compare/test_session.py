"""A comparison stops at its time limit and keeps what was measured; the engine answers at once."""

import dataclasses
import json
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from builders.processes import a_comparable_case, a_process
from builders.samples import paired_samples

from windtunnel.asv.protocol import Broken, CommitReady, ProcessEnded, ProcessesDone, RunProcesses
from windtunnel.compare.case_matching import ComparableCases
from windtunnel.compare.environment_pair import EnvironmentPair
from windtunnel.compare.format import ComparedMachine, MissingKind
from windtunnel.compare.request import CompareRequest, CompareSettings, ComparisonSetup
from windtunnel.compare.samples import ProcessCollection
from windtunnel.compare.session import NOT_REACHED, OUT_OF_TIME, PROCESSES_PER_BUDGET_CHECK, ComparisonSession, compare
from windtunnel.errors import DataError
from windtunnel.model.schedule import Arm, ComparedCommit, Stage

CASES = 60


class AnEngine:
    """Answers each process with one second, fails after *lasting* of them, and counts what it ran.

    With *slowdown*, head is slower by this factor, and values alternate by 3 %.
    """

    log = Path("asv.log")

    def __init__(self, lasting=10**9, slowdown=None):
        self.lasting, self.ran, self.asked, self.slowdown = lasting, 0, (), slowdown

    def send(self, request):
        self.asked = request.processes

    def events(self):
        for scheduled in self.asked:
            if self.ran >= self.lasting:
                yield Broken(step="measuring", reason="Killed")
            self.ran += 1
            value = 1.0 if self.slowdown is None else 1.0 + 0.03 * (self.ran // 2 % 3)
            value *= self.slowdown if self.slowdown and scheduled.arm is Arm.HEAD else 1.0
            process = a_process(scheduled.arm, (value,), name=scheduled.benchmark, stage=scheduled.stage)
            yield ProcessEnded(process=process)
        yield ProcessesDone()


def a_session(engine, **what):
    """A session of CASES cases in one environment; its clock advances by one second per process."""
    cases = tuple(a_comparable_case(f"suite.time_{number}") for number in range(CASES))
    side = {"environment_seconds": 0.0, "install_seconds": 0.0, "packages": (), "artifact": ""}
    pair = EnvironmentPair(
        name="env",
        session=engine,
        ready={commit: CommitReady(commit=commit, **side) for commit in ComparedCommit},
        comparable=ComparableCases(cases=cases, missing={kind: [] for kind in MissingKind}),
        collection=ProcessCollection(machine="m"),
    )
    setup = ComparisonSetup(
        project="spam",
        config=Path("asv.conf.json"),
        repository=Path(),
        pythons=("3.13",),
        suite_in_repository="suite",
        environments=("env",),
        machine=ComparedMachine(name="m"),
        expectations=(),
        supervisor=None,
        folder=Path(),
        clock=lambda: float(engine.ran),
        listen=lambda event: None,
    )
    return ComparisonSession(
        setup=setup,
        request=CompareRequest(base="b", head="h", options=CompareSettings(aa_share=0.0), **what),
        pairs=[pair],
    )


def test_the_time_limit_applies_within_a_round():
    """It is exceeded by a few processes, and the report lists the cases that were not reached."""
    engine = AnEngine()
    session = a_session(engine)
    session.measure(deadline=30.0)
    found = session.report(30.0)
    assert 30 < engine.ran <= 30 + PROCESSES_PER_BUDGET_CHECK
    assert found.notes == (OUT_OF_TIME,)
    assert len(found.comparisons) == engine.ran / 2
    assert {one.reason for one in found.skipped} == {NOT_REACHED}
    assert len(found.comparisons) + len(found.skipped) == found.coverage.planned == CASES
    assert not found.failed


class ABuild(AnEngine):
    """Builds both commits in 1,000 seconds, then answers as an engine does."""

    def __init__(self):
        super().__init__()
        self.commits = ()

    @contextmanager
    def session(self):
        yield self

    def clock(self):
        return self.ran + 1000.0 * bool(self.commits)

    def send(self, request):
        if isinstance(request, RunProcesses):
            super().send(request)
            return
        self.commits = tuple(ComparedCommit)
        entry = {"params": [], "param_names": [], "type": "time", "unit": "seconds", "version": "1"}
        names = [f"suite.time_{number}" for number in range(CASES)]
        for commit in self.commits:
            content = {"version": 2, **{name: {"name": name, **entry} for name in names}}
            for file in (f"{commit}.json", "own.json"):
                Path(request.out, file).write_text(json.dumps(content))

    def events(self):
        if self.asked:
            yield from super().events()
        for commit in self.commits:
            side = {"environment_seconds": 0.0, "install_seconds": 500.0, "packages": (), "artifact": ""}
            yield CommitReady(commit=commit, **side)


def test_the_time_limit_counts_measuring_only(tmp_path):
    """Builds that take longer than the limit leave all of it for measuring."""
    engine = ABuild()
    setup = dataclasses.replace(a_session(engine).setup, supervisor=engine, folder=tmp_path, clock=engine.clock)
    request = CompareRequest(base="b", head="h", options=CompareSettings(aa_share=0.0), seconds=30.0)
    found = compare(request, setup)
    assert 30 < engine.ran <= 30 + PROCESSES_PER_BUDGET_CHECK
    (timing,) = found.budget.machine_timings
    assert (timing.building_seconds, timing.measuring_seconds) == (1000.0, float(engine.ran))
    assert found.budget.allowed_seconds == 30.0


def test_building_and_measuring_are_timed_separately():
    """Until building has ended, all time counts as building."""
    session = a_session(AnEngine())
    (leg,) = session.report(30.0).budget.machine_timings
    assert (leg.building_seconds, leg.measuring_seconds) == (30.0, 0.0)
    session.building_seconds = 10.0
    (leg,) = session.report(30.0).budget.machine_timings
    assert (leg.stage, leg.building_seconds, leg.measuring_seconds) == (Stage.SCREENING, 10.0, 20.0)


def test_results_before_an_engine_failure_are_kept():
    """Only the part in which the engine failed is lost."""
    session = a_session(AnEngine(lasting=2 * CASES + PROCESSES_PER_BUDGET_CHECK + 1))
    with pytest.raises(DataError, match="stopped: measuring: Killed"):
        session.measure(deadline=1e9)
    found = session.report(1.0)
    assert len(found.comparisons) == CASES
    assert sum(one.baseline.processes for one in found.comparisons) == CASES + PROCESSES_PER_BUDGET_CHECK / 2


def test_suspects_of_other_shards_make_confirmation_longer():
    """All suspects of a comparison share one error rate, whichever shard confirms them."""
    rounds = []
    for suspects in (1, 400):
        screened = tuple(paired_samples(f"suite.time_{number}", 2.0, environment="env") for number in range(suspects))
        session = a_session(AnEngine(slowdown=1.09), only=screened)
        (pair,) = session.pairs
        mine = ComparableCases(cases=(a_comparable_case("suite.time_0"),), missing=pair.comparable.missing)
        session.pairs = [replace(pair, comparable=mine)]
        session.measure(deadline=1e9)
        (found,) = session.report(1.0).comparisons
        rounds.append(found.rounds(Stage.CONFIRMATION))
    assert rounds[0] < rounds[1]
