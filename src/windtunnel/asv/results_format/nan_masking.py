"""The bare words ``NaN`` and ``Infinity``: valid for asv, invalid for every fast JSON parser.

They are masked by numbers of the same length that no writer of results writes, and unmasked when a row is looked at.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

NAN = b"0E0"
INFINITY = b"0E000000"

MOST_CAPITALS = 1_000_000
"""Candidates that are looked at; more, in a hostile file, would need too much memory."""

_MAY_PRECEDE = np.isin(np.arange(256), list(b"[,: \t\r\n-"))
_MAY_FOLLOW = np.isin(np.arange(256), list(b",]} \t\r\n"))
"""For each character, whether it may stand beside a word that is no part of a text or a longer word."""

Chars = npt.NDArray[np.uint8]
Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked:
    """JSON without bare words; *changed* says whether there were any."""

    content: bytes | bytearray
    changed: bool


def mask(content: bytes) -> Masked | None:
    """Return *content* with its bare words masked, None where that cannot be done or not be undone.

    A word inside a string is masked too where it stands alone between JSON's own signs; unmasking restores it.
    """
    chars = np.frombuffer(content, dtype=np.uint8)
    capitals = _capitals(chars)
    if capitals.size > MOST_CAPITALS:
        return None
    nan, infinity = (_alone(chars, _places(chars, capitals, word), len(word)) for word in (b"NaN", b"Infinity"))
    if not (nan.size or infinity.size):
        return Masked(content=content, changed=False)
    if _places(chars, capitals, NAN, anchor=1).size or np.any(chars[nan - 1] == ord("-")):
        return None
    copy = bytearray(content)
    masked = np.frombuffer(copy, dtype=np.uint8)
    masked[_spans(nan, len(NAN))] = _chars(NAN)
    masked[_spans(infinity, len(INFINITY))] = _chars(INFINITY)
    return Masked(content=copy, changed=True)


def unmask(content: bytes) -> bytes:
    """Return *content*, masked before, as it was."""
    return content.replace(INFINITY, b"Infinity").replace(NAN, b"NaN")


def _capitals(chars: Chars) -> Places:
    """Return the places of E to N: rare, and in every word that is looked for."""
    return np.flatnonzero(chars - np.uint8(ord("E")) <= ord("N") - ord("E"))


def _places(chars: Chars, capitals: Places, word: bytes, anchor: int = 0) -> Places:
    """Return where *word* stands, the ends of *chars* apart; *anchor* is the position of its capital letter."""
    places = capitals[chars[capitals] == word[anchor]] - anchor
    inside = places[(places > 0) & (places < len(chars) - len(word))]
    found: Places = inside[np.all(chars[_spans(inside, len(word))] == _chars(word), axis=1)]
    return found


def _alone(chars: Chars, places: Places, length: int) -> Places:
    """Return those *places* of a word that have a sign of JSON's own on either side."""
    return places.compress(_MAY_PRECEDE[chars[places - 1]] & _MAY_FOLLOW[chars[places + length]])


def _spans(places: Places, length: int) -> npt.NDArray[np.intp]:
    """Return the places of *length* characters from each of *places* on, a row each."""
    return places[:, np.newaxis] + np.arange(length)


def _chars(word: bytes) -> Chars:
    return np.frombuffer(word, dtype=np.uint8)
