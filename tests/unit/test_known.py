"""What earlier runs tell a plan: what is done, and how long a case takes."""

from dataclasses import replace

from builders.records import a_record, a_task
from builders.trees import a_benchmark, a_hash, a_row, a_run, a_tree, a_value

from windtunnel.bench.result_history import DEFAULT_CASE_SECONDS, ResultHistory
from windtunnel.model.identity import BenchmarkVersion
from windtunnel.model.result import Failed, Skipped
from windtunnel.model.run_format import State

SPAM = a_benchmark("spam.time_it", size=("1", "2", "3"))
ENVIRONMENT = "virtualenv-py3.12"


def knowing(*runs, records=(), machine="desk", retry=False):
    return ResultHistory.from_results(a_tree(*runs), records, machine, retry=retry)


def done(known, benchmark=SPAM, commit=1):
    return sorted(known.done(a_hash(commit), ENVIRONMENT, benchmark))


def test_what_has_a_value_is_done():
    """A failed or skipped case of a results file may be tried: the file cannot say whether anybody asked for it."""
    known = knowing(a_run(a_row(SPAM, a_value(1.0), Failed(), Skipped())))
    assert done(known) == ["spam.time_it(1)"]
    assert done(known, commit=2) == []


def test_values_count_by_parameter_not_by_place():
    """When a grid grows at its front, what was measured is still known."""
    known = knowing(a_run(a_row(SPAM, a_value(1.0), Failed(), Failed())))
    grown = a_benchmark("spam.time_it", size=("0", "1", "2", "3"))
    assert done(known, grown) == ["spam.time_it(1)"]


def test_another_version_is_not_done():
    """A benchmark with a new version has to be measured again."""
    known = knowing(a_run(a_row(SPAM)))
    assert done(known, replace(SPAM, version=BenchmarkVersion("2"))) == []


def test_another_machine_is_not_done_here():
    """Results of another machine say how long a case takes, not that it is done here."""
    known = knowing(a_run(replace(a_row(SPAM), duration=9.0), machine="laptop"))
    assert done(known) == []
    assert known.seconds(SPAM) == 3.0
    assert done(knowing(a_run(a_row(SPAM)), machine="")) == ["spam.time_it(1)", "spam.time_it(2)", "spam.time_it(3)"]


def test_records_tell_what_failed_and_was_skipped():
    """What failed or was skipped before is not tried again, unless asked for."""
    record = a_record(a_task(case="spam.time_it(2)", state=State.SKIPPED))
    record = replace(record, tasks=tuple(_of(task, "spam.time_it") for task in record.tasks))
    assert done(knowing(records=(record,))) == ["spam.time_it(2)"]
    assert done(knowing(records=(record,), retry=True)) == []


def test_commits_that_cannot_be_installed_are_done():
    """A commit whose build fails is not built at every call, unless asked for."""
    record = a_record(a_task(failure="install failed"))
    assert len(done(knowing(records=(record,)))) == 3
    assert done(knowing(records=(record,), retry=True)) == []


def test_durations_are_the_median_of_what_is_known():
    """One slow run does not inflate every plan."""
    runs = [a_run(replace(a_row(SPAM), duration=seconds), commit=index) for index, seconds in enumerate((3, 6, 300))]
    assert knowing(*runs).seconds(SPAM) == 2.0


def test_unknown_durations_are_a_guess():
    """A benchmark that never ran has the guess that the documentation states."""
    assert knowing().seconds(SPAM) == DEFAULT_CASE_SECONDS


def test_measuring_again_keeps_the_durations():
    """Without --skip-existing nothing is done, but times are known."""
    known = knowing(a_run(replace(a_row(SPAM), duration=3.0))).without_results()
    assert done(known) == []
    assert known.seconds(SPAM) == 1.0


def _of(task, benchmark):
    return replace(task, cases=tuple(replace(case, benchmark=benchmark) for case in task.cases))
