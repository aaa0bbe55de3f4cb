"""Claims are measured until each is decided; the engine answers at once."""

import io
from contextlib import contextmanager
from pathlib import Path

import pytest
from builders.claim_blocks import SLEEP, THIRD, a_claims_file, claim_samples
from builders.records import a_build
from builders.trees import a_hash

from windtunnel.asv import protocol
from windtunnel.asv.engine_session import EngineSession
from windtunnel.asv.results_format.files import encode_benchmarks
from windtunnel.cli.console import QUIET, VERBOSE, Console
from windtunnel.cli.progress import LiveLine
from windtunnel.model.schedule import InstructionCounts
from windtunnel_claims.format import Decision
from windtunnel_claims.measuring import ClaimsMeasuring
from windtunnel_claims.samples_format import MAX_SAMPLES, SAMPLES_FORMAT

HALF = THIRD.replace('"Z1"', '"half"').replace("between = [0.3233, 0.3433]", "between = [0.485, 0.515]")
QUICK = THIRD.replace('"Z1"', '"quick"').replace('given = { load = "standard" }', 'given = { load = "quick" }')
EDGE = THIRD.replace('"Z1"', '"edge"').replace("between = [0.3233, 0.3433]", "below = 0.3333")
SEPARATE = THIRD.replace('"Z1"', '"separate"') + 'processes = "separate"\n'
CONTROL = """
[[control]]
id = "known"
benchmark = "sleep.Sleep.time_run"
given = { load = "standard" }
contender = { variant = "sync" }
baseline = { variant = "gather" }
between = [2.9, 3.1]
"""
GATHER = 3
"""The first index of the variant; its loads follow: quick, standard, article."""


class AnEngine:
    """Answers each block: sleeping in turn takes 3 s and at once 1 s, give or take a thousandth.

    *absent* are the states of cases by their index, *count* the samples of a run, *loads* what other programs use
    during the first blocks. After *lasting* blocks it *ends*.
    """

    log = Path("asv.log")
    ask = EngineSession.ask

    def __init__(
        self, *, absent=None, count=1, lasting=10**9, ends=None, build=None, broken=None, loads=(), problems=None
    ):
        self.absent, self.count, self.lasting, self.ends = absent or {}, count, lasting, ends
        self.build, self.broken, self.requests, self.counted = build or a_build(), broken, [], []
        self.loads, self.problems = dict(enumerate(loads, 1)), problems or {}

    def send(self, request):
        if isinstance(request, protocol.PrepareBlocks):
            Path(request.out).write_bytes(encode_benchmarks([SLEEP]))
            ready = {"environment_seconds": 1, "seconds": 1, "build": self.build, "problems": self.problems}
            self.answers = [self.broken or protocol.Installed(**ready)]
            return
        if isinstance(request, protocol.CountInstructions):
            self.counted += request.cases
            counts = InstructionCounts(per_call=(1000.0, 1001.0, 1000.0), calls=5)
            self.answers = [*(protocol.InstructionsCounted(case=case, counts=counts) for case in request.cases)]
            return
        self.requests.append(request)
        self.answers = [self.block(request)]

    def events(self):
        if len(self.requests) > self.lasting:
            if self.ends:
                raise self.ends
            return
        yield from self.answers
        yield protocol.Done()

    def block(self, request):
        number = len(self.requests)
        absent = {at: self.absent[case.index] for at, case in enumerate(request.cases) if case.index in self.absent}
        values = [3.0 if case.index < GATHER else 1.0 for case in request.cases]
        return protocol.BlockEnded(
            started=1000.0 + number,
            seconds=0.5,
            visits=tuple(
                protocol.CaseVisit(case=at, samples=(values[at] * (1 + 0.001 * ((number + at) % 3)),) * self.count)
                for at in request.order
                if at not in absent
            ),
            absences=tuple(
                protocol.CaseAbsence(case=at, state=state, reason="Error: no") for at, state in absent.items()
            ),
            background_load=self.loads.get(number, 0.1),
        )


class Call:
    """One call of ``windtunnel measure-claims`` on one Python, with what it saved and said."""

    def __init__(self, folder, engine, *claims, selected=(), earlier=None, blocks_in_time=10**9, level=VERBOSE):
        self.engine, self.saved, self.err = engine, [], io.StringIO()
        claims_file = a_claims_file(*claims)
        self.measured = ClaimsMeasuring(
            claims_file=claims_file,
            selected=frozenset(selected or (claim.id for claim in claims_file.claims)),
            earlier=earlier,
            project="project",
            place=protocol.Place(
                config="asv.conf.json", repository=".", pythons=("3.12",), environment="virtualenv-py3.12"
            ),
            commit=a_hash(1),
            date=1000,
            machine=claim_samples().machine,
            supervisor=self,
            benchmarks_file=folder / "benchmarks.json",
            clock=lambda: len(engine.requests),
            now=lambda: 1000.0,
            deadline=blocks_in_time,
            seed=7,
            boot="a",
            known_seconds={},
            save=self.saved.append,
            live=LiveLine(console=Console(out=io.StringIO(), err=self.err, level=level)),
        )
        self.is_built = self.measured.run()

    @contextmanager
    def session(self):
        yield self.engine

    def decisions(self):
        return {claim: state.decision.decision for claim, state in self.measured.states.items()}

    def blocks(self):
        return {claim: len(series.blocks) for series in self.measured.samples.series for claim in series.claims}

    def said(self, words):
        """The lines with these *words*."""
        lines = (line.removeprefix("windtunnel: ") for line in self.err.getvalue().splitlines())
        return [line for line in lines if words in line]


def test_measuring_ends_when_each_claim_is_decided(tmp_path):
    """The first analysis decides both; the file is valid, and saved after each block."""
    call = Call(tmp_path, AnEngine(), THIRD, HALF)
    assert call.decisions() == {"Z1": Decision.HOLDS, "half": Decision.FAILS}
    assert call.blocks() == {"Z1": 4, "half": 4}
    assert [sum(len(series.blocks) for series in saved.series) for saved in call.saved] == [1, 2, 3, 4, 4]
    assert [saved.interrupted for saved in call.saved] == [True] * 4 + [False]
    samples = call.saved[-1]
    assert SAMPLES_FORMAT.decode(SAMPLES_FORMAT.encode(samples), "file") == samples
    assert (samples.started, samples.ended, samples.seed) == (1000.0, 1004.5, 7)
    assert len(call.said("2 claims undecided, 1 series to measure")) == 4
    assert all(request.order == request.order[::-1] for request in call.engine.requests)
    assert [request.separate for request in call.engine.requests] == [False] * 4


def test_disturbed_blocks_are_measured_again_and_a_busy_machine_is_given_up(tmp_path):
    """Two of six blocks do not count, so the first analysis comes after six; after 24 in vain the series ends."""
    call = Call(tmp_path, AnEngine(loads=(0.9, 0.1, 0.3)), THIRD)
    assert (call.decisions(), call.blocks()) == ({"Z1": Decision.HOLDS}, {"Z1": 6})
    busy = Call(tmp_path, AnEngine(loads=(0.9,) * 100), THIRD)
    assert (busy.decisions(), busy.blocks()) == ({"Z1": Decision.UNDECIDED}, {"Z1": 24})


def test_a_round_has_a_block_of_each_undecided_series(tmp_path):
    """One that is decided is not measured again; one at the end of its band is, until the third analysis."""
    call = Call(tmp_path, AnEngine(), THIRD, EDGE, QUICK, SEPARATE)
    assert call.decisions()["edge"] is Decision.ABOUT
    assert call.blocks() | {"edge": 0, "Z1": 0} == {"Z1": 0, "edge": 0, "quick": 4, "separate": 4}
    assert 4 < call.blocks()["edge"] <= 24
    claims = [line.partition(" of ")[2] for line in call.said(": block ")]
    assert claims[:6] == ["Z1, edge", "quick", "separate"] * 2
    assert claims[12:] == ["edge"] * (call.blocks()["edge"] - 4)
    separate = [request for request in call.engine.requests if request.separate]
    assert {sorted(request.order) == [0, 1] for request in separate} == {True}


def test_the_time_that_is_left_is_estimated_from_the_blocks_so_far(tmp_path):
    """At least until the next analysis, at most until the last."""
    assert Call(tmp_path, AnEngine(), THIRD, QUICK, blocks_in_time=0).measured.time_left([0, 1]) is None
    call = Call(tmp_path, AnEngine(), THIRD, QUICK, blocks_in_time=2)
    assert call.measured.time_left([0, 1]) == (3.0, 23.0)
    first, second, *_ = Call(tmp_path, AnEngine(), THIRD, QUICK).said("series to measure")
    assert (first, second) == (
        "round 1: 2 claims undecided, 2 series to measure",
        "round 2: 2 claims undecided, 2 series to measure, 0 to 0 min left",
    )


def test_only_warnings_are_said_when_quiet(tmp_path):
    """A module that cannot be imported is one."""
    problem = {"jobs": "Traceback\nImportError: no spam"}
    for level, more in ((QUIET, False), (VERBOSE, True)):
        call = Call(tmp_path, AnEngine(problems=problem), THIRD, level=level)
        assert call.said("jobs") == ["warning: jobs of the suite cannot be imported: ImportError: no spam"]
        assert bool(call.said("round")) is more


def test_controls_are_measured_in_each_round_and_alone_in_none(tmp_path):
    """A run is as trustworthy as its control; when all claims are decided nothing is measured."""
    call = Call(tmp_path, AnEngine(), QUICK, CONTROL)
    assert call.blocks() == {"quick": 4, "known": 4}
    again = Call(tmp_path, AnEngine(), QUICK, CONTROL, earlier=call.measured.samples)
    assert again.engine.requests == []
    assert again.decisions() == call.decisions()
    assert again.measured.samples == call.measured.samples


@pytest.mark.parametrize(("state", "tries"), [("skipped", 1), ("failed", 2)])
def test_a_case_without_values_is_given_up_and_the_others_continue(tmp_path, state, tries):
    """Its claims are undecided, and say why."""
    call = Call(tmp_path, AnEngine(absent={GATHER: state}), THIRD, QUICK)
    assert call.decisions() == {"Z1": Decision.HOLDS, "quick": Decision.UNDECIDED}
    assert call.blocks()["quick"] == tries
    reason = f"sleep.Sleep.time_run('gather', 'quick') {state}: Error: no"
    assert call.said("Error: no") == [reason]
    assert call.measured.states["quick"].decision.reason == reason


def test_a_run_with_too_many_values_is_no_value(tmp_path):
    """A reader would refuse the file."""
    call = Call(tmp_path, AnEngine(count=MAX_SAMPLES + 1), THIRD)
    assert f"more than {MAX_SAMPLES} values" in call.measured.states["Z1"].decision.reason
    assert len(call.said(f"more than {MAX_SAMPLES} values")) == 2
    assert call.measured.samples.series[0].blocks[0].visits == ()


def test_a_budget_ends_measuring_between_blocks_and_the_next_call_continues(tmp_path):
    """No block is lost or repeated; the seed stays, so the orders are those of one call."""
    whole = Call(tmp_path, AnEngine(), THIRD)
    first = Call(tmp_path, AnEngine(), THIRD, blocks_in_time=2)
    assert first.measured.out_of_time
    assert first.saved[-1].interrupted
    assert first.blocks() == {"Z1": 2}
    second = Call(tmp_path, AnEngine(), THIRD, earlier=first.saved[-1])
    assert second.blocks() == {"Z1": 4}
    orders = [request.order for call in (first, second) for request in call.engine.requests]
    assert orders == [request.order for request in whole.engine.requests]
    assert not second.saved[-1].interrupted


@pytest.mark.parametrize(("ends", "interrupted"), [(KeyboardInterrupt(), True), (None, False)])
def test_ctrl_c_and_a_failed_engine_keep_what_was_measured(tmp_path, ends, interrupted):
    """The file says that it was interrupted."""
    call = Call(tmp_path, AnEngine(lasting=2, ends=ends), THIRD)
    assert call.blocks() == {"Z1": 2}
    assert call.saved[-1].interrupted
    assert (call.measured.interrupted, bool(call.measured.broken)) == (interrupted, not interrupted)


def test_values_with_other_packages_are_not_continued(tmp_path):
    """A library may have changed what is measured."""
    first = Call(tmp_path, AnEngine(), THIRD, blocks_in_time=2)
    second = Call(tmp_path, AnEngine(build=a_build(packages=("x==2",))), THIRD, earlier=first.saved[-1])
    assert [block.started for block in second.measured.samples.series[0].blocks] == [1001.0, 1002.0, 1003.0, 1004.0]
    assert len(second.engine.requests) == 4


def test_claims_that_are_not_selected_keep_their_values(tmp_path):
    """And are not measured."""
    first = Call(tmp_path, AnEngine(), THIRD, QUICK, selected=("Z1",))
    assert first.blocks() == {"Z1": 4}
    second = Call(tmp_path, AnEngine(), THIRD, QUICK, selected=("quick",), earlier=first.saved[-1])
    assert second.blocks() == {"Z1": 4, "quick": 4}
    assert len(second.engine.requests) == 4


def test_nothing_is_saved_when_nothing_could_be_measured(tmp_path):
    """The error names the step."""
    call = Call(tmp_path, AnEngine(broken=protocol.Broken(step="install", reason="Error: no wheel")), THIRD)
    assert "install failed: Error: no wheel" in call.measured.broken
    assert (call.saved, call.is_built) == ([], False)
    call = Call(tmp_path, AnEngine(), THIRD, blocks_in_time=0)
    assert (call.saved, call.measured.out_of_time) == ([], True)


def test_a_file_never_has_more_values_than_a_reader_takes(tmp_path, monkeypatch):
    """Measuring ends before, and keeps what it has."""
    monkeypatch.setattr("windtunnel_claims.samples_format.MAX_TOTAL_SAMPLES", 100)
    call = Call(tmp_path, AnEngine(count=10), THIRD)
    assert call.blocks() == {"Z1": 2}
    assert "this one is full" in call.measured.broken


def test_the_order_of_blocks_differs(tmp_path):
    """Else an order would favour a case."""
    assert len({request.order for request in Call(tmp_path, AnEngine(), EDGE).engine.requests}) == 2
