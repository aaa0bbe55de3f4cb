"""Which rows are good as they stand, found quickly in a history: most differ from a known good one in digits only."""

from collections.abc import Mapping

import msgspec

from windtunnel.asv.results_format.file_parts import Json
from windtunnel.asv.results_format.row_layout import Columns, fits

DIGITS = b"0123456789"

LONGEST_ROW = 2000
"""Bytes; longer rows have so many numbers that hardly two have the same shape."""

MOST_SHAPES = 50_000
"""Shapes that are remembered: 10 MB."""

MORE_DIGITS = 200
"""A row of known shape may have so many more digits than the first; a number that no float holds has 309."""

_columns = msgspec.json.Decoder(Columns).decode

NO_PARAMETERS = b"[], "
"""What stands before the version, the first text of a row, where a benchmark has no parameters, in asv's spacing."""

OPEN, BEFORE = NO_PARAMETERS[0], len(NO_PARAMETERS)


class Shapes:
    """The shapes of good rows: what is left of their JSON without its digits.

    Two rows of one shape have the same columns with the same numbers of values of the same types; only an empty list
    and one of a single integer look alike. Their numbers may differ in range, which the reading of a row minds.
    """

    def __init__(self) -> None:
        """Know no shape yet."""
        self._longest: dict[bytes, int] = {}
        self._bare: set[bytes] = set()
        """Shapes without parameters; integers in their place, which are none, would leave the same shape."""

    def bad_rows(self, rows: Mapping[str, Json]) -> list[str]:
        """Return the names of those *rows*, in asv's own columns, that cannot stay as they are."""
        longest, bare, bad = self._longest.get, self._bare, []
        for name, raw in rows.items():
            row = bytes(raw)
            shape = row.translate(None, DIGITS)
            if len(row) > longest(shape, 0) or (row[row.find(b'"') - BEFORE] != OPEN and shape in bare):
                columns = _good(raw)
                if columns is None:
                    bad.append(name)
                elif _is_telling(row, shape, columns):
                    self._remember(shape, len(row), columns)
        return bad

    def _remember(self, shape: bytes, length: int, columns: Columns) -> None:
        if len(self._longest) >= MOST_SHAPES:
            self._longest.clear()
            self._bare.clear()
        self._longest[shape] = length + MORE_DIGITS
        if not columns.params:
            self._bare.add(shape)


def _is_telling(row: bytes, shape: bytes, columns: Columns) -> bool:
    """Return whether the shape of a good row proves others to be good, and is worth remembering."""
    if len(row) > LONGEST_ROW or b"\\u" in shape:  # the digits of an escape decide whether it is good
        return False
    if columns.params:
        return all(columns.params)
    return columns.version is not None and row.startswith(NO_PARAMETERS, row.find(b'"') - BEFORE)


def _good(raw: Json) -> Columns | None:
    try:
        columns = _columns(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return columns if fits(columns) else None
