"""Writes the data files of a site that is being built; unchanged files are linked from the old site."""

import os
import zlib
from dataclasses import dataclass
from pathlib import Path

from windtunnel import formats

LEVEL = 6
"""zlib's own compromise between speed and size."""
VERSION = b"windtunnel 1 "
"""Changes whenever equal values are encoded differently."""
GZIP_HEAD = b"\x1f\x8b\x08\x10" + bytes(4) + b"\x00\xff"
"""Deflate, with a comment; no date, no file name (RFC 1952)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataWriter:
    """Writes into *folder*, with the *old* site at hand."""

    folder: Path
    old: Path

    def write(self, path: str, value: object) -> None:
        """Write *value* as JSON to *path*."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(formats.encode(value))

    def link(self, path: str, digest: bytes) -> bool:
        """Link the old site's file at *path* if it was built from what has this *digest*; return whether it was."""
        target, old = self.folder / path, self.old / path
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with old.open("rb") as file:
                head = file.read(len(GZIP_HEAD) + 100)
                is_same = head.startswith(_head(digest, os.fstat(file.fileno()).st_size))
            if is_same:
                os.link(old, target, follow_symlinks=False)
        except OSError:
            return False
        return is_same

    def write_compressed(self, path: str, digest: bytes, value: object) -> None:
        """Write *value* as compressed JSON to *path*, with the *digest* of what it was built from."""
        content = formats.encode(value)
        # Z_FILTERED is for small numbers that vary at random; it saves 2 %.
        packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, zlib.Z_FILTERED)
        body = packer.compress(content) + packer.flush()
        body += zlib.crc32(content).to_bytes(4, "little") + (len(content) % 2**32).to_bytes(4, "little")
        (self.folder / path).write_bytes(_head(digest, len(_head(digest, 0)) + len(body)) + body)


def _head(digest: bytes, size: int) -> bytes:
    """Return the head of a gzip file of *size* bytes; its comment has the size and the *digest*."""
    return GZIP_HEAD + VERSION + f"{size:012d} {digest.hex()}".encode() + b"\0"
