"""Read a results folder to columns of values; files that the cache knows are not read again."""

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

from windtunnel.asv.results_format.json_values import Decoded
from windtunnel.errors import DataError
from windtunnel.model.result import Row
from windtunnel.model.run import Problem, Run
from windtunnel.results.column_cache import Cached, Entry, FileMark, PointCache, RunHead, load_cache, store_cache
from windtunnel.results.columns import CaseBook, PointReader, ResultsPoints, RunPoints
from windtunnel.results.tree import history_reader, read_run, read_tree

TICK = 100_000_000
"""Nanoseconds within which a file may change twice and keep its dates; ten times what Linux keeps them to."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointsRead:
    """What a folder holds, the *cache* for the next reading, whether that *is_news*, and how many files were new."""

    points: ResultsPoints
    cache: PointCache
    is_news: bool
    new: int


def read_points(folder: Path, cache: PointCache) -> PointsRead:
    """Read what *cache* does not know of *folder*; the numbers of cases apart, the outcome does not depend on it.

    Raises DataError where there is no such folder.
    """
    reading = _Reading(folder, cache)
    tree = read_tree(folder, reading.run)
    runs = [reading.points(run) for run in tree.runs]
    points = ResultsPoints(
        tree=tree,
        columns=tuple(run.columns for run in runs),
        cases=tuple(reading.book.keys),
        begun=tuple(run.newest for run in runs),
    )
    return PointsRead(points=points, cache=reading.cache(), is_news=reading.is_news, new=reading.new)


class StoredRows(Sequence[Row]):
    """The rows of a run whose file is read when they are looked at, and not kept."""

    __slots__ = ("_read",)

    def __init__(self, read: Callable[[], Sequence[Row]]) -> None:
        """Keep how to read them."""
        self._read = read

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._read())

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        """Return one row, or several."""
        return self._read()[index]

    def __iter__(self) -> Iterator[Row]:
        """Yield each row."""
        return iter(self._read())


class _Reading:
    def __init__(self, folder: Path, known: PointCache) -> None:
        self._folder, self._known = folder, known
        self.book = CaseBook(keys=list(known.book.keys))
        self._reader = PointReader(self.book)
        self._decode = history_reader()
        self._entries: dict[str, Entry] = {}
        self.is_news = False
        self.new = 0

    def run(self, path: Path) -> Decoded[Run]:
        """Return the run in the file at *path*: from the cache, where the file is as it was."""
        name = str(path.relative_to(self._folder))
        mark, entry = self._seen(path, name)
        if entry is None:
            return self._new(path, name, mark)
        self._entries[name] = Entry(cached=_marked(entry.cached, mark), columns=entry.columns)
        problems = (Problem(file=str(path), key=key, reason=reason) for key, reason in entry.cached.problems)
        return Decoded(value=_stored(path, entry.cached.head), problems=tuple(problems))

    def points(self, run: Run) -> RunPoints:
        """Return the values of *run*, those of its file where it stands in one alone."""
        if not isinstance(run.rows, StoredRows):  # merged of several files
            return self._reader.points(run.rows)
        entry = self._entries[str(Path(run.source).relative_to(self._folder))]
        return RunPoints(columns=entry.columns, newest=entry.cached.newest)

    def cache(self) -> PointCache:
        """Return what is known now; files that are gone are forgotten."""
        return PointCache(entries=self._entries, book=self.book)

    def _seen(self, path: Path, name: str) -> tuple[FileMark | None, Entry | None]:
        if not path.is_file():
            return None, None
        status, entry = path.stat(), self._known.entries.get(name)
        if entry and _is_as_it_was(status, entry.cached.mark):
            return entry.cached.mark, entry
        self.is_news = True
        mark = _mark(status, path.read_bytes())
        return mark, entry if entry and entry.cached.mark.digest == mark.digest else None

    def _new(self, path: Path, name: str, mark: FileMark | None) -> Decoded[Run]:
        self.new += 1
        decoded = self._decode(path)
        run = decoded.value
        if mark is not None:
            found = self._reader.points(run.rows if run else ())
            problems = tuple((problem.key, problem.reason) for problem in decoded.problems)
            cached = Cached(name, mark, _head(run), problems, found.newest, len(found.columns))
            self._entries[name] = Entry(cached=cached, columns=found.columns)
        return decoded if run is None else Decoded(value=_stored(path, _head(run)), problems=decoded.problems)


def _is_as_it_was(status: os.stat_result, mark: FileMark) -> bool:
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns) == (mark.size, mark.modified, mark.changed)


def _mark(status: os.stat_result, content: bytes) -> FileMark:
    is_settled = time.time_ns() - status.st_ctime_ns > TICK
    return FileMark(
        size=status.st_size,
        modified=status.st_mtime_ns,
        changed=status.st_ctime_ns if is_settled else 0,
        digest=hashlib.blake2b(content, digest_size=16).digest(),
    )


def _marked(cached: Cached, mark: FileMark | None) -> Cached:
    return Cached(cached.file, mark or cached.mark, cached.head, cached.problems, cached.newest, cached.count)


def _head(run: Run | None) -> RunHead | None:
    if run is None:
        return None
    return RunHead(run.commit, run.machine, run.environment, run.date, run.params)


def _stored(path: Path, head: RunHead | None) -> Run | None:
    if head is None:
        return None
    return Run(
        commit=head.commit,
        machine=head.machine,
        environment=head.environment,
        date=head.date,
        params=head.params,
        rows=StoredRows(lambda: _rows_at(path)),
        source=str(path),
    )


def _rows_at(path: Path) -> Sequence[Row]:
    run = read_run(path).value
    return () if run is None else run.rows


POINTS = "points"


def cache_beside(out: Path) -> Path:
    """Return the folder in which what is made at *out* keeps what it knows, where nobody names one."""
    return out.parent / f".{out.name}.cache"


def kept_points(results: Path, cache: Path, say: Callable[[str], None]) -> PointsRead:
    """Read *results* with what lies in the folder *cache*, and leave it there for the next time.

    A cache that cannot be written is said and costs time only. Raises DataError where there are no results.
    """
    read = read_points(results, load_cache(cache / POINTS))
    if read.is_news:
        try:
            store_cache(cache / POINTS, read.cache)
        except DataError as error:
            say(f"the next time will take as long: {error}")
    return read
