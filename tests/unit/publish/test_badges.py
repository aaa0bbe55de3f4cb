"""The badges and the error rates behind them."""

from xml.etree import ElementTree as ET

import pytest
from builders.error_rates import a_checked_run, eight_months
from builders.histories import a_history, a_history_tree, detect

from windtunnel.publish.badges import GREEN, RED, changes_badge, error_badge, summarise
from windtunnel.stats.intervals import clustered_proportion, proportion

LEVELS = {
    "steady": [1.0] * 40,
    "slower": [1.0] * 20 + [2.0] * 20,
    "faster": [2.0] * 20 + [1.0] * 20,
    "back": [1.0] * 15 + [2.0] * 15 + [1.0] * 15,
}


def found_in(*names):
    """The changes of benchmarks whose levels are called so; a trace of noise makes them real."""
    columns = {f"b.time_{name}": [v * (1 + 0.001 * (i % 3)) for i, v in enumerate(LEVELS[name])] for name in names}
    count = max(map(len, columns.values()))
    columns = {name: values + values[-1:] * (count - len(values)) for name, values in columns.items()}
    return detect(a_history_tree(columns), a_history(count))


def said(badge):
    return ET.fromstring(badge).attrib["aria-label"]


@pytest.mark.parametrize(
    ("names", "message"),
    [(("steady",), "steady"), (("slower",), "1 slower"), (("faster",), "steady"), (("back",), "steady")],
)
def test_the_badge_counts_current_regressions(names, message):
    """Improvements and recovered regressions do not count."""
    assert said(changes_badge(found_in(*names))) == f"benchmarks: {message}"


def test_the_image_is_text_with_a_label():
    """A README can embed it: it has no link, script or image."""
    root = ET.fromstring(changes_badge(found_in("slower")))
    assert root.attrib["aria-label"] == "benchmarks: 1 slower"
    assert {each.tag.rpartition("}")[2] for each in root.iter()} == {"svg", "title", "rect", "g", "text"}
    assert not any("href" in name for each in root.iter() for name in each.attrib)


def runs(count, alarms=(), **what):
    """Self-checks a day apart; those at the places in *alarms* have one alarm for each time."""
    return [
        a_checked_run(run=str(index), date=f"2026-11-{index + 1:02}", alarms=list(alarms).count(index), **what)
        for index in range(count)
    ]


def test_the_interval_of_independent_trials_is_exact():
    """Clopper and Pearson's interval of 10 in 100 is 4.9 to 17.6 %; without a hit, the rule of three nearly holds."""
    found = proportion(10, 100)
    assert (found.low, found.high) == pytest.approx((0.0490, 0.1762), abs=1e-4)
    assert proportion(0, 100).high == pytest.approx(1 - 0.025 ** (1 / 100))
    assert proportion(100, 100).low == pytest.approx(0.025 ** (1 / 100))
    assert proportion(0, 0) is None


def test_alarms_of_one_run_say_less_than_alarms_of_several():
    """Both are 6 of 2,000 comparisons; those of one run may have one cause."""
    together = clustered_proportion([6, *[0] * 9], [200] * 10)
    apart = clustered_proportion([1] * 6 + [0] * 4, [200] * 10)
    assert together.rate == apart.rate == 0.003
    assert together.high > 2 * apart.high


def test_a_single_run_has_no_interval():
    """Its comparisons may all be wrong for one reason."""
    found = clustered_proportion([0], [500])
    assert (found.low, found.high) == (0.0, 1.0)


def test_runs_without_comparisons_count_for_nothing():
    """The time limit may have cut every case short."""
    assert summarise([a_checked_run(comparisons=0)]) is None
    assert summarise(()) is None
    found = summarise([*runs(3), a_checked_run(comparisons=0, run="x", date="2026-12-01")])
    assert (found.all.alarmed_runs.trials, found.last.date) == (3, "2026-11-03")


def test_false_alarms_and_found_slowdowns_are_separate():
    """A slowdown that is found is not a false alarm."""
    slowed = runs(4, [0] * 150, slowdown=0.05, achieved=0.049, source="slowdown")
    found = summarise([*runs(4), *slowed])
    assert (found.all.false_alarms.hits, found.all.false_alarms.trials) == (0, 800)
    assert (found.all.found.hits, found.all.found.trials, found.slowdown, found.achieved) == (150, 800, 0.05, 0.049)
    assert found.self_checks == 8


def test_rates_are_shown_over_time():
    """By month, for the last 90 days, and in all."""
    found = summarise(eight_months().runs)
    assert [one.since for one in found.months][::7] == ["2026-03-01", "2026-10-01"]
    assert sum(one.false_alarms.hits for one in found.months) == found.all.false_alarms.hits == 2
    assert (found.recent.since, found.recent.false_alarms.hits) == ("2026-07-21", 0)
    assert found.last.url.endswith("/runs/1033")


@pytest.mark.parametrize(
    ("alarms", "message", "colour"),
    [((), "0 of 2,800", GREEN), ((0, 0, 0), "3 of 2,800", GREEN), ((1, 2, 3, 4), "4 of 2,800", RED)],
)
def test_the_badge_is_red_only_if_more_runs_are_wrong_than_promised(alarms, message, colour):
    """One wrong run of 14 may be chance at 1 %; four may not."""
    badge = error_badge(summarise(runs(14, alarms)))
    assert (said(badge), colour in badge) == (f"false alarms: {message}", True)


def test_the_badge_of_a_new_site_says_that_no_run_has_checked():
    """It claims no rate."""
    assert said(error_badge(None)) == "false alarms: no run yet"
