"""The cache of values read from results files: files that have not changed are not read again.

It is two files. One has a line that names the format, a checksum of the rest, and a header. The other has the columns
of all results files, one after the other, as this machine keeps numbers in memory. It is mapped: only the values that
are used take memory, and new values are appended. A cache that is missing, damaged or of another format counts as
empty. It holds nothing that is not in the results.
"""

import mmap
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from windtunnel.errors import DataError
from windtunnel.files import write_atomically
from windtunnel.model.identity import BenchmarkName, CommitHash, Fields, Instant, MachineName
from windtunnel.model.run import Environment
from windtunnel.results.columns import CaseKey, CaseNumbers, ValueColumns

FORMAT = b"windtunnel columns 3\n"
DATA_SUFFIX = ".data"
"""Of the file with the columns."""
CHUNK = 8 * 2**20
"""Bytes that are read at once to check the columns, which would stay in memory if they were mapped for it."""


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
    """The number of values."""
    counted_with: tuple[tuple[BenchmarkName, str], ...] = ()
    """The Python and the counter of each benchmark whose values are counts of instructions."""
    start: int = -1
    """Where its columns are in the file of the columns; -1 before they are written."""


class _CacheHeader(msgspec.Struct, array_like=True):
    files: list[CachedFile]
    cases: list[CaseKey]
    length: int
    """The bytes of the columns; what follows them is left of a call that was killed."""
    checksum: int
    """CRC-32 of these bytes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnCache:
    """The files that were read, by path, and the cases that their values belong to."""

    files: dict[str, tuple[CachedFile, ValueColumns]]
    numbers: CaseNumbers
    written: tuple[int, int] = (0, 0)
    """The bytes of the columns that were written, and their checksum."""

    @classmethod
    def empty(cls) -> Self:
        """Return a cache without files."""
        return cls(files={}, numbers=CaseNumbers())


def load_cache(path: Path) -> ColumnCache:
    """Return the cache at *path*, or an empty one where there is none that can be used."""
    try:
        return _load(path)
    except (OSError, ValueError, msgspec.MsgspecError):
        return ColumnCache.empty()


def mapping_of(columns: Sequence[ValueColumns]) -> mmap.mmap | None:
    """Return the mapped file that *columns* are views of; None where they were read in this process."""
    for each in columns:
        owner: object = each.value
        while isinstance(owner, np.ndarray):
            owner = owner.base
        if isinstance(owner, mmap.mmap):
            return owner
    return None


def release_pages(mapping: mmap.mmap | None) -> None:
    """Take what was read of *mapping* out of this process's memory; it is read again when it is used."""
    if mapping is not None and hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
        mapping.madvise(mmap.MADV_DONTNEED)


def save_cache(path: Path, cache: ColumnCache) -> None:
    """Replace the cache at *path*, which *cache* was loaded from; raises DataError where it cannot be written."""
    known = [file for file, _ in cache.files.values() if file.start >= 0]
    length, checksum = cache.written
    if sum(_size(file.count) for file in known) * 2 < length:  # most of it is of files that are gone
        known, length, checksum = [], 0, 0
    kept = {id(file) for file in known}
    files = list[CachedFile]()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _open_data(path, length) as data:
            for file, columns in cache.files.values():
                if id(file) not in kept:
                    content = _bytes(columns)
                    file = msgspec.structs.replace(file, start=length)  # noqa: PLW2901
                    length, checksum = length + data.write(content), zlib.crc32(content, checksum)
                files.append(file)
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror}") from None
    try:
        header = _CacheHeader(files=files, cases=cache.numbers.keys, length=length, checksum=checksum)
        rest = msgspec.msgpack.encode(header)
    except UnicodeEncodeError as error:
        name = error.object[:80]
        raise DataError(f"{path} cannot be written: a name in the results, {name!a}, is not valid text") from None
    write_atomically(path, FORMAT + zlib.crc32(rest).to_bytes(4, "little") + rest)


def _open_data(path: Path, length: int) -> BinaryIO:
    """Return the file of the columns at its end; a new one where nothing is kept, because the old one may be mapped."""
    data = path.with_name(path.name + DATA_SUFFIX)
    if not length:
        data.unlink(missing_ok=True)
        return data.open("xb")
    file = data.open("r+b")
    file.seek(length)
    return file


def _load(path: Path) -> ColumnCache:
    content = path.read_bytes()
    start = len(FORMAT) + 4
    rest = memoryview(content)[start:]
    if not content.startswith(FORMAT) or zlib.crc32(rest).to_bytes(4, "little") != content[len(FORMAT) : start]:
        raise ValueError("not a cache of this format")
    header = msgspec.msgpack.decode(rest, type=_CacheHeader)
    data = path.with_name(path.name + DATA_SUFFIX)
    if _checksum(data, header.length) != header.checksum:
        raise ValueError("the columns are others")
    mapped = np.memmap(data, np.uint8, "r", shape=(header.length,)) if header.length else np.empty(0, np.uint8)
    files = {file.file: (file, _columns(mapped, file.start, file.count)) for file in header.files}
    return ColumnCache(files=files, numbers=CaseNumbers(keys=header.cases), written=(header.length, header.checksum))


def _checksum(path: Path, length: int) -> int:
    checksum = 0
    with path.open("rb") as file:
        while length > 0 and (chunk := file.read(min(CHUNK, length))):
            checksum, length = zlib.crc32(chunk, checksum), length - len(chunk)
    if length:
        raise ValueError("the columns end early")
    return checksum


def _size(count: int) -> int:
    """Return the bytes of *count* values: three doubles and a number each, up to a whole number of doubles."""
    return count * 24 + -(-count // 2) * 8


def _bytes(columns: ValueColumns) -> bytes:
    content = b"".join(column.tobytes() for column in (columns.value, columns.low, columns.high, columns.case))
    return content.ljust(_size(len(columns)), b"\0")


def _columns(data: NDArray[np.uint8], start: int, count: int) -> ValueColumns:
    if not 0 <= start <= start + _size(count) <= len(data):
        raise ValueError("the columns are others")
    value, low, high = np.frombuffer(data, np.float64, 3 * count, start).reshape(3, count)
    case = np.frombuffer(data, np.int32, count, start + 24 * count)
    return ValueColumns(case=case, value=value, low=low, high=high)
