"""A file out of an artifact's zip, which a stranger may have made: never unpacked, read up to a size, in memory."""

import zipfile
import zlib
from io import BytesIO

from windtunnel.errors import DataError
from windtunnel.text.escaping import visible

LARGEST_ARCHIVE = 16 * 1024 * 1024
"""Bytes; the verdict on 2,000 cases takes 1 MB compressed."""
LARGEST_FILE = 32 * 1024 * 1024
"""Bytes, unpacked; the verdict on 2,000 cases takes 13 MB."""
MOST_ENTRIES = 1000
METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""How GitHub compresses; others may ask for more memory than there is before the first byte."""


def extract(archive: bytes, name: str, source: str) -> bytes:
    """Return the content of the file *name* at the root of the zip file *archive*.

    No path in it is ever used on this machine's disk. Raises DataError naming *source*.
    """
    try:
        with zipfile.ZipFile(BytesIO(archive)) as opened:
            entries = opened.infolist()
            if len(entries) > MOST_ENTRIES:
                raise DataError(f"{source} has {len(entries)} entries; {name} alone is expected")
            return _content(opened, [one for one in entries if one.filename == name], name, source)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, OSError, OverflowError) as error:
        raise DataError(f"{source} is no zip file that can be read: {visible(str(error), 200)}") from None


def _content(opened: zipfile.ZipFile, found: list[zipfile.ZipInfo], name: str, source: str) -> bytes:
    if len(found) != 1:
        raise DataError(f"{source} holds {len(found)} files called {name}; one is expected")
    if found[0].compress_type not in METHODS:
        raise DataError(f"{source}: {name} is compressed by method {found[0].compress_type}; GitHub's are deflated")
    with opened.open(found[0]) as file:
        content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise DataError(f"{source}: {name} unpacks to more than {LARGEST_FILE} bytes; it is not read")
    return content
