"""Reconciles a results folder and a results branch: finds the files that differ, and merges them as results trees."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from windtunnel.asv.results_format.files import (
    decode_benchmarks,
    decode_machine,
    decode_run,
    encode_benchmarks,
    encode_machine,
    encode_run,
    machine_folder,
    run_files,
)
from windtunnel.asv.results_format.json_values import Decoded
from windtunnel.files import write_atomically
from windtunnel.model.benchmark import Benchmark
from windtunnel.model.run import Machine, Problem, ResultsTree, Run
from windtunnel.results.branch.listing import FileListing, is_claim_file, is_merged, is_run_file, merge_group
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
    files: Mapping[str, bytes]
    """The contents of those that take part."""
    rest: Callable[[], Mapping[str, bytes]]
    """Reads the other files of the side, which is slow and rarely needed."""
    problems: tuple[Problem, ...] = ()
    """Files that take part and could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChanges:
    """The changes to make to a side, or that were made; a broken file never changes."""

    written: Mapping[str, bytes] = field(default_factory=dict)
    """The new content of files by path."""
    removed: tuple[str, ...] = ()
    """Paths, mostly of files whose whole content is now in a file of another name."""
    notes: tuple[str, ...] = ()
    """Broken files and conflicts."""
    broken_source: bool = False
    """Whether part of the source could not be used."""

    @property
    def paths(self) -> tuple[str, ...]:
        """All changed paths."""
        return *self.removed, *self.written


FileMerge = Callable[[MergeInput, MergeInput], FileChanges]
"""Merges the target's files (first) with the source's into files to write; the order matters where one cannot merge."""


def reconcile(source: FileListing, target: FileListing, merge: FileMerge) -> FileChanges:
    """Return the changes after which *target* holds everything of *source* and everything that it held before."""
    existing = target.files.items()
    groups = {merge_group(path) for path, _ in source.files.items() - existing}
    while True:
        ours = _merge_input(target, groups)
        merged = merge(ours, _merge_input(source, groups))
        needed = set(map(merge_group, merged.written))
        if needed <= groups:
            written = {path: new for path, new in merged.written.items() if ours.files.get(path) != new}
            case_notes = _case_notes(written, (*source.files, *target.files))
            return FileChanges(
                written=written,
                removed=tuple(path for path in merged.removed if path in ours.files),
                notes=(*target.refused, *source.refused, *merged.notes, *case_notes),
                broken_source=merged.broken_source or bool(source.refused),
            )
        groups |= needed  # a run was filed under another commit's name; the files at its own name take part


def _case_notes(written: Iterable[str], files: Iterable[str]) -> Iterator[str]:
    """Yield a sentence about each folder that is written and differs from another one only in case."""
    folders = {folder for path in files for folder, slash, _ in [path.partition("/")] if slash}
    by_name: dict[str, set[str]] = {}
    for folder in folders:
        by_name.setdefault(folder.casefold(), set()).add(folder)
    changed = {path.partition("/")[0] for path in written}
    for names in sorted(sorted(names) for names in by_name.values() if len(names) > 1 and names & changed):
        yield (
            f"the folders of the machines {' and '.join(names)} differ only in case: Windows and macOS keep both in "
            "one, where a result of one may replace that of the other; give one of them another name"
        )


def _merge_input(side: FileListing, groups: set[str]) -> MergeInput:
    parts = [path for path in side.files if merge_group(path) in groups]
    rest = [path for path in side.files if merge_group(path) not in groups]
    files, problems = side.load(parts)
    return MergeInput(
        location=side.location,
        paths=frozenset(side.files),
        files=files,
        rest=lambda: side.load(rest)[0],
        problems=problems,
    )


def write_files(folder: Path, changes: FileChanges) -> None:
    """Make *changes* to *folder*, each file atomically; the caller holds the lock."""
    for path, content in changes.written.items():
        write_atomically(folder / path, content)
    for path in changes.removed:
        (folder / path).unlink(missing_ok=True)


def merge_files(ours: MergeInput, theirs: MergeInput) -> FileChanges:
    """Merge results as trees merge. Of a file of claims the newer is kept; other records and alerts do not merge, and
    the source's replace the target's.
    """
    (tree, used), (other, _) = _parse(ours), _parse(theirs)
    merged = merge_trees((tree, other))
    known = ours.paths | theirs.paths
    new = (one for one in undescribed(merged.tree.machines, merged.tree.runs) if _machine_file(one) not in known)
    results = dict(files_of(replace(merged.tree, machines=(*merged.tree.machines, *new))))
    return FileChanges(
        written=results | _others(ours.files, theirs.files),
        removed=tuple(path for path in used if path not in results),
        notes=tuple(map(str, (*merged.tree.problems, *merged.conflicts))),
        broken_source=bool(other.problems),
    )


def _others(*sides: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files that do not merge, one for each path."""
    found: dict[str, bytes] = {}
    for path, content in (each for side in sides for each in side.items() if not is_merged(each[0])):
        is_older = path in found and is_claim_file(path) and newest((found[path], content)) == found[path]
        if not is_older:
            found[path] = content
    return found


def files_of(tree: ResultsTree) -> Iterator[tuple[str, bytes]]:
    """Yield the files of *tree* in asv's layout; benchmarks and machines come before the runs that need them."""
    if tree.benchmarks:
        yield BENCHMARKS, encode_benchmarks(tree.benchmarks)
    for machine in tree.machines:
        yield _machine_file(machine), encode_machine(machine)
    for path, run in zip(run_files([run.key for run in tree.runs]), tree.runs, strict=True):
        yield path, encode_run(run)


def _machine_file(machine: Machine) -> str:
    return f"{machine_folder(machine.name)}/{MACHINE}"


def _parse(part: MergeInput) -> tuple[ResultsTree, list[str]]:
    """Return the results in the files of *part*, and the paths that they come from."""
    found = {path: _decode(path, content, part.location) for path, content in part.files.items() if is_merged(path)}
    values = {path: each.value for path, each in found.items() if each.value is not None}
    runs = tuple(value for value in values.values() if isinstance(value, Run))
    tree = ResultsTree(
        runs=runs,
        machines=tuple(value for value in values.values() if isinstance(value, Machine)),
        problems=(*part.problems, *(problem for each in found.values() for problem in each.problems)),
    )
    benchmarks = values.get(BENCHMARKS, ())
    if isinstance(benchmarks, tuple):
        tree = replace(tree, benchmarks=_stamped(benchmarks, runs, part.rest))
    return tree, list(values)


def _decode(
    path: str, content: bytes, location: str
) -> Decoded[Run] | Decoded[Machine] | Decoded[tuple[Benchmark, ...]]:
    source = f"{location}: {path}"
    if path == BENCHMARKS:
        return decode_benchmarks(content, source)
    return decode_run(content, source) if is_run_file(path) else decode_machine(content, source)


def _stamped(
    benchmarks: tuple[Benchmark, ...], runs: tuple[Run, ...], rest: Callable[[], Mapping[str, bytes]]
) -> tuple[Benchmark, ...]:
    """Return *benchmarks*, each with when its side last saw it in a result; that may need the *rest* too."""
    if all(benchmark.last_seen is not None for benchmark in benchmarks):
        return benchmarks
    others = (decode_run(content, "").value for path, content in rest().items() if is_run_file(path))
    every = (*runs, *(run for run in others if run is not None))
    return tuple(stamped(ResultsTree(runs=every, benchmarks=benchmarks)))
