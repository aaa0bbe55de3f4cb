"""A task's account: a case counts when its benchmark is saved."""

from builders.records import a_build

from windtunnel.asv.protocol import Broken, EnvironmentReady, Installed, Saved, Timed
from windtunnel.bench.format import Task
from windtunnel.bench.shard_run import TaskProgress
from windtunnel.model.benchmark import Case, Selection
from windtunnel.model.identity import CommitHash
from windtunnel.model.run_format import State

CASES = (Case(index=0, name="b.f('x')"), Case(index=1, name="b.f('y')"))


def a_task():
    selection = Selection(benchmark="b.f", version="7", cases=CASES)
    return Task(commit=CommitHash("c" * 40), python="3.12", environment="e", selections=(selection,), seconds=1.0)


def a_process(case="b.f('x')", *, number=1, state=State.MEASURED, seconds=1.0, reason="", background_load=None):
    return Timed(
        benchmark="b.f",
        case=case,
        round=number,
        rounds=2,
        state=state,
        seconds=seconds,
        reason=reason,
        background_load=background_load,
    )


def account(*events):
    progress = TaskProgress(task=a_task())
    for event in events:
        progress.note(event)
    return progress.record()


def test_unsaved_cases_do_not_count():
    """A kill before the save loses their values, so the next call must measure them again."""
    assert account(a_process(), a_process(number=2)).cases == ()


def test_saved_cases_count_with_all_their_rounds():
    """The seconds of every round are what a plan has to expect."""
    (case,) = account(a_process(seconds=1.0), a_process(number=2, seconds=2.0), Saved(benchmark="b.f")).cases
    assert (case.case, case.version, case.state, case.seconds) == ("b.f('x')", "7", State.MEASURED, 3.0)


def test_a_later_failure_overrules():
    """A case that fails in its second round has failed."""
    failed = a_process(number=2, state=State.FAILED, reason="boom")
    (case,) = account(a_process(), failed, Saved(benchmark="b.f")).cases
    assert (case.state, case.reason) == (State.FAILED, "boom")


def test_a_broken_step_is_the_task_s_failure():
    """A commit that cannot be installed says why, and its cases stay expected."""
    record = account(EnvironmentReady(seconds=2.0), Broken(step="install", reason="no wheel"))
    assert (record.environment_seconds, record.expected, record.failure) == (2.0, 2, "install failed: no wheel")


def test_preparation_is_timed():
    """Set-up costs runner-minutes too."""
    record = account(EnvironmentReady(seconds=2.0), Installed(seconds=3.0, build=a_build()))
    assert (record.environment_seconds, record.install_seconds, record.build) == (2.0, 3.0, a_build())


def test_what_others_took_of_the_machine_is_kept_for_each_round():
    """One busy round is enough to doubt a case; where the system does not tell, nothing is said."""
    busy = (a_process(background_load=0.05), a_process(number=2, background_load=1.4), a_process("b.f('y')"))
    disturbed, unknown = account(*busy, Saved(benchmark="b.f")).cases
    assert (disturbed.background_load, disturbed.disturbed) == ((0.05, 1.4), 1.4)
    assert (unknown.background_load, unknown.disturbed) == ((), 0.0)
