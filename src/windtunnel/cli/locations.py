"""Where results, their history, their branch and what was read of them are; options that several commands share."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Annotated, TypeVar

from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, Folder, Name, parse_url
from windtunnel.cli.suite import SuiteOptions, find_optional_suite, open_repository, settings_of
from windtunnel.errors import UsageError
from windtunnel.formats import Format
from windtunnel.git.branch import RemoteBranch, open_branch
from windtunnel.git.history import find_order, read_history
from windtunnel.git.remote import Remote
from windtunnel.model.run import CommitHistory, ResultsTree
from windtunnel.results.branch.exchange import SharedFile
from windtunnel.results.branch.retry import RetryPolicy

T = TypeVar("T")


class RemoteOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of commands that use the results branch."""

    branch: Name | None = None
    """The results branch (default: results-branch in [tool.windtunnel])."""
    remote: Name | None = None
    """The name, URL or path of the remote (default: results-remote in [tool.windtunnel], else origin)."""


class ResultsOptions(RemoteOptions, frozen=True, kw_only=True):
    """Options of commands that use a results folder as well."""

    results: Folder | None = None
    """The results folder (default: asv's results_dir)."""


def results_folder(options: ResultsOptions) -> Path:
    """Return the results folder by the options, else by the configuration; raises UsageError where there is none."""
    suite = find_optional_suite(options.config)
    folder = options.results or (suite.results_dir if suite else None)
    if folder is None:
        raise UsageError("no asv configuration was found here or above; name the results folder with --results")
    return folder


@contextmanager
def open_remote_branch(name: str, remote: str, start: Path, env: Mapping[str, str]) -> Iterator[RemoteBranch]:
    """Open the branch *name* of *remote*; a path is relative to the working directory."""
    if "/" in remote and Path(remote).is_dir():
        remote = str(Path(remote).absolute())
    with open_branch(name, Remote.find(remote, start, env), env) as branch:
        yield branch


@contextmanager
def open_results_branch(options: RemoteOptions, env: Mapping[str, str]) -> Iterator[RemoteBranch]:
    """Open the results branch by the options, else by the configuration."""
    suite = find_optional_suite(options.config)
    settings, start = settings_of(suite), suite.folder if suite else Path.cwd()
    name, remote = options.branch or settings.results_branch, options.remote or settings.results_remote
    with open_remote_branch(name, remote, start, env) as branch:
        yield branch


@contextmanager
def open_shared_file(
    options: RemoteOptions, path: Path | None, form: Format[T], env: Mapping[str, str]
) -> Iterator[SharedFile[T]]:
    """Open the file *path*; without a path, the file with the name of its format on the results branch."""
    if path:
        yield SharedFile(place=path.absolute(), form=form, retry=RetryPolicy())
        return
    with open_results_branch(options, env) as branch:
        yield SharedFile(place=branch, form=form, retry=RetryPolicy())


def branch_folder(path: str, option: str) -> str:
    """Return *path* as a folder of a branch; raises UsageError, naming the *option*."""
    parts = PurePosixPath(path).parts
    if not parts or {"..", "/", ".git"} & set(parts) or not path.isprintable():
        raise UsageError(f"{option} {path!r} is not a folder of a branch; write it from the root, such as results")
    return "/".join(parts)


def parse_site(text: str) -> str:
    """Return the URL *text* with a slash at its end; raises ValueError."""
    url = parse_url(text)
    return url if not url or url.endswith("/") else f"{url}/"


Site = Annotated[str, Arg(metavar="URL", parse=parse_site)]
"""The option ``--site``: the address of the history site."""


def commit_order(
    tree: ResultsTree, options: SuiteOptions, branch: str | None, env: Mapping[str, str], console: Console
) -> CommitHistory:
    """Return the commits, oldest first: by the repository, else by date.

    Raises an error when the repository or the *branch* that the user named has none of the commits in *tree*.
    """
    suite = find_optional_suite(options.config)
    configured = suite.branches if suite else ()
    if options.repo or branch:
        measured = frozenset(run.commit for run in tree.runs)
        return read_history(open_repository(options, suite, env, console), branch, measured, configured)
    history, warning = find_order(tree.runs, lambda: open_repository(options, suite, env, console), configured)
    if warning:
        console.warn(f"commits are ordered by date, which may be wrong: {warning}; use --repo")
    return history
