"""The suite that a command works on: its configuration, its repository and the planner of its work."""

import contextlib
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from windtunnel.asv import configuration
from windtunnel.asv.configuration import Configuration, find_project_repository
from windtunnel.asv.engine_session import Supervisor
from windtunnel.asv.protocol import Place
from windtunnel.bench.plan import Planner
from windtunnel.bench.shard_run import LOG
from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, CommonOptions, File, Folder
from windtunnel.errors import ConfigurationError, UsageError, WindtunnelError
from windtunnel.git.repository import Repository
from windtunnel.model.settings import Settings
from windtunnel.pytest_suite.suite import find_pytest_suite, root_of, write_suite
from windtunnel.results.work_dir import WorkDir


class SuiteOptions(CommonOptions, frozen=True, kw_only=True):
    """Options of commands that read the configuration of a suite."""

    config: File | None = None
    """The asv configuration, or a pyproject.toml for its pytest benchmarks (default: asv.conf.json here or above, or
    the only one of the repository if needed; without one, the pytest benchmarks of this project)."""
    repo: Folder | None = None
    """A clone of the measured project (default: what 'repo' in the asv configuration names)."""


Builds = Annotated[Path | None, Arg(metavar="DIR")]
"""The option ``--builds``."""


def find_builds(given: Path | None, console: Console) -> Path | None:
    """Return the folder of builds *given*; None, with a warning, when it does not exist."""
    if given and not given.is_dir():
        console.warn(f"folder {given} does not exist, so every commit is built here")
        return None
    return given and given.absolute()


def find_suite(given: Path | None, env: Mapping[str, str]) -> Configuration:
    """Read the configuration *given*, else the nearest one of asv upwards, else the only one of the repository.

    Where there is none, or the settings say so, the suite is that of the project's pytest benchmarks.
    """
    here = Path.cwd()
    if given:
        return read_suite(given)
    nearest = nearest_suite(here)
    found = (nearest,) if nearest else _suites_around(here, env)
    return find_pytest_suite(here, env, chosen=bool(found)) or read_suite(_only_suite(found, here))


def read_suite(path: Path) -> Configuration:
    """Read the configuration at *path*: asv's, or a pyproject.toml beside whose project pytest benchmarks are."""
    path = path.absolute()
    if root := root_of(path):
        return write_suite(root, Repository.at(root, os.environ))
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"{path} cannot be read: {error}; use --config to name the asv configuration"
        ) from None
    pyproject = path.parent / "pyproject.toml"
    return configuration.parse(content, path, pyproject.read_text(encoding="utf-8") if pyproject.is_file() else "")


def find_optional_suite(given: Path | None) -> Configuration | None:
    """Read the asv configuration *given* or the nearest one; None where there is none, for results may stand alone."""
    path = given or nearest_suite(Path.cwd())
    if given is None:
        with contextlib.suppress(WindtunnelError):
            if found := find_pytest_suite(Path.cwd(), os.environ, chosen=path is not None):
                return found
    return read_suite(path) if path else None


def settings_of(suite: Configuration | None) -> Settings:
    """Return the settings of *suite*, the defaults without one."""
    return suite.settings if suite else Settings()


def nearest_suite(start: Path) -> Path | None:
    """Return the asv configuration in *start* or the nearest folder above, None where there is none."""
    for folder in (start, *start.parents):
        for name in configuration.NAMES:
            if (folder / name).is_file():
                return folder / name
    return None


def list_suites(repository: Repository) -> tuple[str, ...]:
    """Return the paths in *repository* of its asv configurations, without ignored files."""
    listed = repository.git.text("ls-files", "--cached", "--others", "--exclude-standard", "-z").split("\0")
    names = {name for name in listed if name.rpartition("/")[2] in configuration.NAMES}
    return tuple(sorted(name for name in names if (repository.root / name).exists()))


def _suites_around(here: Path, env: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the asv configurations of the repository around *here*."""
    try:
        repository = Repository.at(here, env)
        return tuple(repository.root / name for name in list_suites(repository))
    except WindtunnelError:  # no work tree of git
        return ()


def _only_suite(found: Sequence[Path], here: Path) -> Path:
    """Return the only one of the asv configurations *found* around *here*; raises ConfigurationError."""
    if len(found) == 1:
        return found[0]
    missing = f"there is no {configuration.NAMES[0]} in {here} or above"
    if not found:
        raise ConfigurationError(
            f"{missing}, and none in its repository; change to the suite or use --config. Tests with the fixture "
            "'benchmark' are a suite if the project's dependencies name pytest-benchmark or pytest-codspeed, or with "
            '[tool.windtunnel] suite = "pytest" in pyproject.toml'
        )
    listed = "".join(f"\n  --config {shlex.quote(os.path.relpath(path, here))}" for path in found)
    raise ConfigurationError(f"{missing}, and several in its repository; name one:{listed}")


def open_repository(
    options: SuiteOptions, suite: Configuration | None, env: Mapping[str, str], console: Console
) -> Repository:
    """Return the repository of the measured project: --repo, else what the configuration names, else the one here."""
    if options.repo or suite is None:
        return Repository.at(options.repo or Path.cwd(), env)
    return find_project_repository(suite, env, console.log)


AS_COMMITTED = "uncommitted changes: the package is measured as committed, the suite as it is in the work tree"


def find_repository(
    options: SuiteOptions, suite: Configuration, env: Mapping[str, str], console: Console, *, as_committed: bool = True
) -> Repository:
    """Return the project's repository, and warn about what cannot be measured; raises UsageError without a commit."""
    repository = open_repository(options, suite, env, console)
    if not repository.has_commits():
        raise UsageError(f"{repository.root} has no commits to measure; commit something first")
    if repository.is_shallow():
        console.warn("the clone is shallow, so older commits cannot be measured; fetch them: git fetch --unshallow")
    if as_committed and repository.is_dirty():
        console.warn(AS_COMMITTED)
    return repository


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteContext:
    """The suite that a command works on, the project's repository, and the streams."""

    suite: Configuration
    repository: Repository
    env: Mapping[str, str]
    console: Console

    @property
    def work_dir(self) -> WorkDir:
        """The folder beside the suite; one job at a time works in it."""
        return WorkDir(root=self.suite.folder / ".windtunnel", results=self.suite.results_dir)


def open_context(
    options: SuiteOptions, env: Mapping[str, str], console: Console, *, as_committed: bool = True
) -> SuiteContext:
    """Return the suite that *options* name and the project's repository; raises UsageError without a commit.

    A command that measures the package *as_committed* warns about uncommitted changes.
    """
    suite = find_suite(options.config, env)
    repository = find_repository(options, suite, env, console, as_committed=as_committed)
    return SuiteContext(suite=suite, repository=repository, env=env, console=console)


def place_of(suite: Configuration, repository: Repository, builds: Path | None = None) -> Place:
    """Return where engines work: *suite*, the project's *repository*, and the folder of *builds* to install from."""
    return Place(config=str(suite.path), repository=str(repository.root), builds=str(builds or ""))


def make_planner(
    suite: Configuration, repository: Repository, folder: Path, env: Mapping[str, str], console: Console
) -> Planner:
    """Return the planner of *suite*; *folder* keeps discovered benchmarks and asv's log."""
    return Planner(
        configuration=suite,
        repository=repository,
        supervisor=Supervisor(env=env, log=folder / LOG),
        work=folder,
        place=place_of(suite, repository),
        say=console.log,
    )
