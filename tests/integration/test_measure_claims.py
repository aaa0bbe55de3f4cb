"""Claims of a small suite are measured in blocks: real git, asv and environments."""

import os
import signal
import subprocess
import sys
from time import monotonic, sleep

import pytest
from builders.commands import windtunnel
from builders.suites import change

from windtunnel.results.record_files import read_claim_files
from windtunnel.results.tree import read_records, read_tree
from windtunnel_claims.samples_format import SAMPLES_FORMAT

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"

SUITE = """
import os
import time

NOW = [0.0]

class Work:
    params = [["twice", "once", "absent", "broken", "slow"]]
    param_names = ["way"]
    version = "1"
    number, repeat, warmup_time = 1, 1, 0

    @staticmethod
    def timer():
        return NOW[0]

    def setup(self, way):
        if way == "absent":
            raise NotImplementedError("no such library")

    def time_work(self, way):
        if way == "broken":
            raise ValueError("out of order")
        if way == "slow":
            time.sleep(0.4)
        NOW[0] += (2.0 if way == "twice" else 1.0) * (1 + os.getpid() % 7 / 1000)

def track_two():
    return 2.0 + os.getpid() % 10 / 1000
def track_one():
    return 1.0
track_one.version = track_two.version = "1"
"""

CLAIMS = """
[measuring]
analyses = [3]
background-load = 1000 # other tests run meanwhile

[sources]
A = { title = "an article" }

[verdict]
question = "Is twice the work more?"
answer = "Yes."
claims = ["twice", "shorter"]

[[finding]]
id = "more"
question = "I do more"
claim = "twice"
more = ["shorter"]
holds = "It takes {ratio} times as long."
fails = "It does not."

[[control]]
id = "known"
benchmark = "jobs.Work.time_work"
contender = { way = "twice" }
baseline = { way = "once" }
between = [1.5, 2.5]

[[claim]]
id = "twice"
source = "A"
sentence = "Twice the work takes twice as long."
benchmark = "jobs.Work.time_work"
contender = { way = "twice" }
baseline = { way = "once" }
above = 1.3

[[claim]]
id = "shorter"
source = "A"
sentence = "Twice the work takes less time."
benchmark = "jobs.Work.time_work"
contender = { way = "twice" }
baseline = { way = "once" }
below = 0.9

[[claim]]
id = "absent"
source = "A"
sentence = "What is not installed is fast."
benchmark = "jobs.Work.time_work"
contender = { way = "absent" }
baseline = { way = "once" }
below = 1

[[claim]]
id = "broken"
source = "A"
sentence = "What is broken is fast."
benchmark = "jobs.Work.time_work"
contender = { way = "broken" }
baseline = { way = "once" }
below = 1

[[claim]]
id = "tracked"
source = "A"
sentence = "Two is more than one."
processes = "separate"
contender-benchmark = "jobs.track_two"
benchmark = "jobs.track_one"
above = 1

[[claim]]
id = "unknown"
source = "A"
sentence = "There is no such benchmark."
benchmark = "jobs.none"
contender = { way = "one" }
baseline = { way = "two" }
above = 1
"""


@pytest.fixture
def suite(project):
    """The prepared project with another suite and claims."""
    return change(project, {"suite/jobs.py": SUITE, "suite/claims.toml": CLAIMS}, "claims")


def measure(suite, *argv, code=0):
    """Measure claims in *suite*; return the finished process and the only file of values."""
    done = windtunnel(suite, "measure-claims", *argv, code=code)
    return done, samples_of(suite)


def samples_of(suite):
    found, problems = read_claim_files(suite / ".asv" / "results", SAMPLES_FORMAT)
    assert problems == ()
    (samples,) = found
    return samples


def series_of(samples, claim):
    """The series that has *claim*."""
    return next(series for series in samples.series if claim in series.claims)


def test_claims_are_measured_until_each_is_decided(suite):
    """Two claims hold and one fails at the first analysis; what has no values says why."""
    done, samples = measure(suite)
    assert "nothing is measured on it" in done.stderr  # 3.99
    assert samples.python == HERE
    assert not samples.interrupted
    shared, separate = series_of(samples, "twice"), series_of(samples, "tracked")
    assert {"shorter", "known", "absent", "broken"} <= {*shared.claims}
    assert (len(shared.blocks), len(separate.blocks)) == (3, 3)
    assert {case.params: case.absence for case in shared.cases if case.absence} == {
        ("'absent'",): "skipped: NotImplementedError('no such library')",
        ("'broken'",): "failed: ValueError: out of order",
    }
    for block in shared.blocks:
        order = [visit.case for visit in block.visits]
        assert order == order[::-1]
    assert {len(block.visits) for block in separate.blocks} == {2}
    assert series_of(samples, "unknown").skipped == "these results have no benchmark jobs.none"
    for words in ("round 1", "round 3", "3 of 6 claims are decided", "absent"):
        assert words in done.stderr
    assert f"{HERE}: 2 hold, 1 fails, 3 undecided" in done.stdout
    assert read_records(suite / ".asv" / "results") == ((), ())
    assert "jobs.Work.time_work" in {one.name for one in read_tree(suite / ".asv" / "results").benchmarks}
    done, _ = measure(suite, "--claim", "twice")  # the verdict and a finding name others as well
    assert f"{HERE}: 1 holds" in done.stdout


def test_ctrl_c_keeps_what_is_measured_and_the_next_call_continues(suite):
    """The exit code is 130, the decisions so far are printed, and earlier blocks stay."""
    slow = (
        CLAIMS.partition("[verdict]")[0]
        + CLAIMS[CLAIMS.index("[[control]]") :].partition("[[claim]]")[0]
        + CLAIMS[CLAIMS.index('[[claim]]\nid = "twice"') :].partition("\n\n")[0]
    )
    (suite / "suite" / "claims.toml").write_text(
        slow.replace('contender = { way = "twice" }', 'contender = { way = "slow" }')
    )
    command = [sys.executable, "-m", "windtunnel.cli", "measure-claims"]
    running = subprocess.Popen(command, cwd=suite, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = monotonic() + 120
    records = suite / ".asv" / "results" / "records"
    while not (records.is_dir() and any(records.glob("claims-*.record"))) and monotonic() < deadline:
        assert running.poll() is None, running.communicate()
        sleep(0.05)
    os.kill(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert f"{HERE}: 1 undecided" in out
    before = samples_of(suite)
    assert before.interrupted
    (kept,) = before.series
    assert 1 <= len(kept.blocks) < 3
    _, after = measure(suite)
    (continued,) = after.series
    assert continued.blocks[: len(kept.blocks)] == kept.blocks
    assert len(continued.blocks) == 3
    assert (after.started, after.seed, after.interrupted) == (before.started, before.seed, False)


def test_a_claim_or_commit_that_does_not_exist_is_refused(suite):
    """Before anything is built."""
    done = windtunnel(suite, "measure-claims", "--claim", "twic")
    assert (done.returncode, "the claims are twice, shorter" in done.stderr) == (2, True)
    done = windtunnel(suite, "measure-claims", "--commit", "none")
    assert (done.returncode, "has no commit 'none'" in done.stderr) == (2, True)


def test_a_commit_that_cannot_be_built_is_named(suite):
    """Nothing is measured: exit code 3, and the reason."""
    change(suite, {"pyproject.toml": "[project]\nname = 1\n"}, "broken")
    done = windtunnel(suite, "measure-claims", code=3)
    assert f"nothing is measured on Python {HERE}" in done.stderr
    assert "install failed" in done.stderr
