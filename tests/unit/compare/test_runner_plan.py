"""The number of runners follows from the deadline and the estimated work."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.compare.request import divide
from windtunnel.compare.runners import (
    JOB_MINUTES,
    JOBS_IN_SEQUENCE,
    SMALL_MINUTES,
    BenchmarkCost,
    Part,
    describe_plan,
    find_division,
    plan_runners,
)


def costs(minutes, benchmarks=40):
    """The costs of *benchmarks* that together need *minutes* of screening."""
    one = BenchmarkCost(name="m.time_it", cases=1, process_seconds=1.0)
    each = 60 * minutes / benchmarks / one.seconds
    return [BenchmarkCost(name=f"m.time_{number}", cases=1, process_seconds=each) for number in range(benchmarks)]


def test_a_case_costs_the_processes_of_both_commits():
    """Ten rounds of two processes, and 5 % more for the A/A comparison."""
    assert BenchmarkCost(name="m.time_it", cases=3, process_seconds=0.5).seconds == pytest.approx(
        3 * 0.5 * 2 * 10 * 1.05
    )


def test_a_small_threshold_takes_six_times_the_rounds():
    """About 60 rounds at 1 to 2 % noise instead of 10; the other cases of the benchmark keep theirs."""
    usual, mixed = (
        BenchmarkCost(name="m.time_it", cases=3, small_thresholds=small, process_seconds=1.0) for small in (0, 2)
    )
    assert mixed.seconds == pytest.approx(usual.seconds * (10 + 2 * 60) / 30)


def test_a_comparison_takes_fewer_samples_than_asv():
    """A suite that leaves the number of samples to asv costs half as much."""
    one, other = (
        BenchmarkCost(name="m.time_it", cases=1, process_seconds=1.0, asv_sampling=default) for default in (False, True)
    )
    assert other.seconds == one.seconds / 2


@given(st.floats(0.1, 2000), st.integers(1, 240), st.integers(1, 20), st.none() | st.floats(0, 60))
def test_the_jobs_fit_into_the_deadline_or_a_note_states_it(work, deadline, max_runners, build):
    """Starting, building, screening and confirming take no longer, and the runners can measure everything."""
    plan = plan_runners(costs(work), deadline, max_runners, build)
    assert 0 <= plan.runners <= max_runners
    jobs = JOBS_IN_SEQUENCE if plan.runners else 1
    total = jobs * JOB_MINUTES + plan.build_minutes + plan.minutes + plan.confirmation
    held = plan.runners * plan.minutes or plan.confirmation
    fits = total <= deadline and work <= held and work / 40 <= (plan.minutes or plan.confirmation)
    assert fits or plan.notes


def test_runners_are_balanced_by_cost():
    """One benchmark takes as long as nine others, so its runner has few of them; each job finds the same parts."""
    some = [
        BenchmarkCost(name=f"m.time_{number}", cases=1, process_seconds=9.0 if number < 3 else 1.0)
        for number in range(30)
    ]
    seconds = {one.name: one.seconds for one in some}
    division = find_division(some, 3)
    parts = divide(seconds, 3, division)
    assert sorted(name for part in parts for name in part) == sorted(seconds)
    ideal = sum(seconds.values()) / 3
    assert max(sum(seconds[name] for name in part) for part in parts) <= 1.05 * ideal
    even = divide(seconds, 3, 0)
    assert max(sum(seconds[name] for name in part) for part in even) > 1.2 * ideal
    with_new = divide([*seconds, "a.time_new"], 3, division)
    assert [[name for name in part if name in seconds] for part in with_new] == [list(part) for part in parts]


def test_without_a_choice_the_parts_have_as_many_benchmarks():
    """For a shard that a person asks for, no durations are known."""
    assert sorted(map(len, divide(map(str, range(10)), 3, 0))) == [3, 3, 4]


def test_a_plan_fits_into_a_job_matrix():
    """GitHub refuses a matrix of more than 256 jobs (docs.github.com, Actions limits); a note states what is left."""
    plan = plan_runners(costs(100_000, benchmarks=1000), 60, 1000, 2.0)
    assert (plan.runners, len(plan.parts)) == (256, 256)
    assert plan.notes


@given(st.floats(0.1, 2000), st.integers(10, 240))
def test_runners_are_not_wasted(work, deadline):
    """One runner fewer would not hold the work."""
    plan = plan_runners(costs(work), deadline, 20, 2.0)
    assert plan.runners <= 1 or (plan.runners - 1) * plan.minutes < work


def test_a_longer_deadline_needs_fewer_runners():
    """34 minutes of work: four runners within 20 minutes, one within an hour."""
    assert [plan_runners(costs(34), deadline, 9, 3.0).runners for deadline in (20, 30, 60)] == [4, 2, 1]


def test_a_suite_is_divided_by_benchmarks():
    """A benchmark stays on one runner, so more runners would have nothing to do; a note names the longest."""
    plan = plan_runners(costs(60, benchmarks=2), 20, 8, 3.0)
    assert plan.runners == 2
    assert "The deadline of 20 min holds about" in plan.notes[0]
    uneven = [*costs(20, benchmarks=1), *costs(10, benchmarks=9)]
    assert "One benchmark needs about 20 min" in plan_runners(uneven, 20, 4, 3.0).notes[0]


def test_a_small_suite_takes_one_job():
    """Ten minutes of work at most, if the deadline holds them and their confirmation; it does not start two more."""
    plan = plan_runners(costs(SMALL_MINUTES), 20, 4, 3.0)
    assert (plan.runners, plan.parts, plan.confirmation, plan.cost) == (0, (), 16, 20)
    assert "This job measures and confirms, at most 16 min." in describe_plan(plan, costs(SMALL_MINUTES), 0, 20)
    assert plan_runners(costs(SMALL_MINUTES + 1), 20, 4, 3.0).runners == 1
    assert plan_runners(costs(SMALL_MINUTES), 14, 4, 3.0).runners > 1


def test_without_durations_one_job_measures():
    """The deadline still limits how long; where it is too short, a note says so."""
    plan = plan_runners((), 20, 9, None)
    assert (plan.runners, plan.confirmation, plan.estimate) == (0, 16, None)
    assert "Work: unknown" in describe_plan(plan, (), 0, 20)[0]
    assert "too short" in plan_runners((), 5, 9, None).notes[0]


def test_parts_are_the_matrix_of_a_workflow():
    """Each part knows its number, the number of parts and its minutes."""
    plan = plan_runners(costs(20), 20, 2, None)
    assert plan.parts == (Part(part=1, of=2, budget=12), Part(part=2, of=2, budget=12))
