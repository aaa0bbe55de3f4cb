"""The repository of the measured project, and its history as the site shows it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from windtunnel.asv.configuration import Configuration
from windtunnel.errors import RemoteError, UsageError
from windtunnel.git.process import hide_password
from windtunnel.git.remote import update_clone
from windtunnel.git.repository import Branch, Commit, Repository
from windtunnel.model.identity import CommitHash


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchHistory:
    """The branches that the site shows, with their commits."""

    branches: tuple[Branch, ...]
    commits: tuple[Commit, ...]
    """Along first parents, newest first, each once."""
    branch_of: Mapping[CommitHash, str]
    """The branch of each commit; of several the first in *branches*."""
    notes: tuple[str, ...]
    """Sentences about what is missing."""


def read_branch_history(repository: Repository, configured: Sequence[str], asked: str | None = None) -> BranchHistory:
    """Return the history of the branch *asked* for, else of those *configured* branches that exist.

    Where none exists, the default branch replaces them, and HEAD where there is none. Raises UsageError if no commit
    exists, or the branch asked for does not.
    """
    names = (asked,) if asked else tuple(configured)
    found = tuple(branch for name in names if (branch := repository.find_branch(name)))
    have = {branch.name for branch in found}
    notes = [f"The repository has no branch {name}; it is not shown." for name in names if name not in have]
    if not found:
        found = (_replacement(repository, names, asked),)
        shown = "what is checked out" if found[0].name in names else found[0].name
        notes = [f"The repository has no branch {name}; {shown} is shown instead." for name in names[:1]]
    if repository.is_shallow():
        notes.append("The clone is shallow: older commits are not shown (git fetch --unshallow gets them).")
    commits: dict[CommitHash, Commit] = {}
    branch_of: dict[CommitHash, str] = {}
    for branch in found:
        for commit in repository.first_parent_log(branch.head):
            commits.setdefault(commit.hash, commit)
            branch_of.setdefault(commit.hash, branch.name)
    return BranchHistory(branches=found, commits=tuple(commits.values()), branch_of=branch_of, notes=tuple(notes))


def find_commit(repository: Repository, commit: CommitHash) -> Commit | None:
    """Return *commit* from *repository*, on whatever branch it is; None where the repository does not have it."""
    try:
        return repository.first_parent_log(commit, 1)[0]
    except UsageError:
        return None


def _replacement(repository: Repository, names: Sequence[str], asked: str | None) -> Branch:
    """Return the default branch; where no branch exists, what is checked out, under the first of *names*."""
    try:
        return repository.measured_branch(asked)
    except UsageError:
        if asked:
            raise
        return Branch(name=names[0] if names else "main", head=repository.resolve("HEAD"))


CLONE = "project.git"
"""The clone of a project whose address the configuration names, below ``.windtunnel``."""

ADDRESS = re.compile(r"\w[\w+.-]*://|(\w[\w.-]*@)?\w[\w.-]+:(?!//)")
"""Start of a repository's URL or SSH address (``git@host:owner/name``)."""

SSH_ADDRESS = re.compile(r"^(?:ssh://)?git@([\w.-]+)[:/]")
"""Start of the SSH address of a forge, where the web page has the same path."""


def find_project_repository(
    configuration: Configuration, env: Mapping[str, str], log: Callable[[str], None]
) -> Repository:
    """Return the repository of the measured project: ``repo`` in asv.conf.json, a folder relative to it.

    Where ``repo`` is an address, return the checkout that contains the configuration if it is of that project: one of
    its remotes (a fork counts) or its folder has the project's name. Otherwise clone the project beside the suite;
    later calls fetch what is new. Raises UsageError if ``repo`` is neither, and RemoteError if the address cannot be
    read. asv's own mirrors are not used.
    """
    repo = configuration.asv.repo
    folder = configuration.folder / repo
    if folder.is_dir():
        return Repository.at(folder, env)
    if not ADDRESS.match(repo):
        raise UsageError(
            f"{configuration.path}: 'repo' is {repo!r}, which is neither a folder here nor an address; correct it, or "
            "name a clone of the project with --repo"
        )
    if checkout := _checkout(configuration, env):
        return checkout
    clone = configuration.folder / ".windtunnel" / CLONE
    doing = "fetching" if (clone / "HEAD").is_file() else "cloning (this may take minutes)"
    log(f"{doing} {hide_password(repo)} into {clone}")
    try:
        update_clone(repo, clone, configuration.folder, env)
    except RemoteError as error:
        raise type(error)(f"{error}; to use a clone that exists, name it with --repo") from None
    return Repository.at(clone, env)


def find_project_elsewhere(configuration: Configuration, checkout: Repository) -> str:
    """Return the address of the measured project, "" where *checkout* is a clone of it."""
    if (configuration.folder / configuration.asv.repo).is_dir() or _is_of_project(configuration, checkout):
        return ""
    return hide_password(configuration.asv.repo)


def _checkout(configuration: Configuration, env: Mapping[str, str]) -> Repository | None:
    """Return the checkout around the configuration if it is of the project that ``repo`` names."""
    try:
        checkout = Repository.at(configuration.folder, env)
    except UsageError:
        return None
    return checkout if _is_of_project(configuration, checkout) else None


def _is_of_project(configuration: Configuration, checkout: Repository) -> bool:
    """Return whether a remote of *checkout*, or its folder, has the name of the project that ``repo`` names."""
    wanted = project_name(configuration.asv.repo)
    return wanted in map(project_name, (*checkout.remotes(), str(checkout.root)))


def project_page(configuration: Configuration, own: str) -> str:
    """Return the web page of the measured project: *own*, the page of the suite's repository, if it is the project's.

    A project whose address is not of the web has no page, so the result is empty.
    """
    repo = configuration.asv.repo
    if not ADDRESS.match(repo) or project_name(repo) == project_name(own):
        return own
    page = re.sub(r"(?<=://)[^/@]*@", "", SSH_ADDRESS.sub(r"https://\1/", repo))
    return page.removesuffix("/").removesuffix(".git") if page.startswith(("https://", "http://")) else ""


def project_name(address: str) -> str:
    """Return the last part of a repository's URL, SSH address or path, without ``.git``, in lower case."""
    return re.split(r"[/:\\]", address.rstrip("/\\").lower().removesuffix(".git").rstrip("/\\"))[-1]
