"""The tables that set the articles' figures beside what was measured here."""

from pathlib import Path

import pytest
from builders.claim_boards import a_claim_board, a_decided_claim, a_decided_test
from builders.own_suites import suites
from builders.trees import a_benchmark, a_row, a_run, a_scenario, a_value
from msgspec import structs

from studies.article_page import line, measured, newest_medians, page, read_articles, read_cases, write_cases
from windtunnel.model.run import Failed, Interval, Skipped
from windtunnel_claims.claims_file import parse_claims
from windtunnel_claims.format import Decision, FigureResult

ROOT = Path(__file__).parents[2]
SUITE = parse_claims((ROOT / "benchmarks" / "claims.toml").read_text(encoding="utf-8"), "claims.toml")
SLEEP = a_scenario(variants=("plain", "sync", "gather", "threads"), loads=("article", "standard"))
EXPERIMENTS = {
    *(f"Z-{letter}" for letter in "abcdefghijklmnopqrstuvwx"),
    "Q",
    *(f"F-{letter}" for letter in "abcdef"),
    *(f"P-{letter}" for letter in "abcd"),
    "H",
    "H comments",
}
"""What the five articles and their comments tried."""


def results(plain, sync, gather, threads):
    """A row of the `article` load; its `standard` load failed."""
    return a_row(SLEEP, *(each for result in (plain, sync, gather, threads) for each in (result, Failed())))


def a_test(ratio, low, high, decision=Decision.HOLDS):
    """A measured test of a claim."""
    return structs.replace(a_decided_test(decision, ratio=ratio), interval=Interval(low=low, high=high))


def row_of(*tests, cases=None, **row):
    """The table row of an experiment that claim Z1 measured as *tests*, one for each Python."""
    decisions = [a_decided_claim(target=f"3.{12 + index}", tests=(each,)) for index, each in enumerate(tests)]
    board = a_claim_board(*decisions or (a_decided_claim(),))
    experiment = {"experiment": "Z-b", "what": "gather / plain", "figure": "202 / 608 ms", **row}
    return line(experiment, {target.name: measured(experiment, target, board, cases or {}) for target in board.targets})


def test_rows_that_agree_are_counted_and_the_others_listed():
    """The page has the days of the medians and the setting."""
    near = {"experiment": "Z-b", "what": "gather", "figure": "a third", "claim": "Z1", "ratio": 0.333}
    far = {"experiment": "Z-c", "what": "again", "figure": "half", "claim": "Z1", "ratio": 0.9, "reason": "a disk"}
    article = {"title": "Z", "setting": "a desk", "row": [near, far]}
    board = a_claim_board(a_decided_claim(tests=(a_test(0.334, 0.333, 0.335),)))
    text = page([article], board, ["2026-01-30"], {})
    assert "Medians without an interval: 2026-01-30." in " ".join(text.split())
    assert "a desk. 1 of 2 rows agree: Z-b." in text
    assert text.splitlines()[-1] == "| Z-c | again ([Z1](../claims.md#z1)) | 0.9× | 0.334× | same direction: a disk |"


def test_a_row_has_the_figure_of_the_article_and_our_ratio():
    """A ratio of the board leads to its claim."""
    assert row_of(a_test(0.334, 0.333, 0.335), claim="Z1", ratio=0.333) == (
        "| Z-b | gather / plain ([Z1](../claims.md#z1)) | 0.333× | 0.334× | agrees |"
    )


@pytest.mark.parametrize(
    ("published", "ours", "verdict"),
    [
        (0.341, (0.336, 0.334, 0.338), "agrees"),  # near
        (0.9, (0.8, 0.7, 0.91), "agrees"),  # inside
        (2.29, (1.8, 1.1, 2.9), "undecided"),  # inside, but wide
        (10.3, (17.0, 16.0, 18.0), "same direction"),
        (0.98, (0.57, 0.5, 0.65), "differs"),  # an article that found no difference has no direction
        (2.29, (0.89, 0.77, 1.03), "differs"),
        (3.77, (1.07, 0.96, 1.19), "differs"),  # 1 is possible, so no direction is shown
    ],
)
def test_the_verdict_compares_the_interval_with_the_published_ratio(published, ours, verdict):
    """An interval that is too wide decides nothing."""
    assert row_of(a_test(*ours), claim="Z1", ratio=published).endswith(f"| {verdict} |")


def test_pythons_that_disagree_are_named_and_the_reason_follows():
    """The reason is shown unless all Pythons agree."""
    near, far = a_test(0.334, 0.333, 0.335), a_test(0.9, 0.89, 0.91)
    shown = row_of(near, far, claim="Z1", ratio=0.333, reason="another disk")
    assert shown.endswith("| agrees on 3.12; same direction on 3.13: another disk |")
    assert row_of(near, near, claim="Z1", ratio=0.333, reason="another disk").endswith("| agrees |")


@pytest.mark.parametrize(
    ("asked", "decision", "verdict"),
    [
        (True, Decision.HOLDS, "yes"),
        (True, Decision.FAILS, "no"),
        (False, Decision.HOLDS, "agrees"),
        (False, Decision.FAILS, "differs"),
        (False, Decision.UNDECIDED, "undecided"),
    ],
)
def test_where_the_article_has_no_ratio_the_claim_answers(asked, decision, verdict):
    """A question is answered; an expectation is met or not."""
    assert row_of(a_test(0.334, 0.333, 0.335, decision), claim="Z1", asked=asked).endswith(f"| {verdict} |")


def test_what_was_not_measured_has_a_row_with_the_reason():
    """So has a row that only words can answer."""
    assert row_of(claim="Z9", reason="needs a disk").endswith("|  | not measured: needs a disk |")
    assert row_of(answer="agrees: the same rule").endswith("|  | agrees: the same rule |")


def test_a_ratio_without_a_claim_is_of_medians():
    """It has no interval."""
    cases = {("a.B.time_run", "gather", "3.12"): 3.0, ("a.B.time_run", "sync", "3.12"): 6.0}
    sides = {"benchmark": "a.B.time_run", "contender": "gather", "baseline": "sync"}
    assert row_of(cases=cases, ratio=0.5, **sides).endswith("| 0.5× | 0.500× | agrees |")
    assert row_of(ratio=0.5, **sides).endswith("|  | not measured |")


@pytest.mark.parametrize(("ends", "verdict"), [((0.9, 1.1), "agrees"), ((1.1, 1.3), "differs")])
def test_a_number_beside_a_claim_agrees_with_no_gain_if_it_may_be_1(ends, verdict):
    """Such a number decides nothing on the board, but the article has a row for it."""
    figure = FigureResult(name="twelve", value=sum(ends) / 2, unit=None, low=ends[0], high=ends[1], reason="")
    board = a_claim_board(a_decided_claim(figures=(figure,)))
    rows = [
        {"experiment": "Z-n", "what": "12", "figure": "no gain", "claim": "Z1", "number": name}
        for name in ("twelve", "x")
    ]
    shown, missing = (line(row, {"3.12": measured(row, board.targets[0], board, {})}) for row in rows)
    assert shown.endswith(f"| {verdict} |")
    assert missing.endswith("|  | not measured |")


def test_every_row_names_claims_tests_and_numbers_that_exist():
    """A claim that is renamed takes its rows along."""
    claims = {claim.id: claim for claim in SUITE.claims}
    for row in (row for article in read_articles() for row in article["row"] if "claim" in row):
        claim = claims[row["claim"]]
        assert row.get("test", 1) <= len(claim.tests), row
        assert row.get("number", "") in {"", *(figure.name for figure in claim.figures)}, row


def test_the_newest_run_that_measured_a_case_counts():
    """A later commit's cases replace those of an earlier one; what it skipped or lost keeps its value."""
    other = a_scenario("files.Files.time_run", variants=("plain",), loads=("article",))
    earlier = a_run(results(*[a_value(9.0)] * 4), a_row(other, a_value(1.0)), commit=1, date=1)
    later = a_run(results(a_value(6.0), Skipped(), Failed(), Skipped()), commit=2, date=2)
    cases = newest_medians([later, earlier])
    assert [cases["sleep.Sleep.time_run", name, "3.12"] for name in ("plain", "sync", "gather")] == [6.0, 9.0, 9.0]
    assert cases["files.Files.time_run", "plain", "3.12"] == 1.0


def test_benchmarks_without_loads_are_left_out():
    """Only benchmarks with the parameters variant and load are kept."""
    assert newest_medians([a_run(a_row(a_benchmark(variant=["'sync'"]), a_value(1.0)))]) == {}


def test_medians_are_read_as_they_were_written(tmp_path):
    """Days are listed once, in order."""
    cases = {("a.B.time_run", "sync", "3.12"): 0.1234}
    write_cases(tmp_path / "cases.json", ["2026-02-01", "2026-01-30", "2026-02-01"], cases)
    assert read_cases(tmp_path / "cases.json") == (["2026-01-30", "2026-02-01"], cases)


def test_every_experiment_of_the_articles_has_a_row():
    """Also those that were not measured."""
    assert {row["experiment"] for article in read_articles()[:5] for row in article["row"]} == EXPERIMENTS


def test_every_row_names_cases_that_exist():
    """Benchmarks and variants are those of the suite."""
    known = {(benchmark, variant) for benchmark, variants in suites() for variant in variants}
    rows = [row for article in read_articles() for row in article["row"]]
    named = {
        (row["benchmark"].rpartition(".")[0], row[side])
        for row in rows
        if "benchmark" in row
        for side in ("contender", "baseline")
    }
    assert named
    assert named <= known
