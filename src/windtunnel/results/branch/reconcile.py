"""Reconcile two sides of an exchange: find the files that differ, and what they merge with."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

from windtunnel.asv.results_format.json_values import Decoded
from windtunnel.asv.results_format.names import machine_folder, run_files
from windtunnel.asv.results_format.run_file import decode_run, encode_run
from windtunnel.asv.results_format.suite_files import (
    decode_benchmarks,
    decode_machine,
    encode_benchmarks,
    encode_machine,
)
from windtunnel.model.benchmark import Benchmark
from windtunnel.model.run import Machine, Problem, ResultsTree, Run
from windtunnel.results.branch.layout import family, is_run
from windtunnel.results.branch.sides import File, Side
from windtunnel.results.merge import merge_trees, stamped
from windtunnel.results.tree import BENCHMARKS, MACHINE, undescribed


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The files of a side that take part in a merge, of all its *paths*; to read the *rest* is dear, seldom needed."""

    place: str
    paths: frozenset[str]
    files: tuple[File, ...]
    rest: Callable[[], Iterator[File]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Combined:
    """Two parts in one; a broken file is in none of them, and named in the notes."""

    files: tuple[File, ...]
    replaced: tuple[str, ...] = ()
    """Paths whose content is now, whole, in a file of another name."""
    notes: tuple[str, ...] = ()


Combine = Callable[[Part, Part], Combined]
"""Merges what the target has (first) with what the source has; where both can be read, the order does not matter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What is to be written to a side and removed from it."""

    written: tuple[File, ...]
    removed: tuple[str, ...]
    notes: tuple[str, ...]


def reconcile(source: Side, target: Side, combine: Combine) -> Changes:
    """Return the changes after which *target* holds everything of *source*, and nothing of its own less."""
    there = set(target.items)
    touched = {family(item.path) for item in source.items if item not in there}
    while True:
        ours = _part(target, touched)
        combined = combine(ours, _part(source, touched))
        places = {family(file.path) for file in combined.files}
        if places <= touched:
            return _changes(ours, combined)
        touched |= places  # content moved to where its own names say it belongs: what lies there takes part


def _part(side: Side, touched: set[str]) -> Part:
    families = {item: family(item.path) for item in side.items}
    rest = [item for item in side.items if families[item] not in touched]
    files = tuple(side.files([item for item in side.items if families[item] in touched]))
    paths = frozenset(item.path for item in side.items)
    return Part(place=side.place, paths=paths, files=files, rest=lambda: side.files(rest))


def _changes(ours: Part, combined: Combined) -> Changes:
    before = {file.path: file.content for file in ours.files}
    return Changes(
        written=tuple(file for file in combined.files if before.get(file.path) != file.content),
        removed=tuple(path for path in combined.replaced if path in before),
        notes=combined.notes,
    )


T = TypeVar("T")


def combine(ours: Part, theirs: Part) -> Combined:
    """Merge results as trees merge; of records and alerts, which do not, the source's stand."""
    parts = _read(ours), _read(theirs)
    merged = merge_trees(part.tree() for part in parts)
    known = ours.paths | theirs.paths
    results = tuple(files_of(replace(merged.tree, machines=tuple(_machines(merged.tree, known)))))
    others = {file.path: file for part in parts for file in part.others}
    kept = {file.path for file in results}
    notes = (*merged.tree.problems, *merged.conflicts)
    return Combined(
        files=(*results, *others.values()),
        replaced=tuple(path for path in parts[0].used if path not in kept),
        notes=tuple(map(str, notes)),
    )


def _machines(tree: ResultsTree, known: frozenset[str]) -> Iterator[Machine]:
    """Yield the machines to write: those of *tree*, and those that have runs in it and no file on either side."""
    yield from tree.machines
    yield from (machine for machine in undescribed(tree.machines, tree.runs) if _machine_file(machine) not in known)


def files_of(tree: ResultsTree) -> Iterator[File]:
    """Yield the files of *tree* as a folder in asv's format has them, what explains the runs before the runs."""
    if tree.benchmarks:
        yield File(path=BENCHMARKS, content=encode_benchmarks(tree.benchmarks))
    for machine in tree.machines:
        yield File(path=_machine_file(machine), content=encode_machine(machine))
    for path, run in zip(run_files([run.key for run in tree.runs]), tree.runs, strict=True):
        yield File(path=path, content=encode_run(run))


def _machine_file(machine: Machine) -> str:
    return f"{machine_folder(machine.name)}/{MACHINE}"


@dataclass(slots=True, kw_only=True)
class _Reading:
    """What is understood of a part so far."""

    part: Part
    runs: list[Run] = field(default_factory=list)
    machines: list[Machine] = field(default_factory=list)
    benchmarks: tuple[Benchmark, ...] = ()
    problems: list[Problem] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    """Paths of the files that results came from."""
    others: list[File] = field(default_factory=list)
    """What is no result and does not merge."""

    def tree(self) -> ResultsTree:
        """Return the results."""
        return ResultsTree(
            runs=tuple(self.runs),
            machines=tuple(self.machines),
            benchmarks=self._stamped(),
            problems=tuple(self.problems),
        )

    def take(self, file: File) -> None:
        """Understand one more file."""
        source = f"{self.part.place}: {file.path}"
        if file.path == BENCHMARKS:
            benchmarks = self._value(file, decode_benchmarks(file.content, source))
            self.benchmarks = benchmarks or ()
        elif file.path.endswith(f"/{MACHINE}"):
            machine = self._value(file, decode_machine(file.content, source))
            self.machines += [machine] if machine else []
        elif is_run(file.path):
            run = self._value(file, decode_run(file.content, source))
            self.runs += [run] if run else []
        else:
            self.others.append(file)

    def _value(self, file: File, decoded: Decoded[T]) -> T | None:
        self.problems += decoded.problems
        if decoded.value is not None:
            self.used.append(file.path)
        return decoded.value

    def _stamped(self) -> tuple[Benchmark, ...]:
        """Return the benchmarks, each with when this side last saw it in a result, for which it may need all runs."""
        if all(benchmark.last_seen is not None for benchmark in self.benchmarks):
            return self.benchmarks
        rest = (decode_run(file.content, "").value for file in self.part.rest() if is_run(file.path))
        runs = (*self.runs, *(run for run in rest if run is not None))
        return tuple(stamped(ResultsTree(runs=runs, benchmarks=self.benchmarks)))


def _read(part: Part) -> _Reading:
    reading = _Reading(part=part)
    for file in part.files:
        reading.take(file)
    return reading
