"""Blocks run real suites with asv's own environment object and a bare Python."""

import os
import signal
import threading
from contextlib import closing
from time import monotonic

import pytest
from asv.runner import Spawner
from builders.existing import a_suite, an_environment, entries_of

from windtunnel.asv.block_engine import Blocks
from windtunnel.asv.launcher import in_every_benchmark
from windtunnel.asv.measure import InstalledCommit, SetupCaches
from windtunnel.asv.paired_engine import DEFAULT_REPEAT
from windtunnel.asv.protocol import MeasureBlock
from windtunnel.model.schedule import CountedCase

LOG = """
import os
from pathlib import Path

def note(what):
    with open(os.environ["BLOCK_LOG"], "a") as log:
        log.write(f"{os.getpid()} {what}\\n")
"""
SUITE = (
    LOG
    + """
class Requests:
    params = ["one", "two"]
    number, repeat, warmup_time = 1, 2, 0
    async def setup(self, name):
        import asyncio
        self.loop = asyncio.get_running_loop()
    async def latency_request(self, name):
        import asyncio
        assert self.loop is asyncio.get_running_loop()
        return {"one": [0.5], "two": [0.25, 0.75]}[name]

def time_twice():
    note("timed")
time_twice.number, time_twice.repeat, time_twice.warmup_time = 1, 2, 0

class Opened:
    params = ["a", "b"]
    number, repeat, warmup_time = 1, 1, 0
    def setup(self, name):
        note(f"setup {name}")
    def teardown(self, name):
        note(f"teardown {name}")
    def track_it(self, name):
        note(f"run {name}")
        return {"a": 1, "b": 2.5}[name]

class Faulty:
    params = ["fine", "skips", "fails", "fails late", "exits", "dies", "hangs", "text", "infinite", "teardown"]
    timeout = 3.0
    def setup(self, way):
        self.runs = 0
        if way == "skips":
            raise NotImplementedError("no such disk")
        if way == "fails":
            raise OSError("no server")
    def teardown(self, way):
        note(f"teardown {way}")
        if way == "teardown":
            raise OSError("still open")
    def track_it(self, way):
        self.runs += 1
        if way == "fails late" and self.runs == 3:
            raise ValueError("third run")
        if way == "exits":
            raise SystemExit(3)
        if way == "dies":
            os.kill(os.getpid(), 9)
        if way == "hangs":
            import time
            time.sleep(60)
        return {"text": "one", "infinite": float("inf")}.get(way, 1)

class Cached:
    def setup_cache(self):
        note("cache")
        return [7, 8]
    def track_cache(self, cache):
        return sum(cache)
    def track_folder(self, cache):
        Path("mine").write_text("")
        return len(cache)

def timeraw_import():
    return "import json"
timeraw_import.number = timeraw_import.repeat = 1

def mem_list():
    return [0] * 1000

def peakmem_list():
    return [0] * 1000

def time_quick():
    pass

def track_parent():
    import subprocess, sys
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    note(f"child {child.pid}")
    return 1
"""
)


@pytest.fixture(scope="module")
def found(tmp_path_factory, bare_python):
    """The environment, the suite, and the benchmarks that asv finds there; pympler measures objects."""
    folder = tmp_path_factory.mktemp("blocks")
    env, suite = an_environment(folder, bare_python(packages=("pympler",))), str(a_suite(folder, SUITE))
    return env, suite, entries_of(env, suite)


@pytest.fixture
def blocks(found, tmp_path, monkeypatch):
    """Blocks of the suite; what it notes is in the file ``noted``."""
    monkeypatch.setenv("BLOCK_LOG", str(tmp_path / "noted"))
    env, suite, entries = found
    spawner = Spawner(env, suite)
    with in_every_benchmark(), closing(SetupCaches(entries=entries, create=spawner.create_setup_cache)) as caches:
        commit = InstalledCommit(env=env, suite=suite, entries=entries, caches=caches)
        yield Blocks(commit=commit, spawner=spawner)


def noted(tmp_path):
    """What the suite noted: the process and the words of each line."""
    lines = (tmp_path / "noted").read_text().splitlines()
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


def a_request(*cases, order=None, separate=False):
    """A block of *cases*, pairs of a benchmark and its index, in ABBA order."""
    numbers = [*range(len(cases))]
    order = order or (numbers if separate else [*numbers, *reversed(numbers)])
    listed = tuple(CountedCase(commit="head", benchmark=f"jobs.{name}", index=index) for name, index in cases)
    return MeasureBlock(cases=listed, order=tuple(order), separate=separate)


def values(ended):
    return [(visit.case, visit.samples) for visit in ended.visits]


def reasons(ended):
    return {absence.case: (absence.state, absence.reason) for absence in ended.absences}


def test_one_process_opens_all_cases_warms_each_up_and_visits_them_in_order(blocks, tmp_path):
    """The setup of each runs once before the first run, its teardown once after the last run of all."""
    ended = blocks.run(a_request(("Opened.track_it", 0), ("Opened.track_it", 1), order=(1, 0, 0, 1)))
    assert values(ended) == [(1, (2.5,)), (0, (1.0,)), (0, (1.0,)), (1, (2.5,))]
    assert [what for _, what in noted(tmp_path)] == [
        "setup b", "setup a", "run b", "run a", "run b", "run a", "run a", "run b", "teardown a", "teardown b",
    ]  # fmt: skip
    assert len({process for process, _ in noted(tmp_path)}) == 1
    assert ended.seconds > 0
    assert ended.absences == ()


def test_separate_cases_have_a_process_each(blocks, tmp_path):
    """As asv runs them: without another run before."""
    ended = blocks.run(a_request(("Opened.track_it", 0), ("Opened.track_it", 1), separate=True))
    assert values(ended) == [(0, (1.0,)), (1, (2.5,))]
    assert [what for _, what in noted(tmp_path)] == ["setup a", "run a", "teardown a", "setup b", "run b", "teardown b"]
    assert len({process for process, _ in noted(tmp_path)}) == 2


def test_every_type_of_asv_is_measured(blocks):
    """Timings give samples of the short defaults, and as many calls for a sample each time; others give one value."""
    names = ("time_twice", "timeraw_import", "mem_list", "time_quick", "Cached.track_cache", "Cached.track_folder")
    ended = blocks.run(a_request(*((name, 0) for name in names)))
    assert reasons(ended) == {}
    lengths = {number: {len(samples) for case, samples in values(ended) if case == number} for number in range(6)}
    assert lengths.pop(3) <= {*range(1, DEFAULT_REPEAT[1] + 1)}  # a slow machine ends early
    assert lengths == {0: {2}, 1: {1}, 2: {1}, 4: {1}, 5: {1}}
    assert dict(values(ended))[4] == (15.0,)
    quick = CountedCase(commit="head", benchmark="jobs.time_quick", index=0)
    calls = blocks.numbers[quick]
    assert calls > 10
    blocks.run(a_request(("time_quick", 0)))
    assert blocks.numbers[quick] == calls


def test_a_benchmark_that_asks_for_no_warm_up_has_none(blocks, tmp_path):
    """Its runs are those of the order, with the samples that it sets."""
    blocks.run(a_request(("time_twice", 0)))
    assert [what for _, what in noted(tmp_path)] == ["timed"] * 4


def test_coroutines_have_a_loop_for_each_case(blocks):
    """All loops are open at once; the latencies of every call are kept."""
    ended = blocks.run(a_request(("Requests.latency_request", 0), ("Requests.latency_request", 1)))
    assert reasons(ended) == {}
    one, two = (0.5, 0.5), (0.25, 0.75, 0.25, 0.75)
    assert values(ended) == [(0, one), (1, two), (1, two), (0, one)]


def test_a_peak_of_the_process_needs_separate_processes(blocks):
    """In a shared process it would be the peak of all cases."""
    ended = blocks.run(a_request(("peakmem_list", 0), ("mem_list", 0)))
    assert "set processes = 'separate'" in reasons(ended)[0][1]
    assert {case for case, _ in values(ended)} == {1}
    assert blocks.run(a_request(("peakmem_list", 0), separate=True)).visits[0].samples[0] > 10**6


def test_a_case_without_values_leaves_the_others(blocks, tmp_path):
    """Each is named with its reason; all are torn down that were set up."""
    ways = ("fine", "skips", "fails", "fails late", "exits", "text", "infinite", "teardown")
    cases = [("Faulty.track_it", index) for index in (0, 1, 2, 3, 4, 7, 8, 9)]
    ended = blocks.run(a_request(*cases))
    assert values(ended) == [(0, (1.0,)), (0, (1.0,))]
    found = {ways[case]: (state, reason) for case, (state, reason) in reasons(ended).items()}
    assert found.pop("skips") == ("skipped", "NotImplementedError('no such disk')")
    assert all(state == "failed" for state, _ in found.values())
    assert found["fails"][1].endswith("OSError: no server")
    assert found["fails late"][1].endswith("ValueError: third run")
    assert found["exits"][1].endswith("SystemExit: 3")
    assert "returned a str" in found["text"][1]
    assert "infinite" in found["infinite"][1]
    assert found["teardown"][1].endswith("OSError: still open")
    assert len([what for _, what in noted(tmp_path) if what.startswith("teardown")]) == len(ways) - 1


@pytest.mark.parametrize(("index", "words"), [(5, "signal SIGKILL"), (6, "timed out: warm-up took more than 3 s")])
def test_a_process_that_dies_or_hangs_names_its_case(blocks, tmp_path, index, words):
    """The others were not measured to their end, which is no failure of theirs."""
    ended = blocks.run(a_request(("Faulty.track_it", 0), ("Faulty.track_it", index)))
    assert set(reasons(ended)) == {1}
    assert words in reasons(ended)[1][1]
    assert ended.visits == ()
    if index == 6:
        assert "teardown fine" in [what for _, what in noted(tmp_path)]


def test_nothing_that_a_block_started_outlives_it(blocks, tmp_path):
    """A child that the suite leaves is killed with the group of the process."""
    blocks.run(a_request(("track_parent", 0)))
    children = [int(what.split()[1]) for _, what in noted(tmp_path) if what.startswith("child")]
    assert children
    for child in children:
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)


def test_an_interrupt_ends_the_process_of_a_block(blocks, tmp_path):
    """Ctrl-C in the engine, which the end of its stdin causes, does not wait for the benchmark."""
    begun = monotonic()
    timer = threading.Timer(1.0, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
    timer.start()
    entry = blocks.commit.entries["jobs.Faulty.track_it"]
    entry["timeout"], before = 60, entry["timeout"]
    try:
        with pytest.raises(KeyboardInterrupt):
            blocks.run(a_request(("Faulty.track_it", 6)))
    finally:
        entry["timeout"] = before
        timer.cancel()
    assert monotonic() - begun < 20
