"""The study that compares counts of snapshots with predictions from changelogs."""

import json
import tomllib
from types import SimpleNamespace

import pytest

from studies import snapshot_counts
from windtunnel.bench.format import Task
from windtunnel.model.benchmark import Selection

DATES = {"a" * 40: "2024-02-01", "b" * 40: "2024-05-01"}


def results(folder, commit, samples):
    """Write a file of results in asv's format with the counts of two cases."""
    row = [[None, None], [["'aiohttp'", "'httpx'"], ["'quick'"]], samples]
    content = {
        "commit_hash": commit,
        "result_columns": ["result", "params", "samples"],
        "results": {"http_clients.HttpInTurn.time_run.instructions": row, "http_clients.HttpInTurn.time_run": row},
    }
    (folder / f"{commit[:8]}.json").write_text(json.dumps(content))


def test_counts_are_read_by_case_and_day(tmp_path):
    """Times, cases without a count and other commits are left out."""
    results(tmp_path, "a" * 40, [[1.0, 2.0, 3.0], None])
    results(tmp_path, "c" * 40, [[1.0, 2.0, 3.0], None])
    assert snapshot_counts.read_counts(tmp_path, DATES) == {"HttpInTurn aiohttp": {"2024-02-01": (1.0, 2.0, 3.0)}}


def test_each_hash_seed_is_compared_with_itself():
    """Seeds may differ more than snapshots."""
    assert snapshot_counts.change((100, 200, 300), (110, 220, 303)) == pytest.approx((0.1, 0.01, 0.1))


PREDICTED = """
[[prediction]]
library = "aiohttp"
release = "3.9.4"
date = 2024-04-11
snapshot = "2024-05"
sign = "-"
cases = ["HttpInTurn aiohttp"]
null = "HttpInTurn httpx"
"""


def verdict(counts, found, tmp_path, monkeypatch, days=("2024-02-01", "2024-05-01")):
    """The row of one prediction."""
    predictions = tmp_path / "predictions.toml"
    predictions.write_text(PREDICTED)
    monkeypatch.setattr(snapshot_counts, "PREDICTIONS", predictions)
    (row,) = snapshot_counts.verdicts({"HttpInTurn aiohttp": counts}, days, found)
    return row[3:]


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (90.0, ("as predicted", "-10.00% since 2024-02")),
        (99.9, ("not seen", "-0.10% since 2024-02")),
        (110.0, ("otherwise", "+10.00% since 2024-02")),
        (None, ("not measured", "")),
    ],
)
def test_a_prediction_is_held_against_the_counts(after, said, tmp_path, monkeypatch):
    """Between the last snapshot before the release and the first one with it."""
    counts = {"2024-02-01": (100.0,)} | ({"2024-05-01": (after,)} if after else {})
    assert verdict(counts, [], tmp_path, monkeypatch) == ("not measured", "", *said, "")


def test_a_change_over_several_quarters_decides_no_prediction(tmp_path, monkeypatch):
    """Other releases are in it."""
    counts, days = {"2023-05-01": (100.0,), "2024-05-01": (90.0,)}, ["2023-05-01", "2024-02-01", "2024-05-01"]
    assert verdict(counts, [], tmp_path, monkeypatch, days)[2:4] == ("not separated", "-10.00% since 2023-05")


@pytest.mark.parametrize(
    ("moves", "share", "said"),
    [
        ("aiohttp 3.9.3 → 3.9.4", "-2.00%", ("as predicted", "-2.00%")),
        ("aiohttp 3.9.3 → 3.9.5, yarl 1 → 2", "+2.00%", ("otherwise", "+2.00%")),
        ("aiohttp 3.9.4 → 3.9.5", "-2.00%", ("not seen", "")),
        ("aiohttp 3.9.3 → 3.9.4", "not counted", ("not seen", "")),
    ],
)
def test_a_release_alone_decides_its_prediction(moves, share, said, tmp_path, monkeypatch):
    """The first one from it on; a search over its day that names it not says that it changes nothing."""
    whole = ("HttpInTurn aiohttp", "3.11", "2024-04-30", "all 9 releases since 2024-02-01", "-9.00%", "1", "2")
    line = ("HttpInTurn aiohttp", "3.11", "2024-04-11", moves, share, "1", "2")
    assert verdict({}, [whole, line], tmp_path, monkeypatch)[:2] == said


def test_a_case_of_one_day_has_no_steps():
    """Of several days, changes of 0.5 % or more are steps."""
    counts = {
        "A b": {"2024-02-01": (1000.0,), "2024-05-01": (1004.0,), "2024-08-01": (1010.0,)},
        "A c": {"2024-02-01": (1.0,)},
    }
    (row,) = snapshot_counts.steps(counts, ["2024-02-01", "2024-05-01", "2024-08-01"])
    assert row == "| A b | 2024-02 | 1,000 | 1,010 | +1.0% | 2024-08 +0.6% |"


def test_what_was_counted_twice_is_compared():
    """By case and day, each seed with itself; what one of both does not have is left out."""
    first = {"A b": {"2024-02-01": (1000.0, 2000.0), "2024-05-01": (1.0,)}, "A c": {"2024-02-01": (1.0,)}}
    assert list(snapshot_counts.repeats(first, {"A b": {"2024-02-01": (1001.0,)}})) == [
        "| A b | 2024-02 | 1,000 | +0.100% |"
    ]


def test_of_a_plan_that_counts_alone_is_run():
    """It also has what is timed, and commits that have all counts."""

    def task(commit, *benchmarks):
        selections = tuple(Selection(benchmark=one, version="1", cases=()) for one in benchmarks)
        return Task(commit=commit, python="3.11", environment="uv-py3.11", selections=selections, seconds=1.0)

    tasks = task("a" * 40, "A.time_run", "A.time_run.instructions"), task("b" * 40, "A.time_run")
    found = snapshot_counts.counting_tasks(SimpleNamespace(shards=[SimpleNamespace(tasks=tasks)]))
    assert list(found) == [task("a" * 40, "A.time_run.instructions")]


def test_each_prediction_names_what_it_rests_on():
    """A release, a date before its snapshot, a sentence, a link, cases, and a null or why nothing should show."""
    found = tomllib.loads(snapshot_counts.PREDICTIONS.read_text(encoding="utf-8"))["prediction"]
    assert all(each["sign"] in {"+", "-", "0"} and each["says"] and each["link"] and each["cases"] for each in found)
    assert all(f"{each['date']:%Y-%m}" < each["snapshot"] for each in found)
    assert all(each.get("why") if each["sign"] == "0" else each.get("null") for each in found)
