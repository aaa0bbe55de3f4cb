"""``windtunnel store pull``, ``push`` and ``import``: results from one side to the other."""

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from windtunnel.cli.options import parse
from windtunnel.cli.store.location import Place, Streams, add_remote, count, opened, parser, verdict
from windtunnel.errors import DataError, ExitCode, UsageError
from windtunnel.results.branch import exchange
from windtunnel.results.branch.reconcile import FileChanges, merge_files
from windtunnel.results.branch.sides import ResultsFolder


def push(argv: Sequence[str], streams: Streams) -> int:
    """Carry out ``windtunnel store push``."""
    made = parser("push", streams, "Put what a results folder holds on the branch.", "windtunnel store push")
    add_remote(made)
    options = parse(made, argv)
    if options is None:
        return ExitCode.FINE
    place = Place.of(options)
    with opened(place.branch, options.remote, place.start, streams.env) as branch:
        done = exchange.push(ResultsFolder(root=place.results), branch, merge_files, options.retry)
        what = count(len(done.changed), "file") if done.changed else "nothing new"
        streams.out.write(f"{what} pushed to {branch}, which is at {(done.commit or '')[:8]}\n")
    return verdict(done.notes, options, streams)


def pull(argv: Sequence[str], streams: Streams) -> int:
    """Carry out ``windtunnel store pull``."""
    made = parser("pull", streams, "Put what the branch holds into a results folder.", "windtunnel store pull")
    add_remote(made)
    made.add_argument("--if-exists", action="store_true", help="do not mind that there is no branch yet")
    options = parse(made, argv)
    if options is None:
        return ExitCode.FINE
    place = Place.of(options)
    with opened(place.branch, options.remote, place.start, streams.env) as branch:
        done = exchange.pull(branch, ResultsFolder(root=place.results), merge_files, options.retry)
        if done.commit is None and not options.if_exists:
            raise DataError(f"there is no {branch} yet; the first 'windtunnel store push' makes it")
        streams.out.write(f"{_arrived(done.changes)} from {branch} in {place.results}\n")
    return verdict(done.changes.notes, options, streams)


def import_(argv: Sequence[str], streams: Streams) -> int:
    """Carry out ``windtunnel store import``."""
    made = parser(
        "import",
        streams,
        "Put results that asv left elsewhere into a results folder; what is broken there is named and left out.",
        "windtunnel store import https://github.com/org/asv-results.git --from-branch main --path results",
    )
    made.add_argument(
        "source", help="a folder of asv results; with --from-branch a remote, URL or path of a repository"
    )
    made.add_argument("--from-branch", metavar="NAME", help="the branch of SOURCE that holds the results")
    made.add_argument("--path", default="", metavar="DIR", help="the folder on that branch (default: its root)")
    options = parse(made, argv)
    if options is None:
        return ExitCode.FINE
    place, path = Place.of(options), _inside(options.path)
    target = ResultsFolder(root=place.results)
    if options.from_branch is None:
        source = ResultsFolder(root=Path(options.source))
        if path or not source.listing().files:
            raise UsageError(f"{options.source} holds no asv results; name a folder that does, or add --from-branch")
        changes = exchange.add(source, target, merge_files)
    else:
        with opened(options.from_branch, options.source, place.start, streams.env) as branch:
            done = exchange.pull(branch, target, merge_files, options.retry, path)
            if done.commit is None:
                raise DataError(f"there is no {branch}; see its branches with git ls-remote {options.source}")
            changes = done.changes
    streams.out.write(f"{_arrived(changes)} from {options.source} in {place.results}\n")
    return verdict(changes.notes, options, streams)


def _arrived(changes: FileChanges) -> str:
    return f"{count(len(changes.written), 'new or longer file')}" if changes.written else "nothing new"


def _inside(path: str) -> str:
    parts = PurePosixPath(path).parts
    if ".." in parts or "/" in parts or not path.isprintable():
        raise UsageError(f"--path {path!r} is no folder of a branch; give it from the root, such as results")
    return "/".join(parts)
