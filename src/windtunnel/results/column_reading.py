"""Reads a results folder into blocks of values; files that the cache knows are not read again.

The cache has a file for the values of 64 commits, an array of NumPy, and one with everything else: a line that names
the format, a checksum, the results files that were read, and the cases. A cache that is missing, damaged or of another
format counts as empty. It holds nothing that is not in the results.
"""

import ctypes
import hashlib
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from windtunnel.asv.results_format.json_values import Decoded
from windtunnel.errors import DataError
from windtunnel.files import write_atomically
from windtunnel.model.identity import CommitHash, Fields, Instant, MachineName
from windtunnel.model.run import Environment, Problem, ResultsTree, Run
from windtunnel.results.columns import (
    CaseKey,
    Indices,
    ResultsValues,
    RunFacts,
    ValueBlock,
    ValueReader,
    Values,
    block_in_memory,
    sorted_values,
)
from windtunnel.results.tree import BENCHMARKS, StoredRows, history_reader, read_tree, with_benchmarks

CACHE_FILE = "values"
"""The name of the file with everything else."""
FORMAT = b"windtunnel values 3\n"
BLOCK_COMMITS = 64
"""Commits whose values share a file."""
MMAP_THRESHOLD, LARGE = -3, 1 << 20
"""An option of glibc's mallopt (<malloc.h>): from how many bytes on an array has memory of its own."""
TIMESTAMP_STEP = 100_000_000
"""Nanoseconds within which a file may change twice without a new timestamp; ten times the resolution of Linux."""


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
    size: int
    modified: int
    """When it was changed, in nanoseconds; anyone can set it."""
    changed: int
    """The same as the kernel knows it. 0 where it is too recent to prove anything."""
    digest: bytes
    """Of the content; it decides where the size or a time differs."""
    run: RunHeader | None = None
    """None where the file held no run."""
    problems: tuple[tuple[str, str], ...] = ()
    """The key and the reason of each."""
    facts: RunFacts = RunFacts()
    block: int = -1
    """The number of the block with its values; -1 where it held no run."""
    number: int = -1
    """The number of the run in this block."""


class ValueCache(msgspec.Struct, array_like=True):
    """What earlier readings of a folder found."""

    files: list[CachedFile] = []
    cases: list[CaseKey] = []
    """The cases by number."""
    blocks: dict[int, str] = {}
    """The files of the blocks by number; a name ends with the checksum of the values."""


def default_cache(out: Path) -> Path:
    """Return the default cache folder of a command that writes *out*."""
    return out.parent / f".{out.name}.cache"


def read_with_cache(results: Path, cache: Path | None, warn: Callable[[str], None]) -> ResultsValues:
    """Read *results* with the cache in the folder *cache*, and update the cache; the values depend on the files alone.

    Calls *warn* where the cache cannot be written. Raises DataError where *results* is not a folder.
    """
    _free_arrays_at_once()
    known = load_cache(cache) if cache else ValueCache()
    reader = _Reader(results, known)
    tree = with_benchmarks(read_tree(results, reader.read), str(results / BENCHMARKS))
    new = dict(reader.new_blocks(_reads(cache, known.blocks)))
    names = known.blocks
    if cache and (reader.has_changed or len(reader.files) < len(known.files)):
        try:
            names = names | {number: save_block(cache, number, values) for number, values in new.items()}
            save_cache(cache, reader.files.values(), reader.cases, names)
            new = {}
        except DataError as error:
            warn(f"the next run will take as long as this one: {error}")
    reads = _reads(cache, names)
    reads |= {number: partial(np.asarray, values) for number, values in new.items()}
    return reader.values(tree, reads)


def _free_arrays_at_once() -> None:
    """Let glibc return the memory of each large array when it is freed.

    It keeps those of up to 32 MB by default, and pieces between them doubled the peak of publishing.
    """
    if sys.platform == "linux" and (set_option := getattr(ctypes.CDLL(None), "mallopt", None)):
        set_option(MMAP_THRESHOLD, LARGE)


def _reads(cache: Path | None, names: Mapping[int, str]) -> dict[int, Callable[[], Values]]:
    """Return a function for each block that reads its values from *cache*."""
    return {number: partial(load_block, cache / name) for number, name in names.items()} if cache else {}


def load_cache(folder: Path) -> ValueCache:
    """Return what the cache in *folder* has undamaged."""
    try:
        content = (folder / CACHE_FILE).read_bytes()
        start = len(FORMAT) + 4
        rest = memoryview(content)[start:]
        if not content.startswith(FORMAT) or _checksum(rest) != content[len(FORMAT) : start]:
            return ValueCache()
        cache = msgspec.msgpack.decode(rest, type=ValueCache)
    except (OSError, msgspec.MsgspecError):
        return ValueCache()
    intact = {number for number, name in cache.blocks.items() if _is_intact(folder / name)}
    return ValueCache(
        files=[file for file in cache.files if file.run is None or file.block in intact],
        cases=cache.cases,
        blocks={number: cache.blocks[number] for number in intact},
    )


def _is_intact(path: Path) -> bool:
    try:
        return _checksum(load_block(path).data).hex() == path.stem.rpartition("-")[2]
    except DataError:
        return False


def load_block(path: Path) -> Values:
    """Return the values of a block; raises DataError where the file is gone or damaged."""
    try:
        values: Values = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        raise DataError(f"{path} was removed or damaged by another program; run the same command again") from None
    return values


def save_block(folder: Path, number: int, values: Values) -> str:
    """Write the *values* of a block into the cache in *folder*; return the name of the file."""
    path = folder / f"block-{number}-{_checksum(values.data).hex()}.npy"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        np.save(path, values)
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror}") from None
    return path.name


def save_cache(folder: Path, files: Iterable[CachedFile], cases: Iterable[CaseKey], blocks: Mapping[int, str]) -> None:
    """Replace the cache in *folder*; the *blocks* are written already. Raises DataError where it cannot be written."""
    listed = list(files)
    used = {file.block for file in listed}
    names = {number: name for number, name in blocks.items() if number in used}
    try:
        rest = msgspec.msgpack.encode(ValueCache(files=listed, cases=list(cases), blocks=names))
    except UnicodeEncodeError as error:
        raise DataError(f"{folder} cannot be written: {error.object[:80]!a} is not valid text") from None
    write_atomically(folder / CACHE_FILE, FORMAT + _checksum(rest) + rest)
    for path in folder.glob("block-*.npy"):
        if path.name not in names.values():
            with suppress(OSError):
                path.unlink()


def _checksum(content: bytes | memoryview) -> bytes:
    return zlib.crc32(content).to_bytes(4, "little")


class _Reader:
    """Reads run files and collects what the next cache holds: files that are gone are not in it."""

    def __init__(self, folder: Path, known: ValueCache) -> None:
        self._folder = folder
        self._known = {file.file: file for file in known.files}
        self._reader = ValueReader({key: number for number, key in enumerate(known.cases)})
        self._decode = history_reader()
        self._new: dict[str, Values] = {}
        self.files: dict[str, CachedFile] = {}
        self.has_changed = False
        self.new = 0

    @property
    def cases(self) -> tuple[CaseKey, ...]:
        """The cases by number."""
        return tuple(self._reader.numbers)

    def read(self, path: Path) -> Decoded[Run]:
        """Return the run in the file at *path*, from the cache where the file has not changed."""
        if not path.is_file():
            return self._decode(path)
        name, status = str(path.relative_to(self._folder)), path.stat()
        known = self._known.get(name)
        times = status.st_size, status.st_mtime_ns, status.st_ctime_ns
        if known is None or times != (known.size, known.modified, known.changed):
            self.has_changed = True
            is_settled = time.time_ns() - status.st_ctime_ns > TIMESTAMP_STEP
            digest = hashlib.blake2b(path.read_bytes(), digest_size=16).digest()
            file = CachedFile(name, *times[:2], status.st_ctime_ns if is_settled else 0, digest)
            if known is None or known.digest != digest:
                return self._read_new(path, file)
            known.modified, known.changed = file.modified, file.changed
        self.files[name] = known
        problems = tuple(Problem(file=str(path), key=key, reason=reason) for key, reason in known.problems)
        return Decoded(value=None if known.run is None else _stored_run(path, known.run), problems=problems)

    def _read_new(self, path: Path, file: CachedFile) -> Decoded[Run]:
        self.new += 1
        decoded = self._decode(path)
        run = decoded.value
        file.problems = tuple((each.key, each.reason) for each in decoded.problems)
        self.files[file.file] = file
        if run is None:
            return decoded
        file.run = RunHeader(run.commit, run.machine, run.environment, run.date, run.params)
        file.facts, self._new[file.file] = self._reader.read(run.rows)
        return Decoded(value=_stored_run(path, file.run), problems=decoded.problems)

    def new_blocks(self, reads: Mapping[int, Callable[[], Values]]) -> Iterator[tuple[int, Values]]:
        """Place the values of new files, and yield the blocks that get some; *reads* are those of the cache.

        The files of a commit share a block, and new commits follow the newest ones by date.
        """
        known, new = defaultdict[int, list[int]](list), defaultdict[int, list[CachedFile]](list)
        block_of = dict[CommitHash, int]()
        for file in self.files.values():
            if file.run and file.block >= 0:
                known[file.block].append(file.number)
                block_of[file.run.commit] = file.block
        latest = max(known, default=0)
        count = sum(block == latest for block in block_of.values())
        unplaced = [(file.run.date, file.run.commit, name) for name in self._new if (file := self.files[name]).run]
        for _, commit, name in sorted(unplaced):
            if commit not in block_of:
                latest, count = (latest + 1, 1) if count == BLOCK_COMMITS else (latest, count + 1)
            self.files[name].block = block_of.setdefault(commit, latest)
            new[block_of[commit]].append(self.files[name])
        for number, files in new.items():
            parts = []
            if known[number]:
                old = reads[number]()
                parts.append(old[np.isin(old["run"], known[number])])
            for file in files:
                file.number = max(known[number], default=-1) + 1
                known[number].append(file.number)
                parts.append(self._new.pop(file.file))
                parts[-1]["run"] = file.number
            yield number, sorted_values(parts)

    def values(self, tree: ResultsTree, reads: Mapping[int, Callable[[], Values]]) -> ResultsValues:
        """Return the values of *tree*: those of its files, but of a run that was merged from several files its own."""
        facts, merged = list[RunFacts](), dict[int, Values]()
        places = defaultdict[int, dict[int, int]](dict)
        for index, run in enumerate(tree.runs):
            if isinstance(run.rows, StoredRows):
                file = self.files[str(run.rows.path.relative_to(self._folder))]
                facts.append(file.facts)
                places[file.block][file.number] = index
            else:
                found, merged[index] = self._reader.read(run.rows)
                facts.append(found)
        blocks = [ValueBlock(runs=_listed(places[number]), read=reads[number]) for number in sorted(places)]
        if merged:
            blocks.append(block_in_memory(tuple(merged.values()), tuple(merged)))
        return ResultsValues(tree=tree, runs=tuple(facts), cases=self.cases, blocks=tuple(blocks), new=self.new)


def _listed(indices: Mapping[int, int]) -> Indices:
    runs = np.full(max(indices) + 2, -1, np.int32)
    runs[list(indices)] = list(indices.values())
    return runs


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
