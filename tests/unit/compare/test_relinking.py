"""Cases that became slower with the same work are measured in other layouts; an engine answers at once."""

import pytest
from builders import sessions
from builders.processes import a_comparable_case, a_process
from builders.samples import a_context, paired_samples, work_samples

from windtunnel.asv.protocol import ProcessEnded, ProcessesDone
from windtunnel.compare import relinking
from windtunnel.compare.decide import decide
from windtunnel.compare.relinking import CHANGES_NOTHING, LAYOUTS, Relinking, choose_relinked
from windtunnel.compare.request import CompareRequest
from windtunnel.errors import DataError
from windtunnel.model.schedule import Arm


class AnEngine:
    """Head takes *factor* times as long as base."""

    def __init__(self, factor):
        self.factor, self.asked, self.ran = factor, (), 0

    def send(self, request):
        self.asked = request.processes

    def events(self):
        for scheduled in self.asked:
            self.ran += 1
            value = 1.0 + 0.003 * (self.ran // 2 % 3)
            value *= self.factor if scheduled.arm is Arm.HEAD else 1.0
            yield ProcessEnded(
                process=a_process(scheduled.arm, (value,), name=scheduled.benchmark, stage=scheduled.stage)
            )
        yield ProcessesDone()


CASE = a_comparable_case()


def measured(monkeypatch, *builds, layouts=2, seconds=0.0):
    """What is found where the layouts are built as *builds*: pairs, or errors; and with which flags."""
    given, flags = iter(builds), []

    def build(stack, request, setup, environment):
        flags.append((setup.supervisor.env, setup.folder.name))
        one = next(given)
        if isinstance(one, DataError):
            raise one
        return one

    monkeypatch.setattr(relinking, "build_pair", build)
    session = sessions.a_session(AnEngine(1.1), [CASE], CompareRequest(base="b", head="h"), lambda: seconds, "usual")
    found = Relinking(setup=session.setup, request=session.request)
    (comparison,) = decide(a_context(), [paired_samples(ratio=1.1, fresh=1.1, environment="env")]).comparisons
    found.measure([comparison], session.pairs, layouts, 10.0)
    return found, flags


@pytest.mark.parametrize(
    ("chosen", "what"),
    [
        (True, {"ratio": 1.3, "fresh": 1.3, "work": work_samples(1.0, spread=0.0)}),
        (False, {"ratio": 1.3, "fresh": 1.3, "work": work_samples(1.2, spread=0.0)}),
        (False, {"ratio": 1.3, "fresh": 1.3}),
        (False, {"ratio": 1.0, "work": work_samples(1.0, spread=0.0)}),
    ],
    ids=["same work", "more work", "not counted", "not slower"],
)
def test_changes_with_the_same_work_are_measured_in_other_layouts(chosen, what):
    """More work needs no other reason."""
    report = decide(a_context(), [paired_samples(**what)])
    assert bool(choose_relinked(report.comparisons)) is chosen


def a_layout(factor, artifact="another"):
    return sessions.a_pair(AnEngine(factor), [CASE], artifact)


def test_each_layout_has_its_change_and_its_flags(monkeypatch):
    """The layouts are built in folders of their own."""
    found, flags = measured(monkeypatch, a_layout(1.0), a_layout(1.2))
    first, second = found.found[CASE.samples.identity]
    assert (first.layout, second.layout) == (LAYOUTS[0].name, LAYOUTS[1].name)
    assert first.interval.low <= 0 <= first.interval.high
    assert second.interval.low > 0.15
    assert [env["CFLAGS"] for env, _ in flags] == [layout.compiler for layout in LAYOUTS[:2]]
    assert [folder for _, folder in flags] == ["layout-1", "layout-2"]
    assert not found.notes


def test_flags_of_the_user_stay():
    """Ours follow, so that they apply."""
    assert LAYOUTS[0].variables({"CFLAGS": "-O2", "HOME": "x"}) == {
        "CFLAGS": f"-O2 {LAYOUTS[0].compiler}",
        "CXXFLAGS": LAYOUTS[0].compiler,
        "LDFLAGS": LAYOUTS[0].linker,
        "HOME": "x",
    }


def test_a_project_without_compiled_code_is_built_once_more(monkeypatch):
    """Its builds are equal, and a note says so."""
    found, flags = measured(monkeypatch, a_layout(1.0, artifact="usual"))
    assert (len(flags), found.found) == (1, {})
    assert CHANGES_NOTHING in found.notes[0]


def test_a_layout_that_cannot_be_built_is_noted(monkeypatch):
    """The linker may not know the option; the others are measured."""
    found, _ = measured(monkeypatch, DataError("unrecognized option"), a_layout(1.0))
    assert [one.layout for one in found.found[CASE.samples.identity]] == [LAYOUTS[1].name]
    assert "unrecognized option" in found.notes[0]


def test_no_layout_is_built_after_the_time_limit(monkeypatch):
    """A note says so."""
    found, flags = measured(monkeypatch, seconds=11.0)
    assert (flags, found.found, len(found.notes)) == ([], {}, 1)
