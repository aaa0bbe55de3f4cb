"""The bare words ``NaN`` and ``Infinity``: valid for asv, invalid for every fast JSON parser.

They are masked by numbers of the same length that no writer of results writes, and unmasked when a row is looked at.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

NAN = b"0E0"
INFINITY = b"0E000000"

_BEFORE = np.zeros(256, dtype=bool)
_BEFORE[list(b"[,: \t\r\n-")] = True
_AFTER = np.zeros(256, dtype=bool)
_AFTER[list(b",]} \t\r\n")] = True

Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked:
    """JSON without bare words; *changed* says whether there were any."""

    content: bytes
    changed: bool


def mask(content: bytes) -> Masked | None:
    """Return *content* with its bare words masked, None where it holds what would be unmasked to something else.

    A word inside a string is masked too where it stands alone between JSON's own signs; unmasking restores it.
    """
    chars = np.frombuffer(content, dtype=np.uint8)
    nan, infinity = (_alone(chars, _places(chars, word), len(word)) for word in (b"NaN", b"Infinity"))
    if not (len(nan) or len(infinity)):
        return Masked(content=content, changed=False)
    if len(_places(chars, NAN, anchor=1)) or np.any(chars[nan - 1] == ord("-")):
        return None
    masked = chars.copy()
    for places, word in ((nan, NAN), (infinity, INFINITY)):
        for offset, char in enumerate(word):
            masked[places + offset] = char
    return Masked(content=masked.tobytes(), changed=True)


def unmask(content: bytes) -> bytes:
    """Return *content*, masked before, as it was."""
    return content.replace(INFINITY, b"Infinity").replace(NAN, b"NaN")


def _places(chars: npt.NDArray[np.uint8], word: bytes, anchor: int = 0) -> Places:
    """Return where *word* stands; *anchor* is the position of its rarest character, which is looked for first."""
    places = np.flatnonzero(chars == word[anchor]) - anchor
    places = places[(places >= 0) & (places <= len(chars) - len(word))]
    for offset, char in enumerate(word):
        places = places[chars[places + offset] == char]
    return places


def _alone(chars: npt.NDArray[np.uint8], places: Places, length: int) -> Places:
    """Return those *places* of a word that have a sign of JSON's own on either side."""
    inside = places[(places > 0) & (places < len(chars) - length)]
    return inside[_BEFORE[chars[inside - 1]] & _AFTER[chars[inside + length]]]
