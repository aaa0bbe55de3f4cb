"""The newest figures of a results tree, as the content of overview.json and as tables."""

import json
import math

import pytest
from builders.sites import a_full_tree, an_overview, site_data
from builders.trees import a_benchmark, a_hash, a_row, a_run, a_scenario, a_tree, a_value

from windtunnel import formats
from windtunnel.model.run import Failed, Interval, Measured, Skipped
from windtunnel.model.settings import BoardSettings
from windtunnel.publish.figures import fastest, ratio, shown_result
from windtunnel.publish.format.results import MeasuredResult, OverviewData, Ratio
from windtunnel.publish.overview import scenario_names
from windtunnel.publish.overview_text import overview_text, summary_text


def a_figure(value, low=None, high=None):
    return MeasuredResult(value=value, interval=None if low is None else (low, high), samples=None)


def values(scenario, load=0):
    """The values of the variants at a load."""
    return [each.result.value for each in scenario.cases if each.load == load]


def commits(overview):
    """The newest commit of each target."""
    return [overview.data.commits[each.commit].hash for each in overview.data.targets]


def one(bench, *results, **more):
    """The overview of one run of one benchmark."""
    return an_overview(a_tree(a_run(a_row(bench, *results)), benchmarks=[bench]), **more)


def scenario_of(bench, *results, **more):
    (scenario,) = one(bench, *results, **more).data.scenarios
    return scenario


# figures


def test_a_figure_takes_its_interval_from_the_samples():
    """The range of six samples reaches 95 %; five samples are too few."""
    six, five = shown_result(a_value(1.0, spread=0.1)), shown_result(a_value(1.0, count=5))
    assert six.interval == pytest.approx((0.9, 1.1))
    assert (five.interval, five.samples) == (None, 5)


def test_without_samples_the_interval_is_that_of_asv():
    """asv writes infinite limits for too few samples; these are dropped."""
    known = Measured(value=1.0, interval=Interval(low=0.9, high=1.2), repeat=10)
    unknown = Measured(value=1.0, interval=Interval(low=-math.inf, high=math.inf))
    assert shown_result(known) == MeasuredResult(value=1.0, interval=(0.9, 1.2), samples=10)
    assert shown_result(unknown).interval is None


def test_an_interval_without_the_value_is_dropped():
    """It belongs to other samples."""
    assert shown_result(Measured(value=5.0, interval=Interval(low=0.9, high=1.2))).interval is None


def test_a_state_without_a_number_is_kept():
    """Failed, skipped, missing and infinite results stay distinct."""
    given = (Failed(), Skipped(), None, Measured(value=math.inf))
    assert tuple(map(shown_result, given)) == ("failed", "skipped", "missing", "infinite")


@pytest.mark.parametrize("baseline", ["failed", "missing", a_figure(0.0), a_figure(-1.0)])
def test_there_is_no_ratio_without_a_positive_baseline(baseline):
    """The baseline is absent, zero or negative."""
    assert ratio(a_figure(1.0, 0.9, 1.1), baseline) is None


def test_a_ratio_has_an_interval_only_if_both_sides_have_one():
    """Otherwise part of the uncertainty is unknown."""
    assert ratio(a_figure(1.0, 0.9, 1.1), a_figure(2.0)) == Ratio(value=0.5, interval=None)
    assert ratio(a_figure(1.0, 0.9, 1.1), a_figure(2.0, 1.9, 2.1)).interval is not None


def test_the_fastest_are_those_with_overlapping_intervals():
    """Touching intervals overlap."""
    assert fastest([a_figure(3, 2.9, 3.1), a_figure(1, 0.9, 1.1), a_figure(1.2, 1.1, 1.3), "failed"]) == (1, 2)


@pytest.mark.parametrize("figures", [[], [a_figure(1, 0.9, 1.1)], [a_figure(1), a_figure(2, 1.9, 2.1)]])
def test_nothing_is_fastest_without_a_rival_or_an_interval(figures):
    """A single figure, or a smallest figure without an interval."""
    assert fastest(figures) == ()


# places


def test_the_newest_commit_is_the_newest_of_the_history():
    """Author dates can run backwards."""
    bench = a_benchmark()
    tree = a_tree(a_run(a_row(bench), commit=1, date=9_999), a_run(a_row(bench), commit=2, date=5), benchmarks=[bench])
    assert commits(an_overview(tree)) == [a_hash(2)]


def test_commits_of_no_branch_count_as_older():
    """The commit of a pull request is not the state of the project."""
    bench = a_benchmark()
    tree = a_tree(a_run(a_row(bench), commit=77), a_run(a_row(bench), commit=1), benchmarks=[bench])
    assert commits(an_overview(tree)) == [a_hash(1)]
    assert commits(an_overview(tree, ())) == [a_hash(77)]


def test_each_python_has_its_own_newest_commit():
    """Pythons are ordered by version, free-threaded after the usual one, other interpreters last."""
    bench = a_benchmark()
    pythons = ("pypy3.11", "3.10", "3.9", "3.13t", "3.13")
    runs = [a_run(a_row(bench), python=python, commit=1 + (python == "3.9")) for python in pythons]
    overview = an_overview(a_tree(*runs, benchmarks=[bench]))
    assert [each.name for each in overview.data.targets] == ["3.9", "3.10", "3.13", "3.13t", "pypy3.11"]
    assert commits(overview)[0] == a_hash(2)


def test_runs_without_results_do_not_count():
    """Files can be empty, or have skipped cases only."""
    bench = a_benchmark()
    tree = a_tree(
        a_run(commit=3), a_run(a_row(bench, Skipped()), commit=2), a_run(a_row(bench), commit=1), benchmarks=[bench]
    )
    assert commits(an_overview(tree)) == [a_hash(1)]


def test_targets_of_one_python_have_unique_names():
    """The machine, and then the environment, is added where needed."""
    bench = a_benchmark()
    runs = [
        a_run(a_row(bench), machine="desk"),
        a_run(a_row(bench), machine="lab"),
        a_run(a_row(bench), machine="lab", environment="old"),
        a_run(a_row(bench), python="3.13"),
    ]
    names = [each.name for each in an_overview(a_tree(*runs, benchmarks=[bench])).data.targets]
    assert names == ["3.12, lab, old", "3.12, desk", "3.12, lab, virtualenv-py3.12", "3.13"]


def test_machines_that_only_older_commits_used_are_left_out():
    """Hosted runners can have a new name every day."""
    bench = a_benchmark()
    tree = a_tree(
        a_run(a_row(bench), machine="runner-1", commit=1),
        a_run(a_row(bench), machine="runner-2", commit=2),
        benchmarks=[bench],
    )
    assert [each.machine for each in an_overview(tree).data.targets] == ["runner-2"]


# scenarios


def test_variants_are_compared_with_the_configured_reference():
    """The reference has no ratio to itself."""
    scenario = scenario_of(a_scenario(variants=("gather", "sync")), a_value(1.0), a_value(3.0))
    gather, sync = scenario.cases
    assert scenario.variants[scenario.reference] == "sync"
    assert gather.ratio.value == pytest.approx(1 / 3)
    assert gather.ratio.interval[0] < 1 / 3 < gather.ratio.interval[1]
    assert sync.ratio is None
    assert [each.variants for each in scenario.fastest] == [(0,)]


def test_without_the_configured_reference_the_first_variant_is_used():
    """Not every scenario has the configured variant."""
    assert scenario_of(a_scenario(variants=("plain", "threads"))).reference == 0


def test_parameters_are_matched_by_name():
    """Their order does not matter."""
    bench = a_benchmark("x.time", load=["'quick'"], variant=["'sync'", "'gather'"])
    scenario = scenario_of(bench, a_value(2.0), a_value(1.0))
    assert (scenario.variants, values(scenario)) == (("sync", "gather"), [2.0, 1.0])


def test_a_load_comes_from_the_newest_commit_that_tried_it():
    """Each board is from one run, with its own commit."""
    bench = a_scenario(loads=("quick", "standard"))
    old = a_row(bench, *[a_value(1.0)] * 4)
    new = a_row(bench, a_value(2.0), Skipped(), a_value(2.0), Skipped())
    overview = an_overview(a_tree(a_run(old, commit=1), a_run(new, commit=2), benchmarks=[bench]))
    (scenario,) = overview.data.scenarios
    assert [each.name for each in scenario.loads] == ["quick", "standard"]
    assert [overview.data.commits[each.commit].hash for each in scenario.cases] == [a_hash(2)] * 2 + [a_hash(1)] * 2
    assert [values(scenario, load) for load in (0, 1)] == [[2.0, 2.0], [1.0, 1.0]]


def test_a_failed_variant_does_not_affect_the_others():
    """It has no ratio."""
    bench = a_scenario(variants=("sync", "gather", "threads"))
    _, gather, threads = scenario_of(bench, a_value(1.0), Failed(), a_value(0.5)).cases
    assert (gather.result, gather.ratio) == ("failed", None)
    assert threads.ratio.value == 0.5


def test_without_a_value_of_the_reference_there_are_no_ratios():
    """The values are shown."""
    case = scenario_of(a_scenario(), Failed(), a_value(0.5)).cases[1]
    assert (case.result.value, case.ratio) == (0.5, None)


def test_without_board_settings_there_are_no_scenarios():
    """The names of parameters alone mean nothing."""
    bench = a_scenario()
    seen = one(bench, board=None)
    assert (seen.data.scenarios, [each.benchmark.name for each in seen.benchmarks]) == ((), [bench.name])


def test_a_scenario_without_loads_has_one_board():
    """The load is optional."""
    bench = a_benchmark("x.time", technique=["'plain'", "'pool'"])
    board = BoardSettings(variant="technique", reference="pool")
    scenario = scenario_of(bench, a_value(2.0), a_value(1.0), board=board)
    assert (scenario.variants[scenario.reference], values(scenario)) == ("pool", [2.0, 1.0])


@pytest.mark.parametrize("bench", [a_benchmark("x.time", variant=["'a'"]), a_scenario(n=["1"]), a_scenario(loads=())])
def test_a_benchmark_with_other_parameters_is_not_a_scenario(bench):
    """A scenario has exactly the configured parameters, each with a value."""
    assert one(bench).data.scenarios == ()


# other benchmarks


def test_a_benchmark_is_shown_from_the_newest_commit_that_tried_it():
    """The newest commit may have measured other benchmarks only."""
    one, other = a_benchmark("a.time"), a_benchmark("b.time")
    tree = a_tree(
        a_run(a_row(one, a_value(1.0)), a_row(other, a_value(5.0)), commit=1),
        a_run(a_row(one, a_value(2.0)), commit=2),
        benchmarks=[one, other],
    )
    results = [result for listing in an_overview(tree).benchmarks for _, _, result in listing.results]
    assert [each.value for each in results] == [2.0, 5.0]


def test_results_of_another_version_are_not_shown():
    """As in asv; a row without a version fits every version."""
    bench = a_benchmark(version="2")
    old = a_tree(a_run(a_row(bench, version="1")), benchmarks=[bench])
    assert an_overview(old).benchmarks == ()
    assert [each.name for each in an_overview(old).untried] == [bench.name]


def test_results_belong_to_values_of_parameters_not_to_positions():
    """A grid can grow at the front."""
    then, now = a_benchmark(n=["2"]), a_benchmark(n=["1", "2"])
    tree = a_tree(a_run(a_row(then, a_value(0.2))), benchmarks=[now])
    (_, _, one), (_, _, two) = an_overview(tree).benchmarks[0].results
    assert one is None
    assert two.value == 0.2


def test_an_empty_tree_has_an_empty_overview():
    """It is not an error."""
    nothing = an_overview(a_tree(benchmarks=[a_benchmark()]))
    assert (nothing.data.targets, nothing.data.scenarios, nothing.benchmarks) == ((), (), ())


def test_the_file_matches_its_type():
    """It is written, and read back with strict types."""
    data = site_data(a_full_tree())
    assert formats.decode(formats.encode(data), OverviewData, "overview.json") == data


def test_equal_results_give_equal_bytes():
    """No time and no hash order is in the file."""
    assert formats.encode(site_data(a_full_tree())) == formats.encode(site_data(a_full_tree()))


def test_indices_refer_to_the_right_entries():
    """Target, commit, load and variant of a figure."""
    data = one(a_scenario(loads=("quick", "standard")), *map(a_value, (4, 40, 1, 10))).data
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


def text_of(bench, *results, width=100):
    return overview_text(one(bench, *results), width)


def test_every_figure_has_its_interval_and_ratio():
    """A table for each scenario and load, with a row for each variant and Python."""
    bench = a_scenario()
    runs = [a_run(a_row(bench, a_value(0.3), a_value(0.1)), python=python) for python in ("3.12", "3.13")]
    lines = overview_text(an_overview(a_tree(*runs, benchmarks=[bench])), 100).splitlines()
    assert [line.split() for line in lines if line.strip()] == [
        ["sleep,", "quick"],
        ["variant", "Python", "median", "interval", "to", "sync", "interval"],
        ["sync", "3.12", "300", "ms", "297", "–", "303"],
        ["3.13", "300", "ms", "297", "–", "303"],
        ["gather", "3.12", "100", "ms", "99", "–", "101", "0.333×", "0.329", "–", "0.338"],
        ["3.13", "100", "ms", "99", "–", "101", "0.333×", "0.329", "–", "0.338"],
    ]


NAMES = {"sleep.Sleep": "Three waits", "sync": "one by one", "sleep.Sleep.threads": "3 threads"}


def summary_of(bench, *results, runs=None):
    tree = a_tree(*(runs or [a_run(a_row(bench, *results))]), benchmarks=[bench])
    text = summary_text(an_overview(tree), NAMES)
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def test_the_summary_has_a_line_for_each_job():
    """The plain way, the fastest ways and their ratio; a way without a value is no answer."""
    bench = a_scenario(variants=("sync", "gather", "threads", "slow"))
    assert summary_of(bench, a_value(0.3), a_value(0.1), a_value(0.1005), Failed())[2:] == [
        "Three waits 300 ms 100 ms 0.33 gather or 3 threads, not one by one"
    ]


def test_the_summary_says_where_the_plain_way_is_as_fast():
    """Overlapping intervals recommend nothing."""
    lines = summary_of(a_scenario(variants=("sync", "gather")), a_value(0.3), a_value(0.299))
    assert lines[2:] == ["Three waits 300 ms no clear difference to one by one"]


def test_the_summary_tells_clearly_slower_ways_from_undecided_ones():
    """No way is faster in both cases, but only one of them is an answer."""
    bench = a_scenario(variants=("sync", "gather", "threads"))
    assert summary_of(bench, a_value(0.3), a_value(0.299), a_value(0.5))[2:] == [
        "Three waits 300 ms one by one; no clear difference: gather; clearly slower: 3 threads"
    ]


def test_pythons_that_agree_share_a_line_of_the_summary():
    """With ranges over them; a Python with another answer has a line of its own."""
    bench = a_scenario(variants=("sync", "gather"))
    runs = [
        a_run(a_row(bench, a_value(0.3), a_value(value)), python=python)
        for python, value in (("3.11", 0.1), ("3.12", 0.12), ("3.13", 0.3))
    ]
    assert summary_of(bench, runs=runs) == [
        "Python 3.11, 3.12, 3.13",
        "job plain best ratio best here",
        "Three waits (3.11, 3.12) 300 ms 100–120 ms 0.33–0.4 gather, not one by one",
        "Three waits (3.13) 300 ms no clear difference to one by one",
    ]


def test_without_the_configured_reference_ways_are_compared_with_the_first_measured():
    """A ratio to a way that was not measured would say nothing."""
    bench = a_scenario(variants=("flask", "django", "aiohttp"))
    scenario = scenario_of(bench, Skipped(), a_value(0.3), a_value(0.1))
    assert scenario.variants[scenario.reference] == "django"
    assert [each.ratio and round(each.ratio.value, 2) for each in scenario.cases] == [None, None, 0.33]


def test_the_summary_names_a_job_with_too_few_samples():
    """Three samples have no interval, so nothing is called best."""
    lines = summary_of(a_scenario(variants=("sync", "gather")), a_value(0.3), a_value(0.1, count=3))
    assert lines[2:] == ["Three waits 300 ms needs more samples"]


def test_the_summary_of_a_suite_without_scenarios_has_its_slowest_cases():
    """A thousand lines would hide what follows them; the count says how many there are."""
    bench = a_benchmark("a.time_x", n=[str(n) for n in range(12)])
    lines = summary_of(bench, *(a_value(n + 1.0) for n in range(12)))
    assert lines[0] == "benchmarks, the slowest 10 of 12 cases"
    assert [line.split()[0] for line in lines[2:]] == [f"a.time_x({n})" for n in range(11, 1, -1)]


def test_failures_and_missing_intervals_are_labelled():
    """Neither hides the other rows."""
    bench = a_scenario(variants=("sync", "gather", "threads"))
    text = text_of(bench, a_value(0.3), Failed(), a_value(0.1, count=3))
    assert "failed" in text
    assert text.count("needs more samples") == 2


def test_loads_without_results_have_no_table():
    """A run may measure one load only."""
    text = text_of(a_scenario(variants=("sync",), loads=("quick", "article")), a_value(0.3), Skipped())
    assert "sleep, quick" in text
    assert "article" not in text


def test_other_benchmarks_are_listed_case_by_case():
    """With the unit that asv names."""
    bench = a_benchmark("memory.peak", unit="bytes", n=["1", "'x'"])
    text = text_of(bench, Measured(value=2**20), Skipped())
    assert all(each in text for each in ("memory.peak(1)", "1.00 MiB", "memory.peak('x')")), text
    assert "skipped" in text


def test_names_cannot_control_a_terminal():
    """Escape characters and markup of the library are escaped."""
    text = text_of(a_benchmark("evil\x1b[31m[bold]x\x07"))
    assert not [char for char in text if not char.isprintable() and char != "\n"]
    assert "[bold]x" in text


def test_a_narrow_terminal_shows_every_figure():
    """80 columns are enough for a real name."""
    bench = a_scenario(variants=("sync", "async_sequential"))
    text = text_of(bench, a_value(0.3), a_value(0.1), width=80)
    assert max(map(len, text.splitlines())) <= 80
    assert "0.329 – 0.338" in text


def test_scenario_names_are_short_and_unique():
    """The module, the class or the full name."""
    assert scenario_names(["sleep.Sleep.time_run", "io.files.time_run", "x"]) == ("sleep", "io.files", "x")
    assert scenario_names(["db.Read.time_run", "db.Write.time_run"]) == ("db.Read", "db.Write")
    assert scenario_names(["db.Read.time_run", "db.Read.time_walk"]) == ("db.Read.time_run", "db.Read.time_walk")
