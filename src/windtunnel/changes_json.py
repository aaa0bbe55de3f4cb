"""changes.json back to values; docs/changes-format.md explains the file."""

from windtunnel import codec
from windtunnel.errors import DataError
from windtunnel.measurement.changes import SCHEMA, Changes


def decode(content: bytes, source: str) -> Changes:
    """Return the changes that *content* holds; raises DataError, naming *source* and the place in it."""
    found = codec.decode(content, Changes, source)
    if found.schema != SCHEMA:
        raise DataError(f"{source} has the schema {found.schema[:80]!r}; this version reads {SCHEMA!r}")
    return found
