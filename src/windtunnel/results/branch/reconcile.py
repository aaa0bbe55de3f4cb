"""Reconciles a results folder and a results branch: finds the files that differ, and merges them as results trees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from windtunnel.asv.results_format.files import decode_benchmarks, decode_machine, decode_run
from windtunnel.asv.results_format.json_values import Decoded
from windtunnel.files import write_atomically
from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import CommitHash
from windtunnel.model.run import Machine, ResultsTree, Run
from windtunnel.results.branch.listing import FileListing, is_joined, is_merged, is_run_file, merge_group
from windtunnel.results.merge import merge_trees, stamped
from windtunnel.results.record_files import join, old_maps
from windtunnel.results.tree import BENCHMARKS, files_of, machine_file, undescribed


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChanges:
    """The changes to make to a folder or branch, or that were made; a broken file never changes."""

    written: Mapping[str, bytes] = field(default_factory=dict)
    """The new content of files by path."""
    removed: tuple[str, ...] = ()
    """Paths, mostly of files whose whole content is now in a file of another name."""
    notes: tuple[str, ...] = ()
    """Broken files and conflicts."""
    broken_source: bool = False
    """Whether part of the source could not be used."""
    commit: CommitHash | None = None
    """The newest commit of the branch, once they are made; None where there is still no branch."""

    @property
    def paths(self) -> tuple[str, ...]:
        """All changed paths."""
        return *self.removed, *self.written


def reconcile(source: FileListing, target: FileListing) -> FileChanges:
    """Return the changes after which *target* holds everything of *source* and everything that it held before.

    Results merge as trees merge, and files of claims and reach maps are joined. Other records and alerts do not merge,
    and the source's replace the target's. The oldest reach maps are removed.
    """
    groups = {merge_group(path) for path, _ in source.files.items() - target.files.items()}
    while True:
        changes = _merge(target, source, groups)
        needed = set(map(merge_group, changes.written))
        if needed <= groups:
            return _without_old_maps(changes, target, source)
        groups |= needed  # a run was filed under another commit's name; the files at its own name take part


def _without_old_maps(changes: FileChanges, target: FileListing, source: FileListing) -> FileChanges:
    """Return *changes* after which *target* has the newest reach maps of both alone."""
    paths = {path.rpartition("/")[2]: path for path in target.files.keys() | source.files.keys() if is_joined(path)}
    old = {paths[name] for name in old_maps(paths)}
    return replace(
        changes,
        written={path: content for path, content in changes.written.items() if path not in old},
        removed=(*changes.removed, *sorted(old & target.files.keys())),
    )


def _merge(target: FileListing, source: FileListing, groups: set[str]) -> FileChanges:
    """Return the changes to *target* by the files of *groups* on both sides."""
    (ours, tree, used), (theirs, other, _) = _read(target, groups), _read(source, groups)
    merged, conflicts = merge_trees((tree, other))
    known = target.files.keys() | source.files.keys()
    new = (one for one in undescribed(merged.machines, merged.runs) if machine_file(one) not in known)
    results = dict(files_of(replace(merged, machines=(*merged.machines, *new))))
    return FileChanges(
        written={path: new for path, new in (results | _others(ours, theirs)).items() if ours.get(path) != new},
        removed=tuple(path for path in used if path not in results),
        notes=(*target.refused, *source.refused, *map(str, (*merged.problems, *conflicts))),
        broken_source=bool(other.problems or source.refused),
    )


def _others(*sides: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files that do not merge, one for each path."""
    found: dict[str, bytes] = {}
    for path, content in (each for side in sides for each in side.items() if not is_merged(each[0])):
        joined = path in found and is_joined(path)
        found[path] = join(path.rpartition("/")[2], found[path], content) if joined else content
    return found


def _read(side: FileListing, groups: set[str]) -> tuple[dict[str, bytes], ResultsTree, Sequence[str]]:
    """Return the files of *groups* on one *side*, the results in them, and the paths that these come from."""
    files, problems = side.load([path for path in side.files if merge_group(path) in groups])
    found = {path: _decode(path, content, side.location) for path, content in files.items() if is_merged(path)}
    values = {path: each.value for path, each in found.items() if each.value is not None}
    tree = ResultsTree(
        runs=tuple(value for value in values.values() if isinstance(value, Run)),
        machines=tuple(value for value in values.values() if isinstance(value, Machine)),
        problems=(*problems, *(problem for each in found.values() for problem in each.problems)),
    )
    benchmarks = values.get(BENCHMARKS)
    if isinstance(benchmarks, tuple):
        described = replace(tree, benchmarks=benchmarks)
        if any(benchmark.last_seen is None for benchmark in benchmarks):  # other runs may have seen it last
            rest, _ = side.load([path for path in side.files if path not in files and is_run_file(path)])
            others = (decode_run(content, "").value for content in rest.values())
            described = replace(described, runs=(*tree.runs, *(run for run in others if run is not None)))
        tree = replace(tree, benchmarks=tuple(stamped(described)))
    return files, tree, list(values)


def _decode(
    path: str, content: bytes, location: str
) -> Decoded[Run] | Decoded[Machine] | Decoded[tuple[Benchmark, ...]]:
    source = f"{location}: {path}"
    if path == BENCHMARKS:
        return decode_benchmarks(content, source)
    return decode_run(content, source) if is_run_file(path) else decode_machine(content, source)


def write_files(folder: Path, changes: FileChanges) -> None:
    """Make *changes* to *folder*, each file atomically; the caller holds the lock."""
    for path, content in changes.written.items():
        write_atomically(folder / path, content)
    for path in changes.removed:
        (folder / path).unlink(missing_ok=True)
