"""Merging results trees: any number, any order, any grouping gives the same bytes, and nothing is lost."""

from dataclasses import replace

from builders.examples import examples
from builders.strategies import runs, trees
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.asv.results_format.files import (
    decode_benchmarks,
    decode_run,
    encode_benchmarks,
    encode_machine,
    encode_run,
    run_files,
)
from windtunnel.model.run import Failed, Measured, ResultsTree, Skipped
from windtunnel.results.merge import merge_runs, merge_trees


def files(tree):
    """Every file of *tree* as it would be written."""
    names = run_files([run.key for run in tree.runs])
    contents = {name: encode_run(run) for run, name in zip(tree.runs, names, strict=True)}
    contents |= {machine.name: encode_machine(machine) for machine in tree.machines}
    return contents | {"benchmarks.json": encode_benchmarks(tree.benchmarks)}


def merged(*sources):
    return merge_trees(sources)[0]


def reread(tree):
    """*tree* after a round by way of its files."""
    decoded = [decode_run(encode_run(run), run.source) for run in tree.runs]
    assert not any(each.problems for each in decoded)
    benchmarks = decode_benchmarks(encode_benchmarks(tree.benchmarks), "benchmarks.json")
    return replace(tree, runs=tuple(each.value for each in decoded), benchmarks=benchmarks.value)


@examples(40)
@given(st.lists(trees(), max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_trees_does_not_matter(sources, random):
    """Commutative, for any number of trees."""
    shuffled = random.sample(sources, len(sources))
    assert files(merged(*sources)) == files(merged(*shuffled))


@examples(40)
@given(trees(), trees(), trees())
def test_the_grouping_of_trees_does_not_matter(one, two, three):
    """Associative, with or without a round by way of files in between."""
    at_once = files(merged(one, two, three))
    assert files(merged(merged(one, two), three)) == at_once
    assert files(merged(one, reread(merged(two, three)))) == at_once


@examples(40)
@given(trees(), trees())
def test_merging_again_changes_nothing(one, two):
    """Idempotent: a tree that is merged already, or a part of it, adds nothing."""
    both = merged(one, two)
    assert files(merged(both, both)) == files(both)
    assert files(merged(both, one)) == files(both)
    assert files(merged(one, one)) == files(merged(one))


@examples(40)
@given(trees())
def test_files_say_everything(tree):
    """What is written and read again is the same."""
    assert reread(tree) == tree
    assert files(merged(reread(tree))) == files(merged(tree))


@examples(40)
@given(runs(), st.lists(runs(), min_size=1, max_size=3))
def test_no_sample_is_lost(one, others):
    """Every process of every source stands in the result, or in a row that it superseded."""
    sources = [one, *(replace(other, **identity(one)) for other in others)]
    kept = set(map(repr, processes(merge_runs(*sources)[0])))
    for source in sources:
        assert set(map(repr, processes(source))) <= kept


@examples(40)
@given(runs(), runs())
def test_a_value_is_never_lost_to_a_failure(one, two):
    """What was measured anywhere is measured in the result."""
    found = states(merge_runs(one, replace(two, **identity(one)))[0])
    for source in (one, two):
        for case, state in states(source).items():
            assert found[case] >= state


def identity(run):
    return {"commit": run.commit, "machine": run.machine, "environment": run.environment}


def processes(run):
    for row in (*run.rows, *run.superseded):
        for result in row.results:
            if isinstance(result, Measured):
                yield from result.processes


def states(run):
    order = {Skipped: 0, Failed: 1, Measured: 2}
    found = {}
    for row in (*run.rows, *run.superseded):
        for parameters, result in row.cases():
            found[row.name, row.version, row.params, parameters] = order[type(result)]
    return found


def test_of_no_trees_there_is_an_empty_one():
    """Nothing is a tree too."""
    assert merged() == ResultsTree()
