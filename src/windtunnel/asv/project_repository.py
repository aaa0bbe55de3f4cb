"""The history of a project as the site shows it, and a repository for asv with that history alone.

asv reads the branches of its configuration from a repository and fails where one is missing. Commits of other branches,
such as a results branch, stretch its axis. So asv gets a bare repository with the branches and the tags, which refers
to the objects of the user's repository. Nothing is copied, and the user's repository does not change.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from windtunnel.asv.configuration import Configuration
from windtunnel.errors import UsageError
from windtunnel.git.process import Git
from windtunnel.git.repository import Commit, Repository
from windtunnel.model.identity import CommitHash


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A branch that the site shows."""

    name: str
    """Its name in the configuration."""
    head: CommitHash
    """Its newest commit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchHistory:
    """The branches that the site shows, with their commits."""

    branches: tuple[Branch, ...]
    commits: tuple[Commit, ...]
    """Along first parents, newest first, each once."""
    notes: tuple[str, ...]
    """Sentences about what is missing."""


def read_branch_history(repository: Repository, branches: Sequence[str]) -> BranchHistory:
    """Return the history of those of *branches* that *repository* or a remote of it has.

    Where it has none of them, HEAD replaces the first. Raises UsageError if no commit exists.
    """
    found = tuple(branch for name in branches if (branch := _find(repository, name)))
    have = {branch.name for branch in found}
    notes = [f"The repository has no branch {name}; it is not shown." for name in branches if name not in have]
    if not found:
        found = (Branch(name=branches[0], head=repository.resolve("HEAD")),)
        notes = [f"The repository has no branch {branches[0]}; what is checked out there is shown instead."]
    if repository.is_shallow():
        notes.append("The clone is shallow: older commits are not shown (git fetch --unshallow gets them).")
    logs = (repository.first_parent_log(branch.head) for branch in found)
    commits = {commit.hash: commit for log in logs for commit in log}
    return BranchHistory(branches=found, commits=tuple(commits.values()), notes=tuple(notes))


def find_commit(repository: Repository, commit: CommitHash) -> Commit | None:
    """Return *commit* from *repository*, on whatever branch it is; None where the repository does not have it."""
    try:
        return repository.first_parent_log(commit, 1)[0]
    except UsageError:
        return None


def create_view(repository: Repository, history: BranchHistory, folder: Path) -> None:
    """Create a bare repository in *folder* with the branches of *history* and the tags of commits."""
    form = repository.git.text("rev-parse", "--show-object-format")
    folder.mkdir(parents=True)
    git = Git(directory=folder, env=repository.git.env)
    git.text("init", "--quiet", "--bare", "--template=", f"--object-format={form}", ".")
    (folder / "objects" / "info").mkdir(exist_ok=True)
    (folder / "objects" / "info" / "alternates").write_bytes(_path(repository, "objects") + b"\n")
    shallow = Path(_path(repository, "shallow").decode("utf-8", "surrogateescape"))
    if shallow.is_file():
        (folder / "shallow").write_bytes(shallow.read_bytes())
    references = [(f"refs/heads/{branch.name}", branch.head) for branch in history.branches]
    references += [(f"refs/tags/{tag.name}", tag.commit) for tag in repository.tags()]
    orders = "".join(f"create {name}\0{commit}\0" for name, commit in references)
    git.bytes("update-ref", "-z", "--stdin", stdin=orders.encode("utf-8", "surrogateescape"))


def _find(repository: Repository, name: str) -> Branch | None:
    for reference in (f"refs/heads/{name}", f"refs/remotes/origin/{name}", f"refs/remotes/upstream/{name}"):
        try:
            return Branch(name=name, head=repository.resolve(reference))
        except UsageError:
            continue
    return None


def _path(repository: Repository, name: str) -> bytes:
    return repository.git.bytes("rev-parse", "--path-format=absolute", "--git-path", name).removesuffix(b"\n")


def find_project_repository(configuration: Configuration, env: Mapping[str, str]) -> Repository:
    """Return the repository of the measured project: ``repo`` in asv.conf.json, a folder relative to it.

    Where ``repo`` is an address, return the checkout that contains the configuration if it is of that project: one of
    its remotes (a fork counts) or its folder has the project's name. Raises UsageError otherwise. asv's own mirrors are
    not used.
    """
    folder = configuration.folder / configuration.asv.repo
    if folder.is_dir():
        return Repository.at(folder, env)
    checkout = Repository.at(configuration.folder, env)
    wanted = project_name(configuration.asv.repo)
    if wanted not in map(project_name, (*checkout.remotes(), str(checkout.root))):
        raise UsageError(
            f"{configuration.path}: 'repo' is {configuration.asv.repo!r}, which is not a folder here, and "
            f"{checkout.root} is not a clone of {wanted}; clone the project and write the folder of the clone there"
        )
    return checkout


def project_name(address: str) -> str:
    """Return the last part of a repository's URL, SSH address or path, without ``.git``, in lower case."""
    return re.split(r"[/:\\]", address.rstrip("/\\").lower().removesuffix(".git").rstrip("/\\"))[-1]
