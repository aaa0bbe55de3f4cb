"""The values of claims are read as they were written, and files of others are checked."""

import json

import pytest
from builders.claim_blocks import a_block, a_series, claim_samples

from windtunnel.errors import DataError
from windtunnel_claims.samples_format import MAX_BLOCKS, MAX_SAMPLES, MAX_TOTAL_SAMPLES, SAMPLES_FORMAT


def some_samples():
    """Two series of one block each."""
    first = a_series(a_block((0, (3.0, 3.1)), (1, 1.0), (1, 1.1), (0, 3.2)))
    second = a_series(cases=("sync", "async"), claims=("Z2",), skipped="failed: no disk")
    return claim_samples(first, second)


def changed(change):
    """The file of ``some_samples`` after *change* of its JSON."""
    data = json.loads(SAMPLES_FORMAT.encode(some_samples()))
    change(data)
    return json.dumps(data).encode()


def test_samples_survive_the_file():
    """Every field is written and read."""
    assert SAMPLES_FORMAT.decode(SAMPLES_FORMAT.encode(some_samples()), "file") == some_samples()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.update(schema="windtunnel.claim-samples/2"), "this version reads"),
        (lambda data: data.update(commit="../../etc"), "not a full hash"),
        (lambda data: data.update(environment=""), "a name is empty"),
        (lambda data: data.update(python="3" * 2000), "longer than"),
        (lambda data: data.update(started=-1), ">= 0"),
        (lambda data: data.update(ended=1e300), "<="),
        (lambda data: data["series"].append(data["series"][0]), "the claim 'Z1' is in two series"),
        (lambda data: data["series"][0]["cases"].append(data["series"][0]["cases"][0]), "is listed twice"),
        (lambda data: data["series"][0]["blocks"][0]["visits"][0].update(case=2), "a case that is not listed"),
        (lambda data: data["series"][0]["blocks"][0]["visits"][0].update(case=-1), ">= 0"),
        (lambda data: data["series"][0]["blocks"][0]["visits"][0].update(samples=[]), "length >= 1"),
        (
            lambda data: data["series"][0]["blocks"][0]["visits"][0].update(samples=[1.0] * (MAX_SAMPLES + 1)),
            "more than",
        ),
        (lambda data: data["series"][0]["blocks"][0]["visits"][0].update(samples=[float("nan")]), "malformed"),
        (lambda data: data["series"][0]["blocks"][0]["visits"][0].update(samples=[float("inf")]), "malformed"),
        (lambda data: data["series"][0].update(blocks=data["series"][0]["blocks"] * (MAX_BLOCKS + 1)), "<="),
        (lambda data: data["series"][0].update(skipped="x" * 5000), "<="),
        (lambda data: data["series"][0].update(processes="one"), "Invalid enum value"),
    ],
)
def test_a_damaged_file_is_refused(change, words):
    """The error names the file and the problem."""
    with pytest.raises(DataError, match=r"file is not a valid|file has the schema") as refused:
        SAMPLES_FORMAT.decode(changed(change), "file")
    assert words in str(refused.value)


def test_the_samples_of_a_file_are_counted_together():
    """A file of many allowed visits is refused."""
    visit = (0, [1.0] * MAX_SAMPLES)
    huge = claim_samples(a_series(*[a_block(*[visit] * 51)] * 2))
    assert next(iter(SAMPLES_FORMAT.check(huge))) == f"it has more than {MAX_TOTAL_SAMPLES} samples"
