"""Packs files into outputs of a job, for jobs that cannot hand over artifacts.

A job has 1 MB of outputs, which GitHub counts in UTF-16, two bytes a character (docs.github.com, Workflow syntax,
`jobs.<job_id>.outputs`), and Linux allows 128 KiB in one environment variable (execve(2), MAX_ARG_STRLEN). So a pack is
base64 text in up to PARTS outputs. The reader does not trust it: it limits the size, the names and the number of files.
"""

import base64
import binascii
import lzma
from collections.abc import Mapping, Sequence
from typing import Annotated

import msgspec

from windtunnel.errors import DataError

PARTS = 4
MAX_PART = 120_000
"""Characters."""
MAX_UNPACKED = 32 * 2**20
"""Bytes; the verdict on 2,000 cases takes 6 MB."""
MAX_MEMORY = 128 * 2**20
"""Bytes that unpacking may need."""
MAX_FILES = 10_000
MAX_DEPTH = 8
MAX_NAME_BYTES = 245
"""File systems allow 255; the temporary file of a write has ten more."""


class _Pack(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    files: Annotated[dict[str, bytes], msgspec.Meta(max_length=MAX_FILES)]
    """The limit holds before any entry is read: millions of empty files compress to a few kilobytes."""


def pack_files(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return *files* (content by relative path) as texts for the outputs; raises DataError if they are too large."""
    text = base64.b64encode(lzma.compress(msgspec.msgpack.encode(_Pack(files=dict(files))))).decode("ascii")
    if len(text) > PARTS * MAX_PART:
        raise DataError(
            f"{len(files)} files take {len(text) * 3 // 4} bytes compressed, and outputs of a job hold "
            f"{PARTS * MAX_PART * 3 // 4}; measure fewer Pythons or cases, or set fewer samples (repeat) in the suite"
        )
    return tuple(text[start : start + MAX_PART] for start in range(0, PARTS * MAX_PART, MAX_PART))


def unpack_files(parts: Sequence[str]) -> Mapping[str, bytes]:
    """Return the files in *parts*; raises DataError where they are not a pack or hold what must not reach a disk."""
    if any(len(part) > MAX_PART for part in parts) or len(parts) > PARTS:
        raise DataError(f"the outputs of the job are too long; at most {PARTS} of {MAX_PART} characters are read")
    decompressor = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=MAX_MEMORY)
    try:
        content = decompressor.decompress(base64.b64decode("".join(parts), validate=True), MAX_UNPACKED)
        if not decompressor.eof:
            raise DataError(f"the outputs of the job are cut short, or unpack to more than {MAX_UNPACKED} bytes")
        files = msgspec.msgpack.decode(content, type=_Pack).files
    except (binascii.Error, lzma.LZMAError, EOFError, msgspec.MsgspecError, UnicodeDecodeError, ValueError):
        raise DataError("the outputs of the job are not what windtunnel pack writes; measure again") from None
    for path in files:
        _check(path)
    return files


def _check(path: str) -> None:
    names = path.split("/")
    if len(names) > MAX_DEPTH or not all(map(_is_plain, names)):
        raise DataError(f"the outputs of the job hold a file called {path[:80]!a}, which is not a plain path: refused")


def _is_plain(name: str) -> bool:
    """Return whether a file or a folder may have this *name*; hidden ones and those with a drive may not."""
    return (
        not name.startswith(".")
        and not set(name) & {"\\", ":"}
        and name.isprintable()
        and 0 < len(name.encode()) <= MAX_NAME_BYTES
    )
