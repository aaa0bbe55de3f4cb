"""Reads a results folder into columns of values; files that the cache knows are not read again."""

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from windtunnel.asv.results_format.json_values import Decoded
from windtunnel.errors import DataError
from windtunnel.model.result import Row
from windtunnel.model.run import Problem, Run
from windtunnel.results.benchmark_recovery import with_benchmarks
from windtunnel.results.column_cache import CachedFile, ColumnCache, FileState, RunHeader, load_cache, save_cache
from windtunnel.results.columns import CaseNumbers, ColumnBuilder, ResultsValues, RunValues, UnkeptRows, ValueColumns
from windtunnel.results.tree import BENCHMARKS, history_reader, read_run, read_tree

CACHE_FILE = "columns"
"""The name of the cache within its folder."""
TIMESTAMP_STEP = 100_000_000
"""Nanoseconds within which a file may change twice without a new timestamp; ten times the resolution of Linux."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReadValues:
    """What a results folder holds."""

    values: ResultsValues
    cache: ColumnCache
    """For the next reading."""
    has_changed: bool
    """Whether the cache differs from the one before."""
    new: int
    """The number of files that were decoded."""


def read_with_cache(results: Path, cache: Path, warn: Callable[[str], None]) -> ReadValues:
    """Read *results* with the cache in the folder *cache*, and update the cache.

    Calls *warn* where the cache cannot be written. Raises DataError where *results* is not a folder.
    """
    read = read_values(results, load_cache(cache / CACHE_FILE))
    if read.has_changed:
        try:
            save_cache(cache / CACHE_FILE, read.cache)
        except DataError as error:
            warn(f"the next run will take as long as this one: {error}")
    return read


def default_cache(out: Path) -> Path:
    """Return the default cache folder of a command that writes *out*."""
    return out.parent / f".{out.name}.cache"


def read_values(folder: Path, cache: ColumnCache) -> ReadValues:
    """Read the files of *folder* that *cache* does not know; the result depends on the files alone.

    Raises DataError where *folder* is not a folder.
    """
    reader = _Reader(folder, cache)
    tree = with_benchmarks(read_tree(folder, reader.read), str(folder / BENCHMARKS))
    values = ResultsValues(
        tree=tree, runs=tuple(reader.values_of(run) for run in tree.runs), cases=tuple(reader.numbers.keys)
    )
    cache = ColumnCache(files=reader.files, numbers=reader.numbers, written=cache.written)
    return ReadValues(values=values, cache=cache, has_changed=reader.has_changed, new=reader.new)


class StoredRows(UnkeptRows):
    """Rows that are read from their file each time they are used, and not kept."""

    __slots__ = ("_path",)

    def __init__(self, path: Path) -> None:
        """Remember the file."""
        self._path = path

    def _read(self) -> Sequence[Row]:
        run = read_run(self._path).value
        return () if run is None else run.rows


class _Reader:
    """Reads run files and collects what the next cache holds: files that are gone are not in it."""

    def __init__(self, folder: Path, known: ColumnCache) -> None:
        self._folder, self._known = folder, known
        self.numbers = CaseNumbers(keys=list(known.numbers.keys))
        self.files: dict[str, tuple[CachedFile, ValueColumns]] = {}
        self.has_changed = False
        self.new = 0
        self._builder = ColumnBuilder(self.numbers)
        self._decode = history_reader()

    def read(self, path: Path) -> Decoded[Run]:
        """Return the run in the file at *path*, from the cache where the file has not changed."""
        name = str(path.relative_to(self._folder))
        state = None
        if path.is_file():
            status, known = path.stat(), self._known.files.get(name)
            if known and _is_unchanged(status, known[0].state):
                return self._reuse(path, known)
            self.has_changed = True
            state = _state(status, path.read_bytes())
            if known and known[0].state.digest == state.digest:
                return self._reuse(path, (msgspec.structs.replace(known[0], state=state), known[1]))
        return self._read_new(path, name, state)

    def values_of(self, run: Run) -> RunValues:
        """Return the values of *run*: those of its file, unless it was merged from several files."""
        if not isinstance(run.rows, StoredRows):
            return self._builder.build(run.rows)
        file, columns = self.files[str(Path(run.source).relative_to(self._folder))]
        return RunValues(columns=columns, newest=file.newest, counted_with=file.counted_with, digest=file.state.digest)

    def _reuse(self, path: Path, known: tuple[CachedFile, ValueColumns]) -> Decoded[Run]:
        file = known[0]
        self.files[file.file] = known
        problems = tuple(Problem(file=str(path), key=key, reason=reason) for key, reason in file.problems)
        return Decoded(value=None if file.run is None else _stored_run(path, file.run), problems=problems)

    def _read_new(self, path: Path, name: str, state: FileState | None) -> Decoded[Run]:
        self.new += 1
        decoded = self._decode(path)
        run = decoded.value
        header = None if run is None else RunHeader(run.commit, run.machine, run.environment, run.date, run.params)
        if state is not None:
            found = self._builder.build(run.rows if run else ())
            problems = tuple((problem.key, problem.reason) for problem in decoded.problems)
            file = CachedFile(name, state, header, problems, found.newest, len(found.columns), found.counted_with)
            self.files[name] = file, found.columns
        return decoded if header is None else Decoded(value=_stored_run(path, header), problems=decoded.problems)


def _is_unchanged(status: os.stat_result, state: FileState) -> bool:
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns) == (state.size, state.modified, state.changed)


def _state(status: os.stat_result, content: bytes) -> FileState:
    is_settled = time.time_ns() - status.st_ctime_ns > TIMESTAMP_STEP
    return FileState(
        size=status.st_size,
        modified=status.st_mtime_ns,
        changed=status.st_ctime_ns if is_settled else 0,
        digest=hashlib.blake2b(content, digest_size=16).digest(),
    )


def _stored_run(path: Path, header: RunHeader) -> Run:
    return Run(
        commit=header.commit,
        machine=header.machine,
        environment=header.environment,
        date=header.date,
        params=header.params,
        rows=StoredRows(path),
        source=str(path),
    )
