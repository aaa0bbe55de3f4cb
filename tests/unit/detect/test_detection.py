"""Detection from results to changes, events, machine shifts and skipped series."""

from dataclasses import replace

import numpy as np
import pytest
from builders.examples import examples
from builders.histories import a_history, a_history_tree, detect, histories
from builders.trees import a_benchmark, a_hash, a_row, a_run, a_tree, a_value
from hypothesis import given
from hypothesis import strategies as st

from windtunnel import formats
from windtunnel.detect.format import DetectedChanges, location_of
from windtunnel.detect.machine_shift import TargetShift
from windtunnel.detect.series import collect_series
from windtunnel.model.identity import Field
from windtunnel.model.run import CommitHistory, Measured, Skipped, history_by_date
from windtunnel.model.settings import Expectation, Settings
from windtunnel.results.columns import values_of

NOTHING = Settings()


def values(seed=0, points=60):
    """The times of a quiet benchmark of 0.1 s."""
    return 0.1 * np.exp(histories(seed, count=1, points=points)[0])


def suite(count=20, points=60, seed=1):
    """The times of *count* quiet benchmarks, by name."""
    return {f"m.time_{k:02}": 0.1 * np.exp(row) for k, row in enumerate(histories(seed, count=count, points=points))}


def found(tree, *, points=60, given=NOTHING, history=None):
    return detect(tree, history or a_history(points), given)


def candidates(result):
    """The candidates of the only change of *result*."""
    return location_of(*result.changes, result).candidates


def commits(changes):
    return [int(change.commit, 16) for change in changes]


def test_a_slower_benchmark_is_a_regression():
    """The change has its case, commits, size, confidence and direction."""
    times = values()
    times[40:] *= 1.3
    result = found(a_history_tree({"m.time_it": times}))
    (change,) = result.changes
    assert (change.benchmark, change.machine, change.unit) == ("m.time_it", "desk", "seconds")
    assert (change.commit, change.previous_commit, candidates(result)) == (a_hash(40), a_hash(39), (a_hash(40),))
    assert change.before == pytest.approx(0.1, rel=0.02)
    assert change.relative_change == pytest.approx(0.3, abs=0.03)
    assert change.interval.low < change.relative_change < change.interval.high
    assert change.confidence > 0.99
    assert (change.kind, change.direction) == ("step", "regressed")
    assert change.status == "current"
    assert (result.series, result.commits, result.skipped, result.notes) == (1, 60, (), ())


def test_a_faster_benchmark_is_an_improvement():
    """Both directions are reported."""
    times = values()
    times[40:] /= 1.3
    (change,) = found(a_history_tree({"m.time_it": times})).changes
    assert change.direction == "improved"


@pytest.mark.parametrize(
    ("unit", "better", "direction"),
    [
        ("req/s", None, "improved"),
        ("widgets", None, "regressed"),
        ("widgets", "higher", "improved"),
        ("req/s", "lower", "regressed"),
    ],
)
def test_the_owner_or_the_unit_decides_which_direction_is_better(unit, better, direction):
    """A rate that rises is an improvement; the owner's setting takes precedence."""
    benchmark = replace(a_benchmark("m.track_rate", unit=unit), type_word="track")
    rates = values()
    rates[40:] *= 1.5
    runs = [a_run(a_row(benchmark, Measured(value=v)), commit=n) for n, v in enumerate(rates)]
    tree = a_tree(*runs, benchmarks=(benchmark,))
    (change,) = found(tree, given=Settings(expect=(Expectation(match="rate", better=better),))).changes
    assert change.direction == direction


def test_unmeasured_commits_before_a_change_are_candidates():
    """Any commit after the last one with the old level may be the cause."""
    times = values()
    times[40:] *= 1.5
    result = found(a_history_tree({"m.time_it": times}, commits=range(0, 300, 5)), points=300)
    (change,) = result.changes
    assert (change.commit, change.previous_commit) == (a_hash(200), a_hash(195))
    assert candidates(result) == tuple(a_hash(number) for number in range(196, 201))


def test_at_most_200_candidates_are_listed():
    """All candidates are counted."""
    times = values()
    times[30:] *= 2
    numbers = [*range(30), *range(1030, 1060)]
    result = found(a_history_tree({"m.time_it": times}, commits=numbers), points=1060)
    (change,) = result.changes
    assert change.candidate_count == 1001
    assert len(candidates(result)) == 200
    assert candidates(result)[-1] == change.commit == a_hash(1030)


def test_the_candidates_of_all_changes_are_listed_once():
    """A list for each change was two thirds of the file of a large history."""
    times = [values(seed=seed) for seed in range(3)]
    for row, at in zip(times, (20, 20, 40), strict=True):
        row[at:] *= 1.5
    tree = a_history_tree({f"m.time_{k}": row for k, row in enumerate(times)}, commits=range(0, 300, 5))
    result = found(tree, points=300)
    listed = {change.benchmark: location_of(change, result).candidates for change in result.changes}
    first, last = (tuple(a_hash(number) for number in range(end - 4, end + 1)) for end in (100, 200))
    assert listed == {"m.time_0": first, "m.time_1": first, "m.time_2": last}
    assert result.candidates == (*first, *last)


def test_a_commit_that_slows_many_cases_is_one_event():
    """Cases that cannot place the change exactly join the event."""
    columns = suite()
    for name in list(columns)[:8]:
        columns[name][40:] *= 1.2
    result = found(a_history_tree(columns))
    (event,) = result.events
    assert (event.commit, event.regressed, event.improved) == (a_hash(40), 8, 0)
    assert set(event.members) == {change.id for change in result.changes}
    assert {change.event for change in result.changes} == {event.id}
    assert result.machine_shifts == ()


def test_changes_at_different_commits_are_different_events():
    """Their candidates do not overlap."""
    columns = suite(2)
    columns["m.time_00"][20:] *= 1.3
    columns["m.time_01"][40:] *= 1.3
    assert commits(found(a_history_tree(columns)).events) == [20, 40]


@pytest.mark.parametrize(("certain", "uncertain", "events"), [(41, 41, 1), (38, 42, 2)])
def test_a_change_moves_to_the_commit_of_an_event_only_within_its_candidates(certain, uncertain, events):
    """A change of 6 % may lie at commits 40 to 43, 42 being the most likely; another case changes at a certain one."""
    columns = suite(2, seed=8)
    columns["m.time_00"][certain:] *= 3
    columns["m.time_01"][41:] *= 1.06
    result = found(a_history_tree(columns))
    places = {change.benchmark: int(change.commit, 16) for change in result.changes}
    assert places == {"m.time_00": certain, "m.time_01": uncertain}
    assert len(result.events) == events


@pytest.mark.parametrize("slow", [{30}, {30, 31}, {10, 25, 26, 44, 59}])
def test_one_or_two_slow_runs_are_not_reported(slow):
    """In these runs the whole suite is 20 % slower."""
    columns = suite()
    for times in columns.values():
        times[sorted(slow)] *= 1.2
    result = found(a_history_tree(columns))
    assert (result.changes, result.machine_shifts) == ((), ())


@pytest.mark.parametrize("first", [30, 57])
def test_a_lasting_change_of_everything_is_one_machine_shift(first):
    """Three runs are enough to report it."""
    columns = suite()
    for times in columns.values():
        times[first:] *= 1.25
    result = found(a_history_tree(columns))
    (shift,) = result.machine_shifts
    assert result.changes == ()
    assert shift.commit == a_hash(first)
    assert shift.relative_change == pytest.approx(0.25, abs=0.03)
    assert (shift.direction, shift.machine) == ("regressed", "desk")
    assert shift.shifted_cases == shift.total_cases == 20


def test_a_case_that_changes_more_than_its_machine_has_its_own_change():
    """It is reported beside the machine shift."""
    columns = suite()
    for times in columns.values():
        times[30:] *= 1.1
    columns["m.time_03"][30:] *= 2
    result = found(a_history_tree(columns))
    assert [change.benchmark for change in result.changes] == ["m.time_03"]
    assert len(result.machine_shifts) == 1


def test_changes_of_most_cases_by_different_factors_are_one_event():
    """A rewrite that speeds up each case differently is not a machine shift."""
    columns = suite()
    for number, times in enumerate(columns.values()):
        times[30:] /= 1.1 + 0.5 * number
    result = found(a_history_tree(columns))
    assert result.machine_shifts == ()
    assert len(result.changes) >= 18
    assert len(result.events) == 1


def test_reference_benchmarks_separate_the_machine_from_the_code():
    """A case that changes with the references has not changed."""
    columns = suite(3)
    for times in columns.values():
        times[30:] *= 1.4
    columns["m.time_02"][30:] *= 1.4
    columns["ref.time_loop"] = values(7)
    columns["ref.time_loop"][30:] *= 1.4
    given = Settings(reference_benchmarks=(r"^ref\.",))
    assert [c.benchmark for c in found(a_history_tree(columns), given=given).changes] == ["m.time_02"]


def test_other_hardware_or_another_version_begins_a_new_series():
    """A step at another CPU or another version of the benchmark is not a change."""
    old, new = a_benchmark("m.time_it", version="1"), a_benchmark("m.time_it", version="2")
    runs = []
    for number in range(60):
        benchmark = old if number < 20 else new
        cpu = Field(name="cpu", json='"fast"' if number < 40 else '"slow"')
        value = a_value(0.1 * (1 + number // 20))
        runs.append(replace(a_run(a_row(benchmark, value), commit=number), params=(cpu,)))
    result = found(a_tree(*runs, benchmarks=(new,)))
    assert (result.series, result.changes) == (3, ())


def test_creep_is_reported_between_releases():
    """0.08 % for each commit is too little for a step, but adds up."""
    times = values(points=200) * 1.0008 ** np.arange(200)
    result = found(a_history_tree({"m.time_it": times}), history=a_history(200, (20, 100, 180)))
    total = sum(np.log1p(change.relative_change) for change in result.changes)
    assert "creep" in {change.kind for change in result.changes} or total > 0.1
    assert total == pytest.approx(200 * np.log(1.0008), abs=0.06)


def test_a_series_that_flips_between_its_levels_is_skipped():
    """Later flips are not reported as changes, where each level lasts ten runs."""
    times = values(points=240)
    for start in range(10, 240, 20):
        times[start : start + 10] *= 1.5
    result = found(a_history_tree({"m.time_it": times}), points=240)
    assert len(result.changes) <= 4
    assert "flips" in result.skipped[0].reason


@pytest.mark.parametrize("seed", [7, 8, 22, 34])
def test_a_few_runs_in_a_row_on_one_of_several_levels_are_a_flip(seed):
    """Each run is on one of four levels by chance; seven runs on the second one and six on the lowest one come last."""
    levels = np.random.default_rng(seed).choice([1, 1.2, 1.44, 1.7], 110, p=[0.3, 0.4, 0.2, 0.1])
    levels[-13:-6], levels[-6:] = 1.2, 1
    times = 0.1 * levels * np.exp(histories(seed, count=1, points=110)[0] / 4)
    result = found(a_history_tree({"m.time_it": times}), points=110)
    assert result.changes == ()
    assert "flips" in result.skipped[0].reason


def test_a_return_to_a_level_that_lasted_is_reported():
    """Its noise leaves the level often, but never for the one that the benchmark returns from."""
    times = values(points=130)
    times[60:120] *= 1.2
    assert commits(found(a_history_tree({"m.time_it": times}), points=130).changes) == [60, 120]


def test_levels_that_last_are_reported_however_often_they_return():
    """Each of eleven changes has twenty runs on both sides."""
    times = values(points=240)
    for start in range(20, 240, 40):
        times[start : start + 20] *= 1.5
    assert len(found(a_history_tree({"m.time_it": times}), points=240).changes) == 11


def test_a_regression_that_was_fixed_has_recovered():
    """The fix is a current improvement."""
    times = values()
    times[20:40] *= 1.3
    first, second = found(a_history_tree({"m.time_it": times})).changes
    assert (first.status, second.status) == ("recovered", "current")


def test_a_change_below_the_threshold_is_not_reported():
    """2 % in a very quiet series is significant but not relevant."""
    times = 0.1 * np.exp(histories(0, count=1, points=60)[0] / 20)
    times[30:] *= 1.02
    tree = a_history_tree({"m.time_it": times})
    assert found(tree).changes == ()
    assert len(found(tree, given=Settings(expect=(Expectation(match="", threshold=0.01),))).changes) == 1


def test_a_change_from_zero_has_no_relative_size():
    """A series that stays zero has no change."""
    columns = {"m.track_errors": [0.0] * 30 + [4.0] * 30, "m.mem_nothing": [0.0] * 60}
    (change,) = found(a_history_tree(columns, unit="errors")).changes
    assert (change.before, change.after, change.relative_change, change.interval) == (0, 4, None, None)


def test_failed_skipped_and_infinite_values_are_gaps():
    """They neither hide nor cause a change."""
    benchmark = a_benchmark("m.time_it")
    times = values()
    times[40:] *= 1.5
    results = [Measured(value=float(value)) for value in times]
    results[5], results[38], results[41] = Skipped(), Measured(value=float("inf")), Measured(value=float("-inf"))
    runs = [a_run(a_row(benchmark, result), commit=number) for number, result in enumerate(results)]
    (change,) = found(a_tree(*runs, benchmarks=(benchmark,))).changes
    assert (change.commit, change.previous_commit) == (a_hash(40), a_hash(39))


def test_a_commit_with_several_results_has_their_median_and_twice_the_weight():
    """The weight is limited to two."""
    benchmark = a_benchmark("m.time_it")
    runs = [
        a_run(a_row(benchmark, Measured(value=value)), commit=commit)
        for commit, value in [(0, 1.0), (0, 3.0), (0, 2.0), (1, 5.0)]
    ]
    (series,) = collect_series(values_of(a_tree(*runs, benchmarks=(benchmark,))), a_history(2))
    assert (list(series.positions), list(series.values), list(series.weights)) == ([0, 1], [2.0, 5.0], [2.0, 1.0])


def test_a_series_of_five_values_is_skipped():
    """The reason is given."""
    (skipped,) = found(a_history_tree({"m.time_it": values(points=5)})).skipped
    assert (skipped.benchmark, skipped.reason) == ("m.time_it", "5 values; 6 are needed")


def test_commits_that_are_not_on_the_branch_are_counted():
    """A note names them."""
    result = found(a_history_tree({"m.time_it": values()}), history=a_history(50))
    assert result.commits == 50
    assert result.notes[0].startswith("10 measured commits are not on the branch")


def test_commits_are_ordered_by_date_without_a_repository():
    """The order of the runs in the tree does not matter."""
    times = values()
    times[40:] *= 1.5
    tree = a_history_tree({"m.time_it": times})
    shuffled = replace(tree, runs=tree.runs[::-1])
    assert commits(found(shuffled, history=history_by_date(shuffled.runs)).changes) == [40]


def test_an_empty_tree_has_no_changes():
    """An empty history is not an error."""
    result = found(a_tree(), history=CommitHistory(commits=()))
    assert (result.series, result.changes, result.skipped) == (0, (), ())


def test_ids_stay_the_same_when_results_are_added():
    """Both those of changes and of events."""
    times = values(points=100)
    times[40:] *= 1.3
    before = found(a_history_tree({"m.time_it": times[:50]}))
    after = found(a_history_tree({"m.time_it": times}), points=100)
    assert before.changes[0].id == after.changes[0].id
    assert before.events[0].id == after.events[0].id


def test_changes_json_is_read_back_unchanged():
    """With changes, machine shifts and skipped series."""
    columns = suite()
    for times in columns.values():
        times[30:] *= 1.25
    columns["m.time_00"][45:] *= 2
    columns["m.time_few"] = [float("nan")] * 57 + [1.0] * 3
    result = found(a_history_tree(columns))
    assert result.changes
    assert result.machine_shifts
    assert formats.decode(formats.encode_pretty(result), DetectedChanges, "changes.json") == result


EXTREMES = st.sampled_from([0.0, -1.0, 1.0, 1e-320, 1e308, -1e308, 3.5, float("nan"), float("inf")])


@examples(50)
@given(st.lists(st.lists(EXTREMES, min_size=14, max_size=14), min_size=1, max_size=3))
def test_extreme_values_are_read_back_unchanged(rows):
    """Values of any size and sign, also infinite ones, give valid JSON."""
    columns = {f"m.track_{k}": [row[i // 4] for i in range(56)] for k, row in enumerate(rows)}
    result = found(a_history_tree(columns))
    assert formats.decode(formats.encode_pretty(result), DetectedChanges, "changes.json") == result


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("share", "length"), [(0.25, 1), (0.25, 2), (0.15, 6)])
def test_slow_runners_give_at_most_one_event_each(seed, share, length):
    """Slow runs, alone or in a row, are not reported once for each benchmark.

    A case is affected by 1 ± 0.2 times the slowness of the machine.
    """
    rng = np.random.default_rng(seed)
    columns = suite(30, points=90, seed=seed)
    blocks = [at for at in range(6, 80, 2 * length + 4) if rng.random() < share * 2]
    feel = rng.normal(1, 0.2, len(columns))
    for times, own in zip(columns.values(), feel, strict=True):
        for at in blocks:
            times[at : at + length] *= 1 + 0.2 * own
    result = found(a_history_tree(columns), points=90)
    assert len(result.events) + len(result.machine_shifts) <= 2 * len(blocks)
    assert all(len(event.members) < len(columns) / 2 for event in result.events)
    if length <= 2:
        assert (result.events, result.machine_shifts) == ((), ())


def test_each_change_is_compared_with_the_shifts_of_its_own_machine_alone(monkeypatch):
    """So hundreds of machines take no longer than one with as many values."""
    compared = []
    explains = TargetShift.explains
    monkeypatch.setattr(
        TargetShift, "explains", lambda shift, change: compared.append(change) or explains(shift, change)
    )
    runs = []
    for machine in range(6):
        columns = suite(12, points=30, seed=machine)
        for times in columns.values():
            times[15:] *= 1.5
        tree = a_history_tree(columns, machine=f"box{machine}")
        runs += tree.runs
    result = found(a_tree(*runs, benchmarks=tree.benchmarks), points=30)
    assert len(result.machine_shifts) == 6
    assert [len(shift.explained_cases) for shift in result.machine_shifts] == [12] * 6
    assert len(compared) <= 2 * 6 * 12
