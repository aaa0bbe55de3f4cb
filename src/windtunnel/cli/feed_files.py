"""Writes feeds into a folder, for the commands that offer ``--feeds``."""

import argparse
import re
from pathlib import Path

from windtunnel.cli.options import Parser
from windtunnel.detect.alert_format import Alerts
from windtunnel.detect.feeds import FeedSource, build_feeds
from windtunnel.detect.format import DetectedChanges
from windtunnel.files import write_atomically


def add_feeds(parser: Parser) -> None:
    """Add --feeds and --site."""
    parser.add_argument("--feeds", type=Path, metavar="DIR", help="leave Atom and JSON feeds and regressions.xml here")
    parser.add_argument("--site", type=_url, default="", metavar="URL", help="the history site, for links")


def write_feeds(folder: Path, changes: DetectedChanges, alerts: Alerts | None, publisher: FeedSource) -> None:
    """Write every feed below *folder*."""
    for path, content in build_feeds(changes, alerts, publisher).items():
        write_atomically(folder / path, content)


def _url(text: str) -> str:
    if text and not re.fullmatch(r"https?://[^\s()<>\[\]\"'`|\\]+", text):
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is no URL")
    return text if not text or text.endswith("/") else f"{text}/"
