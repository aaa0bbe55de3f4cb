"""Names of repositories on the forge: of a clone, and of the windtunnel that is installed, with its commit."""

from collections.abc import Mapping
from importlib.metadata import distribution, version
from pathlib import Path
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from windtunnel import formats
from windtunnel.errors import WindtunnelError
from windtunnel.git.repository import Repository
from windtunnel.github.client import repository_name
from windtunnel.github.http import RepositoryName
from windtunnel.github.workflow_files import Pin


def forge_name(repository: Repository, env: Mapping[str, str]) -> RepositoryName | None:
    """Return the name of *repository* on GitHub, by its first remote there."""
    return next((found for one in repository.remotes() if (found := repository_name(one, env))), None)


class _DirectUrl(Struct, frozen=True, kw_only=True):
    """Where an installed distribution came from (PEP 610)."""

    url: str
    vcs_info: Mapping[str, str] | None = None


def installed_pin(env: Mapping[str, str]) -> Pin | None:
    """Return the commit that the installed windtunnel is of, None where that is not known or not on GitHub."""
    text = distribution("windtunnel").read_text("direct_url.json")
    source = formats.decode(text.encode(), _DirectUrl, "direct_url.json") if text else None
    if source is None:
        return None
    if source.vcs_info:
        repo, commit = repository_name(source.url, env), source.vcs_info.get("commit_id", "")
    else:
        try:
            clone = Repository.at(Path(unquote(urlsplit(source.url).path)), env)
        except WindtunnelError:
            return None
        pushed = clone.git.text("branch", "--remotes", "--contains", "HEAD") if clone.has_commits() else ""
        repo, commit = (forge_name(clone, env), clone.resolve("HEAD")) if pushed else (None, "")
    return Pin.parse(f"{repo}@{commit}", f"v{version('windtunnel')}") if repo else None
