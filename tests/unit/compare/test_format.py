"""verdict.json is decoded as it was encoded, and untrusted files are checked."""

import json
from pathlib import Path

import pytest
from builders.samples import a_cause, a_context, exact_samples, paired_samples, work_samples
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from windtunnel.compare.decide import decide
from windtunnel.compare.format import (
    VERDICT_FORMAT,
    Budget,
    ComparedEnvironment,
    ComparedMachine,
    FalseAlarms,
    NotCompared,
)
from windtunnel.compare.samples_format import PairedSamples
from windtunnel.errors import DataError

SCHEMA = Path(__file__).parents[2] / "docs" / "verdict.schema.json"


def a_report(*samples, **context):
    changed = paired_samples(ratio=1.3, fresh=1.3, work=work_samples(1.3), cause=a_cause())
    return decide(a_context(**context), samples or [changed, exact_samples(baseline=0.0)])


def damaged(change):
    """The content of a verdict.json after *change* has had its way with it."""
    data = json.loads(VERDICT_FORMAT.encode(a_report()))
    data["comparisons"].sort(key=lambda one: one["work"] is None)
    change(data)
    return json.dumps(data).encode()


def test_a_report_is_unchanged_by_encoding_and_decoding():
    """Every field of the context has a value."""
    missing = (NotCompared(benchmark="b", params=("'1'", "\n"), environment="e", reason="why"),)
    whole = a_report(
        machines=(ComparedMachine(name="m", description="16 cores"),),
        environments=(ComparedEnvironment(name="e", differences=("numpy 1 -> 2",)),),
        budget=Budget(seconds=1.5, allowed_seconds=60.0, processes=12),
        aa=FalseAlarms(comparisons=10, alarms=1),
        notes=("said",),
        **dict.fromkeys(("failed", "added", "removed", "skipped", "incomparable"), missing),
    )
    assert VERDICT_FORMAT.decode(VERDICT_FORMAT.encode(whole), "verdict.json") == whole


@given(st.text(), st.floats(min_value=5e-324, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_any_name_and_value_can_be_encoded(name, before, after):
    """A decision gives no number that JSON cannot represent."""
    whole = a_report(exact_samples(name, before, after), replace(paired_samples("\ud7ff"), params=(name,)))
    assert VERDICT_FORMAT.decode(VERDICT_FORMAT.encode(whole), "verdict.json") == whole


def test_the_file_has_the_documented_keys():
    """docs/how-to/read-verdict.md shows them."""
    data = json.loads(VERDICT_FORMAT.encode(a_report()))
    assert {"schema", "base", "head", "overall", "machines", "environments", "budget", "comparisons", "failed"} <= {
        *data
    }
    assert {"added", "removed", "skipped", "coverage", "aa"} <= {*data}
    one = data["comparisons"][0]
    assert {"benchmark", "params", "environment", "unit", "baseline", "contender", "relative_change"} <= {*one}
    assert {"interval", "confidence", "verdict", "significant", "smallest_detectable", "notes"} <= {*one}
    assert {"work", "instructions", "instructions_threshold", "cause"} <= {*one}
    assert {"value", "interval", "processes"} <= {*one["baseline"]}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda data: data.update(schema="windtunnel.verdict/2"), "this version reads"),
        (lambda data: data["comparisons"].append(data["comparisons"][0]), "twice"),
        (lambda data: data["comparisons"][0].update(threshold=0), "threshold"),
        (lambda data: data["comparisons"][0].update(verdict="fine"), "verdict"),
        (lambda data: data["rules"]["screening"].update(interim_analyses=[]), "interim_analyses"),
        (lambda data: data["rules"]["screening"].update(interim_analyses=[4, 4]), "interim_analyses"),
        (lambda data: data["rules"]["confirmation"].update(error=1.0), "confirmation.error"),
        (lambda data: data["comparisons"][0]["stage_samples"][0]["baseline"]["values"].pop(), "processes"),
        (lambda data: data.pop("base"), "base"),
        (lambda data: data.update(overall="improved"), "no comparison is"),
        (lambda data: data["comparisons"][0]["work"]["base"].update(per_call=[1.0] * 65), "more than 64 hash seeds"),
        (lambda data: data["comparisons"][0]["cause"]["functions"].extend([{"name": "f"}] * 3), "functions"),
        (lambda data: data["comparisons"][0]["cause"]["functions"][0].update(name="f" * 301), "name"),
        (lambda data: data["comparisons"][0]["cause"].update(notes=["n" * 301]), "notes"),
    ],
)
def test_an_inconsistent_file_is_refused(change, complaint):
    """The message names the file and the place."""
    with pytest.raises(DataError, match=complaint) as caught:
        VERDICT_FORMAT.decode(damaged(change), "some/verdict.json")
    assert "some/verdict.json" in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"null", b"[1,", b"\xff", b'{"schema": 1e999}', b"[" * 100_000])
def test_other_content_is_refused(content):
    """Only a DataError is raised."""
    with pytest.raises(DataError):
        VERDICT_FORMAT.decode(content, "verdict.json")


def test_cases_with_different_parameters_may_share_a_name():
    """Parameters and environment are part of the identity."""
    samples = [replace(paired_samples(), params=(value,)) for value in ("1", "2")]
    assert all(isinstance(one, PairedSamples) for one in a_report(*samples).comparisons)
