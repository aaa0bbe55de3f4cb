"""Which rows are good as they stand, found quickly in a history: most differ from a known good one in digits only."""

from collections.abc import Mapping

import msgspec

from windtunnel.asvjson.columns import Columns, fits
from windtunnel.asvjson.parts import Json

DIGITS = b"0123456789"

LONGEST_ROW = 2000
"""Bytes; longer rows have so many numbers that hardly two have the same shape."""

MOST_SHAPES = 50_000
"""Shapes that are remembered: 10 MB."""

MORE_DIGITS = 200
"""A row of known shape may have so many more digits than the first; a number that no float holds has 309."""

_columns = msgspec.json.Decoder(Columns).decode


class Shapes:
    """The shapes of good rows: what is left of their JSON without its digits.

    Two rows of one shape have the same columns with the same numbers of values of the same types. Their numbers may
    differ in range, which matters for nothing but a start beyond the year 9999; it then counts as unknown.
    """

    def __init__(self) -> None:
        """Know no shape yet."""
        self._most_digits: dict[bytes, int] = {}

    def bad_rows(self, rows: Mapping[str, Json]) -> list[str]:
        """Return the names of those *rows*, in asv's own columns, that cannot stay as they are."""
        known, bad = self._most_digits.get, []
        for name, raw in rows.items():
            row = bytes(raw)
            shape = row.translate(None, DIGITS)
            if len(row) - len(shape) > known(shape, -1):
                if _is_good(raw):
                    self._remember(shape, len(row))
                else:
                    bad.append(name)
        return bad

    def _remember(self, shape: bytes, length: int) -> None:
        if len(self._most_digits) >= MOST_SHAPES:
            self._most_digits.clear()
        if length <= LONGEST_ROW and b"\\u" not in shape:  # the digits of an escape decide whether it is good
            self._most_digits[shape] = length - len(shape) + MORE_DIGITS


def _is_good(raw: Json) -> bool:
    try:
        return fits(_columns(raw))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
