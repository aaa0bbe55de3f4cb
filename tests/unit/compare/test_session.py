"""A comparison stops at its time limit and keeps what was measured; the engine answers at once."""

import dataclasses
import json
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from builders import sessions
from builders.processes import a_comparable_case, a_process
from builders.records import a_build
from builders.samples import paired_samples

from windtunnel.asv.engine_session import EngineSession
from windtunnel.asv.protocol import Broken, Done, Installed, RunProcesses, Working
from windtunnel.compare.case_matching import ComparableCases
from windtunnel.compare.environment_pair import NOT_CHOSEN
from windtunnel.compare.format import OUT_OF_TIME, UNDECIDED, FalseAlarms, Reach, SelfCheck
from windtunnel.compare.request import CompareRequest, CompareSettings, WorkStarted
from windtunnel.compare.runners import merge_shards
from windtunnel.compare.samples_format import LONGEST, Rules
from windtunnel.compare.session import NOT_REACHED, PROCESSES_PER_BUDGET_CHECK, compare
from windtunnel.compare.summary import time_parts
from windtunnel.errors import DataError
from windtunnel.model.benchmark import CaseIdentity
from windtunnel.model.schedule import COMPARED_COMMITS, Arm

CASES = 60


class AnEngine:
    """Answers each process with one second, fails after *lasting* of them, and counts what it ran.

    With *slowdown*, processes of *slow* are slower by this factor after *since* processes, only
    those of *case* where one is named, and values alternate by *noise*.
    """

    log = Path("asv.log")
    ask = EngineSession.ask

    def __init__(self, lasting=10**9, slowdown=None, slow=Arm.HEAD, case="", noise=0.03, since=0):
        self.lasting, self.ran, self.asked, self.slowdown, self.slow = lasting, 0, (), slowdown, slow
        self.case, self.noise, self.since = case, noise, since

    def send(self, request):
        self.asked = request.processes if isinstance(request, RunProcesses) else ()

    def events(self):
        for scheduled in self.asked:
            if self.ran >= self.lasting:
                yield Broken(step="measuring", reason="Killed")
            self.ran += 1
            value = 1.0 if self.slowdown is None else 1.0 + self.noise * (self.ran // 2 % 3)
            slowed = scheduled.arm is self.slow and self.case in {"", scheduled.benchmark} and self.ran > self.since
            value *= self.slowdown if self.slowdown and slowed else 1.0
            yield a_process(scheduled.arm, (value,), name=scheduled.benchmark, stage=scheduled.stage)
        yield Done()


def a_session(engine, aa_share=0.0, *, number=CASES, no_confirm=False, artifact="", listen=lambda event: None, **what):
    """A session of so many cases in one environment; its clock advances by one second per process."""
    cases = [a_comparable_case(f"suite.time_{each}") for each in range(number)]
    settings = CompareSettings(aa_share=aa_share, no_confirm=no_confirm)
    request = CompareRequest(base="b", head="h", options=settings, **what)
    return sessions.a_session(engine, cases, request, lambda: float(engine.ran), artifact, listen)


TIMED = {"seconds": 1e9, "rules": Rules().timed()}


@pytest.mark.parametrize(
    ("what", "least"), [({"seconds": 1e9}, 24), (TIMED, LONGEST), ({}, 10), ({"seconds": 1e9, "shard": (1, 2, 0)}, 10)]
)
def test_time_that_is_left_is_for_noisy_cases(what, least):
    """A job that shares the work leaves it to others, and without a limit there is none."""
    session = a_session(AnEngine(slowdown=1.0, noise=1.0), number=6, **what)
    session.measure(deadline=1e9)
    undecided = [one for one in session.report(1.0).comparisons if one.verdict in UNDECIDED]
    assert min(one.rounds("screening") for one in undecided if not one.rounds("confirmation")) == least


def test_suspects_are_confirmed_before_the_time_that_is_left_is_used():
    """A suspect that the usual rounds show is confirmed and explained first; then noisy cases go on."""
    said = []
    session = a_session(AnEngine(slowdown=2.5, case="suite.time_1", noise=0.4), number=3, listen=said.append, **TIMED)
    session.measure(deadline=1e9)
    stages = [one.what for one in said if isinstance(one, WorkStarted)]
    last = len(stages) - stages[::-1].index("screening")
    assert stages.index("confirmation") < stages.index("counting instructions") < stages.index("profiling") < last
    assert any(one.text.startswith("So far: 1 of 3 benchmark") for one in said if isinstance(one, Working))
    found = session.report(1.0).comparisons
    assert [one.benchmark for one in found if one.verdict == "regressed"] == ["suite.time_1"]
    assert max(one.rounds("screening") for one in found) > 24


def test_the_time_limit_applies_within_a_round():
    """It is exceeded by a few processes, and the report lists the cases that were not reached."""
    engine = AnEngine()
    session = a_session(engine)
    session.measure(deadline=25.0)
    found = session.report(25.0)
    assert 25 < engine.ran <= 25 + PROCESSES_PER_BUDGET_CHECK
    assert found.notes == (OUT_OF_TIME,)
    assert len(found.comparisons) == engine.ran / 2
    assert {one.reason for one in found.skipped} == {NOT_REACHED}
    assert len(found.comparisons) + len(found.skipped) == found.coverage.planned == CASES
    assert not found.failed


def test_a_slowdown_is_confirmed_before_the_time_ends():
    """Screening all cases takes longer than the limit; the suspect is measured again first, then the others go on."""
    said = []
    engine = AnEngine(slowdown=1.5, case="suite.time_7")
    session = a_session(engine, listen=said.append)
    session.measure(deadline=460.0)
    found = session.report(460.0)
    assert [one.benchmark for one in found.having("regressed")] == ["suite.time_7"]
    assert found.notes == (OUT_OF_TIME,)
    assert engine.ran > 460
    texts = [one.text for one in said if isinstance(one, Working)]
    assert texts[0] == "60 cases on both commits, at most 7.7 min; results come as they are decided"
    shown = [text for text in texts if "suite.time_7" in text]
    assert [text.partition(":")[0].strip() for text in shown] == ["suspected", "slower"]


def test_a_suspect_of_the_last_rounds_is_confirmed():
    """A tenth of the time is left for what shows itself late."""
    session = a_session(AnEngine(slowdown=1.5, case="suite.time_1", noise=1.0, since=500), number=6, **TIMED)
    session.measure(deadline=1000.0)
    assert [one.benchmark for one in session.report(1.0).having("regressed")] == ["suite.time_1"]


def test_only_what_is_decided_is_reported_as_such():
    """A suspect is measured again; a case that time leaves open is in the report alone."""
    said = []
    session = a_session(AnEngine(slowdown=1.0), listen=said.append)
    session.measure(deadline=600.0)
    report = session.report(600.0)
    counts = [
        one.text for one in said if isinstance(one, Working) and one.text[0].isdigit() and "unchanged" in one.text
    ]
    decided = [one for one in report.comparisons if one.stopped_by != "time"]
    assert 0 < len(decided) < len(report.comparisons)
    assert counts[-1].startswith(f"{len(decided)} unchanged, of ")


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
        self.commits = COMPARED_COMMITS
        entry = {"params": [], "param_names": [], "type": "time", "unit": "seconds", "version": "1"}
        names = [f"suite.time_{number}" for number in range(CASES)]
        for commit in self.commits:
            content = {"version": 2, **{name: {"name": name, **entry} for name in names}}
            for file in (f"{commit}.json", "own.json"):
                Path(request.out, file).write_text(json.dumps(content))

    def events(self):
        if self.asked:
            yield from super().events()
            return
        for commit in self.commits:
            yield Installed(commit=commit, environment_seconds=0.0, seconds=500.0, build=a_build())
        yield Done()


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


def test_a_control_takes_the_place_of_the_comparison_of_base_with_itself():
    """Both check the error rate; the control needs no parents of its own."""
    session = a_session(AnEngine(), aa_share=0.5)
    session.reach = Reach(cases=CASES, reached=1, guard=(CaseIdentity(benchmark="suite.time_7", environment="env"),))
    session.measure(deadline=1e9)
    assert not session.report(0.0).aa.comparisons


def test_where_the_time_does_not_suffice_the_first_cases_are_measured_well():
    """The others are named with the reason; a few cases are measured in any case, and those of the control."""
    session = a_session(AnEngine(slowdown=1.5, case="suite.time_3"))
    guard = (CaseIdentity(benchmark="suite.time_50", environment="env"),)
    session.reach = Reach(cases=CASES, reached=CASES - 1, guard=guard)
    session.measure(deadline=600.0)
    report = session.report(0.0)
    assert [one.benchmark for one in report.having("regressed")] == ["suite.time_3"]
    names = {one.benchmark for one in report.comparisons}
    assert {f"suite.time_{number}" for number in (*range(10), 50)} <= names
    assert len(names) < CASES / 2
    assert all(one.samples().rounds("screening") >= 4 for one in report.comparisons)
    assert {one.reason for one in report.skipped} == {NOT_CHOSEN}
    assert len(names) + len(report.skipped) == CASES


@pytest.mark.parametrize("noise", [0.03, 0.7])
def test_the_control_is_measured_beside_suspects(noise):
    """In the usual rounds of confirmation, so that a machine that changes meanwhile shows in both."""
    guard = tuple(CaseIdentity(benchmark=f"suite.time_{number}", environment="env") for number in (3, 5))
    session = a_session(AnEngine(slowdown=1.7, case="suite.time_1", noise=noise), number=8, **TIMED)
    session.reach = Reach(cases=8, reached=1, guard=guard)
    session.measure(deadline=1e9)
    found = session.report(0.0).comparisons
    confirmed = {one.benchmark: one.samples().rounds("confirmation") for one in found}
    suspect = confirmed.pop("suite.time_1")
    assert suspect > 30 or noise < 0.1
    assert sorted(confirmed.values()) == [0] * 5 + [min(suspect, 30)] * 2


def test_the_report_says_where_the_time_went():
    """What no part claims is the rest, so the parts add up."""
    session = a_session(AnEngine())
    session.building_seconds = 10.0
    process = msgspec.structs.replace(a_process(), seconds=20.0, starting=12.0, timed=5.0, sampled=3.0)
    session.pairs[0].collection.add([process])
    (timing,) = session.report(40.0).budget.machine_timings
    assert {name: seconds for name, seconds in time_parts(timing).items() if seconds} == {
        "building": 10.0,
        "importing the suite": 12.0,
        "starting processes and setup": 3.0,
        "warm-up": 2.0,
        "samples": 3.0,
        "the rest": 10.0,
    }
    assert sum(time_parts(timing).values()) == 40.0


def test_building_and_measuring_are_timed_separately():
    """Until building has ended, all time counts as building."""
    session = a_session(AnEngine())
    (leg,) = session.report(30.0).budget.machine_timings
    assert (leg.building_seconds, leg.measuring_seconds) == (30.0, 0.0)
    session.building_seconds = 10.0
    (leg,) = session.report(30.0).budget.machine_timings
    assert (leg.stage, leg.building_seconds, leg.measuring_seconds) == ("screening", 10.0, 20.0)


def test_results_before_an_engine_failure_are_kept():
    """Only the part in which the engine failed is lost."""
    session = a_session(AnEngine(lasting=2 * CASES + PROCESSES_PER_BUDGET_CHECK + 1))
    with pytest.raises(DataError, match="stopped: measuring failed: Killed"):
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
        rounds.append(found.rounds("confirmation"))
    assert rounds[0] < rounds[1]


def test_false_alarms_are_confirmed_like_changes():
    """A job that only screens passes on its A/A suspects; without their confirmation no alarm could be false."""
    screening = a_session(AnEngine(slowdown=1.3, slow=Arm.AA_CONTENDER), aa_share=0.1, no_confirm=True)
    screening.measure(deadline=1e9)
    screened = screening.report(1.0)
    suspects = screened.aa.suspects
    assert (screened.aa.comparisons, screened.aa.alarms, len(suspects)) == (6, 0, 6)
    engine = AnEngine(slowdown=1.3, slow=Arm.AA_CONTENDER)
    confirming = a_session(engine, aa_share=0.1, only=(), only_aa=suspects)
    confirming.measure(deadline=1e9)
    confirmed = confirming.report(1.0)
    assert not confirmed.comparisons  # the suspects of the A/A comparison are not compared with head
    merged = merge_shards([screened, confirmed])
    assert (merged.aa.comparisons, merged.aa.alarms) == (6, 6)
    assert len(merged.comparisons) == CASES


def test_a_self_check_measures_equal_builds_and_counts_only_itself():
    """A commit has the same artifact as itself, and its comparison is the A/A comparison."""
    session = a_session(AnEngine(), aa_share=1.0, artifact="equal", self_check=SelfCheck())
    session.measure(deadline=1e9)
    found = session.report(1.0)
    assert (len(found.comparisons), found.aa, found.overall) == (CASES, FalseAlarms(), "unchanged")
    assert found.self_check == SelfCheck()
    assert "each alarm is false" in found.notes[0]
    assert a_session(AnEngine(), artifact="equal").report(1.0).same_artifact


def test_a_self_check_states_the_slowdown_that_was_achieved():
    """It is that of the sample of a process that was disturbed least, and the median over processes and cases."""
    session = a_session(AnEngine(), self_check=SelfCheck(slowdown=0.05))
    wall, own = (1.05, 2.2), (1.0, 2.0)
    session.pairs[0].collection.add([msgspec.structs.replace(a_process(Arm.HEAD, wall, name="suite.time_0"), own=own)])
    assert session.report(1.0).self_check.achieved == pytest.approx(0.05)
