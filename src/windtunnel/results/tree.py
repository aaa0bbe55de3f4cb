"""Run records in a results folder: how runs went, kept beside asv's files where asv does not look."""

import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from windtunnel.asv.results_format.json_values import Decoded
from windtunnel.asv.results_format.names import long_run_file, machine_folder, run_files
from windtunnel.asv.results_format.run_file import RunDecoder, decode_run, encode_run
from windtunnel.asv.results_format.suite_files import (
    decode_benchmarks,
    decode_machine,
    encode_benchmarks,
    encode_machine,
)
from windtunnel.errors import DataError
from windtunnel.files import write_atomically
from windtunnel.model.run import Machine, Problem, ResultsTree, Run, RunKey
from windtunnel.model.run_format import RUN_FORMAT, RunRecord
from windtunnel.results.merge import merge_runs

RECORDS = "records"

RESULTS, RECORD = "results", "run.json"
"""What the folder of a shard holds: a results tree, and how the run went."""


def keep_record(path: Path, results: Path) -> None:
    """Copy the run record at *path* into the folder *results*, under a name that no other record has."""
    content = path.read_bytes()
    name = f"{hashlib.sha256(content).hexdigest()[:16]}.json"
    write_atomically(results / RECORDS / name, content)


def read_records(results: Path) -> tuple[tuple[RunRecord, ...], tuple[str, ...]]:
    """Return the records in the folder *results*, oldest first, and what is to be said of those that cannot be read."""
    records, doubts = [], []
    for path in sorted((results / RECORDS).glob("*.json")):
        try:
            records.append(RUN_FORMAT.decode(path.read_bytes(), f"{RECORDS}/{path.name}"))
        except (DataError, OSError) as error:
            doubts.append(f"a run record could not be read: {error}")
    return tuple(sorted(records, key=lambda record: record.started)), tuple(doubts)


BENCHMARKS, MACHINE = "benchmarks.json", "machine.json"

HARDWARE = frozenset({"arch", "cpu", "num_cpu", "os", "ram"})
"""What asv repeats of the machine in every run."""

T = TypeVar("T")


RunReader = Callable[[Path], Decoded[Run]]


def read_tree(folder: Path, run_reader: RunReader | None = None) -> ResultsTree:
    """Return everything in *folder* that can be used; the rest are problems. Rows are read when they are looked at.

    What a file says counts, not how it is called: where several files hold the same run, they are merged.
    *run_reader* stands in for reading a run's file, where somebody knows what is in it.
    Raises DataError when there is no such folder.
    """
    if not folder.is_dir():
        raise DataError(f"{folder} is not a folder; name a folder of asv results")
    return _Reading(folder, run_reader or history_reader()).tree()


def history_reader() -> RunReader:
    """Return what reads the runs of one history, the quicker the more alike they are."""
    decoder = RunDecoder()
    return lambda path: _decoded(path, decoder.decode)


def read_run(path: Path) -> Decoded[Run]:
    """Return the run in the results file *path*."""
    return _decoded(path, decode_run)


def write_tree(tree: ResultsTree, folder: Path) -> None:
    """Write *tree* into *folder* as asv names its files; files that hold the same already are not touched.

    Each file is replaced whole, ``benchmarks.json`` last; other files in *folder* stay. Raises DataError.
    """
    for machine in (*tree.machines, *undescribed(tree.machines, tree.runs)):
        _write(folder / machine_folder(machine.name) / MACHINE, encode_machine(machine))
    names = run_files([run.key for run in tree.runs])
    for run, name in zip(tree.runs, names, strict=True):
        _write_run(run, folder, name)
    if tree.benchmarks:
        _write(folder / BENCHMARKS, encode_benchmarks(tree.benchmarks))


def _write_run(run: Run, folder: Path, name: str) -> None:
    """Write *run* under *name*, under its longer name where the file there holds another commit."""
    content = encode_run(run)
    there = _content(folder / name)
    if there is not None and there != content:
        other = decode_run(there, name).value
        if other is not None and other.key != run.key:
            name = long_run_file(run.key)
    _write(folder / name, content)


def _write(path: Path, content: bytes) -> None:
    if _content(path) != content:
        write_atomically(path, content)


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _decoded(path: Path, decode: Callable[[bytes, str], Decoded[T]]) -> Decoded[T]:
    try:
        reason = "" if path.is_file() else "is no file"
        content = b"" if reason else path.read_bytes()
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    if reason:
        return Decoded(value=None, problems=(Problem(file=str(path), key="", reason=reason),))
    return decode(content, str(path))


def results_files(folder: Path, unreadable: Callable[[OSError], None]) -> Iterator[Path]:
    """Yield the JSON files that machines' folders hold; in the top *folder* only where it is a machine's itself."""
    for place, folders, names in os.walk(folder, onerror=unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        here = Path(place)
        if here == folder and RECORDS in folders:
            folders.remove(RECORDS)
        if here != folder or MACHINE in names:
            wanted = (name for name in sorted(names) if name.endswith(".json") and not name.startswith("."))
            yield from (here / name for name in wanted if name != BENCHMARKS)


def undescribed(machines: Iterable[Machine], runs: Iterable[Run]) -> tuple[Machine, ...]:
    """Return those machines of *runs* that are not among *machines*, as far as the runs describe them."""
    known = {machine.name for machine in machines}
    unknown = {run.machine: run for run in runs if run.machine not in known}
    return tuple(
        Machine(name=name, details=tuple(param for param in run.params if param.name in HARDWARE), source=run.source)
        for name, run in sorted(unknown.items())
    )


class _Reading:
    """A folder while it is read."""

    def __init__(self, folder: Path, run_reader: RunReader) -> None:
        self._folder = folder
        self._run_reader = run_reader
        self._problems: list[Problem] = []
        self._machines: dict[str, Machine] = {}
        self._runs: dict[RunKey, list[Run]] = defaultdict(list)

    def tree(self) -> ResultsTree:
        """Read everything."""
        for path in results_files(self._folder, self._unreadable):
            self._read(path)
        listed = self._folder / BENCHMARKS
        benchmarks = self._take(_decoded(listed, decode_benchmarks)) if listed.exists() else None
        runs = tuple(self._united(self._runs[key]) for key in sorted(self._runs))
        for machine in undescribed(self._machines.values(), runs):
            self._machines[machine.name] = machine
            self._note(Path(machine.source).parent / MACHINE, "does not describe the machine; its results do")
        return ResultsTree(
            runs=runs,
            benchmarks=benchmarks or (),
            machines=tuple(self._machines[name] for name in sorted(self._machines)),
            problems=tuple(sorted(self._problems)),
        )

    def _read(self, path: Path) -> None:
        if path.name == MACHINE:
            machine = self._take(_decoded(path, decode_machine))
            if machine is not None:
                self._machines.setdefault(machine.name, machine)
            return
        run = self._take(self._run_reader(path))
        if run is not None:
            self._runs[run.key].append(run)

    def _unreadable(self, error: OSError) -> None:
        self._note(Path(error.filename), f"cannot be read: {error.strerror}")

    def _note(self, path: Path, reason: str) -> None:
        self._problems.append(Problem(file=str(path), key="", reason=reason))

    def _take(self, decoded: Decoded[T]) -> T | None:
        self._problems += decoded.problems
        return decoded.value

    def _united(self, runs: list[Run]) -> Run:
        if len(runs) == 1:
            return runs[0]
        merged = merge_runs(*runs)
        self._problems += [
            Problem(file=conflict.sources[1], key=conflict.key, reason=f"{conflict.sources[0]}: {conflict.reason}")
            for conflict in merged.conflicts
        ]
        return merged.run
