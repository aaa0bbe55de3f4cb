"""Counts of a real suite under a real valgrind, in asv's own environment object and a bare Python."""

import shutil
from contextlib import closing

import psutil
import pytest
from asv.runner import Spawner
from builders.existing import a_suite, an_environment

from windtunnel.asv import instruction_counter
from windtunnel.asv.discovery import discover_modules
from windtunnel.asv.instruction_counter import count_cases
from windtunnel.asv.launcher import in_every_benchmark
from windtunnel.asv.measure import InstalledCommit, SetupCaches
from windtunnel.model.schedule import COMPARED_COMMITS, CountedCase

pytestmark = pytest.mark.skipif(
    shutil.which("valgrind") is None, reason="needs valgrind: sudo apt-get install valgrind"
)

SUITE = """
import asyncio
import os
import subprocess
import threading
import time

class Loop:
    params = [2000, 2020]
    def time_loop(self, turns):
        total = 0
        for number in range(turns):
            total += number & 7

async def time_turns():
    for _ in range(200):
        await asyncio.sleep(0)

class Prepared:
    def setup(self):
        self.numbers = [number & 127 for number in range(200000)]
    def time_last(self):
        while len(self.numbers) > 199800: self.numbers.pop()  # the first call alone; a lookup missed, 291, is nothing

class Ends:
    params = ["absent", "fails", "dies", "threads"]
    def setup(self, way):
        if way == "absent":
            raise NotImplementedError("no such disk")
    def time_end(self, way):
        if way == "fails":
            raise OSError("no server")
        if way == "dies":
            os.kill(os.getpid(), 9)
        if way == "threads":
            one = threading.Thread(target=sum, args=(range(1000),))
            one.start()
            one.join()

class Server:
    def setup(self):
        self.server = subprocess.Popen(["sleep", "60"])
    def teardown(self):
        self.server.kill()
        self.server.wait()

class Client(Server):
    def time_server_unsaid(self):
        sum(range(1000))

class ClientAlone(Server):
    setup_starts_servers = True
    def time_server_said(self):
        sum(range(1000))

class Hangs:
    def time_hang(self):
        time.sleep(60)

def track_size():
    return 1
"""


@pytest.fixture(scope="module")
def commit(tmp_path_factory, bare_python):
    """The suite in asv's own environment object."""
    folder = tmp_path_factory.mktemp("counts")
    env, suite = an_environment(folder, bare_python()), str(a_suite(folder, SUITE))
    with in_every_benchmark():  # also around the discovery, which compiles the plugin: the first count would, otherwise
        entries = {entry["name"]: {"timeout": 30, **entry} for entry in discover_modules(env, suite)[0]}
        with closing(SetupCaches(entries=entries, create=Spawner(env, suite).create_setup_cache)) as caches:
            yield InstalledCommit(env=env, suite=suite, entries=entries, caches=caches)


@pytest.fixture(scope="module")
def counted(commit):
    """The counts of each case with one seed, of two commits, which are one; and what still runs afterwards.

    Both count the same cases first: what a process did before moves a turn of asyncio by 20 of 21,600 instructions.
    """
    others, found = psutil.Process().children(recursive=True), {}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(instruction_counter, "MAX_SECONDS", 120.0)
        in_order = sorted(commit.entries.items(), key=lambda item: ("Hangs" in item[0], is_of_head(item[0])))
        cases = [
            CountedCase(commit=each, benchmark=name, index=index)
            for name, entry in in_order
            for index in range(len(entry["params"][0]) if entry["params"] else 1)
            for each in (("head",) if is_of_head(name) else COMPARED_COMMITS)
        ]
        with closing(count_cases(dict.fromkeys(COMPARED_COMMITS, commit), cases, (1,))) as counts:
            awaited = {case for case in cases if not case.benchmark.endswith("time_hang")}
            for case, count in counts:
                found[case.commit, case.benchmark.rpartition(".")[2], case.index] = count
                awaited.discard(case)
                if not awaited:
                    break
    left = [each for each in psutil.Process().children(recursive=True) if each.status() != "zombie"]
    return found, [each.cmdline() for each in left if each not in others]


def is_of_head(name):
    """Whether a benchmark is counted on head alone, after those that are compared."""
    return name.partition(".")[2].startswith(("Ends", "track"))


def per_call(counted, name, index=0, commit="head"):
    """Instructions of a call of a case."""
    count = counted[0][commit, name, index]
    assert count.reason == ""
    (instructions,) = count.per_call
    return instructions


def test_equal_code_has_equal_counts(counted):
    """The same seed repeats to two parts in a thousand, also with an event loop and with a setup for each call."""
    for name in ("time_loop", "time_turns", "time_last"):
        base, head = (per_call(counted, name, commit=commit) for commit in COMPARED_COMMITS)
        assert base == pytest.approx(head, rel=2e-3)


def test_one_per_cent_more_turns_are_one_per_cent_more_instructions(counted):
    """That is far below what times show."""
    change = per_call(counted, "time_loop", 1) / per_call(counted, "time_loop", 0) - 1
    assert change == pytest.approx(0.01, abs=0.001)


def test_neither_setup_nor_start_is_counted(counted):
    """Making the list takes ten million, taking a part of it off far less; a second call after a setup does nothing."""
    assert 100_000 < per_call(counted, "time_last") < 900_000


@pytest.mark.parametrize(
    ("name", "index", "reason"),
    [
        ("time_end", 0, "no such disk"),
        ("time_end", 1, "OSError: no server"),
        ("time_end", 2, "SIGKILL"),
        ("track_size", 0, "a benchmark of type track is not timed"),
    ],
)
def test_what_cannot_be_counted_has_a_reason(counted, name, index, reason):
    """Skipped, failed, died, or of another kind; the other cases are counted."""
    count = counted[0]["head", name, index]
    assert count.per_call == ()
    assert reason in count.reason


def test_a_case_with_threads_says_so(counted):
    """Its counts do not see all of its work, or depend on the scheduler."""
    assert counted[0]["head", "time_end", 3].other_threads
    assert not counted[0]["head", "time_loop", 0].other_threads


def test_a_server_that_the_suite_names_is_no_part_of_the_case(counted):
    """Processes that a setup starts without a word may do a part of the job."""
    assert counted[0]["head", "time_server_unsaid", 0].other_threads
    said = counted[0]["head", "time_server_said", 0]
    assert said.per_call
    assert not said.other_threads


def test_nothing_outlives_the_count(counted):
    """The two processes of the case that hangs were ended."""
    assert counted[1] == []
