"""Counts choose what is timed, and how long; an engine answers at once."""

from pathlib import Path

import msgspec
import pytest
from builders import sessions
from builders.processes import a_comparable_case, a_process

from windtunnel.asv.engine_session import EngineSession
from windtunnel.asv.protocol import CountInstructions, Done, InstructionsCounted
from windtunnel.compare.count_first import expected_seconds
from windtunnel.compare.report_text import render_terminal
from windtunnel.compare.request import CompareRequest, CompareSettings, WorkStarted
from windtunnel.compare.samples_format import Rules
from windtunnel.compare.significance import work_change
from windtunnel.compare.summary import headline
from windtunnel.model.schedule import InstructionCounts

SLOWER, FASTER, SAME, WAITS = "s.time_slower", "s.time_faster", "s.time_same", "s.time_waits"
CHANGES = {SLOWER: 1.5, FASTER: 0.95, SAME: 1.0005}
PROCESS_SECONDS = 2.0


class AnEngine:
    """Takes PROCESS_SECONDS for a process, whose case computes unless it waits; no value is ever decided."""

    log = Path("asv.log")
    ask = EngineSession.ask

    def __init__(self, starting=0.0, counting=10.0, reason="", pace=3, dear=""):
        self.seconds, self.asked, self.starting, self.counting, self.reason = 0.0, None, starting, counting, reason
        self.order, self.requests, self.pace, self.dear = [], [], pace, dear

    def send(self, request):
        self.asked = request

    def events(self):
        if isinstance(self.asked, CountInstructions):
            self.requests.append(self.asked)
            self.seconds += self.counting
            for case in self.asked.cases:
                count = 1e6 * (CHANGES.get(case.benchmark, 1.0) if case.commit == "head" else 1)
                counts = InstructionCounts(reason=self.reason) if self.reason else InstructionCounts(per_call=(count,))
                yield InstructionsCounted(case=case, counts=counts)
        else:
            for scheduled in self.asked.processes:
                begins = scheduled.benchmark[0] == self.dear and [one[0] for one in self.order[-1:]] != [self.dear]
                starting = self.starting * (begins or not self.dear)
                self.seconds += PROCESS_SECONDS + starting
                wall = 0.01 * (1 + 0.2 * (len(self.order) * self.pace // 6 % 4))
                self.order.append(scheduled.benchmark)
                cpu = wall * (0.1 if scheduled.benchmark == WAITS else 1)
                process = a_process(scheduled.arm, (wall,), name=scheduled.benchmark, cpu=(cpu,), stage=scheduled.stage)
                yield msgspec.structs.replace(
                    process, starting=starting, seconds=starting + PROCESS_SECONDS * bool(self.dear)
                )
        yield Done()


def measured(engine, *, seconds=1000.0, names=(SAME, WAITS, FASTER, SLOWER), rules=None, **settings):
    """The order of processes, what was said, and the report of a comparison by *engine*."""
    said = []
    options = CompareSettings(aa_share=0.0, **settings)
    request = CompareRequest(base="b", head="h", options=options, seconds=seconds, rules=rules or Rules())
    cases = [a_comparable_case(name) for name in names]
    session = sessions.a_session(engine, cases, request, lambda: engine.seconds, listen=said.append)
    session.measure(float("inf") if seconds is None else seconds)
    session.explain(0.0)
    return [getattr(one, "text", one) for one in said], session.report(engine.seconds)


def test_cases_with_different_counts_are_timed_first_and_the_deepest_before_others():
    """Then cases without a count, and last those with equal ones."""
    engine = AnEngine()
    said, _ = measured(engine)
    assert "1 of 3 cases do the same work: equal instructions on both commits; the others are timed first" in said
    assert list(dict.fromkeys(engine.order[8:])) == [SLOWER, FASTER, WAITS, SAME]
    assert len(engine.requests) == 1
    assert {case.benchmark for case in engine.requests[0].cases} == {SLOWER, FASTER, SAME}
    assert engine.requests[0].seconds == pytest.approx(0.2 * 1000)


def test_cases_with_equal_counts_share_a_part_of_the_time():
    """A fifth of what screening may take, together; the report says so, and their verdict is on time."""
    names = tuple(f"s.time_{number}" for number in range(60))
    engine = AnEngine(counting=1.0)
    said, report = measured(engine, names=names, seconds=5000.0)
    first, pool = 120 * PROCESS_SECONDS, 0.2 * 0.7 * 5000
    assert first + pool <= engine.seconds <= first + pool + 20 * PROCESS_SECONDS + 1.0
    assert "60 of 60 cases do the same work: equal instructions on both commits" in said
    assert len(report.comparisons) == 60
    assert report.notes[-1].startswith("60 of 60 counted cases do the same work: equal instructions on both commits")


def test_what_counting_takes_is_said_beforehand():
    """In seconds, with the cases that compute."""
    said, _ = measured(AnEngine())
    assert WorkStarted(what="counting instructions to choose what to time (about 9 s)", cases=3) in said


@pytest.mark.parametrize(
    ("engine", "settings"),
    [
        (AnEngine(starting=20.0), {}),
        (AnEngine(), {"seconds": None}),
        (AnEngine(), {"instructions": "none"}),
        (AnEngine(), {"names": (WAITS,)}),
    ],
    ids=["a costly import", "no time limit", "no counts wanted", "only what waits"],
)
def test_time_alone_decides_where_counting_is_not_worth_it(engine, settings):
    """Nothing is counted, and all cases are measured as they were."""
    said, report = measured(engine, **settings)
    assert not engine.requests
    assert not any("counted case" in note for note in report.notes)
    assert any("time alone decides" in str(text) for text in said) == bool(engine.starting)


def test_where_imports_take_most_of_the_time_modules_with_a_short_one_come_first():
    """Each round pays for the import of each module."""
    names = tuple(f"{'ab'[number % 2]}.time_{number}" for number in range(60))
    few, all_of_them = AnEngine(starting=200.0, dear="b"), AnEngine(starting=200.0, dear="b")
    _, report = measured(few, names=names, seconds=500.0)
    assert {one.benchmark for one in report.comparisons} <= {*names[::2]}
    assert any(one in few.order for one in names[1::2]), "each module is tried once"
    _, report = measured(all_of_them, names=names, seconds=4000.0)
    assert len(report.comparisons) == 60, "the others follow if there is time left"
    assert all_of_them.order[-60][0] == "b"


def test_a_light_suite_is_counted_after_its_usual_rounds(monkeypatch):
    """They take less than counting does. Open cases with equal counts are timed no further; the headline says so."""
    monkeypatch.setattr(f"{__name__}.PROCESS_SECONDS", 0.01)
    engine = AnEngine(pace=10)
    _, report = measured(engine, rules=Rules().timed())
    assert engine.order.count(SAME) <= 2 * 24 < engine.order.count(SLOWER)
    assert [{case.benchmark for case in one.cases} for one in engine.requests] == [{SLOWER, SAME}]
    assert report.notes[-1].endswith("within 0.1 %. So they were timed no further.")
    assert "1 with the same work (equal instructions, time undecided)" in headline(report)
    assert "is ruled out; timed no further, because its work is the same" in render_terminal(report)


def test_without_counts_all_cases_are_timed_as_before():
    """The reason is said, such as a missing valgrind."""
    engine = AnEngine(reason="valgrind is missing")
    said, report = measured(engine)
    assert "nothing was counted: valgrind is missing" in said
    assert set(engine.order[8:16]) == {SLOWER, FASTER, SAME, WAITS}
    assert len(report.comparisons) == 4


def test_counts_of_one_thread_above_zero_have_a_change():
    """Others say nothing of the work."""
    one = InstructionCounts(per_call=(100.0,))
    assert work_change(one, one) == 0.0
    for other in (
        InstructionCounts(reason="failed"),
        InstructionCounts(per_call=(0.0,)),
        InstructionCounts(per_call=(100.0,), other_threads=True),
    ):
        assert work_change(one, other) is None
        assert work_change(other, one) is None


def test_the_start_of_a_process_is_no_setup():
    """Each process takes a second more than its calls; only what one takes beyond that is its own setup."""
    light, heavy = (msgspec.structs.replace(a_process(wall=(0.001,)), seconds=seconds) for seconds in (1.0, 6.0))
    assert expected_seconds([(light, light)]) == pytest.approx(1.16)
    assert expected_seconds([(light, light), (heavy, light)]) == pytest.approx(2 * 1.16 + 200.0)


def test_an_import_under_valgrind_is_part_of_what_counting_takes():
    """It takes 20 times as long; both commits are counted at once."""
    one = msgspec.structs.replace(a_process(wall=(0.001,)), seconds=18.0, starting=18.0)
    assert expected_seconds([(one, one)]) == pytest.approx(360, abs=5)
