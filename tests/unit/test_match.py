"""A comparison under way, with an engine that answers at once."""

from pathlib import Path

import pytest
from builders.processes import a_comparable_case, a_process

from windtunnel.asv.protocol import Broken, CommitReady, ProcessEnded, ProcessesDone
from windtunnel.compare.case_matching import ComparableCases
from windtunnel.compare.environment_pair import EnvironmentPair
from windtunnel.compare.format import ComparedMachine
from windtunnel.compare.request import CompareRequest, ComparisonSetup
from windtunnel.compare.schedule import ProcessCollection
from windtunnel.compare.session import NOT_REACHED, OUT_OF_TIME, PART, ComparisonSession
from windtunnel.errors import DataError
from windtunnel.model.measure import Stage
from windtunnel.model.schedule import ComparedCommit

CASES = 60


class AnEngine:
    """Answers each turn with one second, and breaks after *lasting* of them; counts what it ran."""

    log = Path("asv.log")

    def __init__(self, lasting=10**9):
        self.lasting, self.ran, self.asked = lasting, 0, ()

    def send(self, request):
        self.asked = request.processes

    def events(self):
        for scheduled in self.asked:
            if self.ran >= self.lasting:
                yield Broken(step="measuring", reason="Killed")
            self.ran += 1
            process = a_process(scheduled.arm, (1.0,), name=scheduled.benchmark, stage=scheduled.stage)
            yield ProcessEnded(process=process)
        yield ProcessesDone()


def a_match(engine, **what):
    """A match of CASES cases in one environment; its clock has ticked once for each process."""
    cases = tuple(a_comparable_case(f"suite.time_{number}") for number in range(CASES))
    side = {"environment_seconds": 0.0, "install_seconds": 0.0, "packages": (), "artifact": ""}
    ring = EnvironmentPair(
        name="env",
        session=engine,
        sides={commit: CommitReady(commit=commit, **side) for commit in ComparedCommit},
        comparable=ComparableCases(cases=cases, added=(), removed=(), incomparable=()),
        collection=ProcessCollection(machine="m"),
    )
    setting = ComparisonSetup(
        project="spam",
        config=Path("asv.conf.json"),
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
        setting=setting, request=CompareRequest(base="b", head="h", aa_share=0.0, **what), rings=[ring]
    )


def test_a_budget_ends_within_a_round():
    """A suite of many cases overdraws it by a few processes, not by a round; what was not reached is told."""
    engine = AnEngine()
    match = a_match(engine)
    match.play(deadline=30.0)
    found = match.report(30.0)
    assert 30 < engine.ran <= 30 + PART
    assert found.notes == (OUT_OF_TIME,)
    assert len(found.comparisons) == engine.ran / 2
    assert {one.reason for one in found.skipped} == {NOT_REACHED}
    assert len(found.comparisons) + len(found.skipped) == found.coverage.planned == CASES
    assert not found.failed


def test_what_building_took_is_told_apart():
    """Of the time in all; before the rings are made there was nothing else."""
    match = a_match(AnEngine())
    (leg,) = match.report(30.0).budget.machine_timings
    assert (leg.building_seconds, leg.measuring_seconds) == (30.0, 0.0)
    match.building_seconds = 10.0
    (leg,) = match.report(30.0).budget.machine_timings
    assert (leg.stage, leg.building_seconds, leg.measuring_seconds) == (Stage.SCREENING, 10.0, 20.0)


def test_an_engine_that_dies_leaves_what_it_measured():
    """All but the part in which it died."""
    match = a_match(AnEngine(lasting=2 * CASES + PART + 1))
    with pytest.raises(DataError, match="broke off: measuring: Killed"):
        match.play(deadline=1e9)
    found = match.report(1.0)
    assert len(found.comparisons) == CASES
    assert sum(one.baseline.processes for one in found.comparisons) == CASES + PART / 2
