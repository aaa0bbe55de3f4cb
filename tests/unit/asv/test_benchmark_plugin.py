"""The plugin of benchmark processes; it runs in its own process, because it changes asv_runner's classes."""

import json
import os
import signal
import subprocess
import sys

import pytest

from windtunnel.asv.launcher import CPU_FILE, DEFAULTS, END_WITH_PARENT, SOURCE, in_every_benchmark

SUITE = """
import asyncio
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


@pytest.fixture
def suite(tmp_path):
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "jobs.py").write_text(SUITE)
    return folder


def asv_runner(tmp_path, *arguments):
    """Run asv's runner as asv does, and return its result and the CPU times."""
    result, cpu = tmp_path / "result.json", tmp_path / "cpu.json"
    with in_every_benchmark():
        env = os.environ | {"PYTHONPATH": os.environ["ASV_PYTHONPATH"]}
        script = "import asv.benchmark as b; b.main()"
        command = [sys.executable, "-c", script, *(str(one) for one in arguments), str(result)]
        subprocess.run(command, check=True, env=env, cwd=tmp_path, capture_output=True)
    return json.loads(result.read_text()), json.loads(cpu.read_text()) if cpu.exists() else None


def timed(tmp_path, suite, name):
    return asv_runner(tmp_path, "run", suite, name, json.dumps({CPU_FILE: str(tmp_path / "cpu.json")}), "None")


@pytest.mark.parametrize("name", ["jobs.time_waiting", "jobs.time_awaiting"])
def test_each_sample_has_a_cpu_time(tmp_path, suite, name):
    """A job that waits uses almost no CPU time, as a function or as a coroutine."""
    found, cpu = timed(tmp_path, suite, name)
    assert len(cpu) == len(found["samples"]) == 3
    assert max(cpu) < 0.001 < min(found["samples"])


def test_latencies_have_no_cpu_time(tmp_path, suite):
    """The benchmark itself measures latencies."""
    found, cpu = timed(tmp_path, suite, "jobs.latency_of_requests")
    assert found["samples"] == [0.001, 0.002] * 3
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


def test_a_clock_of_the_suite_is_kept(tmp_path, suite):
    """Samples of a suite's own clock have no CPU time."""
    _, cpu = timed(tmp_path, suite, "jobs.time_own_clock")
    assert cpu is None


def test_a_timeraw_benchmark_is_timed_by_asv(tmp_path, suite):
    """It has no clock in this process."""
    found, cpu = timed(tmp_path, suite, "jobs.timeraw_import")
    assert len(found["samples"]) == 2
    assert cpu is None


@pytest.mark.parametrize(("name", "samples", "number"), [("jobs.time_default", 4, None), ("jobs.Chosen.time_it", 3, 2)])
def test_defaults_replace_only_what_the_suite_does_not_set(tmp_path, suite, name, samples, number):
    """A setup may set attributes for the parameters of a case, so they are known only in the process."""
    defaults = json.dumps({DEFAULTS: {"repeat": [4, 4, 1.0], "warmup_time": 0.0, "sample_time": 0.0}})
    found, _ = asv_runner(tmp_path, "run", suite, name, defaults, "None")
    assert len(found["samples"]) == samples
    assert found["number"] == number or number is None


def test_the_threshold_of_a_benchmark_is_discovered(tmp_path, suite):
    """asv itself keeps only attributes that it knows."""
    entries, _ = asv_runner(tmp_path, "discover", suite)
    thresholds = {entry["name"]: entry.get("windtunnel_threshold") for entry in entries}
    assert thresholds["jobs.time_waiting"] == 0.25
    assert thresholds["jobs.time_computing"] == "'10 %'"  # so that the verdict can name it
    assert thresholds["jobs.time_own_clock"] is None


def test_launcher_and_plugin_use_the_same_names():
    """The plugin cannot import the launcher, so it repeats the names."""
    assert f'CPU_FILE = "{CPU_FILE}"' in SOURCE.read_text()
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
