"""The results that ``windtunnel publish`` shows: of the suite here, of a folder, or of another repository."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from windtunnel.asv import configuration
from windtunnel.asv.configuration import Configuration
from windtunnel.cli.console import Console
from windtunnel.cli.history_options import HistoryOptions
from windtunnel.cli.options import Arg, Name
from windtunnel.cli.store_location import branch_folder
from windtunnel.cli.suite import (
    SuiteOptions,
    find_optional_suite,
    find_suite,
    open_repository,
    read_suite,
    settings_of,
)
from windtunnel.errors import ConfigurationError, UsageError
from windtunnel.git.branch import open_branch
from windtunnel.git.process import hide_password
from windtunnel.git.remote import ONLY_TRANSPORTS, Remote, check_address, choose_branch, looks_like_address
from windtunnel.git.repository import Repository
from windtunnel.results.branch.remote_results import fetch_results
from windtunnel.text.escaping import visible

GENERIC = frozenset({"", "results", ".asv", "asv", "benchmarks", "/"})
"""Names of folders that do not name a project."""

MAX_NOTES = 20
"""Warnings about files of an address that were left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsSource:
    """Results and what is known about their project."""

    folder: Path
    """The folder of results."""
    configuration: Configuration | None
    """The asv configuration, None where there is none."""
    repository: Repository | None
    """The repository of the project, None where it is not known."""
    project: str
    """The name of a project without a configuration."""
    is_own: bool = True
    """Whether the configuration is the user's own; one that was fetched gives nothing but names and addresses."""


class SourceOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options that name the results."""

    results: Annotated[str, Arg(positional=True)] | None = None
    """asv's results: a folder, or the address of a git repository, which is fetched (default: results_dir)."""
    from_branch: Name | None = None
    """The branch of an address (default: results-branch in [tool.windtunnel] if it exists, else the default branch)."""
    path: Annotated[str, Arg(metavar="DIR")] | None = None
    """The folder on that branch (default: the only one that holds results)."""
    history: HistoryOptions


@contextmanager
def open_results(options: SourceOptions, console: Console, env: Mapping[str, str]) -> Iterator[ResultsSource]:
    """Yield the results that *options* name; those of an address are in a temporary folder."""
    text = options.results
    if text is not None and looks_like_address(text) and not Path(text).is_dir():
        with TemporaryDirectory(prefix="windtunnel-results-") as scratch:
            yield _fetched(options, text, Path(scratch), console, env)
        return
    if options.from_branch or options.path is not None:
        raise UsageError("--from-branch and --path belong to the address of a repository; name one instead of a folder")
    suite = find_suite(options.config, env) if text is None else find_optional_suite(options.config)
    folder = Path(text) if text is not None else suite.results_dir if suite else Path()
    yield ResultsSource(
        folder=folder,
        configuration=suite,
        repository=_repository(options, suite, console, env),
        project=_project(folder.resolve().parts),
    )


def _repository(
    options: SourceOptions, suite: Configuration | None, console: Console, env: Mapping[str, str]
) -> Repository | None:
    """Return the repository of the project; None without a configuration outside of a repository."""
    if suite or options.repo or options.history.branch:
        return open_repository(options, suite, env, console)
    try:
        found = Repository.at(Path.cwd(), env)
    except UsageError:
        return None
    return found if found.has_commits() else None


def _fetched(
    options: SourceOptions, address: str, folder: Path, console: Console, env: Mapping[str, str]
) -> ResultsSource:
    """Fetch the results at *address* into *folder*. Nothing there is trusted: no name, no size, no configuration."""
    check_address(address)
    path = None if options.path is None else branch_folder(options.path, "--path")
    env = {**env, "GIT_ALLOW_PROTOCOL": ONLY_TRANSPORTS}
    shown = hide_password(address)
    own = find_suite(options.config, env) if options.config else None
    remote = Remote.find(address, Path.cwd(), env)
    name = options.from_branch or choose_branch(remote, settings_of(own).results_branch, env)
    console.log(f"fetching the results on branch {visible(name, 100)} of {shown}")
    with open_branch(name, remote, env) as branch:
        fetched = fetch_results(branch, folder / "results", path, configuration.NAMES)
    for note in fetched.changes.notes[:MAX_NOTES]:
        console.warn(note)
    return ResultsSource(
        folder=folder / "results",
        configuration=own or _fetched_configuration(fetched.configuration, folder, console),
        repository=open_repository(options, None, env, console) if options.repo else None,
        project=_project(re.split(r"[/:]", address.rstrip("/").removesuffix(".git"))),
        is_own=own is not None,
    )


def _fetched_configuration(content: bytes | None, folder: Path, console: Console) -> Configuration | None:
    """Return the asv configuration that lies above the results; its name and its links are shown, no path is used."""
    if content is None:
        return None
    path = folder / configuration.NAMES[0]
    path.write_bytes(content)
    try:
        return read_suite(path)
    except ConfigurationError as error:
        console.warn(f"the asv configuration of the repository is not used: {visible(str(error), 300)}")
        return None


def _project(parts: Sequence[str]) -> str:
    """Return the last of *parts* of a path or an address that can be the name of a project."""
    named = (part for part in reversed(parts) if part.lower() not in GENERIC)
    return visible(next(named, "project"), 80)
