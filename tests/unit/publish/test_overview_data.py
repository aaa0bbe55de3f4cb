"""The content of overview.json."""

import json

from builders.sites import a_full_tree, site_data
from builders.trees import a_hash, a_row, a_run, a_scenario, a_tree, a_value

from windtunnel import formats
from windtunnel.model.run import Measured, Skipped
from windtunnel.publish.format.results import OverviewData


def test_the_file_matches_its_type():
    """It is written, and read back with strict types."""
    data = site_data(a_full_tree())
    assert formats.decode(formats.encode(data), OverviewData, "overview.json") == data


def test_equal_results_give_equal_bytes():
    """No time and no hash order is in the file."""
    assert formats.encode(site_data(a_full_tree())) == formats.encode(site_data(a_full_tree()))


def test_indices_refer_to_the_right_entries():
    """Target, commit, load and variant of a figure."""
    bench = a_scenario(loads=("quick", "standard"))
    tree = a_tree(a_run(a_row(bench, *map(a_value, (4, 40, 1, 10)))), benchmarks=[bench])
    data = site_data(tree)
    (scenario,) = data.scenarios
    (case,) = [each for each in scenario.cases if each.result.value == 10]
    assert (scenario.variants[case.variant], scenario.loads[case.load].parameter) == ("gather", "'standard'")
    assert (data.targets[case.target].name, data.commits[case.commit].hash) == ("3.12", a_hash(1))
    assert case.ratio.value == 0.25
    assert [scenario.variants[index] for index in scenario.fastest[0].variants] == ["gather"]


def test_the_four_states_without_a_value_are_distinct():
    """None of them is a number or null."""
    variants = ("sync", "threads", "gather", "new")
    then, now = a_scenario(variants=variants[:3]), a_scenario(variants=variants)
    row = a_row(then, a_value(1.0), Skipped(), Measured(value=float("inf")))
    encoded = json.loads(formats.encode(site_data(a_tree(a_run(row), benchmarks=[now]))))
    first, *others = [case["result"] for case in encoded["scenarios"][0]["cases"]]
    assert (first["value"], others) == (1.0, ["skipped", "infinite", "missing"])


def test_only_commits_with_a_figure_are_listed():
    """Newest first; commits that git does not have come last, without a subject."""
    one, other = a_scenario("a.time"), a_scenario("b.time")
    tree = a_tree(a_run(a_row(one), commit=77), a_run(a_row(other), commit=1), benchmarks=[one, other])
    data = site_data(tree, commits=(9, 1))
    assert [(line.hash, line.subject is None) for line in data.commits] == [(a_hash(1), False), (a_hash(77), True)]
