"""The plugin of benchmark processes; it runs in its own process, because it changes asv_runner's classes."""

import itertools
import json
import os
import signal
import subprocess
import sys

import pytest
from builders.asv_suites import ASV_SCRIPT, a_suite
from builders.engines import forks_of

from windtunnel.asv.launcher import DEFAULTS, END_WITH_PARENT, SLOWDOWN, SOURCE, TIMES_FILE, in_every_benchmark
from windtunnel.compare.schedule import MIN_CPU_SHARE

SUITE = """
import asyncio
import atexit
import json
import time

import asv_bench_async

def time_waiting():
    time.sleep(0.002)
time_waiting.number, time_waiting.repeat, time_waiting.warmup_time = 1, 3, 0
time_waiting.windtunnel_threshold = 0.25

def time_computing():
    sum(range(200_000))
time_computing.number, time_computing.repeat, time_computing.warmup_time = 2, 3, 0
time_computing.windtunnel_threshold = "10 %"

def time_computing_long():
    sum(range(4_000_000))
time_computing_long.number, time_computing_long.repeat, time_computing_long.warmup_time = 1, 3, 0

class Prepared:
    number, repeat, warmup_time = 3, 2, 0
    def setup(self):
        time.sleep(0.001)
    def time_computing(self):
        sum(range(200_000))

async def time_awaiting():
    await asyncio.sleep(0.002)
time_awaiting.number, time_awaiting.repeat, time_awaiting.warmup_time = 1, 3, 0

async def time_computing_on_the_loop():
    await asyncio.sleep(0)
    sum(range(200_000))
time_computing_on_the_loop.number, time_computing_on_the_loop.repeat, time_computing_on_the_loop.warmup_time = 2, 3, 0

async def latency_of_requests():
    return [0.001, 0.002]
latency_of_requests.number, latency_of_requests.repeat, latency_of_requests.warmup_time = 1, 3, 0

class Noting:
    "Keeps when each call began and ended, by clocks that neither asv nor windtunnel reads."
    number, repeat, warmup_time = 1, 40, 0
    calls = []
    def note(self, clock, job):
        begin = time.clock_gettime(clock)
        job()
        self.calls.append((begin, time.clock_gettime(clock)))
    def time_waiting(self):
        self.note(time.CLOCK_MONOTONIC_RAW, lambda: time.sleep(0.01))
    def time_computing(self):
        self.note(time.CLOCK_THREAD_CPUTIME_ID, lambda: sum(range(200_000)))

@atexit.register
def write():
    if Noting.calls:
        with open("calls.json", "w") as file:
            json.dump(Noting.calls, file)

def time_too_short():
    pass
time_too_short.number, time_too_short.repeat, time_too_short.warmup_time = 1, 3, 0

def time_own_clock():
    pass
time_own_clock.timer, time_own_clock.number, time_own_clock.repeat = time.process_time, 1, 1

def time_default():
    pass

class Chosen:
    def setup(self):
        self.repeat, self.number, self.warmup_time = 3, 2, 0
    def time_it(self):
        pass

def timeraw_import():
    return "import json"
timeraw_import.repeat = 2
"""


@pytest.fixture(scope="module")
def fork(bare_python):
    """A function that forks processes which have imported asv_runner with this plugin, as asv's processes do."""
    with in_every_benchmark():
        env = os.environ | {"PYTHONPATH": os.environ["ASV_PYTHONPATH"]}
        with forks_of(bare_python(), env, str(ASV_SCRIPT)) as fork:
            yield fork


@pytest.fixture
def suite(tmp_path, bare_python, fork):
    return a_suite(tmp_path, bare_python(), fork=fork, jobs=SUITE)


def asv_runner(tmp_path, suite, *arguments):
    """Run asv's script as asv does, and return its result and what the plugin states about the samples."""
    result, times = tmp_path / "result.json", tmp_path / "times.json"
    outcome = suite.command(*arguments, str(result))
    assert outcome.code == 0, outcome.output
    return json.loads(result.read_text()), json.loads(times.read_text()) if times.exists() else None


def run(tmp_path, suite, name, **more):
    attributes = {TIMES_FILE: str(tmp_path / "times.json"), **more}
    return asv_runner(tmp_path, suite, "run", name, json.dumps(attributes), "None")


def timed(tmp_path, suite, name):
    """Run a benchmark as it is, and return its result and the CPU time of each sample."""
    found, times = run(tmp_path, suite, name)
    assert times is None or times["own"] == []
    return found, times and times["cpu"]


@pytest.mark.parametrize("name", ["jobs.time_waiting", "jobs.time_awaiting"])
def test_each_sample_has_a_cpu_time(tmp_path, suite, name):
    """A job that waits uses almost no CPU time, as a function or as a coroutine."""
    found, cpu = timed(tmp_path, suite, name)
    assert len(cpu) == len(found["samples"]) == 3
    assert max(cpu) < 0.001 < min(found["samples"])


@pytest.mark.parametrize("name", ["jobs.time_computing", "jobs.Prepared.time_computing", "jobs.time_waiting"])
def test_each_sample_has_the_same_loop_beside_it(tmp_path, suite, name):
    """The loop takes the same CPU time whatever the sample does, up to the speed of the processor."""
    found, times = run(tmp_path, suite, name)
    assert len(times["probe"]) == len(found["samples"])
    assert 1e-5 < min(times["probe"]) < max(times["probe"]) < 1e-2


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's")
@pytest.mark.parametrize(("name", "computes"), [("jobs.time_computing_long", True), ("jobs.time_waiting", False)])
def test_what_other_programs_take_is_told_from_waiting(tmp_path, suite, name, computes):
    """Three programs that compute on each processor leave one more about a quarter of it."""
    burn = [sys.executable, "-S", "-c", "print(flush=True)\nwhile True: pass"]
    burning = [  # Linux shares processors between sessions first, where it groups processes by them (autogroup)
        subprocess.Popen(burn, stdout=subprocess.PIPE, start_new_session=True)
        for _ in range(3 * len(os.sched_getaffinity(0)))
    ]
    try:
        for each in burning:
            assert each.stdout.readline()  # it computes from here on
        found, times = run(tmp_path, suite, name)
    finally:
        for each in burning:
            each.kill()
            each.communicate()
    samples = list(zip(found["samples"], times["cpu"], times["queued"], strict=True))
    assert (max(cpu / (wall - queued) for wall, cpu, queued in samples) >= MIN_CPU_SHARE) is computes
    assert min(cpu / wall for wall, cpu, _ in samples) < MIN_CPU_SHARE


@pytest.mark.parametrize(
    ("name", "samples"), [("latency_of_requests", 6), ("time_own_clock", 1), ("timeraw_import", 2)]
)
def test_what_another_clock_times_has_no_cpu_time(tmp_path, suite, name, samples):
    """The benchmark itself, a clock of the suite, or another process."""
    found, cpu = timed(tmp_path, suite, f"jobs.{name}")
    assert len(found["samples"]) == samples
    assert cpu is None


@pytest.mark.parametrize(
    "name", ["jobs.time_computing", "jobs.Prepared.time_computing", "jobs.time_computing_on_the_loop"]
)
def test_the_cpu_time_is_that_of_one_call(tmp_path, suite, name):
    """The number of calls in a sample and a setup between calls have no effect."""
    found, cpu = timed(tmp_path, suite, name)
    assert len(cpu) == len(found["samples"])
    for wall, spent in zip(found["samples"], cpu, strict=True):
        assert 0 < spent <= wall * 1.1


@pytest.mark.parametrize(("name", "samples", "number"), [("jobs.time_default", 4, None), ("jobs.Chosen.time_it", 3, 2)])
def test_defaults_replace_only_what_the_suite_does_not_set(tmp_path, suite, name, samples, number):
    """A setup may set attributes for the parameters of a case, so they are known only in the process."""
    defaults = json.dumps({DEFAULTS: {"repeat": [4, 4, 1.0], "warmup_time": 0.0, "sample_time": 0.0}})
    found, _ = asv_runner(tmp_path, suite, "run", name, defaults, "None")
    assert len(found["samples"]) == samples
    assert found["number"] == number or number is None


def pauses(tmp_path, suite, name, **more):
    """For each call, the share of its own time until the next one begins, by the benchmark's clock."""
    found, times = run(tmp_path, suite, name, **more)
    calls = json.loads((tmp_path / "calls.json").read_text())
    shares = [(later[0] - call[1]) / (call[1] - call[0]) for call, later in itertools.pairwise(calls)]
    return shares, found["samples"], times["own"]


@pytest.mark.parametrize("name", ["jobs.Noting.time_waiting", "jobs.Noting.time_computing"])
def test_a_built_in_slowdown_is_as_large_as_stated(tmp_path, suite, name):
    """Within one point, by a clock that the benchmark reads itself: 5 % more than a run without a slowdown.

    Other programs only lengthen pauses, so the least of all counts; a busy machine needs more calls to have an
    undisturbed one, which is why calls take two milliseconds, less than the time until a system switches programs. The
    plugin extends the CPU time of the timed thread, so the benchmark reads that clock.
    """
    usual, slowed, stated = [], [], []
    for _ in range(20):
        usual += pauses(tmp_path, suite, name)[0]
        shares, samples, own = pauses(tmp_path, suite, name, **{SLOWDOWN: 0.05})
        slowed += shares
        stated += [sample / before - 1 for sample, before in zip(samples, own, strict=True)]
        if 0.04 <= min(slowed) - min(usual) <= 0.06 and 0.04 <= min(stated) <= 0.06:
            break  # a disturbed run without a slowdown makes the difference too small, so both ends count
    assert 0.04 <= min(slowed) - min(usual) <= 0.06
    assert 0.04 <= min(stated) <= 0.06


@pytest.mark.parametrize("name", ["jobs.time_computing", "jobs.Prepared.time_computing", "jobs.time_awaiting"])
def test_every_way_of_timing_is_slowed_down(tmp_path, suite, name):
    """Several calls in a sample, a setup between calls, and coroutines."""
    found, times = run(tmp_path, suite, name, **{SLOWDOWN: 0.5})
    assert len(times["own"]) == len(found["samples"])
    assert all(sample / own - 1 > 0.45 for sample, own in zip(found["samples"], times["own"], strict=True))


@pytest.mark.parametrize(
    "name", ["jobs.time_too_short", "jobs.timeraw_import", "jobs.latency_of_requests", "jobs.time_own_clock"]
)
def test_what_cannot_be_slowed_down_is_not_stated_to_be(tmp_path, suite, name):
    """Then the comparison skips the case instead of counting a slowdown that it could not find."""
    _, times = run(tmp_path, suite, name, **{SLOWDOWN: 0.05})
    assert times is None or times["own"] == []


def test_the_threshold_of_a_benchmark_is_discovered(tmp_path, suite):
    """asv itself keeps only attributes that it knows."""
    entries, _ = asv_runner(tmp_path, suite, "discover")
    thresholds = {entry["name"]: entry.get("windtunnel_threshold") for entry in entries}
    assert thresholds["jobs.time_waiting"] == 0.25
    assert thresholds["jobs.time_computing"] == "'10 %'"  # so that the verdict can name it
    assert thresholds["jobs.time_own_clock"] is None


def test_launcher_and_plugin_use_the_same_names():
    """The plugin cannot import the launcher, so it repeats the names."""
    assert f'TIMES_FILE = "{TIMES_FILE}"' in SOURCE.read_text()
    assert f'SLOWDOWN = "{SLOWDOWN}"' in SOURCE.read_text()
    assert f'DEFAULTS = "{DEFAULTS}"' in SOURCE.read_text()
    assert f'END_WITH_PARENT = "{END_WITH_PARENT}"' in SOURCE.read_text()


def test_a_process_whose_parent_has_already_ended_ends():
    """The signal of a parent that ended while this process started is lost."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    script = f"import runpy; runpy.run_path({str(SOURCE)!r}); print('still running')"
    env = {**os.environ, END_WITH_PARENT: str(ended.pid)}
    done = subprocess.run([sys.executable, "-c", script], env=env, stdout=subprocess.PIPE, check=False)
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, b"")
