"""Frozen values to JSON and back, checked against their types; for the files that are ours, not asv's (asvjson)."""

from typing import TypeVar

import msgspec

from windtunnel.errors import DataError

T = TypeVar("T")

LIMIT = 64 * 1024 * 1024
"""Bytes; a plan of 256 shards for 5,000 benchmarks takes 10 MB."""


def encode(value: object) -> bytes:
    """Return *value* as one line of JSON, keys in the order of the fields."""
    return msgspec.json.encode(value)


def encode_pretty(value: object) -> bytes:
    """Return *value* as indented JSON for files that people read."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def decode(content: bytes, cls: type[T], source: str) -> T:
    """Return the *cls* that *content* holds.

    Raises DataError, naming *source* and the place in it, where a field is missing or has another type.
    """
    if len(content) > LIMIT:
        raise DataError(f"{source} has {len(content)} bytes; more than {LIMIT} are not read")
    try:
        return msgspec.json.decode(content, type=cls)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"{source} is not what it should be ({cls.__name__}): {error}") from None
