"""Stored results are paired and compared without measuring."""

from dataclasses import replace

import numpy as np
import pytest

from windtunnel.compare.format import Overall, Verdict
from windtunnel.compare.stored_runs import WEAKER, StoredCommit, compare_stored
from windtunnel.errors import DataError
from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, CommitHash, EnvironmentName, Instant, MachineName
from windtunnel.model.measure import Better, MeasureKind
from windtunnel.model.result import Failed, Measured, Row, Skipped
from windtunnel.model.run import Environment, ResultsTree, Run
from windtunnel.model.schedule import ComparedCommit
from windtunnel.model.settings import Expectation

BASE, HEAD = "a" * 40, "b" * 40


def measured(level=1.0, *, seed=0, count=10):
    """A result with samples about *level*."""
    samples = tuple((np.random.default_rng(seed).normal(1, 0.01, count) * level).tolist())
    return Measured(value=level, samples=samples)


def a_row(name, *results, version="1", params=()):
    return Row(
        name=BenchmarkName(name),
        version=BenchmarkVersion(version) if version else None,
        params=params,
        results=results or (measured(),),
    )


def a_run(*rows, commit=BASE, machine="m", environment="py3.12"):
    return Run(
        commit=CommitHash(commit),
        machine=MachineName(machine),
        environment=Environment(name=EnvironmentName(environment), python="3.12"),
        date=Instant(0),
        rows=rows,
    )


def a_side(*runs, commit="", benchmarks=(), machines=()):
    tree = ResultsTree(runs=runs, benchmarks=benchmarks, machines=machines)
    return StoredCommit(tree=tree, commit=commit, name="results")


def many(level=1.0, *, seed, count=40):
    """Rows of a suite that all take *level* times a second, but for noise between runs of 1 %."""
    noise = np.random.default_rng(seed).normal(1, 0.01, count)
    return tuple(a_row(f"s.time_{index:02}", measured(level * noise[index], seed=index)) for index in range(count))


def compared(base, head, **what):
    return compare_stored(a_side(*base, **what), a_side(*head, **what), ())


def test_a_large_change_of_stored_results_is_an_unconfirmed_regression():
    """The report notes what is weaker than in a live comparison."""
    slow = (*many(seed=2)[:-1], a_row("s.time_39", measured(2.0)))
    found = compared([a_run(*many(seed=1))], [a_run(*slow, commit=HEAD)])
    assert found.overall is Overall.REGRESSED
    (one,) = found.having(Verdict.REGRESSED)
    assert one.benchmark == "s.time_39"
    assert not one.confirmed
    assert found.notes == (WEAKER,)
    assert (found.base, found.head) == (BASE, HEAD)


def test_a_different_machine_is_noted_and_divided_out():
    """A slower runner of head is not a regression of every case."""
    found = compared([a_run(*many(seed=1))], [a_run(*many(1.5, seed=2), commit=HEAD, machine="n")])
    assert not found.having(Verdict.REGRESSED)
    assert found.common_change.removed
    assert any("measured on m, head on n" in note for note in found.notes)
    assert [one.name for one in found.machines] == ["m", "n"]


def test_runs_of_the_same_machine_are_paired():
    """Base may have results of several machines."""
    base = [a_run(a_row("a", measured(machine)), machine=name) for name, machine in (("m", 1.0), ("n", 9.0))]
    found = compared(base, [a_run(a_row("a", measured(9.0)), commit=HEAD, machine="n")])
    assert found.comparisons[0].baseline.value == pytest.approx(9.0, rel=0.1)


def test_each_common_machine_is_compared():
    """The label of the environment contains the machine."""
    both = [a_run(a_row("a"), machine=name) for name in ("m", "n")]
    found = compared(both, [replace(run, commit=CommitHash(HEAD)) for run in both])
    assert [one.environment for one in found.comparisons] == ["py3.12 on m", "py3.12 on n"]


def test_each_case_without_a_verdict_is_listed_with_its_reason():
    """There is one list for each kind of reason."""
    base = a_run(
        a_row("both_fail", Failed()),
        a_row("breaks", measured()),
        a_row("gone"),
        a_row("infinite", Measured(value=float("inf"))),
        a_row("mended", Failed()),
        a_row("new_version", version="1"),
        a_row("params", measured(), measured(), params=(("1", "2"),)),
        a_row("skipped", Skipped()),
        a_row("unversioned", version=None),
    )
    head = a_run(
        a_row("added"),
        a_row("both_fail", Failed()),
        a_row("breaks", Failed()),
        a_row("infinite", measured()),
        a_row("mended", measured()),
        a_row("new_version", version="2"),
        a_row("params", measured(), measured(), params=(("2", "3"),)),
        a_row("skipped", measured()),
        a_row("unversioned"),
        commit=HEAD,
    )
    found = compared([base], [head])
    assert {one.benchmark: (one.on, one.reason) for one in found.failed} == {
        "both_fail": ((ComparedCommit.BASE, ComparedCommit.HEAD), ""),
        "breaks": ((ComparedCommit.HEAD,), ""),
        "infinite": ((), "a value is not a finite number"),
        "mended": ((ComparedCommit.BASE,), ""),
    }
    assert [(one.benchmark, one.params) for one in found.added] == [("added", ()), ("params", ("3",))]
    assert [(one.benchmark, one.params) for one in found.removed] == [("gone", ()), ("params", ("1",))]
    assert [one.benchmark for one in found.skipped] == ["skipped"]
    assert [one.benchmark for one in found.incomparable] == ["new_version"]
    assert [(one.benchmark, one.params) for one in found.comparisons] == [("params", ("2",)), ("unversioned", ())]


def test_units_and_expectations_of_the_suite_apply():
    """Bytes are not a time, and more hits are better."""
    benchmarks = (
        Benchmark(name=BenchmarkName("m.peakmem_x"), type_word="peakmemory", unit="bytes"),
        Benchmark(name=BenchmarkName("m.track_hits"), type_word="track", unit="hits"),
    )
    rows = (a_row("m.peakmem_x"), a_row("m.track_hits"), a_row("unknown"))
    expectations = (Expectation(match="hits", better=Better.HIGHER, threshold=0.5),)
    base, head = (a_side(a_run(*rows, commit=commit), benchmarks=benchmarks) for commit in (BASE, HEAD))
    memory, hits, unknown = compare_stored(base, head, expectations).comparisons
    assert (memory.kind, memory.unit, memory.better) == (MeasureKind.OTHER, "bytes", Better.LOWER)
    assert (hits.unit, hits.better, hits.threshold) == ("hits", Better.HIGHER, 0.5)
    assert (unknown.kind, unknown.unit) == (MeasureKind.TIME, "seconds")


def test_a_higher_rate_is_better():
    """Change detection uses the same rule; an expectation takes precedence."""
    benchmarks = (Benchmark(name=BenchmarkName("m.track_speed"), type_word="track", unit="req/s"),)
    base, head = (
        a_side(a_run(a_row("m.track_speed"), commit=commit), benchmarks=benchmarks) for commit in (BASE, HEAD)
    )
    assert compare_stored(base, head, ()).comparisons[0].better is Better.HIGHER


def test_stored_counts_are_exact_if_several_samples_are_equal():
    """One value per commit does not show exactness."""
    benchmarks = (Benchmark(name=BenchmarkName("track"), type_word="track", unit="count"),)

    def side(commit, value, **what):
        run = a_run(a_row("track", Measured(value=value, **what)), commit=commit)
        return a_side(run, benchmarks=benchmarks)

    single = compare_stored(side(BASE, 10.0), side(HEAD, 20.0), ())
    several = compare_stored(side(BASE, 10.0, samples=(10.0,) * 3), side(HEAD, 20.0, samples=(20.0,) * 3), ())
    assert single.comparisons[0].verdict is Verdict.INCONCLUSIVE
    assert several.comparisons[0].verdict is Verdict.REGRESSED


class TestWhichCommit:
    """A tree may hold many; a comparison has two."""

    TREE = (a_run(a_row("a")), a_run(a_row("a"), commit=HEAD))

    def test_the_beginning_of_a_hash_selects_a_commit(self):
        """Upper and lower case are equal, as in git."""
        found = compare_stored(a_side(*self.TREE, commit="aaaa"), a_side(*self.TREE, commit="BBBB"), ())
        assert (found.base, found.head) == (BASE, HEAD)

    @pytest.mark.parametrize(("commit", "complaint"), [("", "2 commits"), ("c", "no results of a commit")])
    def test_an_ambiguous_or_unknown_commit_is_refused(self, commit, complaint):
        """The message lists the commits."""
        with pytest.raises(DataError, match=complaint):
            compare_stored(a_side(*self.TREE, commit=commit), a_side(*self.TREE, commit="b"), ())

    def test_a_tree_without_results_is_refused(self):
        """Nothing stored gives no verdict."""
        with pytest.raises(DataError, match="no results"):
            compared([], [])

    def test_commits_without_a_common_environment_are_refused(self):
        """The message lists both sides."""
        with pytest.raises(DataError, match=r"py3\.12 and head in py3\.13"):
            compared([a_run(a_row("a"))], [a_run(a_row("a"), commit=HEAD, environment="py3.13")])
