"""Accounts, comments, issues and their events as GitHub's REST API returns them; its reference documents the fields."""

from collections.abc import Mapping

from msgspec import Struct

from windtunnel.errors import RefusedError
from windtunnel.github.client import Client, get

WORKFLOW_BOT = "github-actions[bot]"
"""The author of what a workflow's token writes; that token may not request ``/user``."""


class Account(Struct, frozen=True, kw_only=True):
    """A user, bot or organisation."""

    login: str


class Comment(Struct, frozen=True, kw_only=True):
    """A comment on an issue or pull request."""

    id: int
    body: str = ""
    user: Account | None = None
    """The author; None for deleted accounts."""
    html_url: str = ""


class Label(Struct, frozen=True, kw_only=True):
    """A label of an issue or pull request."""

    name: str


class IssueEvent(Struct, frozen=True, kw_only=True):
    """Something that happened to an issue or pull request."""

    event: str
    actor: Account | None = None
    label: Label | None = None


class Issue(Struct, frozen=True, kw_only=True):
    """An issue."""

    number: int
    title: str
    state: str
    body: str | None = None
    user: Account | None = None
    """The author; None for deleted accounts."""
    state_reason: str | None = None
    labels: tuple[Label, ...] = ()
    closed_by: Account | None = None
    html_url: str = ""
    pull_request: Mapping[str, object] | None = None
    """Present when the issue is a pull request."""


def get_author(client: Client) -> str:
    """Return the login of the token; a workflow's token may not request it and always belongs to the same bot."""
    try:
        return client.send(get("/user", Account)).login
    except RefusedError as refused:
        if refused.status in {401, 403, 404}:
            return WORKFLOW_BOT
        raise
