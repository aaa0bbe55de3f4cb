"""Counts of instructions become rows of asv's results, with the counts of the hash seeds as samples."""

from asv.results import Results
from builders.records import a_build
from builders.trees import a_scenario

from windtunnel.asv.counted_rows import MAX_TOGETHER, OTHER_THREADS, add_rows, batches, counted_with, hash_seeds
from windtunnel.asv.protocol import Timed, Working
from windtunnel.asv.results_format.files import entry_of
from windtunnel.model.benchmark import Case, Selection, counting, select, with_counts
from windtunnel.model.schedule import DEFAULT_SEEDS, InstructionCounts

SUM = a_scenario("cpu.Sum.time_run", ("sync", "gather", "threads"), ("quick", "standard"))
ENTRIES = {each.name: entry_of(each) for each in (SUM, counting(SUM))}
_, (_, SELECTION) = with_counts(select((SUM,), ("standard",)))
MANY = InstructionCounts(per_call=(1000.0, 1002.0, 1001.0, 1003.0, 1000.0), calls=7)


def add(*counts):
    """Count the selected cases, whose *counts* are given in their order; return results, events and notes."""
    results, events, asked = Results({"machine": "desk"}, {}, "0" * 40, 0, "3.13", "virtualenv-py3.13", {}), [], []

    def count(cases):
        asked.extend(cases)
        return zip(cases, counts, strict=True)

    sizes = add_rows(ENTRIES, count, results, events.append, (SELECTION,))
    return results, events, sizes, asked


def test_a_row_has_the_median_of_the_hash_seeds_and_each_count_as_a_sample():
    """asv computes the interval from the samples; the sizes say that each is a process."""
    threads = InstructionCounts(per_call=(5.0,) * 5, calls=7, other_threads=True)
    results, _, sizes, asked = add(MANY, InstructionCounts(reason="PyPy cannot be counted"), threads)
    name, params = "cpu.Sum.time_run.instructions", ENTRIES["cpu.Sum.time_run"]["params"]
    assert [(case.benchmark, case.index) for case in asked] == [("cpu.Sum.time_run", index) for index in (1, 3, 5)]
    value, skipped = results.get_result_value(name, params)[1], results.get_result_value(name, params)[3]
    assert value == 1001.0
    assert skipped != skipped
    assert results.get_result_samples(name, params)[1] == list(MANY.per_call)
    assert results.get_result_stats(name, params)[1]["number"] == 7
    assert sizes == {name: [None, [1, 1, 1, 1, 1], None, None, None, None]}


def test_a_case_without_a_count_is_skipped_with_the_reason():
    """So is one with threads: its counts depend on the scheduler, and a history would show that as changes."""
    threads = InstructionCounts(per_call=(5.0,) * 5, calls=7, other_threads=True)
    _, events, _, _ = add(MANY, InstructionCounts(reason="PyPy cannot be counted"), threads)
    assert isinstance(events[0], Working)
    timed = [event for event in events if isinstance(event, Timed)]
    assert [event.state for event in timed] == ["measured", "skipped", "skipped"]
    assert [event.reason for event in timed] == ["", "PyPy cannot be counted", OTHER_THREADS]


def test_many_cases_are_counted_in_batches():
    """What is counted is saved after each batch; a benchmark stays whole."""
    cases = tuple(Case(index=index, name=str(index)) for index in range(MAX_TOGETHER - 10))
    several = [Selection(benchmark=name, version="1", cases=cases) for name in "abc"]
    few = [Selection(benchmark=name, version="1", cases=cases[:2]) for name in "xyz"]
    assert [[each.benchmark for each in batch] for batch in batches([*several, *few])] == [["a"], ["b"], ["c", *"xyz"]]


def test_the_counter_is_named_with_the_python():
    """Another build of Python executes other instructions for the same code."""
    build = a_build()
    assert counted_with(build, "valgrind 3.19.0") == (
        f"{build.implementation} {build.version} ({build.compiler}), valgrind 3.19.0"
    )


def test_rounds_are_hash_seeds():
    """Each is a process of its own; by default there are five."""
    assert hash_seeds([Selection(benchmark="a", version="1", cases=(), rounds=2)]) == (1, 2)
    assert hash_seeds([Selection(benchmark="a", version="1", cases=())]) == DEFAULT_SEEDS
