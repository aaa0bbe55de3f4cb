"""``windtunnel merge``: the results trees of many jobs to one, without loss."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from windtunnel.cli.options import Parser, Voice, parse
from windtunnel.errors import DataError, ExitCode
from windtunnel.files import locked
from windtunnel.model.run import ResultsTree
from windtunnel.results.merge import MergedTree, merge_trees
from windtunnel.results.tree import RECORD, RECORDS, RESULTS, keep_record, read_tree, write_tree


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:  # noqa: ARG001 - Main's signature
    """Merge and write; exit code 3 when something could not be used or sources disagree: the rest is merged then."""
    parser = Parser(
        "merge",
        out=out,
        description="Merge asv results trees, or the folders that `windtunnel run` left, into one results tree.\n"
        "The order and grouping of the sources do not matter; what the target holds already is merged too.",
        example="  windtunnel merge shard-0 shard-1 shard-2 --into results",
    )
    parser.add_argument("sources", nargs="+", type=Path, metavar="DIR", help="a results tree, or a shard's folder")
    parser.add_argument("--into", required=True, type=Path, metavar="DIR", help="the results tree to write")
    options = parse(parser, argv)
    if options is None:
        return ExitCode.FINE
    voice = Voice.of(options, err)
    trees, missing = _read(options.sources)
    if not trees and not options.into.exists():
        raise DataError(f"nothing can be merged: {'; '.join(missing)}")
    with locked(options.into):
        trees.append(read_tree(options.into))
        merged = merge_trees(trees)
        write_tree(merged.tree, options.into)
        for record in _records(options.sources):
            keep_record(record, options.into)
    troubles = [*missing, *map(str, merged.tree.problems), *map(str, merged.conflicts)]
    for trouble in troubles:
        voice.warn(trouble)
    out.write(_summary(merged, len(options.sources) - len(missing), options.into))
    return ExitCode.DATA if troubles else ExitCode.FINE


def _read(folders: Sequence[Path]) -> tuple[list[ResultsTree], list[str]]:
    """Return the trees in *folders*, and what is wrong with those that hold none."""
    trees, troubles = [], []
    for folder in folders:
        try:
            trees.append(read_tree(_tree_of(folder)))
        except DataError as error:
            troubles.append(str(error))
    return trees, troubles


def _tree_of(folder: Path) -> Path:
    """Return the results tree in *folder*, which is one itself or was left by a shard."""
    is_shard = (folder / RECORD).is_file() and (folder / RESULTS).is_dir()
    return folder / RESULTS if is_shard else folder


def _records(folders: Sequence[Path]) -> Iterator[Path]:
    """Yield the records of runs that lie beside the results."""
    for folder in folders:
        if _tree_of(folder) != folder:
            yield folder / RECORD
        yield from (path for path in sorted((_tree_of(folder) / RECORDS).glob("*.json")) if path.is_file())


def _summary(merged: MergedTree, count: int, into: Path) -> str:
    tree = merged.tree
    return (
        f"{into}: {len(tree.runs)} runs of {len(tree.benchmarks)} benchmarks on {len(tree.machines)} machines, "
        f"from {count} trees; {len(tree.problems)} problems, {len(merged.conflicts)} conflicts\n"
    )
