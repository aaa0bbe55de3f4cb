"""changes.json back to values; docs/changes-format.md explains the file."""

from windtunnel import formats
from windtunnel.detect.format import SCHEMA, Changes
from windtunnel.errors import DataError


def decode(content: bytes, source: str) -> Changes:
    """Return the changes that *content* holds; raises DataError, naming *source* and the place in it."""
    found = formats.decode(content, Changes, source)
    if found.schema != SCHEMA:
        raise DataError(f"{source} has the schema {found.schema[:80]!r}; this version reads {SCHEMA!r}")
    return found
