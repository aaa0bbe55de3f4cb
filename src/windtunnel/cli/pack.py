"""``windtunnel pack`` and ``unpack``: files in the outputs of a job, where artifacts cannot be used."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from msgspec import Struct
from msgspec.structs import replace

from windtunnel import files, formats
from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, Command, CommonOptions
from windtunnel.cli.workflow_run import write_github_output
from windtunnel.compare.format import VERDICT_FORMAT
from windtunnel.errors import DataError, ExitCode, UsageError
from windtunnel.files import write_atomically
from windtunnel.github.job_outputs import PARTS, pack_files, unpack_files

SUFFIX = ".json"
"""Only such files are packed: results, records and verdicts."""


class _ResultsHead(Struct, frozen=True):
    """The keys of a results file that identify its commit."""

    commit_hash: str
    date: float


class PackOptions(CommonOptions, frozen=True, kw_only=True):
    """Put results or a verdict into the outputs part0 to part3 of a workflow step.

    The job hands them over to a job that runs no code of the project and calls windtunnel unpack. That needs no
    artifacts, which an Enterprise Server does not have. They hold 360 kB, compressed. If the results of several commits
    do not fit, those of the newest are left out; windtunnel plan --new has them again.
    """

    path: Annotated[Path, Arg(positional=True)]
    """A JSON file, or a folder, of which all JSON files are packed."""
    no_samples: bool = False
    """The path is a verdict; leave out its samples, which a comment does not show."""


class UnpackOptions(CommonOptions, frozen=True, kw_only=True):
    """Write the files in the variables PART0 to PART3 into a folder; what they hold is not trusted."""

    folder: Annotated[Path, Arg(positional=True)]
    """The folder, which must be new or empty."""


def pack(options: PackOptions, console: Console, env: Mapping[str, str]) -> int:
    """Append the outputs to $GITHUB_OUTPUT; raises DataError if there is nothing to pack, or too much."""
    path = options.path
    found = {path.name: path} if path.is_file() else _files(path)
    if not found:
        raise DataError(f"{path} holds no {SUFFIX} file; nothing was measured, or name another path")
    if options.no_samples:
        verdict = files.read(path, VERDICT_FORMAT)
        bare = tuple(replace(one, stage_samples=()) for one in verdict.comparisons)
        return _hand_over({path.name: VERDICT_FORMAT.encode(replace(verdict, comparisons=bare))}, console, env)
    try:
        contents = {name: file.read_bytes() for name, file in found.items()}
    except OSError as error:
        raise DataError(f"{error.filename} cannot be read: {error.strerror}; repair or remove it") from None
    return _hand_over(contents, console, env)


def _hand_over(contents: Mapping[str, bytes], console: Console, env: Mapping[str, str]) -> int:
    try:
        parts = pack_files(contents)
    except DataError:
        commits = _results_by_commit(contents)
        if len(commits) < 2:
            raise
        console.warn(
            f"the results of {commits[-1][0][:12]} do not fit into the outputs; windtunnel plan --new has it again"
        )
        return _hand_over({name: one for name, one in contents.items() if name not in commits[-1][1]}, console, env)
    write_github_output(env, {f"part{number}": part for number, part in enumerate(parts)})
    console.log(f"{len(contents)} files, {sum(map(len, parts))} characters")
    return ExitCode.FINE


def _files(folder: Path) -> dict[str, Path]:
    """Return the visible JSON files of *folder* by their relative path."""
    paths = ((path.relative_to(folder), path) for path in sorted(folder.rglob(f"*{SUFFIX}")) if path.is_file())
    return {name.as_posix(): path for name, path in paths if not any(part.startswith(".") for part in name.parts)}


def _results_by_commit(contents: Mapping[str, bytes]) -> list[tuple[str, list[str]]]:
    """Return each commit with the names of its results files, the oldest commit first."""
    found: dict[tuple[float, str], list[str]] = {}
    for name, content in contents.items():
        try:
            head = formats.decode(content, _ResultsHead, name)
        except DataError:
            continue
        found.setdefault((head.date, head.commit_hash), []).append(name)
    return [(commit, names) for (_, commit), names in sorted(found.items())]


def unpack(options: UnpackOptions, console: Console, env: Mapping[str, str]) -> int:
    """Write the files; raises DataError for what is not a pack."""
    if options.folder.exists() and (not options.folder.is_dir() or any(options.folder.iterdir())):
        raise UsageError(f"{options.folder} exists and is not an empty folder; name a new one")
    received = unpack_files([env.get(f"PART{number}", "") for number in range(PARTS)])
    for name, content in received.items():
        write_atomically(options.folder / name, content)
    console.log(f"{len(received)} files")
    return ExitCode.FINE


COMMANDS = (
    Command(name="pack", options=PackOptions, run=pack, example="  windtunnel pack verdict.json --no-samples"),
    Command(name="unpack", options=UnpackOptions, run=unpack, example="  windtunnel unpack received"),
)
