"""``windtunnel alert``: remembers what was found and tells it, each cause once."""

import argparse
import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from windtunnel import alerts_json, changes_json
from windtunnel.analysis.alerts import observe
from windtunnel.analysis.sightings import Observation
from windtunnel.analysis.watchdog import Vitals, ailments
from windtunnel.cli.alert_place import add_place, alert_file, said, suite_of
from windtunnel.cli.feed_files import add_feeds, write_feeds
from windtunnel.cli.options import Parser, Voice, parse
from windtunnel.cli.planning import positive
from windtunnel.configuration import Settings
from windtunnel.errors import DataError, ExitCode, RefusedError, UsageError, WindtunnelError
from windtunnel.files import write_atomically
from windtunnel.git import Repository
from windtunnel.git.people import authored
from windtunnel.github import sticky
from windtunnel.github.alert_issues import Board, Told, tell, there
from windtunnel.github.client import connect
from windtunnel.github.requests.request import RepositoryName
from windtunnel.measurement.alerts import Alert, Alerts
from windtunnel.measurement.changes import Changes
from windtunnel.records import read_records
from windtunnel.report.alert_text import Surroundings, Suspect
from windtunnel.report.announcements import CloseIssue, Effect, OpenIssue, ReopenIssue, RewriteIssue, Wanted, effects
from windtunnel.report.announcements import wanted as wanted_of
from windtunnel.report.feeds import Publisher
from windtunnel.tree import read_tree

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
    if telling and not (env.get("GITHUB_TOKEN") or env.get("GH_TOKEN")):
        raise UsageError("there is no token; set GITHUB_TOKEN, or see what would be told with --dry-run")
    alerts = _remembered(options, env)
    if options.copy and not options.dry_run:
        write_atomically(options.copy, alerts_json.encode(alerts))
    if options.feeds and not options.dry_run:
        suite = suite_of(options)
        publisher = Publisher(project=suite.project if suite else "project", site=options.site)
        write_feeds(options.feeds, _changes(options.changes), alerts, publisher)
    wishes = _wishes(alerts, options, env)
    if options.dry_run:
        out.writelines(f"would {worded(effect)}\n" for effect in _foreseen(wishes, options, env))
    elif repo is not None:
        return _report(asyncio.run(_tell(wishes, repo, options, env)), out, Voice.of(options, err))
    return ExitCode.FINE


def worded(effect: Effect) -> str:
    """Return an effect in a line."""
    match effect:
        case OpenIssue():
            return f"open an issue for {effect.alert}: {effect.title}"
        case RewriteIssue():
            return f"rewrite #{effect.number}: {effect.title}"
        case CloseIssue():
            return f"close #{effect.number}"
        case ReopenIssue():
            return f"open #{effect.number} again"


def _changes(path: Path) -> Changes:
    try:
        return changes_json.decode(path.read_bytes(), str(path))
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}; windtunnel detect makes it") from None


def _remembered(options: argparse.Namespace, env: Mapping[str, str]) -> Alerts:
    now = time.time()
    seen = Observation(changes=_changes(options.changes), when=said(now))
    vitals = _vitals(options, seen.changes.series, int(now * 1000))

    def step(before: Alerts) -> Alerts:
        found = None if vitals is None else ailments(vitals, before)
        return observe(before, replace(seen, ailments=found))

    with alert_file(options, env) as place:
        return step(place.read()) if options.dry_run else place.change(step)


def _vitals(options: argparse.Namespace, series: int, now: int) -> Vitals | None:
    if options.results is None:
        return None
    suite = suite_of(options)
    return Vitals(
        tree=read_tree(options.results),
        records=read_records(options.results)[0],
        series=series,
        pythons=suite.pythons if suite else (),
        now=now,
        thresholds=(suite.settings if suite else Settings()).watchdog,
    )


def _wishes(alerts: Alerts, options: argparse.Namespace, env: Mapping[str, str]) -> tuple[Wanted, ...]:
    """Return the issues that should be, the newest alert first."""
    server, name = env.get("GITHUB_SERVER_URL", "https://github.com"), env.get("GITHUB_REPOSITORY", "")
    around = Surroundings(
        repository_url=f"{server.rstrip('/')}/{name}" if name else "",
        site_url=options.site,
        mention=options.mention_authors,
    )
    repository = _repository(options, env)
    made = (wanted_of(one, options.key, _suspect(one, repository), around) for one in reversed(alerts.alerts))
    return tuple(one for one in made if one is not None)


def _repository(options: argparse.Namespace, env: Mapping[str, str]) -> Repository | None:
    if options.repo:
        return Repository.at(options.repo, env)
    try:
        return Repository.at(Path.cwd(), env)
    except WindtunnelError:
        return None


def _suspect(alert: Alert, repository: Repository | None) -> Suspect:
    if repository is None or alert.where is None:
        return Suspect()
    found = authored(repository, alert.where.commit)
    return Suspect(subject=found.subject, author=found.author, login=found.login)


def _foreseen(wishes: Sequence[Wanted], options: argparse.Namespace, env: Mapping[str, str]) -> Sequence[Effect]:
    """Return what would be done, by what stands at GitHub where that can be asked."""
    name = env.get("GITHUB_REPOSITORY", "")
    if not name or not (env.get("GITHUB_TOKEN") or env.get("GH_TOKEN")):
        return effects(wishes, ())

    async def ask() -> Sequence[Effect]:
        async with connect(env) as client:
            author = options.author or await sticky.author(client)
            board = Board(repo=RepositoryName.parse(name), author=author, key=options.key, most=options.most)
            return effects(wishes, await there(client, board))

    return asyncio.run(ask())


async def _tell(
    wishes: Sequence[Wanted], repo: RepositoryName, options: argparse.Namespace, env: Mapping[str, str]
) -> Told:
    async with connect(env) as client:
        author = options.author or await sticky.author(client)
        return await tell(client, Board(repo=repo, author=author, key=options.key, most=options.most), wishes)


def _report(told: Told, out: TextIO, voice: Voice) -> int:
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
