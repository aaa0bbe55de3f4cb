"""``windtunnel init``: the workflow files of a repository that has an asv suite."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

from windtunnel.asv import configuration
from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, Command, CommonOptions, File, Name
from windtunnel.cli.suite import find_suite
from windtunnel.errors import ConfigurationError, ExitCode, UsageError
from windtunnel.files import write_atomically
from windtunnel.git.repository import Repository
from windtunnel.github.workflow_files import InitOptions, Pin, WorkflowFile, render_workflows

NEXT = """next:
  1. On GitHub, Settings > Pages > Source: choose "GitHub Actions" (or run init with --no-pages).
  2. Settings > Secrets and variables > Actions > Variables: set WINDTUNNEL_SITE to the site's address, for links.
  3. Commit the files and push. The first run measures the newest commit and makes the branch {branch}.
  4. To require the verdict, require the check "windtunnel" in the rules of {main}.
See docs/how-to/adopt.md.
"""


class InitCommandOptions(CommonOptions, frozen=True, kw_only=True):
    """Write the workflow files with which GitHub Actions measures this repository's asv suite.

    Options that are not given keep the values of existing files.
    """

    config: File | None = None
    """The asv configuration (default: the one in this repository)."""
    pin: Annotated[str, Arg(metavar="OWNER/NAME@HASH")] = ""
    """The commit of windtunnel to use (default: the one in existing files)."""
    release: Name = ""
    """The release of that commit, for readers (default: the installed version)."""
    branch: Name = ""
    """The branch to measure (default: the main branch)."""
    runner: Annotated[str, Arg(metavar="LABEL")] | None = None
    """The runners that measure (default: ubuntu-24.04)."""
    label: Name | None = None
    """Measure only pull requests with this label (default: all)."""
    pages: bool | None = None
    """Deploy the site to GitHub Pages (default: yes)."""
    commands: bool | None = None
    """React to comments that begin with /benchmark (default: no)."""
    check: bool = False
    """Write nothing; report which files are out of date."""
    force: bool = False
    """Overwrite files that windtunnel did not write."""


def run(options: InitCommandOptions, console: Console, env: Mapping[str, str]) -> int:
    """Write the files; with --check raise ConfigurationError (exit code 2) when some are out of date."""
    repository = Repository.at(Path.cwd(), env)
    existing = _existing(repository.root)
    chosen = _init_options(options, repository, existing)
    files = render_workflows(chosen, _pin(options, existing))
    stale = [one for one in files if existing.get(one.path) != one.content]
    if options.check:
        return _checked(stale, existing)
    foreign = [one.path for one in stale if one.path in existing and Pin.find(existing[one.path]) is None]
    if foreign and not options.force:
        raise UsageError(f"{foreign[0]} was not written by windtunnel; move it, or overwrite it with --force")
    for one in stale:
        write_atomically(repository.root / one.path, one.content.encode())
        console.print(f"{one.path}\n")
    if not stale:
        console.log("all files are up to date")
    settings = find_suite(repository.root / chosen.config).settings
    console.log(NEXT.format(branch=settings.results_branch, main=chosen.branch))
    return ExitCode.FINE


def _init_options(options: InitCommandOptions, repository: Repository, existing: Mapping[str, str]) -> InitOptions:
    """Return the options of this call, and those of the existing files for the rest."""
    before = next((found for text in existing.values() if (found := InitOptions.find(text))), None)
    config = _config(options.config, repository, before)
    suite = find_suite(config)
    usual = before or InitOptions(config="", branch=repository.measured_branch(None, suite.branches).name)
    return InitOptions(
        config=config.relative_to(repository.root).as_posix(),
        branch=options.branch or usual.branch,
        runner=options.runner or usual.runner,
        label=usual.label if options.label is None else options.label,
        pages=usual.pages if options.pages is None else options.pages,
        commands=usual.commands if options.commands is None else options.commands,
    )


def _config(given: Path | None, repository: Repository, before: InitOptions | None) -> Path:
    """Return the configuration *given*, that of *before*, or the only one of the repository."""
    root = repository.root.resolve()
    if before and not given and (root / before.config).is_file():
        given = root / before.config
    if given:
        path = given.resolve()
        if not path.is_relative_to(root):
            raise UsageError(f"{given} is not in the repository {root}; run windtunnel init in the suite's repository")
        return root / path.relative_to(root)
    listed = repository.git.text("ls-files", "--cached", "--others", "--exclude-standard", "-z").split("\0")
    found = sorted(
        {name for name in listed if name.rpartition("/")[2] in configuration.NAMES and (root / name).exists()}
    )
    if not found:
        raise ConfigurationError(f"{root} has no {configuration.NAMES[0]}; create one with 'asv quickstart'")
    if len(found) > 1:
        raise UsageError(f"the repository has several suites: {', '.join(found)}; name one with --config")
    return root / found[0]


def _pin(options: InitCommandOptions, existing: Mapping[str, str]) -> Pin:
    if options.pin:
        return Pin.parse(options.pin, options.release or f"v{version('windtunnel')}")
    pins = [pin for text in existing.values() if (pin := Pin.find(text))]
    if not pins:
        raise UsageError(
            "name the commit of windtunnel for the workflows with --pin OWNER/NAME@HASH; "
            "git ls-remote https://github.com/OWNER/NAME 'v*' lists the releases"
        )
    return pins[0]


def _existing(root: Path) -> Mapping[str, str]:
    """Return the existing workflow files with our names, by path."""
    pin = Pin(repository="o/n", commit="0" * 40, release="v0")
    names = [one.path for one in render_workflows(InitOptions(config="", branch="", commands=True), pin)]
    return {name: (root / name).read_text(encoding="utf-8") for name in names if (root / name).is_file()}


def _checked(stale: Sequence[WorkflowFile], existing: Mapping[str, str]) -> int:
    if not stale:
        return ExitCode.FINE
    listed = ", ".join(f"{one.path} ({'differs' if one.path in existing else 'is missing'})" for one in stale)
    raise ConfigurationError(f"out of date: {listed}; update them with windtunnel init")


COMMANDS = (
    Command(
        name="init",
        options=InitCommandOptions,
        run=run,
        example="""\
  windtunnel init --pin OWNER/windtunnel@0123456789abcdef0123456789abcdef01234567
  windtunnel init --check""",
    ),
)
