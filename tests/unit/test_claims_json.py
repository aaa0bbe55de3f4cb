"""claims.json: what we write is what we read, and what others write is checked."""

import json
from pathlib import Path

import pytest
from builders.claim_boards import LOAD, a_claim_board, a_decided_claim
from builders.trees import a_hash

from windtunnel.claims.format import CLAIMS_FORMAT, CommitFlip, Decision, PlaceFlip
from windtunnel.errors import DataError
from windtunnel.model.identity import MachineName

DOCS = Path(__file__).parents[2] / "docs"


def a_board():
    """A board with an entry of everything."""
    return a_claim_board(
        a_decided_claim(),
        a_decided_claim(place="3.13t", decision=Decision.FAILS),
        a_decided_claim("Z2", decision=Decision.OUT_OF_SCOPE, reason="for free-threaded builds", tests=()),
        commit_flips=(
            CommitFlip(
                claim="Z1",
                place="3.12",
                given=LOAD,
                before=Decision.FAILS,
                before_commit=a_hash(1),
                after=Decision.HOLDS,
                after_commit=a_hash(2),
            ),
        ),
        place_flips=(
            PlaceFlip(claim="Z1", machine=MachineName("desk"), given=LOAD, holds=("3.12",), fails=("3.13t",)),
        ),
        notes=("said",),
    )


def test_a_board_survives_the_file():
    """Every field that a board can carry."""
    assert CLAIMS_FORMAT.decode(CLAIMS_FORMAT.encode(a_board()), "claims.json") == a_board()


def test_the_example_in_the_manual_is_a_board():
    """What docs/claims-format.md shows can be read."""
    text = (DOCS / "claims-format.md").read_text(encoding="utf-8").partition("## An example")[2]
    board = CLAIMS_FORMAT.decode(text.encode(), "the example")
    assert board.decisions[0].tests[0].ratio == pytest.approx(0.3336)


def test_every_field_is_in_the_manual():
    """Nothing is in the file that docs/claims-format.md does not name."""
    manual = (DOCS / "claims-format.md").read_text(encoding="utf-8")
    definitions = json.loads((DOCS / "claims.schema.json").read_bytes())["$defs"]
    fields = {field for each in definitions.values() for field in each.get("properties", ())} - {"id", "title"}
    assert {field for field in fields if f"`{field}`" not in manual and f'"{field}"' not in manual} == set()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.update(schema="windtunnel.claims/2"), "this version reads"),
        (lambda data: data["claims"].append(data["claims"][0]), "the claim 'Z1' is listed twice"),
        (lambda data: data["places"].append(data["places"][0]), "the place '3.12' is listed twice"),
        (lambda data: data["decisions"].append(data["decisions"][0]), "twice"),
        (lambda data: data["decisions"][0].update(place="moon"), "the place 'moon' is used but not listed"),
        (lambda data: data["place_flips"][0].update(claim="Z9"), "the claim 'Z9' is used but not listed"),
        (lambda data: data["commit_flips"][0].update(place="moon"), "the place 'moon'"),
        (lambda data: data["decisions"][0].update(decisive=1), "has no test 1"),
        (lambda data: data["decisions"][0].update(decisive=-1), "has no test -1"),
        (lambda data: data["decisions"][0].update(decision="true"), "Invalid enum value"),
        (lambda data: data.pop("notes"), "notes"),
    ],
)
def test_a_damaged_file_is_refused_by_name(change, words):
    """DataError with the file and what is wrong in it."""
    data = json.loads(CLAIMS_FORMAT.encode(a_board()))
    change(data)
    with pytest.raises(DataError, match=r"claims\.json") as refused:
        CLAIMS_FORMAT.decode(json.dumps(data).encode(), "claims.json")
    assert words in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"null", b"[1,", b"\xff", b"[" * 100_000])
def test_what_is_no_board_is_refused(content):
    """Nothing but DataError comes out."""
    with pytest.raises(DataError, match=r"claims\.json"):
        CLAIMS_FORMAT.decode(content, "claims.json")
