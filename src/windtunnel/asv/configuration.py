"""The asv configuration of a suite, the settings beside it, and the repository of the measured project."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import json5
import msgspec
from msgspec.structs import replace

from windtunnel.errors import ConfigurationError, RemoteError, UsageError
from windtunnel.formats import convert
from windtunnel.git.process import hide_password
from windtunnel.git.remote import update_clone
from windtunnel.git.repository import Repository
from windtunnel.model.settings import Settings, Text, parse_settings

NAMES = ("asv.conf.json", "asv.conf.jsonc")
"""File names that asv itself looks for."""

DEFAULT_ENVIRONMENT_TYPE = "virtualenv"
"""The environment type where the configuration sets none; asv 0.6 then asks for one."""

EXISTING = "existing"
"""The environment type of Pythons that the user prepares."""

FINDS_PYTHON = frozenset(("virtualenv", "uv"))
"""Environment types that use a Python of this machine; all others bring their own, or name one by its path."""


class AsvKeys(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of asv.conf.json that Windtunnel reads, with asv's defaults; asv knows more."""

    project: Text = "project"
    """The name of the project."""
    repo: Text = "."
    """The repository, relative to the configuration, or its address."""
    branches: tuple[str | None, ...] = ()
    """The branches that the site shows; empty, ``HEAD`` and null mean the repository's default branch."""
    pythons: tuple[str, ...] = ()
    """The versions of Python to measure; empty means the version that runs asv, as asv defines it."""
    environment_type: Text = DEFAULT_ENVIRONMENT_TYPE
    """What makes the environments."""
    benchmark_dir: Text = "benchmarks"
    """The folder of the benchmarks, relative to the configuration."""
    results_dir: Text = "results"
    """The folder of the results, relative to the configuration."""
    env_dir: Text = "env"
    """The folder of the environments, relative to the configuration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """One asv suite: where it is and what it covers. Paths are absolute."""

    path: Path
    """The asv configuration file."""
    asv: AsvKeys
    """Its keys."""
    settings: Settings
    """``[tool.windtunnel]`` of the pyproject.toml in its folder."""
    root: Path | None = None
    """The folder of the project, for a suite that is written for asv elsewhere; None if asv's own files are there."""
    suite_files: tuple[Path, ...] = ()
    """The files of a suite that is written elsewhere, in the project; empty if ``benchmark_dir`` has them."""

    @property
    def folder(self) -> Path:
        """The folder that paths in the settings are relative to: that of the configuration, or of the project."""
        return self.root or self.path.parent

    @property
    def own_file(self) -> str:
        """The name of the file in ``folder`` that a commit with this suite has."""
        return "pyproject.toml" if self.root else self.path.name

    @property
    def benchmark_dir(self) -> Path:
        """The folder of the benchmarks."""
        return self.folder / self.asv.benchmark_dir

    @property
    def results_dir(self) -> Path:
        """The folder of the results."""
        return self.folder / self.asv.results_dir

    @property
    def env_dir(self) -> Path:
        """The folder of the environments."""
        return self.folder / self.asv.env_dir

    @property
    def branches(self) -> tuple[str, ...]:
        """The names in ``branches`` that can be branches; git uses ``HEAD`` for what is checked out."""
        return tuple(name for name in self.asv.branches if name and name != "HEAD")


def parse(
    content: str, path: Path, pyproject: str = "", *, root: Path | None = None, suite_files: tuple[Path, ...] = ()
) -> Configuration:
    """Return the suite with the asv configuration *content* at *path* and the *pyproject* (TOML) beside it.

    With a *root*, the pyproject.toml and the *suite_files* are in that folder. Raises ConfigurationError, naming the
    file and the key.
    """
    asv = convert(_parse_json5(content, path), AsvKeys, str(path))
    settings = parse_settings(pyproject, str((root or path.parent) / "pyproject.toml"))
    asv = replace(asv, pythons=settings.pythons or asv.pythons)
    return Configuration(path=path, asv=asv, settings=settings, root=root, suite_files=suite_files)


MAP_VERSION = "1"
"""Raise it when the same case would have another entry in a reach map."""


def suite_digest(folder: Path) -> str:
    """Return a digest of the suite in *folder*, on which its reach map depends beside the project and its Python."""
    digest = hashlib.sha256(MAP_VERSION.encode())
    for path in sorted(path for path in folder.rglob("*.py") if path.is_file()):
        digest.update(f"\0{path.relative_to(folder)}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def check_suite(configuration: Configuration) -> None:
    """Raise ConfigurationError unless the suite is in the folder that the *configuration* names."""
    folder, name = configuration.benchmark_dir, configuration.path.name
    if not (folder / "__init__.py").is_file():
        missing = "an empty __init__.py there" if folder.is_dir() else "the folder with an __init__.py"
        raise ConfigurationError(f"no suite in {folder}: create {missing}, or correct 'benchmark_dir' in {name}")


def read_raw(path: Path) -> dict[str, Any]:
    """Return every key of the asv configuration at *path*; raises ConfigurationError."""
    try:
        return _parse_json5(path.read_text(encoding="utf-8"), path)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error}; name another with --config") from None


def keeps_builds(asv: Mapping[str, Any]) -> bool:
    """Return whether asv's build cache gets what the suite with these keys installs, so that jobs can hand it on."""
    build, install = (asv.get(key) for key in ("build_command", "install_command"))
    return (
        asv.get("environment_type") != EXISTING
        and (build is None or "build_cache_dir" in str(build))
        and (install is None or "wheel_file" in str(install) or "build_cache_dir" in str(install))
    )


def _parse_json5(content: str, path: Path) -> dict[str, Any]:
    try:
        data: object = json5.loads(content)
    except RecursionError:
        raise ConfigurationError(
            f"{path} is not JSON with comments: it is nested too deeply; correct it and try again"
        ) from None
    except ValueError as error:
        raise ConfigurationError(f"{path} is not JSON with comments: {error}; correct it and try again") from None
    if not isinstance(data, dict):
        raise ConfigurationError(f"{path} holds {type(data).__name__}; write an object with keys such as 'project'")
    return data


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
    try:
        checkout = Repository.at(configuration.folder, env)
    except UsageError:  # the suite is in no repository
        checkout = None
    if checkout and _is_of_project(configuration, checkout):
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
