"""The study that sets the `article` load beside what the articles measured."""

from builders.own_suites import suites
from builders.trees import a_benchmark, a_row, a_run, a_scenario, a_tree, a_value

from studies.article_page import PUBLISHED, newest, page, published
from windtunnel.model.result import Failed, Skipped

SLEEP = a_scenario(variants=("plain", "sync", "gather", "threads"), loads=("article", "standard"))


def results(plain, sync, gather, threads):
    """A row of the `article` load, whose `standard` load was not timed."""
    return a_row(SLEEP, *(each for result in (plain, sync, gather, threads) for each in (result, Failed())))


def test_each_case_stands_beside_the_first_variant_and_what_was_published():
    """A variant that could not be measured says so; the first that could is what others are divided by."""
    run = a_run(results(Skipped(), a_value(6.0), a_value(3.0), Failed()))
    figures = {("sleep.Sleep.time_run", "gather"): (3.0, "Z")}
    table = page(a_tree(run, benchmarks=[SLEEP]), [], figures).split("\n\n")[-1]
    assert table.splitlines()[2:] == [
        "| `sleep.Sleep.time_run` | `plain` |  | skipped |  |",
        "|  | `sync` |  | 6.00 s |  |",
        "|  | `gather` | 3.00 s (Z) | 3.00 s | 0.500× |",
        "|  | `threads` |  | **failed** |  |",
    ]


def test_cases_are_counted_for_each_python():
    """What was skipped or failed is told above the table."""
    run = a_run(results(Skipped(), a_value(6.0), a_value(3.0), Failed()))
    assert "Python 3.12: 2 cases measured, 1 skipped, 1 failed." in page(a_tree(run, benchmarks=[SLEEP]), [], {})


def test_the_newest_run_that_tried_a_case_counts():
    """A later commit's cases replace those of an earlier one, whatever else the earlier one has."""
    other = a_scenario("files.Files.time_run", variants=("plain",), loads=("article",))
    earlier = a_run(results(*[a_value(9.0)] * 4), a_row(other, a_value(1.0)), commit=1, date=1)
    later = a_run(results(*[a_value(6.0)] * 4), commit=2, date=2)
    cases = newest([later, earlier])
    assert cases["sleep.Sleep.time_run", "'sync'"]["3.12"].value == 6.0
    assert cases["files.Files.time_run", "'plain'"]["3.12"].value == 1.0


def test_a_case_that_a_later_run_left_out_keeps_its_result():
    """To asv it was skipped there."""
    earlier = a_run(results(*[a_value(9.0)] * 4), commit=1, date=1)
    later = a_run(results(a_value(6.0), Skipped(), Failed(), Skipped()), commit=2, date=2)
    tried = [
        newest([earlier, later])["sleep.Sleep.time_run", f"'{name}'"]["3.12"] for name in ("plain", "sync", "gather")
    ]
    assert [getattr(each, "value", None) for each in tried] == [6.0, 9.0, None]


def test_what_has_no_loads_is_none_of_it():
    """Benchmarks of other suites are left out."""
    assert newest([a_run(a_row(a_benchmark(variant=["'sync'"]), a_value(1.0)))]) == {}


def test_every_published_figure_stands_beside_a_case():
    """A case that is renamed takes its figure along."""
    known = {(benchmark, variant) for benchmark, variants in suites() for variant in variants}
    figures = published(PUBLISHED)
    assert {(benchmark.rpartition(".")[0], variant) for benchmark, variant in figures} <= known
    assert all(seconds > 0 for seconds, _ in figures.values())
