"""``windtunnel init``: the workflow files of a repository that has an asv suite, or whose suite is in another one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec.structs import replace

from windtunnel.asv import configuration
from windtunnel.asv.configuration import find_project_elsewhere
from windtunnel.cli.console import Console
from windtunnel.cli.history_options import parse_site
from windtunnel.cli.init_steps import ask_pages, forge_name, machine_kinds_to_add, next_steps, several_suites
from windtunnel.cli.installed_pin import choose_pin
from windtunnel.cli.options import Arg, CommonOptions, File, Minutes, Name, PositiveInt
from windtunnel.cli.suite import list_suites, read_suite
from windtunnel.errors import ConfigurationError, ExitCode, UsageError
from windtunnel.files import write_atomically
from windtunnel.git.repository import Repository
from windtunnel.github.workflow_files import (
    FOLDER,
    SUITE_NAME,
    InitOptions,
    Pin,
    WorkflowFile,
    WorkflowFileState,
    file_state,
    render_diff,
)
from windtunnel.github.workflow_text import measuring_path, render_workflows
from windtunnel.model.settings import Settings
from windtunnel.text.escaping import escape_log

KEPT = (
    "label", "deadline", "max_runners", "changed_only", "setup", "submodules", "python", "site", "site_branch",
    "site_folder", "repository", "self_check", "claims", "instructions",
)  # fmt: skip
"""Options that replace those of existing files where they are given, and need no other rule."""

UP_TO_DATE = "all files are up to date"


class InitCommandOptions(CommonOptions, frozen=True, kw_only=True):
    """Write the workflow files with which GitHub Actions measures this repository's asv suite.

    Options that are not given keep the values of existing files. Files that were edited by hand are not overwritten.

    example:
      windtunnel init                                              at the installed release
      windtunnel init --release v0.1.0                             at another one
      windtunnel init --pin OWNER/windtunnel@0123456789abcdef0123456789abcdef01234567
      windtunnel init --setup 'sudo apt-get install --yes libopenblas-dev' --variable OMP_NUM_THREADS=1
      windtunnel init --name io --config io/asv.conf.json          one of several suites
      windtunnel init --suite OWNER/project-benchmarks             in the project's repository
      windtunnel init --site-branch gh-pages --site-folder speed   beside other pages
      windtunnel init --check
    """

    config: File | None = None
    """The asv configuration (default: the one in this repository)."""
    pin: Annotated[str, Arg(metavar="OWNER/NAME@HASH")] = ""
    """The commit of windtunnel to use (default: the one in existing files, else the installed one)."""
    release: Name = ""
    """The release to use, such as v0.1.0: the commit of this tag, which is looked up unless --pin is given."""
    name: Name | None = None
    """The name of one of several suites; its files, results branch and site folder have this name."""
    suite: Annotated[str, Arg(metavar="OWNER/NAME[@REF]")] | None = None
    """Compare pull requests of this repository with the suite in that one; --config is a path there."""
    repository: Annotated[str, Arg(metavar="OWNER/NAME")] | None = None
    """The name of this repository, whose forks measure nothing (default: that of its remote on GitHub)."""
    branch: Name = ""
    """The branch to measure (default: the configured one if it exists, else the default branch)."""
    runner: Annotated[str, Arg(metavar="LABEL")] | None = None
    """The runners that measure (default: ubuntu-24.04)."""
    label: Name | None = None
    """Measure only pull requests with this label (default: all)."""
    deadline: Minutes | None = None
    """A pull request gets its verdict within this many minutes (default: 20)."""
    max_runners: PositiveInt | None = None
    """At most this many runners measure at the same time (default: 8 for a pull request)."""
    changed_only: bool | None = None
    """Leave out the cases that no changed file of a pull request can affect (default: no)."""
    setup: Annotated[str, Arg(metavar="COMMAND")] | None = None
    """A command that prepares each runner that builds or measures (default: none)."""
    variable: Annotated[tuple[str, ...], Arg(metavar="NAME=VALUE")] = ()
    """Set this environment variable on those runners; may be repeated."""
    submodules: Literal["no", "yes", "recursive"] | None = None
    """Check out submodules (default: no)."""
    python: Annotated[str, Arg(metavar="SPEC")] | None = None
    """Measure only on this Python, such as 3.13 or virtualenv:3.13 (default: those of the configuration)."""
    pages: bool | None = None
    """Publish the site (default: yes)."""
    site_branch: Name | None = None
    """Publish the site on this branch instead of deploying it to GitHub Pages."""
    site_folder: Annotated[str, Arg(metavar="DIR")] | None = None
    """The folder of the site on that branch (default: benchmarks)."""
    site: Annotated[str, Arg(metavar="URL", parse=parse_site)] | None = None
    """The address of the site, for links (default: the variable WINDTUNNEL_SITE on GitHub)."""
    results_branch: Name | None = None
    """The branch that keeps the results (default: results-branch in [tool.windtunnel])."""
    results_remote: Annotated[str, Arg(metavar="URL")] | None = None
    """The repository that keeps the results (default: results-remote in [tool.windtunnel], else this one)."""
    self_check: bool | None = None
    """Compare a commit with itself every week, for the rates of false alarms and found slowdowns (default: no)."""
    claims: bool | None = None
    """Measure the claims of the suite every week (default: no)."""
    instructions: bool | None = None
    """Count instructions for the history too (default: no)."""
    check: bool = False
    """Write nothing; report which files are out of date or were edited."""
    force: bool = False
    """Overwrite files that were edited or that windtunnel did not write, and show what changes."""


def run(options: InitCommandOptions, console: Console, env: Mapping[str, str]) -> int:
    """Write the files; with --check raise ConfigurationError (exit code 2) when some are out of date."""
    repository = Repository.at(Path.cwd(), env)
    existing = _existing(repository.root)
    kept = next((found for text in existing.values() if (found := Pin.find(text))), None)
    pin = choose_pin(options.pin, options.release, kept, repository.root, env)
    init = _Init(options=options, repository=repository, existing=existing, pin=pin, console=console, env=env)
    chosen = tuple(init.suite_options(name) for name in init.names())
    files = tuple(one for suite in chosen for one in render_workflows(suite, pin))
    if options.check:
        _check(files, existing)
        console.log(UP_TO_DATE)
        return ExitCode.FINE
    init.write(files)
    for suite in chosen:
        if not suite.suite_repository:
            configured = read_suite(repository.root / suite.config)
            if advice := machine_kinds_to_add(configured.results_dir, configured.settings):
                console.log(advice)
        if not suite.repository and not suite.suite_repository:
            console.log(
                "no remote is on GitHub, so no fork measures pushes; if this is a fork, add --repository OWNER/NAME"
                f"\non an Enterprise Server, mirror {pin.repository} there and name it: --pin OWNER/NAME@{pin.commit}"
            )
        console.log(next_steps(suite, pin, forge_name(repository, env), offers_claims=init.offers_claims(suite)))
    return ExitCode.FINE


@dataclass(frozen=True, slots=True, kw_only=True)
class _Init:
    """One call of ``windtunnel init`` in a repository."""

    options: InitCommandOptions
    repository: Repository
    existing: Mapping[str, str]
    """The existing workflow files of windtunnel, by path."""
    pin: Pin
    console: Console
    env: Mapping[str, str]

    def names(self) -> tuple[str, ...]:
        """Return the names of the suites that this call is about."""
        if self.options.name is not None:
            if self.options.name and not SUITE_NAME.fullmatch(self.options.name):
                raise UsageError(f"--name {self.options.name[:60]!r} is not valid; use up to 40 letters, digits and -")
            return (self.options.name,)
        kept = {one.name: one for text in self.existing.values() if (one := InitOptions.find(text))}
        if self.options.config:
            path = self._relative(self.options.config)
            return next(((name,) for name, one in kept.items() if one.config == path), ("",))
        return tuple(sorted(kept)) or ("",)

    def suite_options(self, name: str) -> InitOptions:
        """Return the options of this call for the suite *name*, and those of its existing files for the rest."""
        given = self.options
        before = InitOptions.find(self.existing.get(measuring_path(name), ""))
        apart = given.suite if given.suite is not None else before.suite_repository if before else ""
        chosen = self._apart(apart, before) if apart else self._here(name, before)
        variables = tuple(filter(None, given.variable)) if given.variable else chosen.variables
        chosen = replace(
            chosen,
            name=name,
            branch=given.branch or chosen.branch,
            runner=given.runner or chosen.runner,
            variables=variables,
            **{key: value for key in KEPT if (value := getattr(given, key)) is not None},
        )
        if chosen.site_branch and not chosen.site_folder:
            chosen = replace(chosen, site_folder=name or "benchmarks")
        return replace(chosen, pages=self._pages(before, publishes=not chosen.suite_repository))

    def _here(self, name: str, before: InitOptions | None) -> InitOptions:
        """Return the options of a suite in this repository."""
        path = self._config(before)
        suite = read_suite(self.repository.root / path)
        configuration.check_suite(suite)
        project = find_project_elsewhere(suite, self.repository)
        own = self.repository.default_branch().name
        usual = before or InitOptions(
            config=path,
            branch="" if project else self.repository.measured_branch(None, suite.branches).name,
            site_branch="gh-pages" if name else "",
            site_folder=name,
        )
        return replace(
            usual,
            config=path,
            project=project,
            own_branch=own if project else "",
            repository=usual.repository or str(forge_name(self.repository, self.env) or ""),
            **self._results(name, usual, suite.settings),
        )

    def _apart(self, suite_repository: str, before: InitOptions | None) -> InitOptions:
        """Return the options of a suite that has a repository of its own."""
        usual = before or InitOptions(config=configuration.NAMES[0], branch=self.repository.default_branch().name)
        config = self.options.config.as_posix() if self.options.config else usual.config
        return replace(usual, config=config, suite_repository=suite_repository, project="")

    def _results(self, name: str, usual: InitOptions, settings: Settings) -> dict[str, str]:
        """Return where the results of the suite *name* are kept."""
        own = f"windtunnel-results-{name}" if name and settings.results_branch == Settings().results_branch else ""
        remote = settings.results_remote if settings.results_remote != Settings().results_remote else ""
        given = self.options
        return {
            "results_branch": usual.results_branch or own if given.results_branch is None else given.results_branch,
            "results_remote": usual.results_remote or remote if given.results_remote is None else given.results_remote,
        }

    def _config(self, before: InitOptions | None) -> str:
        """Return the configuration that the options name, that of *before*, or the only one of the repository."""
        if self.options.config:
            return self._relative(self.options.config)
        if before and (self.repository.root / before.config).is_file():
            return before.config
        found = list_suites(self.repository)
        if not found:
            raise ConfigurationError(
                f"{self.repository.root} has no {configuration.NAMES[0]}; create one with 'asv quickstart'. "
                "If the suite has a repository of its own, name that with --suite OWNER/NAME"
            )
        if len(found) > 1:
            raise UsageError(several_suites(found, self.pin))
        return found[0]

    def _relative(self, given: Path) -> str:
        root, path = self.repository.root.resolve(), given.resolve()
        if not path.is_relative_to(root):
            raise UsageError(f"{given} is not in the repository {root}; run windtunnel init in the suite's repository")
        return path.relative_to(root).as_posix()

    def offers_claims(self, suite: InitOptions) -> bool:
        """Return whether *suite* has a claims file that a weekly run could measure, and none does."""
        if suite.claims or suite.project or suite.suite_repository:
            return False
        return read_suite(self.repository.root / suite.config).claims.is_file()

    def _pages(self, before: InitOptions | None, *, publishes: bool) -> bool:
        """Return whether the site is published; for a repository that may not be public, a person decides."""
        if self.options.pages is not None:
            return self.options.pages
        if before or not publishes or self.options.check:
            return before.pages if before else publishes
        return ask_pages(self.repository, self.console, self.env)

    def write(self, files: Sequence[WorkflowFile]) -> None:
        """Write the files that are missing or out of date, and with --force all others that differ."""
        states = {one.path: file_state(self.existing.get(one.path), one.content) for one in files}
        blocked = [one for one in files if states[one.path] in {WorkflowFileState.EDITED, WorkflowFileState.FOREIGN}]
        for one in blocked:
            self.console.err.write(escape_log(render_diff(self.existing[one.path], one)))
        if blocked and not self.options.force:
            listed = ", ".join(f"{one.path} {states[one.path]}" for one in blocked)
            raise UsageError(
                f"{listed}; the lines above would change, and nothing was written. To keep the file, change nothing. "
                "To replace it, use --force; options such as --setup and --variable make many edits unnecessary"
            )
        stale = [one for one in files if states[one.path] is not WorkflowFileState.CURRENT]
        for one in stale:
            write_atomically(self.repository.root / one.path, one.content.encode())
            self.console.print(f"{one.path}\n")
        if not stale:
            self.console.log(UP_TO_DATE)


def _existing(root: Path) -> Mapping[str, str]:
    """Return the existing workflow files with names of windtunnel, by path."""
    found = sorted((root / FOLDER).glob("windtunnel*.yml"))
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in found if path.is_file()}


def _check(files: Sequence[WorkflowFile], existing: Mapping[str, str]) -> None:
    """Raise ConfigurationError when a file is not what init would write."""
    states = {one.path: file_state(existing.get(one.path), one.content) for one in files}
    listed = ", ".join(f"{path} ({state})" for path, state in states.items() if state is not WorkflowFileState.CURRENT)
    if listed:
        raise ConfigurationError(
            f"not up to date: {listed}; windtunnel init updates files, and shows edits instead of overwriting them"
        )
