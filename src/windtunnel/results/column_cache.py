"""The cache of values read from results files: files that have not changed are not read again.

It is one file: a line that names the format, a checksum of the rest, a header, and the columns of all results files,
one after the other, as this machine keeps numbers in memory. A cache that is missing, damaged or of another format
counts as empty. It holds nothing that is not in the results.
"""

import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import msgspec
import numpy as np

from windtunnel.errors import DataError
from windtunnel.files import write_atomically
from windtunnel.model.identity import BenchmarkName, CommitHash, Fields, Instant, MachineName
from windtunnel.model.run import Environment
from windtunnel.results.columns import CaseKey, CaseNumbers, ValueColumns, concatenate

FORMAT = b"windtunnel columns 2\n"


class FileState(msgspec.Struct, frozen=True, array_like=True):
    """The state of a file when it was read."""

    size: int
    modified: int
    """Nanoseconds; anyone can set it."""
    changed: int
    """Nanoseconds; the kernel sets it. 0 where it is too recent to prove anything."""
    digest: bytes
    """Of the content; it decides where the other fields differ."""


class RunHeader(msgspec.Struct, frozen=True, array_like=True):
    """A run without its rows."""

    commit: CommitHash
    machine: MachineName
    environment: Environment
    date: Instant
    params: Fields


class CachedFile(msgspec.Struct, array_like=True, gc=False):
    """What a results file held, without its values."""

    file: str
    """The path within the results folder."""
    state: FileState
    run: RunHeader | None
    """None where the file held no run."""
    problems: tuple[tuple[str, str], ...]
    """The key and the reason of each."""
    newest: Instant
    """When the newest row was started, in milliseconds since 1970; 0 where no row records it."""
    count: int
    """The number of values, which follow those of the file before."""
    counted_with: tuple[tuple[BenchmarkName, str], ...] = ()
    """The Python and the counter of each benchmark whose values are counts of instructions."""


class _CacheHeader(msgspec.Struct, array_like=True):
    files: list[CachedFile]
    cases: list[CaseKey]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnCache:
    """The files that were read, by path, and the cases that their values belong to."""

    files: dict[str, tuple[CachedFile, ValueColumns]]
    numbers: CaseNumbers

    @classmethod
    def empty(cls) -> Self:
        """Return a cache without files."""
        return cls(files={}, numbers=CaseNumbers())


def load_cache(path: Path) -> ColumnCache:
    """Return the cache at *path*, or an empty one where there is none that can be used."""
    try:
        return _decode(path.read_bytes())
    except (OSError, ValueError, msgspec.MsgspecError):
        return ColumnCache.empty()


def save_cache(path: Path, cache: ColumnCache) -> None:
    """Replace the cache at *path* in one step; raises DataError where it cannot be written."""
    files = list(cache.files.values())
    try:
        header = msgspec.msgpack.encode(_CacheHeader(files=[file for file, _ in files], cases=cache.numbers.keys))
    except UnicodeEncodeError as error:
        name = error.object[:80]
        raise DataError(f"{path} cannot be written: a name in the results, {name!a}, is not valid text") from None
    columns = concatenate([columns for _, columns in files])
    floats = (columns.value, columns.low, columns.high)
    body = columns.case.tobytes() + b"".join(column.tobytes() for column in floats)
    rest = len(header).to_bytes(8, "little") + header + body
    write_atomically(path, FORMAT + zlib.crc32(rest).to_bytes(4, "little") + rest)


def _decode(content: bytes) -> ColumnCache:
    start = len(FORMAT) + 4
    rest = memoryview(content)[start:]
    if not content.startswith(FORMAT) or zlib.crc32(rest).to_bytes(4, "little") != content[len(FORMAT) : start]:
        raise ValueError("not a cache of this format")
    length = int.from_bytes(rest[:8], "little")
    header = msgspec.msgpack.decode(rest[8 : 8 + length], type=_CacheHeader)
    columns = _columns(rest[8 + length :], sum(file.count for file in header.files))
    files, start = dict[str, tuple[CachedFile, ValueColumns]](), 0
    for file in header.files:
        files[file.file] = file, columns.part(start, start + file.count)
        start += file.count
    return ColumnCache(files=files, numbers=CaseNumbers(keys=header.cases))


def _columns(body: memoryview, count: int) -> ValueColumns:
    case = np.frombuffer(body, np.int32, count)
    value, low, high = np.frombuffer(body, np.float64, 3 * count, case.nbytes).reshape(3, count)
    return ValueColumns(case=case, value=value, low=low, high=high)
