"""A results tree on disk: a folder in asv's format, read as values and written whole, and the run records in it."""

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from windtunnel.asv.results_format.files import (
    decode_benchmarks,
    decode_machine,
    decode_run,
    encode_benchmarks,
    encode_machine,
    encode_run,
    long_run_file,
    machine_folder,
    run_files,
)
from windtunnel.asv.results_format.json_values import Decoded
from windtunnel.asv.results_format.layout import KnownLayouts
from windtunnel.asv.results_format.rows import LazyRows
from windtunnel.errors import DataError
from windtunnel.files import write_atomically, write_together
from windtunnel.model.benchmark import INSTRUCTIONS, Benchmark
from windtunnel.model.identity import BenchmarkName
from windtunnel.model.run import Machine, Problem, ResultsTree, Row, Run, RunKey
from windtunnel.model.run_format import RUN_FORMAT, RunRecord
from windtunnel.results import record_files
from windtunnel.results.merge import merge_runs

BENCHMARKS, MACHINE = "benchmarks.json", "machine.json"

RECORDS = record_files.RECORDS
"""The folder of the records."""

RESULTS, RECORD = "results", "run.json"
"""What the folder of a shard holds: a results tree, and the record of the run."""

HARDWARE = frozenset({"arch", "cpu", "num_cpu", "os", "ram"})
"""Machine parameters that asv repeats in every run."""

RESULT_COLUMNS = b'"result_columns"'
"""In each results file of asv's present format, and in none of the first."""

T = TypeVar("T")

RunReader = Callable[[Path], Decoded[Run]]


def read_tree(folder: Path, run_reader: RunReader | None = None) -> ResultsTree:
    """Return the usable content of *folder* and a problem for each file that is not usable; rows are parsed lazily.

    The content of a file decides what it is, not its name; several files of one run are merged. *run_reader* replaces
    the reading of run files, for callers that cache them. Raises DataError if the folder does not exist.
    """
    if not folder.is_dir():
        raise DataError(f"{folder} is not a folder; name a folder of asv results")
    read_file = run_reader or history_reader()
    problems, machines = list[Problem](), dict[str, Machine]()
    alike, runs = defaultdict[RunKey, list[Run]](list), list[Run]()

    def note(path: Path, reason: str) -> None:
        problems.append(Problem(file=str(path), key="", reason=reason))

    def take(decoded: Decoded[T]) -> T | None:
        problems.extend(decoded.problems)
        return decoded.value

    for path in results_files(folder, lambda error: note(Path(error.filename), f"cannot be read: {error.strerror}")):
        if path.name == MACHINE:
            if machine := take(_decoded(path, decode_machine)):
                machines.setdefault(machine.name, machine)
        elif run := take(read_file(path)):
            alike[run.key].append(run)
    listed = folder / BENCHMARKS
    benchmarks = take(_decoded(listed, decode_benchmarks)) if listed.exists() else None
    for key in sorted(alike):
        run, conflicts = merge_runs(*alike[key]) if len(alike[key]) > 1 else (alike[key][0], ())
        runs.append(run)
        problems += conflicts
    for machine in undescribed(machines.values(), runs):
        machines[machine.name] = machine
        note(Path(machine.source).parent / MACHINE, "does not describe the machine; the results describe it")
    return ResultsTree(
        runs=tuple(runs),
        benchmarks=benchmarks or (),
        machines=tuple(machines[name] for name in sorted(machines)),
        problems=tuple(sorted(problems)),
    )


def history_reader() -> RunReader:
    """Return a reader for the runs of one history, which is fast when they are similar."""
    decode = partial(decode_run, layouts=KnownLayouts())
    return lambda path: _decoded(path, decode)


def read_run(path: Path) -> Decoded[Run]:
    """Return the run in the results file *path*."""
    return _decoded(path, decode_run)


class StoredRows(Sequence[Row]):
    """Rows that are read from their file each time they are used, and not kept."""

    __slots__ = ("path",)

    def __init__(self, path: Path) -> None:
        """Remember the file."""
        self.path = path

    def _read(self) -> Sequence[Row]:
        run = read_run(self.path).value
        return () if run is None else run.rows

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._read())

    def __getitem__(self, index: Any) -> Any:
        """Return one row, or several."""
        return self._read()[index]

    def __iter__(self) -> Iterator[Row]:
        """Yield each row."""
        return iter(self._read())


def write_tree(tree: ResultsTree, folder: Path) -> None:
    """Write *tree* into *folder* with asv's file names; what *folder* holds already is neither encoded nor written.

    A file that asv wrote, or an older Windtunnel, stays as it is if it holds the same run. Each file is replaced
    atomically; other files in *folder* stay. Raises DataError.
    """
    tree = replace(tree, machines=(*tree.machines, *undescribed(tree.machines, tree.runs)))
    found = ((folder / name, content) for name, content in files_of(tree, folder))
    write_together(folder, ((path, content) for path, content in found if _content(path) != content))


def files_of(tree: ResultsTree, folder: Path | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield the files of *tree* by their paths in asv's layout; benchmarks and machines come before their runs.

    Leaves out runs that *folder* holds already.
    """
    if tree.benchmarks:
        yield BENCHMARKS, encode_benchmarks(tree.benchmarks)
    for machine in tree.machines:
        yield machine_file(machine), encode_machine(machine)
    decode = partial(decode_run, layouts=KnownLayouts())
    for run, name in zip(tree.runs, run_files([run.key for run in tree.runs]), strict=True):
        if folder is None:
            yield name, encode_run(run)
        elif not _is_stored(run, folder, name, decode):
            yield _run_file(run, folder, name)


def machine_file(machine: Machine) -> str:
    """Return the path of the description of *machine* in its tree."""
    return f"{machine_folder(machine.name)}/{MACHINE}"


def _is_stored(run: Run, folder: Path, name: str, decode: Callable[[bytes, str], Decoded[Run]]) -> bool:
    """Return whether the file *name* of *folder*, in asv's present format, holds just *run*."""
    if not isinstance(run.rows, LazyRows) or run.superseded:  # it was merged
        return False
    content = _content(folder / name)
    if content is None or RESULT_COLUMNS not in content:
        return False
    known = decode(content, name)
    return not known.problems and known.value == run


def _run_file(run: Run, folder: Path, name: str) -> tuple[str, bytes]:
    """Return the file *name* for *run*, or its longer name where that file holds another commit, and its content."""
    content = encode_run(run)
    existing = _content(folder / name)
    if existing is not None and existing != content:
        other = decode_run(existing, name).value
        if other is not None and other.key != run.key:
            name = long_run_file(run.key)
    return name, content


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _decoded(path: Path, decode: Callable[[bytes, str], Decoded[T]]) -> Decoded[T]:
    try:
        reason = "" if path.is_file() else "is not a file"
        content = b"" if reason else path.read_bytes()
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    if reason:
        return Decoded(value=None, problems=(Problem(file=str(path), key="", reason=reason),))
    return decode(content, str(path))


def results_files(folder: Path, unreadable: Callable[[OSError], None]) -> Iterator[Path]:
    """Yield the JSON files in the folders of machines; the top *folder* counts only where it holds a machine file."""
    for current, folders, names in os.walk(folder, onerror=unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        here = Path(current)
        if here == folder and RECORDS in folders:
            folders.remove(RECORDS)
        if here != folder or MACHINE in names:
            wanted = (name for name in sorted(names) if name.endswith(".json") and not name.startswith("."))
            yield from (here / name for name in wanted if name != BENCHMARKS)


def undescribed(machines: Iterable[Machine], runs: Iterable[Run]) -> tuple[Machine, ...]:
    """Return the machines of *runs* that are not among *machines*, with the details that the runs repeat."""
    known = {machine.name for machine in machines}
    unknown = {run.machine: run for run in runs if run.machine not in known}
    return tuple(
        Machine(name=name, details=tuple(param for param in run.params if param.name in HARDWARE), source=run.source)
        for name, run in sorted(unknown.items())
    )


def keep_record(path: Path, results: Path) -> None:
    """Copy the record at *path* into the folder *results*; one whose content changes joins the file there."""
    content = path.read_bytes()
    target = results / RECORDS / record_files.record_name(path.name, content)
    existing = _content(target)
    kept = record_files.join(target.name, existing, content) if existing else content
    if kept != existing:
        write_atomically(target, kept)


def write_record(content: bytes, results: Path) -> None:
    """Write the run record *content* into the folder *results*, under a name made from its content."""
    write_atomically(results / RECORDS / record_files.record_name("", content), content)


def read_records(results: Path, *, lost: bool = False) -> tuple[tuple[RunRecord, ...], tuple[str, ...]]:
    """Return the run records in the folder *results*, oldest first, and a message for each that cannot be read.

    With *lost*, they include the records of what no shard reached.
    """
    paths = record_files.record_paths(results)
    records, problems = record_files.read_record_files(paths, RUN_FORMAT, "a run record")
    kept = (record for record in records if lost or not record.lost)
    return tuple(sorted(kept, key=lambda record: record.started)), problems


TYPES = {
    "time": ("time", "seconds"),
    "timeraw": ("time", "seconds"),
    "mem": ("memory", "bytes"),
    "peakmem": ("peakmemory", "bytes"),
    "track": ("track", "unit"),
    INSTRUCTIONS: ("track", INSTRUCTIONS),
}
"""asv's type and unit by how the last part of a name begins (https://asv.readthedocs.io/en/stable/benchmarks.html); a
suite may set others, which results files do not have."""

LOST_BENCHMARKS = (
    "cannot be used, so benchmarks are described from the results: without the units of track_ benchmarks and the "
    "names of parameters; measure once more, or restore the file"
)


def with_benchmarks(tree: ResultsTree, file: str) -> ResultsTree:
    """Return *tree*; with results and no benchmarks, add those of the results, and a problem that names *file*."""
    if tree.benchmarks or not tree.runs:
        return tree
    problem = Problem(file=file, key="", reason=LOST_BENCHMARKS)
    return replace(tree, benchmarks=_recover(tree.runs), problems=tuple(sorted((*tree.problems, problem))))


def _recover(runs: Iterable[Run]) -> tuple[Benchmark, ...]:
    """Return the benchmarks of *runs*, as the newest result of each has them."""
    newest: dict[BenchmarkName, Row] = {}
    for run in sorted(runs, key=lambda run: run.date, reverse=True):
        for row in run.rows:
            newest.setdefault(row.name, row)
    return tuple(_benchmark(newest[name]) for name in sorted(newest))


def _benchmark(row: Row) -> Benchmark:
    kind, unit = TYPES.get(row.name.rpartition(".")[2].partition("_")[0].lower(), ("track", None))
    return Benchmark(
        name=row.name,
        type_word=kind,
        unit=unit,
        version=row.version,
        param_names=tuple(f"param{number}" for number, _ in enumerate(row.params, start=1)),
        params=row.params,
    )
