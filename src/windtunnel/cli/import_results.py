"""``windtunnel import``: histories of pytest-benchmark and github-action-benchmark into a results tree."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, CommonOptions, Folder, Name
from windtunnel.errors import DataError, ExitCode
from windtunnel.files import locked
from windtunnel.model.run import Problem
from windtunnel.results.foreign import ImportedSession, build_tree, read_sessions
from windtunnel.results.merge import merge_trees
from windtunnel.results.tree import read_tree, write_tree
from windtunnel.text import numbers


class ImportOptions(CommonOptions, frozen=True, kw_only=True):
    """Import the history of pytest-benchmark or github-action-benchmark into a results tree.

    A file that cannot be read is reported, and the others are imported. To import again changes nothing.

    example:
      windtunnel import .benchmarks --into .windtunnel/results
      windtunnel import data.js --machine ubuntu-latest --python 3.13 --into .windtunnel/results
    """

    sources: Annotated[tuple[Path, ...], Arg(metavar="PATH", positional=True, many=True)]
    """Files that pytest-benchmark saved, a data.js, or folders of them."""
    into: Folder
    """The results tree to write; what it holds is kept."""
    machine: Name = ""
    """The name of the machine (default: what the file says of its processor and system, else unknown)."""
    python: Annotated[str, Arg(metavar="VERSION")] = ""
    """The version of Python (default: what the file says, else unknown)."""


def run(options: ImportOptions, console: Console, _: Mapping[str, str]) -> int:
    """Import and write; exit code 3 when something could not be read, and the rest is imported."""
    sessions, problems = list[ImportedSession](), list[Problem]()
    files = list(_files(options.sources))
    for path in files:
        try:
            content = path.read_bytes()
        except OSError as error:
            problems.append(Problem(file=str(path), key="", reason=f"cannot be read: {error.strerror}"))
            continue
        found, doubts = read_sessions(content, str(path), options.machine, options.python)
        sessions += found
        problems += doubts
    if not sessions:
        why = "".join(f"{problem}; " for problem in problems[:10])
        raise DataError(f"{why}nothing was imported; name files in .benchmarks, or a data.js")
    imported = build_tree(sessions)
    with locked(options.into):
        tree, conflicts = merge_trees([imported, read_tree(options.into)])
        write_tree(tree, options.into)
    problems += (*tree.problems, *conflicts)
    for problem in problems:
        console.warn(str(problem))
    console.print(
        f"{options.into}: {numbers.count(len(imported.runs), 'run')} of "
        f"{numbers.count(len(imported.benchmarks), 'benchmark')} imported from {numbers.count(len(files), 'file')}; "
        f"{numbers.count(len(problems), 'problem')}\n"
    )
    return ExitCode.DATA if problems else ExitCode.FINE


def _files(sources: tuple[Path, ...]) -> Iterator[Path]:
    """Yield the files among *sources*, and those in folders among them."""
    for path in sources:
        yield from sorted((*path.rglob("*.json"), *path.rglob("data.js"))) if path.is_dir() else (path,)
