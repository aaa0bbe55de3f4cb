"""Options of commands that read a history of results: the order of commits, the cache, the feeds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec

from windtunnel.asv.configuration import Configuration
from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, Folder, Name, parse_url
from windtunnel.cli.suite import SuiteOptions, find_optional_suite, open_repository
from windtunnel.detect.alert_format import Alerts
from windtunnel.detect.feeds import build_feeds
from windtunnel.detect.format import DetectedChanges
from windtunnel.files import write_together
from windtunnel.git.history import find_order, read_history
from windtunnel.git.repository import Repository
from windtunnel.model.run import CommitHistory, ResultsTree


class HistoryOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which commits, in which order."""

    branch: Name | None = None
    """The branch whose commits are read (default: the first of 'branches' that exists, else the default branch)."""


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
    """Write the feeds here, as Atom and JSON: regressions and improvements."""
    site: Annotated[str, Arg(metavar="URL", parse=parse_site)] = ""
    """The address of the history site, for links."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistorySource:
    """Where the order of commits is read."""

    repository: Callable[[], Repository]
    """Opens the project's repository."""
    branch: str | None = None
    """The branch that the user asked for."""
    configured: Sequence[str] = ()
    """The branches of the configuration."""
    strict: bool = False
    """Whether the user named the repository or the branch, so that another order would be wrong."""


def history_source(
    options: SuiteOptions, history: HistoryOptions, env: Mapping[str, str], console: Console
) -> HistorySource:
    """Return where the options and the configuration say that the order of commits is."""
    suite = find_optional_suite(options.config)
    return HistorySource(
        repository=lambda: open_repository(options, suite, env, console),
        branch=history.branch,
        configured=suite.branches if suite else (),
        strict=bool(options.repo or history.branch),
    )


def commit_order(tree: ResultsTree, source: HistorySource, console: Console) -> CommitHistory:
    """Return the commits, oldest first: by the repository, else by date.

    Raises an error when the repository or the branch that the user named has none of the commits in *tree*.
    """
    if source.strict:
        measured = frozenset(run.commit for run in tree.runs)
        return read_history(source.repository(), source.branch, measured, source.configured)
    order = find_order(tree.runs, source.repository, source.configured)
    if order.warning:
        console.warn(f"commits are ordered by date, which may be wrong: {order.warning}; use --repo")
    return order.history


def write_feeds(
    options: FeedOptions, changes: DetectedChanges, alerts: Alerts | None, suite: Configuration | None
) -> None:
    """Write every feed, if *options* name a folder."""
    if folder := options.feeds:
        feeds = build_feeds(changes, alerts, suite.asv.project if suite else "project", options.site)
        write_together(folder, ((folder / path, feed) for path, feed in feeds.items()))
