"""The cache of levels: a series whose values have not changed is not searched again.

It is one file: a line that names the format and this version of the search, a checksum, and the levels of each series
by a digest of what is searched. A cache that is missing, damaged or of another version counts as empty.
"""

import zlib
from functools import cache
from hashlib import blake2b
from pathlib import Path

import msgspec
import numpy as np

from windtunnel import stats
from windtunnel.errors import DataError
from windtunnel.files import write_atomically
from windtunnel.stats.level_shifts import KnownLevels, Levels

CACHE_FILE = "levels"
"""The name of the cache within its folder."""


@cache
def _format() -> bytes:
    """Return the first line of a cache: a digest of the code that searches, and of NumPy's version."""
    digest = blake2b(np.__version__.encode(), digest_size=16)
    for path in sorted(Path(stats.__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return b"windtunnel levels " + digest.hexdigest().encode() + b"\n"


def load_levels(folder: Path) -> KnownLevels:
    """Return the levels in the cache in *folder*, none where it cannot be used."""
    try:
        content = (folder / CACHE_FILE).read_bytes()
        start = len(_format())
        checksum, body = content[start : start + 4], content[start + 4 :]
        if not content.startswith(_format()) or zlib.crc32(body).to_bytes(4, "little") != checksum:
            return KnownLevels()
        return KnownLevels(known=msgspec.msgpack.decode(body, type=dict[bytes, Levels]))
    except (OSError, ValueError, msgspec.MsgspecError):
        return KnownLevels()


def save_levels(folder: Path, levels: KnownLevels) -> None:
    """Replace the cache in *folder* by the used ones of *levels*, if they are new, and if it can be written."""
    if levels.used.keys() == levels.known.keys():
        return
    body = msgspec.msgpack.encode(levels.used)
    try:
        write_atomically(folder / CACHE_FILE, _format() + zlib.crc32(body).to_bytes(4, "little") + body)
    except DataError:
        return
