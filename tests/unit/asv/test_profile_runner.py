"""Tests for windtunnel.asv.profile_runner, with the Python that runs the tests."""

import asyncio
import sysconfig
import threading

import pytest

from windtunnel.asv.open_case import counted_allocator
from windtunnel.asv.profile_runner import CallTree, ProfilingClock, describe, name_files


@pytest.fixture
def clock():
    """A clock that profiles."""
    made = ProfilingClock()
    made.is_on = True
    return made


def profiled(clock, work, calls=1):
    """Calls of each function by name, and of each stack, when *work* runs between two readings."""
    clock()
    try:
        for _ in range(calls):
            work()
    finally:
        clock()
        clock.end_sample()
    found = describe(clock, calls, name_files("benchmarks"), 0.0)
    functions = found["functions"]
    paths = {0: ()}
    stacks = {}
    for number, (parent, function, made, entries, *_) in enumerate(found["nodes"], 1):
        if functions[function]["own"] or parent not in paths:  # the clock and what it calls
            continue
        name = functions[function]["name"].rpartition(".")[2]
        paths[number] = (*paths[parent], name)
        stacks[" > ".join(paths[number])] = (made, entries)
    return stacks


def leaf():
    """Do nothing."""


def middle():
    leaf()
    leaf()
    return sorted([3, 1, 2], key=abs)


def recursive(depth):
    return depth and recursive(depth - 1)


def generator():
    yield from (1, 2, 3)


def raising():
    try:
        fails()
    except ValueError:
        leaf()


def fails():
    int("no number")


async def waiting():
    await asyncio.sleep(0)
    leaf()
    await asyncio.sleep(0)


def test_calls_are_counted_by_stack(clock):
    """Compiled functions are counted, and what they call."""
    stacks = profiled(clock, middle, calls=3)
    assert stacks["middle"] == (1, 1)
    assert stacks["middle > leaf"] == (2, 2)
    assert stacks["middle > sorted"] == (1, 1)


def test_a_recursion_is_one_stack(clock):
    """Its depth depends on data; the report names the function once."""
    assert profiled(clock, lambda: recursive(50))["<lambda> > recursive"] == (51, 51)


def test_a_resumed_generator_is_not_called_again(clock):
    """Its entries are counted beside its calls."""
    assert profiled(clock, lambda: list(generator()))["<lambda> > generator"] == (1, 4)


def test_an_exception_leaves_the_functions_that_it_ends(clock):
    """What runs after it is not in the stack of what failed."""
    stacks = profiled(clock, raising)
    assert stacks["raising > leaf"] == (1, 1)
    assert stacks["raising > fails"] == (1, 1)


def test_a_coroutine_is_called_once_however_often_it_waits(clock):
    """The loop resumes it."""
    loop = asyncio.new_event_loop()
    try:
        stacks = profiled(clock, lambda: loop.run_until_complete(waiting()))
    finally:
        loop.close()
    found = [counted for path, counted in stacks.items() if path.endswith("waiting")]
    assert sum(made for made, _ in found) == 1
    assert sum(entries for _, entries in found) == 3
    assert sum(made for path, (made, _) in stacks.items() if path.endswith("leaf")) == 1


def test_two_runs_count_the_same(clock):
    """Counts are deterministic; times are not."""
    assert profiled(clock, middle) == profiled(clock, middle)


def test_other_threads_are_not_counted(clock):
    """Their calls would end up in a stack of this one."""

    def work():
        thread = threading.Thread(target=leaf)
        thread.start()
        thread.join()

    assert not any(path.split(" > ")[-1] == "leaf" for path in profiled(clock, work))


def test_nothing_is_profiled_outside_of_two_readings(clock):
    """Setups run between samples."""
    stacks = profiled(clock, leaf)
    middle()
    assert profiled(clock, leaf).keys() == stacks.keys()


def test_functions_are_named_as_the_source_names_them(clock):
    """Qualified name, file relative to the search path, and line."""
    profiled(clock, middle)
    found = {one["name"]: one for one in describe(clock, 1, name_files("benchmarks"), 0.0)["functions"]}
    assert found["middle"]["line"] == middle.__code__.co_firstlineno
    assert found["middle"]["file"].endswith("test_profile_runner.py")
    assert not found["middle"]["file"].startswith("/")
    assert found["sorted"]["is_c"]


def test_more_stacks_than_the_limit_count_for_the_function(monkeypatch):
    """A tree of calls may have millions of stacks."""
    monkeypatch.setattr("windtunnel.asv.profile_runner.MAX_NODES", 3)
    tree = CallTree()
    tree.begin()
    for outer in "abc":
        tree.enter(outer, 1)
        tree.enter("x", 1)
        tree.leave("x")
        tree.leave(outer)
    assert len(tree.keys) <= 6
    assert sum(calls for key, calls in zip(tree.keys, tree.calls, strict=True) if key == "x") == 3


@pytest.mark.parametrize(("free_threaded", "variables"), [(0, {"PYTHONMALLOC": "malloc"}), (1, {})])
def test_counted_processes_allocate_by_the_c_library(monkeypatch, free_threaded, variables):
    """Profiles as counts, so that both see the same work; a free-threaded Python does not start with malloc."""
    monkeypatch.setattr(sysconfig, "get_config_var", {"Py_GIL_DISABLED": free_threaded}.get)
    assert counted_allocator() == variables
