"""claims.json: a claim board as bytes and back; docs/claims.schema.json is its published form."""

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from windtunnel import formats
from windtunnel.claims.format import SCHEMA, ClaimBoard, DecidedClaim
from windtunnel.errors import DataError

DESCRIPTION = "What windtunnel claims decides; docs/claims-format.md explains it."


def encode(board: ClaimBoard) -> bytes:
    """Return the content of claims.json."""
    return formats.encode_pretty(board)


def decode(content: bytes, source: str) -> ClaimBoard:
    """Return the board that *content* holds; raises DataError, naming *source* and the place in it.

    Whoever wrote the file is not trusted: whatever it refers to must be there, and once.
    """
    board = formats.decode(content, ClaimBoard, source)
    if board.schema != SCHEMA:
        raise DataError(f"{source} has the schema {board.schema[:80]!r}; this version reads {SCHEMA!r}")
    claims, places = [one.id for one in board.claims], [one.name for one in board.places]
    _once("claim", claims, source)
    _once("place", places, source)
    _once("decision", [f"{one.claim} at {one.place}" for one in board.decisions], source)
    decided, turned, apart = board.decisions, board.commit_flips, board.place_flips
    _known("place", [one.place for one in decided] + [one.place for one in turned], places, source)
    named = [one.claim for one in decided] + [one.claim for one in turned] + [one.claim for one in apart]
    _known("claim", named, claims, source)
    for one in decided:
        _check_decisive(one, source)
    return board


def schema() -> bytes:
    """Return the JSON schema of claims.json (draft 2020-12)."""
    found = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCHEMA,
        "description": DESCRIPTION,
        **msgspec.json.schema(ClaimBoard),
    }
    return formats.encode_pretty(found)


def _once(what: str, names: Sequence[str], source: str) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"{source} has the {what} {twice[0][:200]!r} twice")


def _known(what: str, named: Iterable[str], listed: Iterable[str], source: str) -> None:
    if unknown := {*named}.difference(listed):
        raise DataError(f"{source} speaks of the {what} {min(unknown)[:200]!r} that it does not list")


def _check_decisive(decided: DecidedClaim, source: str) -> None:
    if not 0 <= decided.decisive < max(1, len(decided.tests)):
        raise DataError(f"{source}: claim {decided.claim[:80]!r} has no test {decided.decisive}")
