"""What a plan asked for and no shard reached is recorded, so that a later plan has it again."""

from builders.records import a_record, a_task
from builders.trees import a_benchmark, a_hash, a_row, a_run, a_tree
from msgspec import structs

from windtunnel import formats
from windtunnel.bench.format import PLAN_SCHEMA, Plan, Shard, Task
from windtunnel.bench.result_history import MAX_LOST_RUNS, ResultHistory
from windtunnel.bench.shard_run import find_lost_cases
from windtunnel.model.benchmark import Case, Selection
from windtunnel.results.tree import read_records, write_record

ENVIRONMENT = "virtualenv-py3.12"


def a_planned_task(*cases, commit=1):
    selections = tuple(Selection(benchmark=one, version="1", cases=(Case(index=0, name=one),)) for one in cases)
    return Task(commit=a_hash(commit), python="3.12", environment=ENVIRONMENT, selections=selections, seconds=1.0)


def a_plan(*tasks):
    """A plan with a shard for each of *tasks*."""
    shards = tuple(Shard(index=index, tasks=(task,), seconds=1.0) for index, task in enumerate(tasks))
    return Plan(
        schema=PLAN_SCHEMA, project="p", config="c", environments=(), shards=shards, excluded=(), benchmarks="{}"
    )


def lost(plan, *records):
    """The number of lost cases of each commit."""
    found = find_lost_cases(plan, records, now=9.0)
    return {task.commit: task.expected for task in found.tasks} if found else {}


def test_the_cases_of_a_lost_shard_are_found():
    """Its job left nothing; the other shard did its part."""
    plan = a_plan(a_planned_task("a"), a_planned_task("b", "c"), a_planned_task("d", commit=2))
    assert lost(plan, a_record(a_task(case="a"))) == {a_hash(1): 2, a_hash(2): 1}


def test_a_case_that_failed_was_reached():
    """Also each case of a commit that cannot be installed: repeating either changes nothing."""
    plan = a_plan(a_planned_task("a"), a_planned_task("b", commit=2))
    records = a_record(a_task(case="a", state="failed")), a_record(a_task(commit=2, failure="no compiler"))
    assert lost(plan, *records) == {}


def test_the_rest_of_an_interrupted_run_is_found():
    """Its record has the cases that it reached."""
    plan = a_plan(a_planned_task("a", "b", "c"))
    assert lost(plan, structs.replace(a_record(a_task(case="b")), interrupted=True)) == {a_hash(1): 2}


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
