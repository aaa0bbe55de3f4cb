"""After the times are decided, suspects are counted and changes profiled; an engine answers at once."""

from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from builders import sessions
from builders.processes import a_comparable_case, a_process
from builders.samples import a_context, exact_samples, paired_samples, work_samples

from windtunnel.asv import protocol
from windtunnel.asv.engine_session import EngineSession
from windtunnel.compare.counting import (
    CASE_SECONDS,
    MAX_PROFILED,
    MAX_SUSPECTS,
    NOT_AFTER_FAILURE,
    NOT_AFTER_INTERRUPTION,
    NOT_IN_TIME,
    START_SECONDS,
    TOO_MANY_SUSPECTS,
    UNTIMED,
    WAITS,
    WorkSession,
    choose_counted,
    choose_profiled,
    is_cpu_bound,
)
from windtunnel.compare.decide import decide
from windtunnel.compare.request import CompareRequest, CompareSettings
from windtunnel.compare.runners import merge_shards
from windtunnel.compare.session import NOT_ALL_COUNTED
from windtunnel.model.schedule import DEFAULT_SEEDS, Arm, CaseProfile, FunctionCost, InstructionCounts, StackCost

SLOWER = tuple(f"suite.time_slower_{number}" for number in range(3))
SAME = tuple(f"suite.time_same_{number}" for number in range(3))


class AnEngine:
    """Takes one second for a process, and for counting or profiling what is expected.

    Cases of SLOWER take 1.3 times as long on head, execute 1.3 times the instructions, and call ``helper`` more often.
    """

    log = Path("asv.log")
    ask = EngineSession.ask

    def __init__(self, broken=False, cpu=True, busy=False):
        self.seconds, self.asked, self.broken, self.cpu, self.busy = 0.0, None, broken, cpu, busy
        self.counted, self.profiled, self.batches = [], [], 0

    def send(self, request):
        self.asked = request

    def events(self):
        match self.asked:
            case protocol.RunProcesses(processes=processes):
                for scheduled in processes:
                    self.seconds += 1
                    factor = 1.3 if scheduled.benchmark in SLOWER and scheduled.arm is Arm.HEAD else 1.0
                    value = factor * (1.0 + 0.01 * (self.seconds // 2 % 3))
                    yield a_process(
                        scheduled.arm,
                        (value,),
                        name=scheduled.benchmark,
                        cpu=(value if self.cpu and not self.busy else value / 2,),
                        queued=(value / 2 if self.busy else 0.0,),
                        stage=scheduled.stage,
                    )
            case protocol.CountInstructions(cases=cases, seeds=seeds):
                if self.broken:
                    yield protocol.Broken(step="counting", reason="Killed")
                assert seeds == DEFAULT_SEEDS
                self.batches += 1
                self.seconds += START_SECONDS
                for case in cases:
                    self.seconds += CASE_SECONDS / 2
                    self.counted.append((case.commit, case.benchmark, case.index))
                    factor = 1.3 if case.benchmark in SLOWER and case.commit == "head" else 1.0
                    counts = InstructionCounts(per_call=tuple(1e6 * factor for _ in seeds), calls=10)
                    yield protocol.InstructionsCounted(case=case, counts=counts)
            case protocol.ProfileCases(cases=cases):
                for case in cases:
                    self.seconds += CASE_SECONDS / 2
                    self.profiled.append(case.benchmark)
                    calls = 2000.0 if case.commit == "head" else 1.0
                    helper = FunctionCost(name="helper", file="spam.py", line=3, calls=calls, instructions=100 * calls)
                    stack = StackCost(frames=(0,), weight=100 * calls, calls=calls)
                    yield protocol.CaseProfiled(case=case, profile=CaseProfile(functions=(helper,), stacks=(stack,)))
        yield protocol.Done()


def a_session(engine, names=SLOWER + SAME, *, settings=(), base_index=None, **what):
    """A session of cases of *names*, whose clock is that of *engine*."""
    cases = [
        msgspec.structs.replace(a_comparable_case(name, **dict(settings)), base_index=base_index) for name in names
    ]
    given = {name: what.pop(name) for name in ("only", "rules") if name in what}
    request = CompareRequest(base="b", head="h", options=CompareSettings(aa_share=0.0, **what), **given)
    return sessions.a_session(engine, cases, request, lambda: engine.seconds)


def measured(session, deadline=1e9):
    """The report of a session that has measured and counted."""
    session.measure(deadline)
    session.explain(deadline)
    return session.report(1.0)


def counted(report):
    return {one.benchmark for one in report.comparisons if one.work and one.work.counted}


def test_suspects_are_counted_and_confirmed_changes_profiled():
    """By default nothing else costs time; the report has the counts, what they show, and the function."""
    engine = AnEngine()
    found = measured(a_session(engine, base_index=7))
    assert counted(found) == {*SLOWER} == {*engine.profiled}
    assert {(commit, index) for commit, _, index in engine.counted} == {("base", 7), ("head", 0)}
    for one in found.comparisons:
        if one.benchmark in SLOWER:
            assert one.instructions.work == "more"
            assert one.cause.functions[0].name == "helper"
        else:
            assert (one.work, one.instructions, one.cause) == (None, None, None)


@pytest.mark.parametrize(("mode", "expected"), [("all", {*SLOWER, *SAME}), ("suspects", {*SLOWER}), ("none", set())])
def test_the_option_chooses_the_cases(mode, expected):
    """``all`` also counts what did not change; ``none`` does not profile either."""
    engine = AnEngine()
    assert counted(measured(a_session(engine, instructions=mode))) == expected
    assert bool(engine.profiled) is (mode != "none")


def test_a_threshold_has_its_cases_counted():
    """A gate on instructions needs counts, whatever the times of a case are."""
    settings = {"instructions_threshold": 0.005}
    assert counted(measured(a_session(AnEngine(), settings=settings))) == {*SLOWER, *SAME}
    engine = AnEngine()
    measured(a_session(engine, settings=settings, instructions="none"))
    assert not engine.counted


def test_a_busy_machine_makes_no_case_wait():
    """A case whose processor other programs had half of the time computes, so ``all`` counts it."""
    assert counted(measured(a_session(AnEngine(busy=True), instructions="all"))) == {*SLOWER, *SAME}


def test_a_case_that_waits_is_counted_for_a_reason_only():
    """A suspect, and a case with a threshold, are; ``all`` leaves the others out and says why."""

    def found(**what):
        report = measured(a_session(AnEngine(cpu=False), **what))
        return counted(report), {one.instructions.reason for one in report.comparisons if one.instructions} - {""}

    assert found(instructions="all") == ({*SLOWER}, {WAITS})
    assert found(settings={"instructions_threshold": 0.005}) == ({*SLOWER, *SAME}, set())


def test_the_job_that_confirms_counts():
    """A job that only screens counts no suspects, and merging keeps the counts of the job that confirms."""
    screening, confirming = AnEngine(), AnEngine()
    screened = measured(a_session(screening, no_confirm=True))
    assert not screening.counted
    only = tuple(one.samples() for one in screened.comparisons if one.benchmark in SLOWER)
    merged = merge_shards([screened, measured(a_session(confirming, SLOWER, only=only))])
    assert counted(merged) == {*SLOWER}
    assert all(one.cause for one in merged.comparisons if one.benchmark in SLOWER)
    assert len(merged.comparisons) == len(SLOWER + SAME)


def test_a_job_that_screens_counts_all_so_that_jobs_share_the_work():
    """What a shard counted, the job that confirms does not count again."""
    screened = measured(a_session(AnEngine(), no_confirm=True, instructions="all"))
    assert counted(screened) == {*SLOWER, *SAME}
    engine = AnEngine()
    only = tuple(one.samples() for one in screened.comparisons if one.benchmark in SLOWER)
    found = measured(a_session(engine, SLOWER, only=only, instructions="all"))
    assert not engine.counted
    assert counted(merge_shards([screened, found])) == {*SLOWER, *SAME}


def test_counting_stops_at_the_time_limit():
    """What is expected to fit is counted, the largest changes first; the others have the reason."""
    engine = AnEngine()
    session = a_session(engine)
    session.measure(1e9)
    deadline = engine.seconds + START_SECONDS + 2.5 * CASE_SECONDS
    session.explain(deadline)
    found = session.report(1.0)
    assert len(counted(found)) == 2
    (left,) = [one.instructions.reason for one in found.comparisons if one.work and not one.work.counted]
    assert left == NOT_IN_TIME
    assert not engine.profiled
    assert engine.seconds <= deadline
    assert engine.asked.seconds == START_SECONDS + 2.5 * CASE_SECONDS  # a busy machine may take longer than expected


def test_nothing_is_counted_after_the_time_limit_of_measuring():
    """The times are worth more; the cases that would have been counted say so."""
    engine = AnEngine()
    found = measured(a_session(engine), deadline=60.0)
    assert not engine.counted
    assert {one.instructions.reason for one in found.comparisons if one.instructions} <= {NOT_IN_TIME}


def test_an_interruption_of_counting_is_no_time_limit():
    """What is counted stays; the rest says why it is not."""
    engine = AnEngine()
    session = a_session(engine)
    session.measure(1e9)
    engine.send = lambda request: (_ for _ in ()).throw(KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        session.explain(1e9)
    found = session.report(1.0)
    assert len(found.having("regressed")) == len(SLOWER)
    assert {one.instructions.reason for one in found.comparisons if one.instructions} == {NOT_AFTER_INTERRUPTION}


def test_a_failure_of_counting_loses_no_verdict():
    """It is a note; the verdicts are those of the times."""
    found = measured(a_session(AnEngine(broken=True)))
    assert any(NOT_ALL_COUNTED in note and "Killed" in note for note in found.notes)
    assert len(found.having("regressed")) == len(SLOWER)
    assert {one.instructions.reason for one in found.comparisons if one.instructions} == {NOT_AFTER_FAILURE}


def test_ctrl_c_while_counting_keeps_what_was_counted():
    """An earlier batch stays in the report."""

    class AnImpatientUser(AnEngine):
        def events(self):
            if isinstance(self.asked, protocol.ProfileCases):
                raise KeyboardInterrupt
            yield from super().events()

    session = a_session(AnImpatientUser())
    session.measure(1e9)
    with suppress(KeyboardInterrupt):
        session.explain(1e9)
    assert counted(session.report(1.0)) == {*SLOWER}


def test_a_change_of_the_whole_suite_is_counted_in_part():
    """The largest changes are enough, and the others say why they are not counted."""
    names = tuple(f"suite.time_slower_{number}" for number in range(MAX_SUSPECTS + 5))
    samples = [paired_samples(name, 1.3, fresh=1.3, seed=number) for number, name in enumerate(names)]
    report = decide(a_context(), samples)
    session = a_session(engine := AnEngine(), names, settings={"environment": ""})

    work = WorkSession(setup=session.setup, pairs=session.pairs, deadline=1e9)
    suspects = {one.identity for one in report.comparisons}
    work.count(choose_counted(report, suspects, "suspects"), suspects)
    reasons = [one.head.reason for one in work.work.values()]
    assert (reasons.count(TOO_MANY_SUSPECTS), reasons.count("")) == (5, MAX_SUSPECTS)
    assert 1 < engine.batches < MAX_SUSPECTS
    assert len(choose_profiled(report)) == MAX_PROFILED


def test_what_is_not_a_timing_says_so():
    """With ``all``, each case without a count has a reason."""
    work = WorkSession(setup=None, pairs=(), deadline=0.0)
    work.skip_waiting(decide(a_context(), [exact_samples("suite.track_it", 100, 200)]).comparisons)
    assert [one.head.reason for one in work.work.values()] == [UNTIMED]


def test_only_timings_are_counted():
    """Memory and tracked values are not what instructions explain."""
    report = decide(a_context(), [exact_samples("suite.track_it", 100, 200), paired_samples(ratio=1.3, fresh=1.3)])
    suspects = {one.identity for one in report.comparisons}
    assert [one.benchmark for one in choose_counted(report, suspects, "all")] == ["suite.time_it"]
    assert [one.benchmark for one in choose_profiled(report)] == ["suite.time_it"]


def test_a_case_computes_if_its_cpu_time_stands_for_every_stage():
    """A case that waits in one of them is counted only as a suspect."""
    one = paired_samples(fresh=1.0)
    stages = {
        statistic: [msgspec.structs.replace(each, statistic=statistic) for each in one.stage_samples]
        for statistic in ("cpu_minimum", "wall_minimum")
    }
    cpu, wall = stages.values()
    assert is_cpu_bound(msgspec.structs.replace(one, stage_samples=tuple(cpu)))
    for mixed in ((cpu[0], wall[1]), tuple(wall), ()):
        assert not is_cpu_bound(msgspec.structs.replace(one, stage_samples=mixed))


def test_what_only_instructions_show_is_profiled_too():
    """A gate that fails without another time names the function as well."""
    samples = paired_samples(work=work_samples(1.02), instructions_threshold=0.005)
    assert len(choose_profiled(decide(a_context(), [samples]))) == 1
