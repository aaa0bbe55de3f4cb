"""Tests for windtunnel.asv.function_profiler."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import ClassVar

import asv_runner
import pytest
from builders.folders import write_files

from windtunnel.asv.callgrind import CompiledFunction, CountedCosts
from windtunnel.asv.function_profiler import RunnerFunction, RunnerNode, RunnerProfile, build_profile, profile_case
from windtunnel.asv.instruction_counter import missing_tool
from windtunnel.asv.launcher import in_every_benchmark
from windtunnel.asv.measure import InstalledCommit, SetupCaches
from windtunnel.asv.pythons import find_interpreters
from windtunnel.model.schedule import CountedCase

LIBRARY = "/usr/lib/libpython3.13.so.1.0"


def python(name, line=1):
    return RunnerFunction(name, "pkg/mod.py", "/site/pkg/mod.py", line, is_c=False, own=False)


def compiled(name):
    return RunnerFunction(name, "", "", 0, is_c=True, own=False)


PROFILE = RunnerProfile(
    functions=(
        python("run"),
        compiled("sorted"),
        python("key"),
        RunnerFunction("ProfilingClock.__call__", "r.py", "r.py", 1, is_c=False, own=True),
    ),
    nodes=(
        RunnerNode(0, 0, 1, 1, 3e-6, 3e-6),
        RunnerNode(1, 1, 1, 1, 1e-6, 1e-6),
        RunnerNode(2, 2, 5, 5, 2e-6, 2e-6),
        RunnerNode(0, 3, 1, 1, 9e-6, 9e-6),
        RunnerNode(4, 2, 1, 1, 9e-6, 9e-6),
    ),
)
COUNTED = (
    {("run", "/site/pkg/mod.py"): 4000, ("key", "/site/pkg/mod.py"): 500, ("other", "x.py"): 9},
    CountedCosts(
        Counter(
            {
                CompiledFunction("list_sort_impl.isra.0", LIBRARY): 3000,
                CompiledFunction("_PyEval_EvalFrameDefault'2", LIBRARY): 90_000,
                CompiledFunction("0x00000000001b2c30", LIBRARY): 700,
                CompiledFunction("malloc", "/usr/lib/libc.so.6"): -3,
            }
        ),
        Counter({CompiledFunction("list_sort_impl.isra.0", LIBRARY): 1}),
        Counter(),
    ),
)


def test_without_counts_functions_have_times():
    """Calls and seconds are per call of the benchmark; the profiler's own functions and their callees are left out."""
    made = build_profile(PROFILE)
    assert [(one.name, one.calls, one.seconds, one.instructions) for one in made.functions] == [
        ("run", 1, pytest.approx(3e-6), None),
        ("sorted", 1, pytest.approx(1e-6), None),
        ("key", 5, pytest.approx(2e-6), None),
    ]
    assert [(stack.frames, stack.calls) for stack in made.stacks] == [((0,), 1), ((0, 1, 2), 5), ((0, 1), 1)]


def test_instructions_of_a_function_are_divided_by_time_among_what_it_calls_that_is_compiled():
    """The counter gives those of compiled functions to the Python function around them."""
    made = build_profile(PROFILE, *COUNTED)
    assert {one.name: one.instructions for one in made.functions} == {
        "run": pytest.approx(4000),
        "sorted": None,
        "key": pytest.approx(500),
        "list_sort_impl": 3000,
    }
    weights = {stack.frames: stack.weight for stack in made.stacks}
    assert weights == {(0,): pytest.approx(3000), (0, 1): pytest.approx(1000), (0, 1, 2): pytest.approx(500)}


def test_a_function_without_a_trampoline_has_its_share_of_its_caller():
    """CPython enters some constructors directly, and the counter sees them as a part of their caller."""
    profile = RunnerProfile(
        functions=(python("run"), python("Parser.__init__", 9)),
        nodes=(RunnerNode(0, 0, 1, 1, 1e-6, 1e-6), RunnerNode(1, 1, 1, 1, 3e-6, 3e-6)),
    )
    counted = {("run", "/site/pkg/mod.py"): 400}
    found = {one.name: one.instructions for one in build_profile(profile, counted).functions}
    assert (found["run"], found["Parser.__init__"]) == (pytest.approx(100), pytest.approx(300))


def test_compiled_functions_of_the_counter_have_their_library_and_calls():
    """The interpreter's loop stands for all Python code, and an address for nothing; neither is named."""
    symbol = build_profile(PROFILE, *COUNTED).functions[-1]
    assert (symbol.name, symbol.file, symbol.calls, symbol.is_c) == ("list_sort_impl", "libpython3.13.so.1.0", 1, True)


def test_functions_of_one_name_share_their_instructions_by_calls():
    """A property and its setter have one qualified name; the counter cannot distinguish them."""
    profile = RunnerProfile(
        functions=(python("P.size", 3), python("P.size", 8)),
        nodes=(RunnerNode(0, 0, 3, 3, 1e-6, 1e-6), RunnerNode(0, 1, 1, 1, 1e-6, 1e-6)),
    )
    counted = {("P.size", "/site/pkg/mod.py"): 400}
    assert [one.instructions for one in build_profile(profile, counted).functions] == [300, 100]


def test_the_smallest_stacks_count_for_the_one_around_them(monkeypatch):
    """An artifact has a limit, and no cost is lost."""
    monkeypatch.setattr("windtunnel.asv.function_profiler.MAX_STACKS", 2)
    made = build_profile(PROFILE)
    assert {stack.frames: stack.weight for stack in made.stacks} == {
        (0,): pytest.approx(4e-6),
        (0, 1, 2): pytest.approx(2e-6),
    }


class Python:
    """A Python, as an environment of asv."""

    env_vars: ClassVar = {}

    def __init__(self, path=sys.executable):
        """Use the one at *path*."""
        self.path = str(path)

    def run(self, arguments, *, return_popen, env, cwd):
        """Start it."""
        assert return_popen
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([self.path, *arguments], env=env, cwd=cwd, start_new_session=True, **streams)


SUITE = """
class Suite:
    params = [3, 4]

    def setup(self, count):
        self.numbers = list(range(count))
        helper(1)

    def time_work(self, count):
        for number in self.numbers:
            helper(number)

    def time_fails(self, count):
        raise ValueError("the data is missing")

    async def time_async(self, count):
        helper(count)


def helper(number):
    return sorted(range(number))
"""


@pytest.fixture
def suite(tmp_path):
    """The path of a suite with one module."""
    return str(write_files(tmp_path / "benchmarks", {"__init__.py": "", "bench.py": SUITE}))


def profiled(suite, name, index=1, python=None):
    name = f"bench.Suite.{name}"
    entries = {name: {"name": name, "params": [["3", "4"]], "timeout": 60.0}}
    caches = SetupCaches(entries=entries, create=None)
    commit = InstalledCommit(env=python or Python(), suite=suite, entries=entries, caches=caches)
    with in_every_benchmark():
        return profile_case(commit, CountedCase(commit="head", benchmark=name, index=index))


def test_a_case_that_fails_has_a_reason_instead_of_a_profile(suite):
    """The comparison goes on."""
    found = profiled(suite, "time_fails")
    assert "the data is missing" in found.reason
    assert not found.functions


def test_a_case_is_profiled_without_its_setup(suite, monkeypatch):
    """The parameters are those of the index; the setup runs between calls."""
    monkeypatch.setattr("windtunnel.asv.function_profiler.missing_tool", lambda: "no valgrind")
    found = {one.name: one for one in profiled(suite, "time_work").functions}
    assert found["helper"].calls == 4
    assert found["helper"].file == "benchmarks/bench.py"
    assert found["sorted"].is_c
    assert "Suite.setup" not in found


def with_trampolines():
    """A Python whose functions callgrind distinguishes; None without one."""
    found = [one for one in find_interpreters(os.environ) if re.fullmatch(r"3\.1[2-9]", one.spec)]
    return max(found, key=lambda one: one.spec, default=None)


@pytest.mark.skipif(missing_tool() != "", reason=missing_tool())
def test_instructions_are_counted_for_each_function(suite, tmp_path, monkeypatch):
    """Those of compiled functions count for the Python function that calls them."""
    if not (python := with_trampolines()):
        pytest.skip("needs CPython 3.12 or newer")
    (tmp_path / "asv_runner").symlink_to(Path(asv_runner.__file__).parent)
    monkeypatch.setenv("ASV_PYTHONPATH", str(tmp_path))
    found = {one.name: one for one in profiled(suite, "time_work", python=Python(python.path)).functions}
    assert found["helper"].instructions > found["Suite.time_work"].instructions > 0
    assert found["sorted"].calls == 4
