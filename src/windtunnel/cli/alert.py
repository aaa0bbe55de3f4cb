"""``windtunnel alert``: remembers what was found and tells it, each cause once."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

from windtunnel import files
from windtunnel.cli.alert_location import add_place, suite_of
from windtunnel.cli.alert_report import carried_out, foreseen, has_token, wishes
from windtunnel.cli.alert_update import remembered
from windtunnel.cli.cache_folder import add_cache
from windtunnel.cli.feed_files import add_feeds, write_feeds
from windtunnel.cli.options import Parser, Voice, parse
from windtunnel.cli.selection_options import positive
from windtunnel.detect.alert_format import (
    ALERTS_FORMAT,
    Alerts,
    CloseIssue,
    IssueChange,
    OpenIssue,
    ReopenIssue,
    UpdateIssue,
)
from windtunnel.detect.feeds import FeedSource
from windtunnel.detect.format import CHANGES_FORMAT
from windtunnel.errors import ExitCode, RefusedError, UsageError
from windtunnel.files import write_atomically
from windtunnel.github.alert_issues import IssueReport
from windtunnel.github.http import RepositoryName

DESCRIPTION = """Remember what was found in alerts.json, and tell it: one GitHub issue for each cause, kept up to date,
closed when the level is back. Running again on the same data says nothing twice; what a run that died did not tell is
told by the next. The token comes from $GITHUB_TOKEN, the place from $GITHUB_REPOSITORY."""

EXAMPLE = """  windtunnel alert changes.json --site https://org.github.io/project/
  windtunnel alert changes.json --alerts .asv/results/alerts.json --dry-run"""

MOST = 10
"""New issues a call; who starts with a long history shall not wake everybody at once."""


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
    """Exit code 0 whatever was found; 4 where some of it could not be told, and the next call does."""
    options = parse(_parser(out), argv)
    if options is None:
        return ExitCode.FINE
    telling = not options.no_issues and not options.dry_run
    repo = RepositoryName.parse(env.get("GITHUB_REPOSITORY", "")) if telling else None
    if telling and not has_token(env):
        raise UsageError("there is no token; set GITHUB_TOKEN, or see what would be told with --dry-run")
    voice = Voice.of(options, err)
    alerts = remembered(options, env, voice)
    if not options.dry_run:
        _leave(alerts, options)
    wished = wishes(alerts, options, env)
    if options.dry_run:
        out.writelines(f"would {worded(effect)}\n" for effect in foreseen(wished, options, env))
    elif repo is not None:
        return _report(carried_out(wished, repo, options, env), out, voice)
    return ExitCode.FINE


def worded(effect: IssueChange) -> str:
    """Return an effect in a line."""
    match effect:
        case OpenIssue():
            return f"open an issue for {effect.alert}: {effect.title}"
        case UpdateIssue():
            return f"rewrite #{effect.number}: {effect.title}"
        case CloseIssue():
            return f"close #{effect.number}"
        case ReopenIssue():
            return f"open #{effect.number} again"


def _leave(alerts: Alerts, options: argparse.Namespace) -> None:
    """Write the copy and the feeds that were asked for."""
    if options.copy:
        write_atomically(options.copy, ALERTS_FORMAT.encode(alerts))
    if options.feeds:
        suite = suite_of(options)
        publisher = FeedSource(project=suite.asv.project if suite else "project", site=options.site)
        write_feeds(options.feeds, files.read(options.changes, CHANGES_FORMAT), alerts, publisher)


def _report(told: IssueReport, out: TextIO, voice: Voice) -> int:
    out.writelines(f"did {worded(effect)}\n" for effect in told.done)
    if told.left:
        voice.warn(f"{told.left} more issues are left for the next calls; --most opens more at once")
    for why in told.refused:
        voice.warn(why)
    if told.refused:
        raise RefusedError(f"GitHub refused {len(told.refused)} of the changes above; see them", status=403)
    return ExitCode.FINE


def _parser(out: TextIO) -> Parser:
    parser = Parser("alert", out=out, description=DESCRIPTION, example=EXAMPLE)
    add = parser.add_argument
    add("changes", type=Path, metavar="CHANGES", help="changes.json, as windtunnel detect writes it")
    add_place(parser)
    add("--results", type=Path, metavar="DIR", help="the results tree: watch the measuring itself, too")
    add_cache(parser, "default: none; name the one of windtunnel detect")
    add("--repo", type=Path, metavar="DIR", help="the project's repository, for commit messages (default: here)")
    add_feeds(parser)
    add("--copy", type=Path, metavar="FILE", help="leave a copy of alerts.json here, for windtunnel publish")
    add("--mention-authors", action="store_true", help="call the authors of suspected commits by @name")
    add("--key", default="default", metavar="NAME", help="tells the issues of several suites apart (%(default)s)")
    add("--author", default="", metavar="LOGIN", help="whose issues are ours (default: whoever the token belongs to)")
    add("--most", type=positive, default=MOST, metavar="N", help="new issues at once (%(default)s)")
    add("--no-issues", action="store_true", help="only remember, tell nobody")
    add("--dry-run", action="store_true", help="print what would be told, change nothing")
    return parser
