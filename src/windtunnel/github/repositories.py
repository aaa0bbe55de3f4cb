"""Repositories on the forge: their names by their addresses, and files of their main branch."""

import re
from base64 import b64decode
from collections.abc import Mapping
from urllib.parse import urlsplit

from windtunnel.errors import RefusedError, UsageError
from windtunnel.git.repository import Repository
from windtunnel.github.client import Client, RepositoryName, get

ADDRESS = re.compile(r"(?:[a-z+]+://)?(?:[^/@]*@)?(?P<host>[^/:@]+)(?::\d+/|[:/])(?P<name>[^/]+/[^/]+?)(?:\.git)?/?")
"""The address of a repository: HTTPS, SSH, or the short form of SSH."""


def forge_name(repository: Repository, env: Mapping[str, str]) -> RepositoryName | None:
    """Return the name of *repository* on GitHub, by its first remote there."""
    return next((found for one in repository.remotes() if (found := repository_name(one, env))), None)


def repository_name(address: str, env: Mapping[str, str]) -> RepositoryName | None:
    """Return the repository that *address* names on the forge at $GITHUB_SERVER_URL, None if it is elsewhere."""
    forge = urlsplit(env.get("GITHUB_SERVER_URL") or "https://github.com").hostname
    found = ADDRESS.fullmatch(address)
    if found is None or found["host"].lower() != forge:
        return None
    try:
        return RepositoryName.parse(found["name"])
    except UsageError:
        return None


def read_main_file(client: Client, repo: RepositoryName, path: str) -> str:
    """Return the text of the file *path* on the default branch, empty where there is none, or more than 1 MB."""
    try:
        found = client.send(get(repo.path("contents", path), dict[str, object]))
    except RefusedError as refused:
        if refused.status == 404:
            return ""
        raise
    return b64decode(str(found.get("content", ""))).decode("utf-8", "replace")
