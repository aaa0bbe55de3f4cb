"""Creeps and counts: which changes of level they have."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from builders.examples import examples
from builders.histories import a_history, a_history_tree, detect, histories
from builders.trees import a_benchmark, a_hash, a_row, a_run, a_tree
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.cli.detect import with_options
from windtunnel.detect.levels import MAX_COUNTERS, align_counters
from windtunnel.model.benchmark import COUNTED_WITH, counting
from windtunnel.model.identity import Field
from windtunnel.model.run import Measured
from windtunnel.model.settings import Expectation, Settings

RELEASES = (20, 100, 180, 260)


def creeps(logs, releases=RELEASES):
    """The creeps of a case whose times have the logarithms *logs*."""
    tree = a_history_tree({"m.time_it": 0.1 * np.exp(logs)})
    found = detect(tree, a_history(len(logs), [each for each in releases if each < len(logs)]))
    return [change for change in found.changes if change.kind == "creep"]


def quiet(points=200, noise=0.01):
    """A series with *noise*, in which a slow rise has no steps."""
    return histories(41, count=1, points=points)[0] * (noise / 0.022)


def ramp(points, first, last, rise):
    """A level that rises evenly by *rise* between the runs *first* and *last*, and stays."""
    return rise * np.clip((np.arange(points) - first) / (last - first), 0, 1)


def test_a_creep_has_the_levels_at_its_ends():
    """Both are levels that the series had."""
    logs = quiet() + ramp(200, 20, 180, 0.07)
    (*_, creep) = found = creeps(logs)
    assert creep.direction == "regressed"
    for each in found:
        end = int(each.commit, 16) + 1
        assert each.after == pytest.approx(0.1 * np.exp(np.median(logs[end - 10 : end])), rel=1e-6)
        assert each.after > each.before


@pytest.mark.parametrize("seed", range(41, 45))
def test_no_creep_goes_against_the_levels(seed):
    """A large step down, and a slow rise after it: the level fell. Without the step, the rise is a creep."""
    logs = histories(seed, count=1, points=300)[0] * (0.01 / 0.022) + ramp(300, 70, 290, 0.08)
    assert [creep.direction for creep in creeps(logs)] == ["regressed"]
    logs[60:] -= 0.2
    assert creeps(logs) == []


@pytest.mark.parametrize("at", [60, 100, 140])
def test_a_step_is_never_a_creep(at):
    """Also where noise hides it from the search for steps: one step fits better than a straight line."""
    logs = histories(42, count=1, points=200)[0] * 6
    logs[at:] += 0.2
    assert creeps(logs) == []


def high_at_first(points, rise):
    """A series of which five of the first ten runs are up to 35 % slow, and whose level then moves by *rise*."""
    logs = quiet(points) + ramp(points, 20, 240, rise)
    logs[[0, 3, 4, 5, 7]] += (0.3, 0.3, 0.3, 0.3, 0.2)
    return logs


def test_a_few_high_runs_before_a_slow_fall_do_not_make_it_a_creep():
    """The level falls by 4 %, less than a creep; it would be 14 % with the median of the first ten runs."""
    assert creeps(high_at_first(260, -0.04), releases=()) == []


def test_a_creep_is_found_although_the_first_runs_are_high():
    """The level rises by 15 %, beyond the high runs' level by little; the next baseline has the level before."""
    (creep, *_) = creeps(high_at_first(300, 0.15), releases=())
    assert creep.before == pytest.approx(0.1, rel=0.05)


def test_a_creep_that_went_back_has_recovered():
    """The level is what it was before."""
    logs = quiet(300) + ramp(300, 20, 180, 0.07)
    logs[230:] -= 0.07
    found = creeps(logs)
    assert found
    assert {creep.status for creep in found if creep.direction == "regressed"} == {"recovered"}


def test_a_creep_before_another_change_is_superseded():
    """A step follows it."""
    logs = quiet(300) + ramp(300, 20, 180, 0.07)
    logs[230:] += 0.8
    assert {creep.status for creep in creeps(logs)} == {"superseded"}


def test_a_creep_that_lasts_is_current():
    """The last one, where nothing follows."""
    assert creeps(quiet() + ramp(200, 20, 180, 0.07))[-1].status == "current"


COUNT = counting(a_benchmark("m.time_it"))
OLD, NEW = "cpython 3.13.4, valgrind 3.19.0", "cpython 3.13.5, valgrind 3.19.0"


def a_tree_of_counts(values, counters=None):
    """A history of one count; *counters* name what counted each value (default: always the same)."""
    runs = [
        a_run(_row(value, counter), commit=commit)
        for commit, (value, counter) in enumerate(zip(values, counters or [OLD] * len(values), strict=True))
    ]
    return a_tree(*runs, benchmarks=(COUNT,))


def _row(value, counter):
    return replace(a_row(COUNT, Measured(value=float(value))), extra=(Field(name=COUNTED_WITH, json=f'"{counter}"'),))


def counts(*levels, each=20, seed=0, noise=2e-4):
    """Counts of around 1.5 million at *levels* (relative), each for some commits."""
    centre = np.repeat(1_515_741.3 * np.array(levels), each)
    return centre * np.exp(np.random.default_rng(seed).normal(0, noise, len(centre)))


def found(values, counters=None, given=None):
    """What detection finds."""
    return detect(a_tree_of_counts(values, counters), a_history(len(values)), given)


def test_a_step_of_one_per_cent_is_found_in_counts_and_not_in_times():
    """Counts hardly vary, so a smaller change is relevant."""
    values = counts(1, 1.01)
    (change,) = found(values).changes
    assert (change.commit, change.unit) == (a_hash(20), "instructions")
    assert change.relative_change == pytest.approx(0.01, abs=0.001)
    assert detect(a_history_tree({"m.time_it": values / 1e7}), a_history(40)).changes == ()


def test_a_step_is_found_in_counts_without_any_noise():
    """The same code executes the same instructions, so most counts are equal."""
    assert [change.commit for change in found(counts(1, 1.006, noise=0.0)).changes] == [a_hash(20)]
    newest = np.concatenate([counts(1, noise=0.0), counts(1.006, each=3, noise=0.0)])
    assert [change.commit for change in found(newest).changes] == [a_hash(20)]


def test_small_steps_of_quiet_counts_are_no_changes():
    """Unrelated code moves dictionaries and hashes by some hundredths of a per cent."""
    values = counts(1, 1.0005, 0.9998, 1.002, 1.001, noise=0.0)
    values[::7] *= 1.0015
    assert found(values).changes == ()


def test_the_owner_sets_the_threshold_of_counts_apart_from_that_of_times():
    """The threshold of noisy times would hide what counts show."""
    times = Settings(expect=(Expectation(match="time_it", threshold=0.2),))
    assert len(found(counts(1, 1.01), given=times).changes) == 1
    coarse = Settings(expect=(Expectation(match="time_it$", instructions_threshold=0.05),))
    assert found(counts(1, 1.01), given=coarse).changes == ()
    fine = Settings(expect=(Expectation(match="", instructions_threshold=0.002),))
    assert len(found(counts(1, 1.003), given=fine).changes) == 1
    command_line = with_options(fine, SimpleNamespace(min_change=0.05, reference=()))
    assert found(counts(1, 1.01), given=command_line).changes == ()


def test_another_python_or_counter_is_no_change():
    """Its commit is named, because what the commit changes is not found in counts."""
    counters = [OLD] * 20 + [NEW] * 20
    assert len(found(counts(1, 0.96)).changes) == 1
    result = found(counts(1, 0.96), counters)
    assert result.changes == ()
    (note,) = result.notes
    assert all(each in note for each in (NEW, OLD, a_hash(20)[:8])), note


def test_counters_that_alternate_are_no_change():
    """Runners of two images measure in turn while an image is replaced."""
    counters = [OLD] * 10 + [OLD, NEW] * 5 + [NEW] * 20
    values = counts(1, each=40) * np.where([counter == NEW for counter in counters], 0.96, 1.0)
    result = found(values, counters)
    assert (result.changes, result.skipped) == ((), ())


def test_a_change_under_another_counter_is_found():
    """It is relative to the level before, under either counter."""
    counters = [OLD] * 20 + [NEW] * 40
    values = counts(1, 1, 1.02) * np.where([counter == NEW for counter in counters], 0.96, 1.0)
    (change,) = found(values, counters).changes
    assert (change.commit, change.relative_change) == (a_hash(40), pytest.approx(0.02, abs=0.001))
    assert change.after == pytest.approx(values[-1], rel=0.001)


def test_a_regression_stays_open_when_another_counter_lowers_all_counts():
    """Otherwise a new Python would close every alert."""
    counters = [OLD] * 40 + [NEW] * 20
    (change,) = found(counts(1, 1.04, 1.0), counters).changes
    assert (change.commit, change.status) == (a_hash(20), "current")


@examples(30)
@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=12), st.integers(0, 99))
def test_levels_of_counters_are_aligned_in_any_order(counters, seed):
    """The values of the newest counter stay, and the others get its level."""
    offsets = dict(zip("abc", np.random.default_rng(seed).normal(0, 0.1, 3), strict=True))
    values = np.array([offsets[each] for each in counters])
    assert align_counters(values, counters) == pytest.approx(np.full(len(values), offsets[counters[-1]]))


def test_a_nonsensical_number_of_counters_is_left_alone():
    """Anyone can write results; reading them must not take long."""
    values = np.zeros(MAX_COUNTERS + 1)
    assert align_counters(values, [str(each) for each in range(len(values))]) is values


IT = a_benchmark("m.time_it")


def timed(*parts, seed=0):
    """Times of runs: for each part their number, the level in seconds, and the calls of a sample."""
    rng = np.random.default_rng(seed)
    rows = [
        a_row(IT, Measured(value=float(level * np.exp(rng.normal(0, 0.03))), number=calls, repeat=10))
        for count, level, calls in parts
        for _ in range(count)
    ]
    tree = a_tree(*(a_run(row, commit=commit) for commit, row in enumerate(rows)), benchmarks=(IT,))
    return detect(tree, a_history(len(rows)))


def test_short_calls_that_are_timed_one_by_one_are_no_regression():
    """A single call of 0.2 us takes some 3 us by the clock. A note and the left-out series say so, both ways."""
    for parts in ([(20, 2.4e-7, 45_000), (12, 3.3e-6, 1)], [(20, 3.3e-6, 1), (12, 2.4e-7, 45_000)]):
        found = timed(*parts)
        assert found.changes == ()
        assert [one.benchmark for one in found.skipped] == ["m.time_it"]
        assert "1 change left out" in " ".join(found.notes)


def test_a_change_among_single_calls_or_of_long_ones_is_reported():
    """Only the way of measuring excuses a step: a long call is a sample, so asv times it alone."""
    assert len(timed((20, 3e-6, 1), (12, 4e-6, 1)).changes) == 1
    assert len(timed((20, 0.8e-3, 1), (12, 1.3e-3, 1)).changes) == 1
    assert len(timed((20, 6e-3, 2), (12, 12e-3, 1)).changes) == 1
    assert len(timed((20, 2.4e-7, 45_000), (12, 3.3e-6, 3_000)).changes) == 1
