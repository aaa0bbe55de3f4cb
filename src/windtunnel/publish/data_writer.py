"""Writes files of data into a site that is being built; what the old site has alike already is linked, not made."""

import os
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from windtunnel import formats
from windtunnel.files import write_atomically
from windtunnel.publish.series_files import Draft, content_of
from windtunnel.results.value_table import ValueTable

LEVEL = 6
"""zlib's own choice between speed and size."""
GZIP = 16 + zlib.MAX_WBITS
"""The window, with gzip's head and foot around what is compressed; the head has no date."""


class Made(msgspec.Struct, frozen=True, array_like=True):
    """A file as it was left: what it was made from, and how it looked afterwards."""

    digest: bytes
    size: int
    modified: int


class Ledger(msgspec.Struct, array_like=True):
    """What the last publishing made, by path."""

    form: str
    files: dict[str, Made]


FORM = "windtunnel publish ledger 2"
"""Rises with whatever changes the bytes that are made of equal numbers."""


def load_ledger(path: Path) -> dict[str, Made]:
    """Return what is known of the old site's files; nothing where the ledger cannot be used."""
    try:
        ledger = msgspec.msgpack.decode(path.read_bytes(), type=Ledger)
    except (OSError, msgspec.MsgspecError):
        return {}
    return ledger.files if ledger.form == FORM else {}


def store_ledger(path: Path, files: dict[str, Made]) -> None:
    """Keep *files* at *path*."""
    write_atomically(path, msgspec.msgpack.encode(Ledger(form=FORM, files=files)))


@dataclass(frozen=True, slots=True, kw_only=True)
class DataWriter:
    """Writes into *folder*; *old* is the site that stands, of which *known* is known."""

    folder: Path
    old: Path
    known: dict[str, Made]
    made: dict[str, Made] = field(default_factory=dict)

    def write(self, path: str, value: object) -> None:
        """Write *value* as JSON to *path*."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(formats.encode(value))

    def write_draft(self, draft: Draft, table: ValueTable) -> None:
        """Write the file of *draft*, or link the old site's where it was made from the same."""
        target = self.folder / draft.path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not self._linked(draft, target):
            target.write_bytes(_compressed(formats.encode(content_of(draft, table))))
        status = target.stat()
        self.made[draft.path] = Made(draft.digest, status.st_size, status.st_mtime_ns)

    def _linked(self, draft: Draft, target: Path) -> bool:
        known = self.known.get(draft.path)
        if known is None or known.digest != draft.digest:
            return False
        old = self.old / draft.path
        try:
            status = old.stat(follow_symlinks=False)
            if (status.st_size, status.st_mtime_ns) == (known.size, known.modified):
                os.link(old, target)
                return True
        except OSError:
            pass
        return False


def _compressed(content: bytes) -> bytes:
    """Return *content* as gzip has it; Z_FILTERED is made for small numbers that vary at random, and saves 2 %."""
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP, zlib.DEF_MEM_LEVEL, zlib.Z_FILTERED)
    return packer.compress(content) + packer.flush()
