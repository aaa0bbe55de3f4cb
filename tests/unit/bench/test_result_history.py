"""Earlier runs decide which cases a plan omits, and how long a case takes; what they lost is planned again."""

from dataclasses import replace

from builders.records import a_record, a_task
from builders.trees import a_benchmark, a_hash, a_row, a_run, a_tree, a_value
from msgspec import structs

from windtunnel import formats
from windtunnel.bench.format import PLAN_SCHEMA, Plan, Shard, Task
from windtunnel.bench.result_history import DEFAULT_CASE_SECONDS, MAX_LOST_RUNS, ResultHistory
from windtunnel.bench.shard_run import find_lost_cases
from windtunnel.model.benchmark import Case, Selection
from windtunnel.model.identity import BenchmarkVersion, Field
from windtunnel.model.run import Failed, Skipped
from windtunnel.results.tree import read_records, write_record

SPAM = a_benchmark("spam.time_it", size=("1", "2", "3"))
ENVIRONMENT = "virtualenv-py3.12"


def a_history(*runs, records=(), machine="desk", retry=False):
    return ResultHistory.from_results(a_tree(*runs), records, machine, retry=retry)


def done(history, benchmark=SPAM, commit=1):
    return sorted(history.done(a_hash(commit), ENVIRONMENT, benchmark))


def test_a_case_with_a_value_is_done():
    """A failed or skipped case is not done: a results file does not show whether the case was requested."""
    history = a_history(a_run(a_row(SPAM, a_value(1.0), Failed(), Skipped())))
    assert done(history) == ["spam.time_it(1)"]
    assert done(history, commit=2) == []


def test_cases_are_matched_by_parameter_value():
    """A new value at the start of the grid does not change which cases are done."""
    history = a_history(a_run(a_row(SPAM, a_value(1.0), Failed(), Failed())))
    assert done(history, a_benchmark("spam.time_it", size=("0", "1", "2", "3"))) == ["spam.time_it(1)"]


def test_a_case_of_another_version_is_not_done():
    """A benchmark with a new version has to be measured again."""
    assert done(a_history(a_run(a_row(SPAM))), replace(SPAM, version=BenchmarkVersion("2"))) == []


def test_results_of_another_machine_count_for_durations_only():
    """Another machine's results do not make a case done; with an empty machine name they do."""
    history = a_history(a_run(replace(a_row(SPAM), duration=9.0), machine="laptop"))
    assert done(history) == []
    assert history.seconds(SPAM) == 3.0
    assert done(a_history(a_run(a_row(SPAM)), machine="")) == ["spam.time_it(1)", "spam.time_it(2)", "spam.time_it(3)"]


def test_failed_and_skipped_cases_are_done_unless_retried():
    """Run records show which cases failed or were skipped."""
    record = a_record(a_task(case="spam.time_it(2)", state="skipped"))
    record = structs.replace(record, tasks=tuple(_of(task, "spam.time_it") for task in record.tasks))
    assert done(a_history(records=(record,))) == ["spam.time_it(2)"]
    assert done(a_history(records=(record,), retry=True)) == []


def test_failed_installs_are_done_unless_retried():
    """A commit whose build failed is not built at every call."""
    record = a_record(a_task(failure="install failed"))
    assert len(done(a_history(records=(record,)))) == 3
    assert done(a_history(records=(record,), retry=True)) == []


def test_the_expected_duration_is_the_median():
    """One slow run does not change the expected duration."""
    runs = [a_run(replace(a_row(SPAM), duration=seconds), commit=index) for index, seconds in enumerate((3, 6, 300))]
    assert a_history(*runs).seconds(SPAM) == 2.0


def test_a_case_that_never_ran_has_the_default_duration():
    """Without results, every case is expected to take the default time."""
    assert a_history().seconds(SPAM) == DEFAULT_CASE_SECONDS


def test_a_history_without_results_keeps_the_durations():
    """Without --skip-existing no case is done, but durations are known."""
    history = a_history(a_run(replace(a_row(SPAM), duration=3.0))).without_results()
    assert done(history) == []
    assert history.seconds(SPAM) == 1.0


def _of(task, benchmark):
    return structs.replace(task, cases=tuple(structs.replace(case, benchmark=benchmark) for case in task.cases))


def test_the_time_of_a_process_is_that_of_a_case_by_its_processes():
    """Results of Windtunnel state how many processes measured a case."""
    row = a_row(SPAM, *(replace(a_value(1.0, count=4), process_sizes=(2, 2)) for _ in range(3)))
    assert a_history(a_run(replace(row, duration=12.0))).process_seconds(SPAM) == 2.0


def test_without_recorded_processes_the_rounds_of_the_benchmark_count():
    """asv's own results do not state them; its time benchmarks run two rounds by default."""
    history = a_history(a_run(replace(a_row(SPAM), duration=12.0)))
    assert history.process_seconds(replace(SPAM, extra=(Field(name="rounds", json="2"),))) == 2.0
    assert history.process_seconds(replace(SPAM, extra=(Field(name="rounds", json='"many"'),))) == 4.0
    assert a_history().process_seconds(SPAM) == DEFAULT_CASE_SECONDS


def test_the_latest_run_shows_how_long_a_build_takes():
    """Also when another job built the commit, when a task of the run installed what was there, and without results."""
    old = a_record(structs.replace(a_task(), install_seconds=300.0))
    new = a_record(
        structs.replace(a_task(), install_seconds=2.0, elsewhere_seconds=90.0),
        structs.replace(a_task(commit=2), install_seconds=4.0),
        structs.replace(a_task(python="3.13"), install_seconds=0.1),
    )
    history = a_history(records=(structs.replace(new, started=9.0), old), retry=True)
    assert history.without_results().build_seconds == {ENVIRONMENT: 90.0}


def test_environments_count_for_one_python_on_one_commit():
    """A comparison measures in every environment of its Python, and in no other."""
    matrix = [a_run(a_row(SPAM), environment=f"virtualenv-py3.12-numpy{version}") for version in (1, 2)]
    others = [a_run(a_row(SPAM), python="3.13"), a_run(a_row(SPAM), commit=2, environment="virtualenv-py3.12-numpy3")]
    assert a_history(*matrix, *others).environments == 2
    assert a_history().environments == 1


def test_the_slowest_environment_shows_how_long_building_takes():
    """Both commits are built in each environment of a Python; without a record the time is unknown."""
    tasks = [structs.replace(a_task(python=f"3.{minor}"), install_seconds=30.0 * minor) for minor in (1, 2)]
    matrix = [a_run(a_row(SPAM), environment=f"virtualenv-py3.12-numpy{version}") for version in (1, 2)]
    assert a_history(records=[a_record(*tasks)]).build_minutes == 2.0
    assert a_history(*matrix, records=[a_record(*tasks)]).build_minutes == 4.0
    assert a_history(records=[a_record(a_task())]).build_minutes is None


def a_planned_task(*cases, commit=1):
    selections = tuple(Selection(benchmark=one, version="1", cases=(Case(index=0, name=one),)) for one in cases)
    return Task(commit=a_hash(commit), python="3.12", environment=ENVIRONMENT, selections=selections, seconds=1.0)


def a_plan(*tasks):
    """A plan with a shard for each of *tasks*."""
    shards = tuple(Shard(index=index, tasks=(task,), seconds=1.0) for index, task in enumerate(tasks))
    return Plan(
        schema=PLAN_SCHEMA, project="p", config="c", environments=(), shards=shards, excluded=(), benchmarks="{}"
    )


def lost_of(plan, *records):
    """The number of lost cases of each commit."""
    found = find_lost_cases(plan, records, now=9.0)
    return {task.commit: task.expected for task in found.tasks} if found else {}


def test_the_cases_of_a_lost_shard_are_found():
    """Its job left nothing; the other shard did its part."""
    plan = a_plan(a_planned_task("a"), a_planned_task("b", "c"), a_planned_task("d", commit=2))
    assert lost_of(plan, a_record(a_task(case="a"))) == {a_hash(1): 2, a_hash(2): 1}


def test_a_case_that_failed_was_reached():
    """Also each case of a commit that cannot be installed: repeating either changes nothing."""
    plan = a_plan(a_planned_task("a"), a_planned_task("b", commit=2))
    records = a_record(a_task(case="a", state="failed")), a_record(a_task(commit=2, failure="no compiler"))
    assert lost_of(plan, *records) == {}


def test_the_rest_of_an_interrupted_run_is_found():
    """Its record has the cases that it reached."""
    plan = a_plan(a_planned_task("a", "b", "c"))
    assert lost_of(plan, structs.replace(a_record(a_task(case="b")), interrupted=True)) == {a_hash(1): 2}


def a_lost_record(at, commit=1):
    return structs.replace(find_lost_cases(a_plan(a_planned_task("a", commit=commit)), (), now=at), started=at)


def history(*records, retry=False):
    return ResultHistory.from_results(a_tree(a_run(a_row(a_benchmark("z")), commit=1)), records, "", retry=retry)


def test_a_commit_is_incomplete_until_a_later_run_reaches_it():
    """The newest run decides."""
    later = structs.replace(a_record(a_task(case="a")), started=2.0)
    assert history(a_lost_record(1.0)).incomplete == {a_hash(1)}
    assert history(a_lost_record(1.0), later).incomplete == frozenset()
    assert history(a_lost_record(1.0), later, a_lost_record(3.0)).incomplete == {a_hash(1)}


def test_a_commit_that_always_fails_is_not_measured_for_ever():
    """After some runs its missing cases count as done; --retry plans them again."""
    records = tuple(a_lost_record(float(number)) for number in range(MAX_LOST_RUNS))
    benchmark = a_benchmark("a")
    assert history(*records[1:]).done(a_hash(1), ENVIRONMENT, benchmark) == frozenset()
    assert history(*records).incomplete == frozenset()
    assert history(*records).done(a_hash(1), ENVIRONMENT, benchmark)
    assert history(*records, retry=True).done(a_hash(1), ENVIRONMENT, benchmark) == frozenset()


def test_a_record_of_lost_cases_is_no_run(tmp_path):
    """What counts runs does not get it."""
    write_record(formats.encode(a_lost_record(1.0)), tmp_path)
    write_record(formats.encode(a_record(a_task(case="a"))), tmp_path)
    assert [len(read_records(tmp_path, lost=lost)[0]) for lost in (False, True)] == [1, 2]
