"""What the commands around alerts share: where alerts.json is kept, and the time as it says it."""

import argparse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from windtunnel.asv.configuration import Configuration
from windtunnel.cli.options import Parser, add_suite, find_suite, nearest_suite
from windtunnel.cli.store.location import add_remote, opened
from windtunnel.detect.alert_store import AlertStore, BranchAlertStore, FileAlertStore
from windtunnel.model.settings import Settings
from windtunnel.results.branch.retry import RetryPolicy

FORM = "%Y-%m-%dT%H:%M:%SZ"


def add_place(parser: Parser) -> None:
    """Add --alerts, and what names the branch."""
    add_suite(parser)
    parser.add_argument(
        "--alerts", type=Path, metavar="FILE", help="alerts.json in a plain folder (default: the results branch's)"
    )
    parser.add_argument("--branch", metavar="NAME", help="the results branch (default: results-branch)")
    add_remote(parser)


@contextmanager
def alert_file(options: argparse.Namespace, env: Mapping[str, str]) -> Iterator[AlertStore]:
    """Lend the place of the alerts that *options* name."""
    if options.alerts:
        yield FileAlertStore(path=options.alerts.absolute())
        return
    suite = suite_of(options)
    settings = suite.settings if suite else Settings()
    start = suite.folder if suite else Path.cwd()
    with opened(options.branch or settings.results_branch, options.remote, start, env) as branch:
        yield BranchAlertStore(branch=branch, retry=RetryPolicy())


def suite_of(options: argparse.Namespace) -> Configuration | None:
    """Return the suite that is named or lies around here, None where results stand alone."""
    return find_suite(options.config) if options.config or nearest_suite(Path.cwd()) else None


def said(seconds: float) -> str:
    """Return a time as alerts.json says it."""
    return datetime.fromtimestamp(seconds, UTC).strftime(FORM)
