"""The study that compares the `article` load with the articles' figures."""

from builders.own_suites import suites
from builders.trees import a_benchmark, a_row, a_run, a_scenario, a_tree, a_value

from studies.article_page import PUBLISHED, newest, page, read_published
from windtunnel.model.result import Failed, Skipped

SLEEP = a_scenario(variants=("plain", "sync", "gather", "threads"), loads=("article", "standard"))


def results(plain, sync, gather, threads):
    """A row of the `article` load; its `standard` load failed."""
    return a_row(SLEEP, *(each for result in (plain, sync, gather, threads) for each in (result, Failed())))


def test_each_case_has_its_published_value_and_its_ratio_to_the_first_variant():
    """Ratios are to the first variant that was measured; skipped and failed variants are marked."""
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
    """The line above the table counts measured, skipped and failed cases."""
    run = a_run(results(Skipped(), a_value(6.0), a_value(3.0), Failed()))
    assert "Python 3.12: 2 cases measured, 1 skipped, 1 failed." in page(a_tree(run, benchmarks=[SLEEP]), [], {})


def test_the_newest_run_that_tried_a_case_counts():
    """A later commit's cases replace those of an earlier commit; the other cases remain."""
    other = a_scenario("files.Files.time_run", variants=("plain",), loads=("article",))
    earlier = a_run(results(*[a_value(9.0)] * 4), a_row(other, a_value(1.0)), commit=1, date=1)
    later = a_run(results(*[a_value(6.0)] * 4), commit=2, date=2)
    cases = newest([later, earlier])
    assert cases["sleep.Sleep.time_run", "'sync'"]["3.12"].value == 6.0
    assert cases["files.Files.time_run", "'plain'"]["3.12"].value == 1.0


def test_a_case_that_a_later_run_skipped_keeps_its_result():
    """asv stores cases that were not selected as skipped."""
    earlier = a_run(results(*[a_value(9.0)] * 4), commit=1, date=1)
    later = a_run(results(a_value(6.0), Skipped(), Failed(), Skipped()), commit=2, date=2)
    tried = [
        newest([earlier, later])["sleep.Sleep.time_run", f"'{name}'"]["3.12"] for name in ("plain", "sync", "gather")
    ]
    assert [getattr(each, "value", None) for each in tried] == [6.0, 9.0, None]


def test_benchmarks_without_loads_are_left_out():
    """Only benchmarks with the parameters variant and load are listed."""
    assert newest([a_run(a_row(a_benchmark(variant=["'sync'"]), a_value(1.0)))]) == {}


def test_every_published_value_belongs_to_a_case():
    """Each key of published.toml names a benchmark and a variant that exist."""
    known = {(benchmark, variant) for benchmark, variants in suites() for variant in variants}
    figures = read_published(PUBLISHED)
    assert {(benchmark.rpartition(".")[0], variant) for benchmark, variant in figures} <= known
    assert all(seconds > 0 for seconds, _ in figures.values())
