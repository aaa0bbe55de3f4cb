"""Options of commands that read a history of results: the order of commits, the cache, the feeds."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, Folder, Name, parse_url
from windtunnel.detect.alert_format import Alerts
from windtunnel.detect.feeds import FeedSource, build_feeds
from windtunnel.detect.format import DetectedChanges
from windtunnel.files import write_atomically
from windtunnel.git.history import find_order, read_history
from windtunnel.git.repository import Repository
from windtunnel.model.run import CommitHistory, ResultsTree


class HistoryOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which commits, in which order."""

    repo: Folder | None = None
    """The project's repository (default: the one here, if it has the commits)."""
    branch: Name | None = None
    """The branch whose commits are read (default: the main branch)."""


class CacheOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Where to keep what was read from results."""

    cache: Folder | None = None
    """Keep what was read here, so that the next call is faster; commands can share a cache (default: beside --out)."""


def parse_site(text: str) -> str:
    """Return the URL *text* with a slash at its end; raises ValueError."""
    url = parse_url(text)
    return url if not url or url.endswith("/") else f"{url}/"


class FeedOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Where to write feeds, and what they link to."""

    feeds: Folder | None = None
    """Write Atom and JSON feeds and regressions.xml here."""
    site: Annotated[str, Arg(metavar="URL", parse=parse_site)] = ""
    """The address of the history site, for links."""


def commit_order(tree: ResultsTree, options: HistoryOptions, env: Mapping[str, str], console: Console) -> CommitHistory:
    """Return the commits, oldest first: by the repository, else by date.

    Raises an error when the repository that *options* name has none of the commits in *tree*.
    """
    if options.repo or options.branch:
        measured = frozenset(run.commit for run in tree.runs)
        return read_history(Repository.at(options.repo or Path.cwd(), env), options.branch, measured)
    order = find_order(tree.runs, lambda: Repository.at(Path.cwd(), env))
    if order.warning:
        console.warn(f"commits are ordered by date, which may be wrong: {order.warning}; use --repo")
    return order.history


def write_feeds(folder: Path, changes: DetectedChanges, alerts: Alerts | None, source: FeedSource) -> None:
    """Write every feed below *folder*."""
    for path, content in build_feeds(changes, alerts, source).items():
        write_atomically(folder / path, content)
