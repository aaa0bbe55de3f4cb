"""From what alerts.json remembers to the issues that should be, and to those at GitHub: the second half of alert."""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from windtunnel.detect.alert_format import Alert, Alerts
from windtunnel.detect.alert_text import Surroundings, Suspect, is_bad
from windtunnel.detect.issue_changes import Effect, Wanted, effects, wanted
from windtunnel.errors import WindtunnelError
from windtunnel.git.repository import Repository, authored
from windtunnel.github import single_comment
from windtunnel.github.alert_issues import Board, Told, tell, there
from windtunnel.github.client import Client, connect
from windtunnel.github.http import RepositoryName


def has_token(env: Mapping[str, str]) -> bool:
    """Tell whether GitHub can be asked as somebody."""
    return bool(env.get("GITHUB_TOKEN") or env.get("GH_TOKEN"))


def wishes(alerts: Alerts, options: argparse.Namespace, env: Mapping[str, str]) -> tuple[Wanted, ...]:
    """Return the issues that should be, the newest alert first."""
    server, name = env.get("GITHUB_SERVER_URL", "https://github.com"), env.get("GITHUB_REPOSITORY", "")
    around = Surroundings(
        repository_url=f"{server.rstrip('/')}/{name}" if name else "",
        site_url=options.site,
        mention=options.mention_authors,
    )
    repository = _repository(options, env)
    bad = (one for one in reversed(alerts.alerts) if is_bad(one))
    made = (wanted(one, options.key, _suspect(one, repository), around) for one in bad)
    return tuple(one for one in made if one is not None)


def foreseen(wished: Sequence[Wanted], options: argparse.Namespace, env: Mapping[str, str]) -> Sequence[Effect]:
    """Return what would be done, by what stands at GitHub where that can be asked."""
    name = env.get("GITHUB_REPOSITORY", "")
    if not name or not has_token(env):
        return effects(wished, ())

    async def ask() -> Sequence[Effect]:
        async with connect(env) as client:
            return effects(wished, await there(client, await _board(client, RepositoryName.parse(name), options)))

    return asyncio.run(ask())


def carried_out(
    wished: Sequence[Wanted], repo: RepositoryName, options: argparse.Namespace, env: Mapping[str, str]
) -> Told:
    """Do what is missing at GitHub and return it."""

    async def ask() -> Told:
        async with connect(env) as client:
            return await tell(client, await _board(client, repo, options), wished)

    return asyncio.run(ask())


async def _board(client: Client, repo: RepositoryName, options: argparse.Namespace) -> Board:
    author = options.author or await single_comment.author(client)
    return Board(repo=repo, author=author, key=options.key, most=options.most)


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
