"""What was read of results, kept so that files which have not changed are not read again.

One file: a line with its form, a checksum of the rest, a head, and the columns of all files one after the other, as
this machine has numbers in memory. A cache that is missing, damaged or of another form is an empty one. It holds
nothing that is not in the results.
"""

import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import msgspec
import numpy as np

from windtunnel.errors import DataError
from windtunnel.files import write_atomically
from windtunnel.model.identity import CommitHash, Fields, Instant, MachineName
from windtunnel.model.run import Environment
from windtunnel.results.columns import CaseBook, CaseKey, Columns, joined

FORM = b"windtunnel points 2\n"


class FileMark(msgspec.Struct, frozen=True, array_like=True):
    """How a file looked when it was read: *digest* of its content decides where the rest differs.

    *modified* and *changed* are nanoseconds; nobody can set the latter, which is 0 where it tells nothing.
    """

    size: int
    modified: int
    changed: int
    digest: bytes


class RunHead(msgspec.Struct, frozen=True, array_like=True):
    """What a run is, without its rows."""

    commit: CommitHash
    machine: MachineName
    environment: Environment
    date: Instant
    params: Fields


class Cached(msgspec.Struct, array_like=True, gc=False):
    """What a results file held; *head* is None where it was no run. Its values are *count* after those before it."""

    file: str
    mark: FileMark
    head: RunHead | None
    problems: tuple[tuple[str, str], ...]
    """Key and reason of each."""
    newest: Instant
    """When the newest row was begun, in milliseconds since 1970; 0 where none says so."""
    count: int


class _Head(msgspec.Struct, array_like=True):
    files: list[Cached]
    cases: list[CaseKey]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Entry:
    """A file as the cache has it, with its values."""

    cached: Cached
    columns: Columns


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointCache:
    """The files that were read, by name, and the cases that their values are of."""

    entries: dict[str, Entry]
    book: CaseBook

    @classmethod
    def empty(cls) -> Self:
        """Return the cache that knows nothing."""
        return cls(entries={}, book=CaseBook())


def load_cache(path: Path) -> PointCache:
    """Return the cache at *path*, an empty one where there is none that can be used."""
    try:
        return _decoded(path.read_bytes())
    except (OSError, ValueError, msgspec.MsgspecError):
        return PointCache.empty()


def store_cache(path: Path, cache: PointCache) -> None:
    """Put *cache* at *path*, in one step; raises DataError where that cannot be written."""
    entries = list(cache.entries.values())
    try:
        head = msgspec.msgpack.encode(_Head(files=[entry.cached for entry in entries], cases=cache.book.keys))
    except UnicodeEncodeError as error:
        raise DataError(f"{path} cannot be written: a name in the results, {error.object[:80]!a}, is no text") from None
    together = joined([entry.columns for entry in entries])
    numbers = (together.value, together.low, together.high)
    body = together.case.tobytes() + b"".join(column.tobytes() for column in numbers)
    rest = len(head).to_bytes(8, "little") + head + body
    write_atomically(path, FORM + zlib.crc32(rest).to_bytes(4, "little") + rest)


def _decoded(content: bytes) -> PointCache:
    start = len(FORM) + 4
    rest = memoryview(content)[start:]
    if not content.startswith(FORM) or zlib.crc32(rest).to_bytes(4, "little") != content[len(FORM) : start]:
        raise ValueError("no cache of this form")
    length = int.from_bytes(rest[:8], "little")
    head = msgspec.msgpack.decode(rest[8 : 8 + length], type=_Head)
    columns = _columns(rest[8 + length :], sum(cached.count for cached in head.files))
    entries, at = dict[str, Entry](), 0
    for cached in head.files:
        entries[cached.file] = Entry(cached=cached, columns=columns.part(at, at + cached.count))
        at += cached.count
    return PointCache(entries=entries, book=CaseBook(keys=head.cases))


def _columns(body: memoryview, count: int) -> Columns:
    case = np.frombuffer(body, np.int32, count)
    value, low, high = np.frombuffer(body, np.float64, 3 * count, case.nbytes).reshape(3, count)
    return Columns(case=case, value=value, low=low, high=high)
