"""From a results folder to a tree and columns of values; files that the cache knows are read only if looked into."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

from windtunnel.asvjson import Decoded
from windtunnel.measurement import Problem, ResultsTree, Row, Run
from windtunnel.publish.point_cache import Cached, Entry, FileMark, PointCache, RunHead
from windtunnel.publish.points import CaseBook, CaseKey, Columns
from windtunnel.publish.run_points import PointReader
from windtunnel.tree import history_reader, read_run, read_tree


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResultsPoints:
    """A results tree with its values: *columns* are those of its runs, in their order; *read* files were new."""

    tree: ResultsTree
    columns: tuple[Columns, ...]
    cases: tuple[CaseKey, ...]
    cache: PointCache
    read: int


def read_points(folder: Path, cache: PointCache) -> ResultsPoints:
    """Read what *cache* does not know of *folder*; the numbers of cases apart, the outcome does not depend on it.

    Raises DataError where there is no such folder.
    """
    reading = _Reading(folder, cache)
    tree = read_tree(folder, reading.run)
    columns = tuple(map(reading.columns, tree.runs))
    return ResultsPoints(
        tree=tree, columns=columns, cases=tuple(reading.book.keys), cache=reading.cache(), read=reading.read
    )


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
        self._points = PointReader(self.book)
        self._decode = history_reader()
        self._entries: dict[str, Entry] = {}
        self.read = 0

    def run(self, path: Path) -> Decoded[Run]:
        """Return the run in the file at *path*: from the cache, where the file is as it was."""
        name = str(path.relative_to(self._folder))
        mark, entry = self._seen(path, name)
        if entry is None:
            return self._new(path, name, mark)
        self._entries[name] = Entry(cached=_marked(entry.cached, mark), columns=entry.columns)
        problems = (Problem(file=str(path), key=key, reason=reason) for key, reason in entry.cached.problems)
        return Decoded(value=_stored(path, entry.cached.head), problems=tuple(problems))

    def columns(self, run: Run) -> Columns:
        """Return the values of *run*, those of its file where it stands in one alone."""
        if not isinstance(run.rows, StoredRows):  # merged of several files
            return self._points.columns(run)
        return self._entries[str(Path(run.source).relative_to(self._folder))].columns

    def cache(self) -> PointCache:
        """Return what is known now; files that are gone are forgotten."""
        return PointCache(entries=self._entries, book=self.book)

    def _seen(self, path: Path, name: str) -> tuple[FileMark | None, Entry | None]:
        if not path.is_file():
            return None, None
        status, entry = path.stat(), self._known.entries.get(name)
        if entry and (status.st_size, status.st_mtime_ns) == (entry.cached.mark.size, entry.cached.mark.modified):
            return entry.cached.mark, entry
        digest = hashlib.blake2b(path.read_bytes(), digest_size=16).digest()
        mark = FileMark(size=status.st_size, modified=status.st_mtime_ns, digest=digest)
        return mark, entry if entry and entry.cached.mark.digest == digest else None

    def _new(self, path: Path, name: str, mark: FileMark | None) -> Decoded[Run]:
        self.read += 1
        decoded = self._decode(path)
        run = decoded.value
        if mark is not None:
            columns = self._points.columns(run) if run else self._points.columns_of(())
            problems = tuple((problem.key, problem.reason) for problem in decoded.problems)
            cached = Cached(file=name, mark=mark, head=_head(run), problems=problems, count=len(columns))
            self._entries[name] = Entry(cached=cached, columns=columns)
        return decoded if run is None else Decoded(value=_stored(path, _head(run)), problems=decoded.problems)


def _marked(cached: Cached, mark: FileMark | None) -> Cached:
    return Cached(cached.file, mark or cached.mark, cached.head, cached.problems, cached.count)


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
