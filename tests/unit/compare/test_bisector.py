"""A whole search, over commits and over packages, on measurements from known levels."""

from types import SimpleNamespace

import numpy as np
import pytest
from builders.bisections import a_search
from builders.processes import a_comparable_case, a_process

from tests.builders.profiles import profile
from windtunnel.compare import bisector
from windtunnel.compare.bisect_format import CandidateCommit, package_candidates
from windtunnel.compare.bisector import Bisector
from windtunnel.compare.cause import OPPOSITE
from windtunnel.errors import DataError
from windtunnel.model.build_change import PackageChange
from windtunnel.model.schedule import COMPARED_COMMITS, Arm, CaseProfile, FunctionCost, InstructionCounts, StackCost


class Measured:
    """Measurements of what *time* and *work* say of the commit and the packages on a side."""

    def __init__(self, monkeypatch, time, work=None):
        self.time, self.work, self.asked, self.rng = time, work or time, [], np.random.default_rng(0)
        for name in ("measure_rounds", "count_instructions", "profile_case"):
            monkeypatch.setattr(bisector, name, getattr(self, name))

    def measure_rounds(self, setup, case, sides, rounds):
        self.asked.append(("time", sides.head, sides.packages[1]))
        levels = self.time(sides.base, sides.packages[0]), self.time(sides.head, sides.packages[1])
        return tuple(
            a_process(arm, (level * float(np.exp(self.rng.normal(0, 0.01))),))
            for _ in range(rounds)
            for arm, level in zip((Arm.BASE, Arm.HEAD), levels, strict=True)
        )

    def count_instructions(self, setup, case, sides, commits):
        self.asked.append(("counts", sides.head, sides.packages[1]))
        of = {"base": (sides.base, sides.packages[0]), "head": (sides.head, sides.packages[1])}
        return {one: InstructionCounts(per_call=(1e6 * self.work(*of[one]),) * 3, calls=5) for one in commits}

    def profile_case(self, setup, case, sides):
        costs = (("base", 100.0), ("head", 200.0))
        return {
            commit: CaseProfile(
                functions=(FunctionCost(name="parse", file="spam.py", line=1, calls=1.0, instructions=cost),),
                stacks=(StackCost(frames=(0,), weight=cost, calls=1.0),),
            )
            for commit, cost in costs
        }


def searched(state, *, count=True, expected=None, now=0.0):
    """The answer from *state*, and every state that was saved on the way."""
    saved = []
    setup = SimpleNamespace(machine=SimpleNamespace(name="m"), clock=lambda: now)
    search = Bisector(
        setup=setup,
        case=a_comparable_case(),
        save=saved.append,
        log=lambda text: None,
        count=count,
        expected=expected,
        find_touched=lambda base, head: None,
    )
    return search.search(state, 1.0), saved


COMMITS = tuple(CandidateCommit(hash=f"c{number}", subject=f"commit {number}") for number in range(9))


def from_commit(number, factor=1.3):
    """The level is *factor* from this commit on."""
    return lambda commit, packages: factor if int(commit[1:]) >= number else 1.0


def test_counts_decide_an_alert_without_measuring_time(monkeypatch):
    """The change is known from the history."""
    measured = Measured(monkeypatch, from_commit(5))
    found, _ = searched(a_search(COMMITS), expected=0.3)
    assert (found.answer, found.before, found.after) == ("commit", "c4", "c5")
    assert found.decided_by == "instructions"
    assert found.relative_change == pytest.approx(0.3)
    assert {kind for kind, _, _ in measured.asked} == {"counts"}
    assert len(measured.asked) <= 4
    assert [one.name for one in found.cause.functions] == ["parse"], found.cause


def test_without_an_alert_time_shows_first_what_counts_must_explain(monkeypatch):
    """The ends alone are measured; the commits between are counted."""
    measured = Measured(monkeypatch, from_commit(5))
    found, _ = searched(a_search(COMMITS))
    assert (found.after, found.decided_by) == ("c5", "instructions")
    assert {head for kind, head, _ in measured.asked if kind == "time"} == {"c8"}


@pytest.mark.parametrize(
    "work", [from_commit(99), from_commit(2, 1.02)], ids=["the same work", "another change of work"]
)
def test_time_decides_where_counts_do_not_explain_the_change(monkeypatch, work):
    """Memory layout, or a commit with a little more work that is not the cause."""
    Measured(monkeypatch, from_commit(5), work)
    found, _ = searched(a_search(COMMITS), expected=0.3)
    assert (found.after, found.decided_by) == ("c5", "time")
    assert found.interval.low < 0.3 < found.interval.high


def test_saved_counts_do_not_decide_where_time_alone_was_asked_for(monkeypatch):
    """The same search with --no-instructions continues from the same file."""
    Measured(monkeypatch, from_commit(5))
    _, saved = searched(a_search(COMMITS))
    again, _ = searched(saved[-1], count=False)
    assert (again.after, again.decided_by) == ("c5", "time")
    assert again.cause is None


def test_times_of_profiles_must_not_contradict_the_change(monkeypatch):
    """The commit is slower; a profile that shows less time explains nothing."""
    measured = Measured(monkeypatch, from_commit(5))
    times = profile(("parse", 1, 2e-3), seconds=True), profile(("parse", 1, 1e-3), seconds=True)
    monkeypatch.setattr(bisector, "profile_case", lambda *_: dict(zip(COMPARED_COMMITS, times, strict=True)))
    found, _ = searched(a_search(COMMITS), expected=0.3)
    assert measured.asked
    assert found.after == "c5"
    assert (found.cause.functions, found.cause.notes) == ((), (OPPOSITE,))


def test_a_search_that_is_out_of_time_continues_later(monkeypatch):
    """What was measured is saved."""
    measured = Measured(monkeypatch, from_commit(5))
    begun, _ = searched(a_search(COMMITS), expected=0.3, now=2.0)
    assert (begun.answer, begun.reason, measured.asked) == ("unfinished", "out of time", [])
    _, saved = searched(a_search(COMMITS), expected=0.3)
    done = len(measured.asked)
    found, _ = searched(saved[-1], expected=0.3)
    assert (found.after, len(measured.asked)) == ("c5", done)


PACKAGES = tuple(PackageChange(name=name, before="1", after="2") for name in ("a", "b", "c", "d"))


def over_packages():
    return a_search(package_candidates(PACKAGES), packages=PACKAGES, commit="c8", commits_explain="equal")


@pytest.mark.parametrize("count", [True, False])
@pytest.mark.parametrize(
    ("needed", "found", "alone"), [({"c"}, "c", True), ({"a", "c"}, "c", False), ({"a"}, "a", True)]
)
def test_the_package_is_found_and_asked_alone(monkeypatch, count, needed, found, alone):
    """One that needs an earlier one does nothing alone; the first of the list was measured alone already."""

    def level(commit, packages):
        return 1.3 if needed <= {one.partition("==")[0] for one in packages if one.endswith("==2")} else 1.0

    Measured(monkeypatch, level)
    answer, _ = searched(over_packages(), count=count, expected=0.3)
    assert (answer.answer, answer.after, answer.alone_shows) == ("commit", found, alone)
    assert answer.cause is None


def test_packages_that_need_each_other_leave_a_range(monkeypatch):
    """A set in which only one of them has moved cannot be imported."""
    measured = Measured(monkeypatch, lambda commit, packages: 1.3 if "c==2" in packages else 1.0)
    rounds = measured.measure_rounds

    def broken(setup, case, sides, number):
        if ("b==2" in sides.packages[1]) != ("c==2" in sides.packages[1]):
            raise DataError("cannot import b")
        return rounds(setup, case, sides, number)

    monkeypatch.setattr(bisector, "measure_rounds", broken)
    found, _ = searched(over_packages(), count=False)
    assert (found.answer, found.before, found.after) == ("range", "a", "c")
