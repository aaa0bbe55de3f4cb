"""claims.json is read as it was written, and files of others are checked."""

import json
from pathlib import Path

import pytest
from builders.claim_boards import a_claim_board, a_decided_claim
from builders.trees import a_hash
from msgspec.structs import replace

from windtunnel.errors import DataError
from windtunnel_claims.format import CLAIMS_FORMAT, Decision

DOCS = Path(__file__).parents[3] / "docs"


def a_board():
    """A board with every kind of entry."""
    return a_claim_board(
        replace(a_decided_claim(), before=Decision.FAILS, before_commit=a_hash(2)),
        a_decided_claim(target="3.13t", decision=Decision.FAILS),
        a_decided_claim("Z2", decision=Decision.OUT_OF_SCOPE, reason="for free-threaded builds", tests=()),
        notes=("said",),
    )


def test_a_board_survives_the_file():
    """Every field is written and read."""
    assert CLAIMS_FORMAT.decode(CLAIMS_FORMAT.encode(a_board()), "claims.json") == a_board()


def test_the_example_in_the_documentation_can_be_read():
    """docs/how-to/claims.md shows a valid file."""
    text = (DOCS / "how-to" / "claims.md").read_text(encoding="utf-8").partition("## An example")[2]
    board = CLAIMS_FORMAT.decode(text.encode(), "the example")
    assert board.decisions[0].tests[0].ratio == pytest.approx(0.3336)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.update(schema="windtunnel.claims/2"), "this version reads"),
        (lambda data: data["claims"].append(data["claims"][0]), "the claim 'Z1' is listed twice"),
        (lambda data: data["targets"].append(data["targets"][0]), "the target '3.12' is listed twice"),
        (lambda data: data["decisions"].append(data["decisions"][0]), "twice"),
        (lambda data: data["decisions"][0].update(target="moon"), "the target 'moon' is used but not listed"),
        (lambda data: data["decisions"][0].update(claim="Z9"), "the claim 'Z9' is used but not listed"),
        (lambda data: data["decisions"][0].update(decisive=1), "has no test 1"),
        (lambda data: data["decisions"][0].update(decisive=-1), ">= 0"),
        (lambda data: data["decisions"][0].update(decision="true"), "Invalid enum value"),
        (lambda data: data.pop("notes"), "notes"),
    ],
)
def test_a_damaged_file_is_refused(change, words):
    """The error names the file and the problem."""
    data = json.loads(CLAIMS_FORMAT.encode(a_board()))
    change(data)
    with pytest.raises(DataError, match=r"claims\.json") as refused:
        CLAIMS_FORMAT.decode(json.dumps(data).encode(), "claims.json")
    assert words in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"null", b"[1,", b"\xff", b"[" * 100_000])
def test_other_content_is_refused(content):
    """The error is always a DataError."""
    with pytest.raises(DataError, match=r"claims\.json"):
        CLAIMS_FORMAT.decode(content, "claims.json")
