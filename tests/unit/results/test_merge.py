"""What wins when results are merged; that order and grouping do not matter is tests/properties/test_merge.py."""

from dataclasses import replace

import pytest
from asv_runner.statistics import compute_stats
from builders.trees import a_benchmark, a_hash, a_row, a_run, a_tree

from windtunnel.errors import DataError
from windtunnel.model.identity import Field, Instant, MachineName
from windtunnel.model.run import Failed, Interval, Machine, Measured, Session, Skipped
from windtunnel.results.merge import merge_benchmarks, merge_runs, merge_trees

PLAIN = a_benchmark("a.time")
SIZED = a_benchmark("b.time", size=["1", "2"])


def at(moment, row, duration=None):
    """*row*, started at *moment*."""
    return replace(row, started_at=Instant(moment), duration=duration)


def of(*samples, number=1):
    """A value with samples, as asv keeps them: statistics cut to five digits."""
    value, stats = compute_stats(samples, number)
    cut = {name: float(f"{number:.4e}") for name, number in stats.items()}
    return Measured(
        value=value,
        interval=Interval(low=cut["ci_99_a"], high=cut["ci_99_b"]),
        quartiles=Interval(low=cut["q_25"], high=cut["q_75"]),
        number=number,
        repeat=len(samples),
        samples=samples,
    )


def merged_row(*rows):
    """The one row of runs with one row each, which do not disagree."""
    merged, conflicts = merge_runs(*(a_run(row) for row in rows))
    assert conflicts == ()
    assert merged.superseded == ()
    (row,) = merged.rows
    return row


def merged_result(*rows):
    (result,) = merged_row(*rows).results
    return result


def test_samples_of_two_jobs_are_two_processes():
    """Neither is lost, and statistics are asv's own of all of them."""
    one, two = of(1.0, 1.1, 1.2, number=3), of(2.0, 2.1, 2.2, number=2)
    result = merged_result(a_row(PLAIN, two), a_row(PLAIN, one))
    assert result.processes == (one.samples, two.samples)
    assert replace(result, process_sizes=None) == of(*one.samples, *two.samples, number=3)


def test_the_same_samples_are_not_doubled():
    """A result that comes by two ways is one result, exactly as it was."""
    one = of(1.0, 1.1, 1.2)
    assert merged_result(a_row(PLAIN, one), a_row(PLAIN, one)) == one


def test_processes_of_one_job_may_be_alike():
    """Two processes that counted the same are two; two sources with the same two are still two."""
    twice = replace(of(5.0, 5.0), process_sizes=(1, 1))
    assert merged_result(a_row(PLAIN, twice), a_row(PLAIN, twice)).processes == ((5.0,), (5.0,))
    assert merged_result(a_row(PLAIN, twice), a_row(PLAIN, of(5.0))).processes == ((5.0,), (5.0,))


def test_without_samples_the_newer_value_is_used():
    """Whichever comes first."""
    older, newer = at(1, a_row(PLAIN, Measured(value=1.0))), at(2, a_row(PLAIN, Measured(value=2.0)))
    assert merged_result(older, newer) == merged_result(newer, older) == Measured(value=2.0)


def test_samples_take_precedence_over_a_value_without():
    """Nothing that was recorded is lost to something newer that was not."""
    sampled, newer = at(1, a_row(PLAIN, of(1.0, 1.1))), at(2, a_row(PLAIN, Measured(value=2.0)))
    assert merged_result(sampled, newer) == of(1.0, 1.1)


@pytest.mark.parametrize(
    ("winner", "loser"), [(Measured(value=1.0), Failed()), (Measured(value=1.0), Skipped()), (Failed(), Skipped())]
)
def test_the_result_with_more_information_is_used(winner, loser):
    """A value before a failure before a skip, however old."""
    assert merged_result(at(1, a_row(PLAIN, winner)), at(2, a_row(PLAIN, loser))) == winner


def test_cases_of_one_benchmark_may_come_from_two_jobs():
    """Each keeps its time, and the seconds add up."""
    first = at(1, a_row(SIZED, Measured(value=1.0), Skipped()), duration=10)
    second = at(5, a_row(SIZED, Skipped(), Measured(value=2.0)), duration=12.5)
    row = merged_row(first, second)
    assert row.results == (Measured(value=1.0), Measured(value=2.0))
    assert (row.started_at, row.duration) == (5, 22.5)
    assert row.case_started_at == (1, 5)
    assert row.sessions == (Session(started_at=1, duration=10), Session(started_at=5, duration=12.5))
    assert merged_row(row, first, second) == row


def test_a_case_stays_the_newest_after_a_merge():
    """The time of its own measurement counts, not that of its neighbour."""
    first = at(1, a_row(SIZED, Measured(value=1.0), Failed()))
    third = at(3, a_row(SIZED, Failed(), Measured(value=2.0)))
    second = at(2, a_row(SIZED, Measured(value=9.0), Failed()))
    assert merged_row(merged_row(first, third), second).results[0] == Measured(value=9.0)


@pytest.mark.parametrize(
    ("one", "two", "said"),
    [
        (a_row(PLAIN, version="1"), a_row(PLAIN, version="2"), ("version 1", "version 2")),
        (a_row(SIZED), a_row(a_benchmark("b.time", size=["2", "3"])), ("'1'", "'3'")),
    ],
)
def test_other_versions_or_parameters_are_a_conflict_that_names_both_sources(one, two, said):
    """The newest with a value stands, the other is kept, the rest merges."""
    rest = a_row(a_benchmark("z.rest"))
    left = replace(a_run(at(1, one)), source="left/a.json")
    merged, (conflict,) = merge_runs(left, replace(a_run(at(2, two), rest), source="right/a.json"))
    for word in (*said, "left/a.json", "right/a.json", one.name, a_hash(1)[:8]):
        assert word in str(conflict)
    assert merged.rows == (at(2, two), rest)
    assert merged.superseded == (at(1, one),)


def test_what_was_superseded_counts_again_when_it_is_the_newest():
    """Nothing is lost by a conflict: later samples of the same version join the earlier."""
    old, new = a_row(PLAIN, of(1.0), version="1"), a_row(PLAIN, of(2.0), version="2")
    newest = a_row(PLAIN, of(1.5), version="1")
    run = merge_runs(merge_runs(a_run(at(1, old)), a_run(at(2, new)))[0], a_run(at(3, newest)))[0]
    assert run.rows[0].results[0].processes == ((1.0,), (1.5,))
    assert run.superseded == (at(2, new),)


def test_a_conflict_is_reported_once():
    """A row that a source already superseded is not a conflict."""
    first, conflicts = merge_runs(a_run(a_row(PLAIN, version="1")), a_run(a_row(PLAIN, version="2")))
    assert conflicts
    assert merge_runs(first, first)[1] == ()


def test_different_runs_are_not_merged():
    """That would be a bug of the caller."""
    with pytest.raises(DataError, match="runs of different commits"):
        merge_runs(a_run(commit=1), a_run(commit=2))


def test_no_benchmark_is_dropped():
    """A Python that discovers fewer benchmarks hides nothing."""
    assert merge_benchmarks([[PLAIN, SIZED], [PLAIN], []]) == (PLAIN, SIZED)


def test_the_version_that_was_last_seen_is_described():
    """benchmarks.json decides what asv shows; a tree from before a change must not turn it back."""
    old, new = a_benchmark("a.time", version="zzz"), a_benchmark("a.time", version="aaa")
    before = a_tree(a_run(at(1, a_row(old)), commit=1), benchmarks=[old])
    after = a_tree(a_run(at(2, a_row(new)), commit=2), benchmarks=[new])
    (found,) = merge_trees([before, after])[0].benchmarks
    assert (found.version, found.last_seen) == ("aaa", 2)
    assert merge_trees([merge_trees([after])[0], before])[0].benchmarks == (found,)


def test_trees_are_joined_run_by_run():
    """Commits, machines and environments stay apart."""
    one = a_tree(a_run(a_row(PLAIN), commit=1), a_run(a_row(PLAIN), commit=2))
    two = a_tree(a_run(a_row(PLAIN), commit=1, python="3.13"), a_run(a_row(PLAIN), commit=1, machine="runner"))
    merged, conflicts = merge_trees([one, two])
    assert conflicts == ()
    assert [run.key for run in merged.runs] == sorted(run.key for run in (*one.runs, *two.runs))
    assert [machine.name for machine in merged.machines] == ["desk", "runner"]


def test_machines_that_differ_are_a_conflict():
    """A conflict of two kernels under one name is reported, with the same result in any order."""
    one = Machine(name=MachineName("desk"), details=(Field(name="os", json='"Linux 5"'),), source="a/machine.json")
    two = replace(one, details=(Field(name="os", json='"Linux 6"'),), source="b/machine.json")
    trees = [replace(a_tree(), machines=(machine,)) for machine in (one, two)]
    merged, (conflict,) = merge_trees(trees)
    assert merged == merge_trees(reversed(trees))[0]
    assert str(conflict).startswith("b/machine.json: machine desk: os: differs from a/machine.json: ties are broken")


def test_samples_at_the_edge_of_a_float_are_merged():
    """asv's formula overflows there."""
    result = merged_result(a_row(PLAIN, of(1.0)), a_row(PLAIN, Measured(value=2.0, samples=(1.7e308, 1e-308, 1.6e308))))
    assert result.processes == ((1.0,), (1.7e308, 1e-308, 1.6e308))
    assert result.value > 0


def test_samples_that_are_all_alike_are_merged():
    """Exact ties, zeros among them, have a median and an interval like others."""
    result = merged_result(a_row(PLAIN, of(0.0, 0.0)), a_row(PLAIN, of(0.0, 0.0, 0.0)))
    assert (result.value, result.repeat) == (0.0, 5)


def test_of_two_dates_of_one_commit_the_later_counts():
    """In any order; rebased histories have such commits."""
    early, late = a_run(a_row(PLAIN), date=1000), a_run(a_row(PLAIN), date=2000)
    assert merge_runs(early, late)[0].date == merge_runs(late, early)[0].date == 2000
