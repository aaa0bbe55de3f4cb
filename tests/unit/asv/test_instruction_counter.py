"""Why cases cannot be counted, and what becomes of the counts of all seeds."""

import threading
from time import monotonic
from types import SimpleNamespace

import pytest

from windtunnel.asv import instruction_counter
from windtunnel.asv.instruction_counter import LATE, Counting, why_not
from windtunnel.model.schedule import CountedCase, InstructionCounts

CASE = CountedCase(commit="head", benchmark="jobs.time_it", index=0)


class Environment:
    """An environment whose Python has a name."""

    def __init__(self, implementation):
        self._implementation = implementation

    def run(self, _args, **_how):
        return f"{self._implementation}\n"


@pytest.fixture
def with_valgrind(monkeypatch):
    """A machine that has it."""
    monkeypatch.setattr(instruction_counter.shutil, "which", lambda name: f"/usr/bin/{name}")


def test_without_valgrind_the_reason_names_the_command_that_installs_it(monkeypatch):
    """Nothing can be counted, and the reader knows what to do."""
    monkeypatch.setattr(instruction_counter.shutil, "which", lambda _name: None)
    assert "sudo apt-get install valgrind" in why_not(Environment("cpython"))


@pytest.mark.usefixtures("with_valgrind")
def test_only_cpython_is_counted():
    """PyPy compiles while it runs."""
    assert why_not(Environment("cpython")) == ""
    assert "pypy" in why_not(Environment("pypy"))


def test_other_systems_are_refused(monkeypatch):
    """Valgrind has no macOS of today."""
    monkeypatch.setattr(instruction_counter.sys, "platform", "darwin")
    assert "Linux" in why_not(Environment("cpython"))


def taken(*events, seeds=(1, 2)):
    """What is yielded after *events*, pairs of a seed and what its process says."""
    counting = Counting(commits={}, seeds=seeds, left={CASE: {}})
    return [outcome for seed, event in events for outcome in counting._taken(seed, CASE, event)]


def test_counting_ends_in_time(monkeypatch):
    """A process that takes longer is ended, and what it has not counted has a reason."""
    begun, ended = [], threading.Event()
    monkeypatch.setattr(Counting, "_count", lambda *_: begun.append(1) or ended.wait(0.5))
    commit = SimpleNamespace(entries={CASE.benchmark: {}})
    counting = Counting(commits={"head": commit}, seeds=(1,), left={CASE: {}}, ends=monotonic() + 0.05)
    assert list(counting.run()) == [(CASE, InstructionCounts(reason=LATE))]
    assert begun


def an_event(instructions, *, calls=8, other=False):
    return {"instructions": instructions, "calls": calls, "other": other}


def test_a_case_is_known_when_all_seeds_are_there():
    """The counts are in the order of the seeds, whichever ended first."""
    assert taken((2, an_event(20.0))) == []
    found = taken((2, an_event(20.0, calls=4)), (1, an_event(10.0, other=True)))
    assert found == [(CASE, InstructionCounts(per_call=(10.0, 20.0), calls=4, other_threads=True))]


def test_one_failed_seed_is_enough():
    """A case that fails once is not counted again; what its other seeds say comes too late."""
    found = taken((1, {"failed": "no server"}), (2, an_event(20.0)))
    assert found == [(CASE, InstructionCounts(reason="no server"))]


def test_the_users_tunables_of_glibc_are_kept():
    """Ours come last, so they hold for the processor."""
    given = {"GLIBC_TUNABLES": "glibc.malloc.check=1"}
    assert instruction_counter._tunables({}, given).startswith("glibc.malloc.check=1:glibc.cpu.hwcaps=")
    assert instruction_counter._tunables({}, {}) == instruction_counter.TUNABLES
