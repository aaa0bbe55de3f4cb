"""JSON values to numbers, wherever anything may stand."""

from typing import Any

LARGEST_INTEGER = 2**63 - 1

KINDS = {str: "a text", list: "a list", dict: "an object", type(None): "null"}


class NoNumberError(ValueError):
    """The value is no number; the text says what it is."""


def number(value: Any) -> int | float:
    """Return *value* as a number (true is 1); raises NoNumberError."""
    match value:
        case bool():
            return int(value)
        case int():
            return value if abs(value) <= LARGEST_INTEGER else _float(value)
        case float():
            return value
        case _:
            raise NoNumberError(f"is {KINDS[type(value)]}, no number: {value!r:.60}")


def whole(value: Any) -> int:
    """Return *value* as an integer; raises NoNumberError where it is none."""
    result = number(value)
    if result != result or int(min(max(result, -1), LARGEST_INTEGER)) != result:  # noqa: PLR0124 - NaN
        raise NoNumberError(f"is no whole number: {value!r:.60}")
    return int(result)


def _float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        raise NoNumberError("is too large for a number") from None
