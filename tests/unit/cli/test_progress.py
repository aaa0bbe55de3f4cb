"""The estimate of what is left begins with the plan and learns from what is done; the display names what runs."""

import io
from threading import Event

from builders.processes import a_process as compared_process
from builders.records import a_build
from msgspec.structs import replace

from windtunnel.asv import protocol
from windtunnel.bench.format import Shard, Task
from windtunnel.cli.console import NORMAL, QUIET, Console
from windtunnel.cli.progress import ComparisonProgress, ShardProgress
from windtunnel.compare.request import WorkStarted
from windtunnel.model.benchmark import Case, Selection
from windtunnel.model.identity import CommitHash
from windtunnel.model.schedule import Arm, CountedCase, InstructionCounts

INSTALLED = protocol.Installed(environment_seconds=0.0, seconds=3.0, build=a_build())


def a_task(commit="a" * 40):
    cases = tuple(Case(index=index, name=f"b.f({index})") for index in range(4))
    selection = Selection(benchmark="b.f", version="1", cases=cases)
    return Task(commit=CommitHash(commit), python="3.12", environment="e", selections=(selection,), seconds=8.0)


def a_shard(*tasks):
    return Shard(index=0, tasks=tasks, seconds=sum(task.seconds for task in tasks) + 10.0)


def a_process(index=0, *, seconds=2.0, state="measured", reason=""):
    return protocol.Timed(
        benchmark="b.f",
        case=f"b.f({index})",
        round=1,
        rounds=1,
        state=state,
        seconds=seconds,
        reason=reason,
        background_load=None,
    )


def show(shard, *events, quiet=False):
    """What the display writes where there is no terminal, and its estimate."""
    err = io.StringIO()
    console = Console(out=io.StringIO(), err=err, level=QUIET if quiet else NORMAL)
    with ShardProgress(shard=shard, console=console) as display:
        for event in events:
            display(shard.tasks[0], event)
    return err.getvalue(), display


def test_before_anything_is_done_the_plan_is_all_there_is():
    """Cases and set-up, as the plan has them."""
    assert show(a_shard(a_task()))[1].remaining() == 18.0


def test_estimate_learns():
    """Cases that take twice as long as planned double what is left, and nothing is left at the end."""
    shard = a_shard(a_task())
    _, half = show(shard, INSTALLED, a_process(0, seconds=4.0), a_process(1, seconds=4.0))
    assert half.remaining() == 8.0
    _, done = show(shard, INSTALLED, *(a_process(index, seconds=4.0) for index in range(4)))
    assert done.remaining() == 0.0


def test_broken_task_is_not_waited_for():
    """A commit that cannot be installed takes no more time."""
    said, estimate = show(a_shard(a_task(), a_task("b" * 40)), protocol.Broken(step="install", reason="long\nno wheel"))
    assert estimate.remaining() == 8.0 + 5.0
    assert "install failed, so nothing of it is measured: no wheel" in said


def test_what_runs_and_what_is_left_is_said():
    """The commit, the Python, the benchmark, how many of how many."""
    said, _ = show(a_shard(a_task()), INSTALLED, a_process(), protocol.Saved(benchmark="b.f"))
    assert "commit aaaaaaaa on Python 3.12: 4 cases, 0 of 4 cases done, about 18 s left" in said
    assert "b.f done, 1 of 4 cases done, about 6 s left" in said


def test_what_goes_wrong_is_said_at_once():
    """A failed case is named with the last line of its reason."""
    said, _ = show(a_shard(a_task()), a_process(state="failed", reason="Traceback\nValueError: boom"))
    assert "b.f(0) failed: ValueError: boom" in said


def test_a_step_that_takes_minutes_is_shown_before_it_begins():
    """pip may install for minutes without any output."""
    written, _ = show(a_shard(a_task()), protocol.Working(text="Installing requirements for virtualenv-py3.12"))
    assert "Installing requirements for virtualenv-py3.12" in written


def test_quiet_is_quiet():
    """--quiet shows no progress."""
    assert show(a_shard(a_task()), a_process(), quiet=True)[0] == ""


def test_one_cause_is_one_line():
    """Cases that end without a value for one reason are shown once, whatever the commit."""
    err = io.StringIO()
    with ComparisonProgress(console=Console(out=io.StringIO(), err=err, level=NORMAL)) as progress:
        for reason, name in (("no network", "b.f"), ("no network", "b.g"), ("too slow", "b.h")):
            for arm in (Arm.BASE, Arm.HEAD):
                progress(replace(compared_process(arm, (), name=name), state="skipped", reason=reason))
    assert [line.rpartition(": ")[2] for line in err.getvalue().splitlines()] == [
        "no network (shown once a cause)",
        "too slow (shown once a cause)",
    ]


def test_a_log_has_a_line_at_least_every_half_minute(monkeypatch):
    """What is done and left, also while a build or a process takes longer."""
    monkeypatch.setattr("windtunnel.cli.progress.LINE_SECONDS", 0.01)
    written = Event()
    err = io.StringIO()
    err.flush = lambda: "12 processes" in err.getvalue() and "of 12 done" in err.getvalue() and written.set()
    with ComparisonProgress(console=Console(out=io.StringIO(), err=err, level=NORMAL)) as progress:
        progress(WorkStarted(what="screening", cases=3, processes=12))
        progress(compared_process(Arm.BASE, (1.0,)))
        assert written.wait(10)
        progress(WorkStarted(what="counting instructions", cases=1))
        written.clear()
        err.flush = lambda: "of 2 done" in err.getvalue() and written.set()
        assert written.wait(10)
    assert "screening: 1 of 12 done, about 3 s\n" in err.getvalue()
    assert "counting instructions: 0 of 2 done\n" in err.getvalue()


def test_counting_has_a_line_of_its_own():
    """It says how many cases are counted on both commits; each of them moves on the estimate."""
    err = io.StringIO()
    with ComparisonProgress(console=Console(out=io.StringIO(), err=err, level=NORMAL)) as progress:
        progress(WorkStarted(what="counting instructions", cases=2))
        case = CountedCase(commit="head", benchmark="b.f", index=0)
        progress(protocol.InstructionsCounted(case=case, counts=InstructionCounts(reason="no")))
        assert (progress.done, progress.total) == (1, 4)
    assert err.getvalue() == "windtunnel: counting instructions: 2 cases on both commits\n"
