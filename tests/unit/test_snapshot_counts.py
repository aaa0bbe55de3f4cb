"""The study that compares counts of snapshots with predictions from changelogs."""

import json
import tomllib

import pytest

from studies import snapshot_counts

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


@pytest.mark.parametrize(
    ("after", "said"),
    [(90.0, "as predicted | -10.00%"), (99.9, "not seen"), (110.0, "otherwise | +10.00%"), (None, "not measured")],
)
def test_a_prediction_is_held_against_the_counts(after, said, tmp_path, monkeypatch):
    """Between the last snapshot before the release and the first one with it."""
    predictions = tmp_path / "predictions.toml"
    predictions.write_text(
        '[[prediction]]\nlibrary = "aiohttp"\nrelease = "3.9.4"\nsnapshot = "2024-05"\nsign = "-"\n'
        'cases = ["HttpInTurn aiohttp"]\nnull = "HttpInTurn httpx"\n'
    )
    monkeypatch.setattr(snapshot_counts, "PREDICTIONS", predictions)
    counts = {"HttpInTurn aiohttp": {"2024-02-01": (100.0,)} | ({"2024-05-01": (after,)} if after else {})}
    (row,) = snapshot_counts.verdicts(counts, list(DATES.values()))
    assert said in row


def test_a_change_over_several_quarters_decides_no_prediction(tmp_path, monkeypatch):
    """Other releases are in it."""
    predictions = tmp_path / "predictions.toml"
    predictions.write_text(
        '[[prediction]]\nlibrary = "aiohttp"\nrelease = "3.9.4"\nsnapshot = "2024-05"\nsign = "-"\ncases = ["A b"]\n'
    )
    monkeypatch.setattr(snapshot_counts, "PREDICTIONS", predictions)
    counts = {"A b": {"2023-05-01": (100.0,), "2024-05-01": (90.0,)}}
    (row,) = snapshot_counts.verdicts(counts, ["2023-05-01", "2024-02-01", "2024-05-01"])
    assert "not separated | -10.00%" in row


def test_each_prediction_names_what_it_rests_on():
    """A release, a date before its snapshot, a sentence, a link, cases, and a null or why nothing should show."""
    found = tomllib.loads(snapshot_counts.PREDICTIONS.read_text(encoding="utf-8"))["prediction"]
    assert all(each["sign"] in {"+", "-", "0"} and each["says"] and each["link"] and each["cases"] for each in found)
    assert all(f"{each['date']:%Y-%m}" < each["snapshot"] for each in found)
    assert all(each.get("why") if each["sign"] == "0" else each.get("null") for each in found)
