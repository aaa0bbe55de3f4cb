"""Reconciles a results folder and a results branch: finds the files that differ, and merges them as results trees."""

from collections.abc import Callable, Iterable, Iterator
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
from windtunnel.results.branch.layout import is_claim_file, is_run_file, merge_group
from windtunnel.results.branch.sides import FileListing, ListedFile, ResultsFile
from windtunnel.results.merge import merge_trees, stamped
from windtunnel.results.record_files import newest
from windtunnel.results.tree import BENCHMARKS, MACHINE, undescribed


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeInput:
    """The files of one side that take part in a merge."""

    location: str
    """For messages."""
    paths: frozenset[str]
    """All paths of the side."""
    files: tuple[ResultsFile, ...]
    """The files that take part."""
    rest: Callable[[], Iterable[ResultsFile]]
    """Reads the other files of the side, which is slow and rarely needed."""
    problems: tuple[Problem, ...] = ()
    """Files that take part and could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedFiles:
    """The result of a merge; it holds no broken file."""

    files: tuple[ResultsFile, ...]
    """The merged files."""
    replaced: tuple[str, ...] = ()
    """Paths of the target whose whole content is now in a file of another name."""
    notes: tuple[str, ...] = ()
    """Broken files and conflicts."""
    broken_source: bool = False
    """Whether part of the source could not be used."""


FileMerge = Callable[[MergeInput, MergeInput], MergedFiles]
"""Merges the target's files (first) with the source's; the order matters only where a file cannot be merged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChanges:
    """The changes to make to a side."""

    written: tuple[ResultsFile, ...]
    """Files to write."""
    removed: tuple[str, ...]
    """Paths to remove."""
    notes: tuple[str, ...]
    """Broken files and conflicts."""
    broken_source: bool = False
    """Whether part of the source could not be used."""


def reconcile(source: FileListing, target: FileListing, merge: FileMerge) -> FileChanges:
    """Return the changes after which *target* holds everything of *source* and everything that it held before."""
    existing = set(target.files)
    groups = {merge_group(file.path) for file in source.files if file not in existing}
    while True:
        ours = _merge_input(target, groups)
        merged = merge(ours, _merge_input(source, groups))
        written = {merge_group(file.path) for file in merged.files}
        if written <= groups:
            refused = (*target.refused, *source.refused)
            changes = _changes(ours, merged)
            return replace(
                changes,
                notes=(*refused, *changes.notes, *_case_notes(changes.written, (*source.files, *target.files))),
                broken_source=merged.broken_source or bool(source.refused),
            )
        groups |= written  # a run was filed under another commit's name; the files at its own name take part


def _case_notes(written: Iterable[ResultsFile], files: Iterable[ListedFile]) -> Iterator[str]:
    """Yield a sentence about each folder that is written and differs from another one only in case."""
    folders = {folder for file in files for folder, slash, _ in [file.path.partition("/")] if slash}
    by_name: dict[str, set[str]] = {}
    for folder in folders:
        by_name.setdefault(folder.casefold(), set()).add(folder)
    changed = {file.path.partition("/")[0] for file in written}
    for names in sorted(sorted(names) for names in by_name.values() if len(names) > 1 and names & changed):
        yield (
            f"the folders of the machines {' and '.join(names)} differ only in case: Windows and macOS keep both in "
            "one, where a result of one may replace that of the other; give one of them another name"
        )


def _merge_input(side: FileListing, groups: set[str]) -> MergeInput:
    parts = [file for file in side.files if merge_group(file.path) in groups]
    rest = [file for file in side.files if merge_group(file.path) not in groups]
    files, problems = side.load(parts)
    return MergeInput(
        location=side.location,
        paths=frozenset(file.path for file in side.files),
        files=files,
        rest=lambda: side.load(rest)[0],
        problems=problems,
    )


def _changes(ours: MergeInput, merged: MergedFiles) -> FileChanges:
    before = {file.path: file.content for file in ours.files}
    return FileChanges(
        written=tuple(file for file in merged.files if before.get(file.path) != file.content),
        removed=tuple(path for path in merged.replaced if path in before),
        notes=merged.notes,
        broken_source=merged.broken_source,
    )


def merge_files(ours: MergeInput, theirs: MergeInput) -> MergedFiles:
    """Merge results as trees merge. Of a file of claims the newer is kept; other records and alerts do not merge, and
    the source's replace the target's.
    """
    parts = _parse(ours), _parse(theirs)
    merged = merge_trees(part.tree() for part in parts)
    known = ours.paths | theirs.paths
    new = (one for one in undescribed(merged.tree.machines, merged.tree.runs) if _machine_file(one) not in known)
    results = tuple(files_of(replace(merged.tree, machines=(*merged.tree.machines, *new))))
    others = _others(parts)
    kept = {file.path for file in results}
    return MergedFiles(
        files=(*results, *others),
        replaced=tuple(path for path in parts[0].used if path not in kept),
        notes=tuple(map(str, (*merged.tree.problems, *merged.conflicts))),
        broken_source=bool(parts[1].problems),
    )


def _others(parts: Iterable["_ParsedInput"]) -> tuple[ResultsFile, ...]:
    """Return the files that do not merge, one for each path."""
    found: dict[str, ResultsFile] = {}
    for file in (file for part in parts for file in part.others):
        earlier = found.get(file.path)
        keeps = earlier and is_claim_file(file.path) and newest((earlier.content, file.content)) == earlier.content
        if not keeps:
            found[file.path] = file
    return tuple(found.values())


def files_of(tree: ResultsTree) -> Iterator[ResultsFile]:
    """Yield the files of *tree* in asv's layout; benchmarks and machines come before the runs that need them."""
    if tree.benchmarks:
        yield ResultsFile(path=BENCHMARKS, content=encode_benchmarks(tree.benchmarks))
    for machine in tree.machines:
        yield ResultsFile(path=_machine_file(machine), content=encode_machine(machine))
    for path, run in zip(run_files([run.key for run in tree.runs]), tree.runs, strict=True):
        yield ResultsFile(path=path, content=encode_run(run))


def _machine_file(machine: Machine) -> str:
    return f"{machine_folder(machine.name)}/{MACHINE}"


T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class _ParsedInput:
    """What the files of one side hold."""

    input: MergeInput
    runs: list[Run] = field(default_factory=list)
    machines: list[Machine] = field(default_factory=list)
    benchmarks: tuple[Benchmark, ...] = ()
    problems: list[Problem] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    """Paths of the files that results came from."""
    others: list[ResultsFile] = field(default_factory=list)
    """Files that hold no results and do not merge."""

    def tree(self) -> ResultsTree:
        """Return the results."""
        return ResultsTree(
            runs=tuple(self.runs),
            machines=tuple(self.machines),
            benchmarks=self._stamped(),
            problems=tuple(self.problems),
        )

    def add(self, file: ResultsFile) -> None:
        """Parse one more file."""
        source = f"{self.input.location}: {file.path}"
        if file.path == BENCHMARKS:
            self.benchmarks = self._value(file, decode_benchmarks(file.content, source)) or ()
        elif file.path.endswith(f"/{MACHINE}"):
            machine = self._value(file, decode_machine(file.content, source))
            self.machines += [machine] if machine else []
        elif is_run_file(file.path):
            run = self._value(file, decode_run(file.content, source))
            self.runs += [run] if run else []
        else:
            self.others.append(file)

    def _value(self, file: ResultsFile, decoded: Decoded[T]) -> T | None:
        self.problems += decoded.problems
        if decoded.value is not None:
            self.used.append(file.path)
        return decoded.value

    def _stamped(self) -> tuple[Benchmark, ...]:
        """Return the benchmarks, each with when this side last saw it in a result; that may need all runs."""
        if all(benchmark.last_seen is not None for benchmark in self.benchmarks):
            return self.benchmarks
        rest = (decode_run(file.content, "").value for file in self.input.rest() if is_run_file(file.path))
        runs = (*self.runs, *(run for run in rest if run is not None))
        return tuple(stamped(ResultsTree(runs=runs, benchmarks=self.benchmarks)))


def _parse(part: MergeInput) -> _ParsedInput:
    parsed = _ParsedInput(input=part, problems=list(part.problems))
    for file in part.files:
        parsed.add(file)
    return parsed
