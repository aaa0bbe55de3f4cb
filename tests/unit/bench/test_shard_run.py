"""The progress of a task: a case counts when its benchmark is saved."""

from builders.records import a_build

from windtunnel.asv import protocol
from windtunnel.bench.format import Task
from windtunnel.bench.shard_run import TaskProgress
from windtunnel.model.benchmark import Case, Selection
from windtunnel.model.identity import CommitHash

CASES = (Case(index=0, name="b.f('x')"), Case(index=1, name="b.f('y')"))


def a_task():
    selection = Selection(benchmark="b.f", version="7", cases=CASES)
    return Task(commit=CommitHash("c" * 40), python="3.12", environment="e", selections=(selection,), seconds=1.0)


def a_process(case="b.f('x')", *, number=1, state="measured", seconds=1.0, reason="", background_load=None):
    return protocol.Timed(
        benchmark="b.f",
        case=case,
        round=number,
        rounds=2,
        state=state,
        seconds=seconds,
        reason=reason,
        background_load=background_load,
    )


def progress_after(*events):
    progress = TaskProgress(a_task())
    for event in events:
        progress.add(event)
    return progress.record


def test_unsaved_cases_do_not_count():
    """A kill before the save loses their values, so the next call must measure them again."""
    assert progress_after(a_process(), a_process(number=2)).cases == ()


def test_the_seconds_of_a_case_include_all_rounds():
    """A plan needs the time of all rounds."""
    (case,) = progress_after(
        a_process(seconds=1.0), a_process(number=2, seconds=2.0), protocol.Saved(benchmark="b.f")
    ).cases
    assert (case.case, case.version, case.state, case.seconds) == ("b.f('x')", "7", "measured", 3.0)


def test_a_later_failure_decides_the_state():
    """A case that fails in its second round has failed."""
    failed = a_process(number=2, state="failed", reason="boom")
    (case,) = progress_after(a_process(), failed, protocol.Saved(benchmark="b.f")).cases
    assert (case.state, case.reason) == ("failed", "boom")


def test_a_failed_step_is_the_failure_of_the_task():
    """The record of a commit that cannot be installed has the reason and the expected cases."""
    record = progress_after(protocol.Broken(step="install", reason="no wheel"))
    assert (record.expected, record.failure) == (2, "install failed: no wheel")


def test_the_setup_is_timed():
    """The record has the times of environment and install."""
    record = progress_after(protocol.Installed(environment_seconds=2.0, seconds=3.0, build=a_build()))
    assert (record.environment_seconds, record.install_seconds, record.build) == (2.0, 3.0, a_build())


def test_the_background_load_of_each_round_is_recorded():
    """One loaded round makes a case doubtful; without reports, the record is empty."""
    busy = (a_process(background_load=0.05), a_process(number=2, background_load=1.4), a_process("b.f('y')"))
    loaded, unknown = progress_after(*busy, protocol.Saved(benchmark="b.f")).cases
    assert (loaded.background_load, loaded.excess_load) == ((0.05, 1.4), 1.4)
    assert (unknown.background_load, unknown.excess_load) == ((), 0.0)
