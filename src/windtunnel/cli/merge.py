"""``windtunnel merge``: merges the results of several jobs into one results tree."""

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from msgspec.structs import replace

from windtunnel import files, formats
from windtunnel.bench.format import PLAN_FORMAT
from windtunnel.bench.shard_run import find_lost_cases
from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, CommonOptions, File, Folder
from windtunnel.cli.workflow_run import latest_attempts
from windtunnel.errors import DataError, ExitCode
from windtunnel.files import locked
from windtunnel.model.run import ResultsTree
from windtunnel.model.run_format import RUN_FORMAT, RunRecord
from windtunnel.results.merge import merge_trees
from windtunnel.results.record_files import SUFFIX
from windtunnel.results.tree import RECORD, RECORDS, RESULTS, keep_record, read_tree, write_record, write_tree
from windtunnel.text import numbers


class MergeOptions(CommonOptions, frozen=True, kw_only=True):
    """Merge asv results trees, or the folders that windtunnel ci run wrote, into one results tree.

    The order of the sources does not matter. Results that the target already holds are merged as well.

    example:
      windtunnel merge shard-0 shard-1 shard-2 --into results
    """

    sources: Annotated[tuple[Path, ...], Arg(metavar="DIR", positional=True, many=True)]
    """A results tree, or the folder of a shard; of 1.attempt-1 and 1.attempt-2 only the latter."""
    into: Folder
    """The results tree to write."""
    plan: File | None = None
    """The plan of the shards: record which of its cases none of them reached, for windtunnel ci plan --new."""


def run(options: MergeOptions, console: Console, env: Mapping[str, str]) -> int:  # noqa: ARG001 - a command's signature
    """Merge and write; exit code 3 when a source could not be used or sources disagree, and the rest is merged."""
    options = replace(options, sources=latest_attempts(options.sources))
    trees, missing = _read(options.sources)
    lost = _lost_cases(options) if options.plan else None
    if not trees and not options.into.exists() and lost is None:
        raise DataError(f"nothing can be merged: {'; '.join(missing)}")
    with locked(options.into):
        trees.append(read_tree(options.into))
        tree, conflicts = merge_trees(trees)
        write_tree(tree, options.into)
        for record in _records(options.sources):
            keep_record(record, options.into)
        if lost:
            write_record(formats.encode(lost), options.into)
    if lost:
        cases = sum(task.expected for task in lost.tasks)
        missing.append(f"no shard reached {cases} cases of the plan; the next plan with --new has them again")
    problems = [*missing, *map(str, (*tree.problems, *conflicts))]
    for problem in problems:
        console.warn(problem)
    console.print(_summary(tree, len(conflicts), len(options.sources) - len(missing), options.into))
    return ExitCode.DATA if problems else ExitCode.FINE


def _read(folders: Sequence[Path]) -> tuple[list[ResultsTree], list[str]]:
    """Return the trees in *folders*, and the problems of folders without one."""
    trees, problems = [], []
    for folder in folders:
        try:
            trees.append(read_tree(_tree_of(folder)))
        except DataError as error:
            problems.append(str(error))
    return trees, problems


def _lost_cases(options: MergeOptions) -> RunRecord | None:
    """Return what no shard reached; a record that cannot be read counts as missing."""
    records = list[RunRecord]()
    for path in _records(options.sources):
        try:
            records.append(files.read(path, RUN_FORMAT))
        except DataError:
            continue
    return find_lost_cases(files.read(options.plan, PLAN_FORMAT), records, time.time()) if options.plan else None


def _tree_of(folder: Path) -> Path:
    """Return the results tree in *folder*, which may be a results tree or the folder of a shard."""
    is_shard = (folder / RECORD).is_file() and (folder / RESULTS).is_dir()
    return folder / RESULTS if is_shard else folder


def _records(folders: Sequence[Path]) -> Iterator[Path]:
    """Yield the paths of the run records beside the results."""
    for folder in folders:
        if _tree_of(folder) != folder:
            yield folder / RECORD
        yield from (path for path in sorted((_tree_of(folder) / RECORDS).glob(f"*{SUFFIX}")) if path.is_file())


def _summary(tree: ResultsTree, conflicts: int, count: int, into: Path) -> str:
    return (
        f"{into}: {numbers.count(len(tree.runs), 'run')} of {numbers.count(len(tree.benchmarks), 'benchmark')} on "
        f"{numbers.count(len(tree.machines), 'machine')}, from {numbers.count(count, 'tree')}; "
        f"{numbers.count(len(tree.problems), 'problem')}, {numbers.count(conflicts, 'conflict')}\n"
    )
