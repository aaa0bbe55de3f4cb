"""Who somebody is and what they may do."""

from dataclasses import dataclass

from windtunnel.github.request import RepositoryName, Request, get

WRITERS = frozenset({"admin", "maintain", "write"})
"""The permissions that let somebody push."""

BOT = "github-actions[bot]"
"""Who writes with the token of a workflow; that token may not ask ``/user``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A user, bot or organisation."""

    login: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """What somebody may do in a repository: admin, write, read or none; *role_name* may be finer."""

    permission: str
    role_name: str = ""

    @property
    def writes(self) -> bool:
        """Tell whether they may push; roles of an organisation's own making count by the permission they rest on."""
        return self.permission in WRITERS


def whoami() -> Request[Account]:
    """Ask whose token this is; refused (403) for the token of a workflow."""
    return get("/user", Account)


def permission_of(repo: RepositoryName, login: str) -> Request[Permission]:
    """Ask what *login* may do."""
    return get(
        "/repos/{owner}/{repo}/collaborators/{login}/permission",
        Permission,
        owner=repo.owner,
        repo=repo.name,
        login=login,
    )
