"""``windtunnel init``: the workflow files of a repository that has a suite, or whose suite is in another one."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from windtunnel.asv import configuration
from windtunnel.asv.configuration import Configuration, find_project_elsewhere
from windtunnel.asv.pythons import environment_type
from windtunnel.cli.console import Console
from windtunnel.cli.first_benchmark import first_benchmark
from windtunnel.cli.installed_pin import check_repository, choose_pin
from windtunnel.cli.options import Arg, CommonOptions, File, Name
from windtunnel.cli.settings import usual_branch
from windtunnel.cli.suite import list_suites, read_suite
from windtunnel.errors import ConfigurationError, ExitCode, UsageError
from windtunnel.files import write_atomically
from windtunnel.git.repository import Repository
from windtunnel.github import workflow_files
from windtunnel.github.client import find_public
from windtunnel.github.repositories import forge_name
from windtunnel.github.workflow_files import InitOptions, SuiteWorkflows
from windtunnel.model.settings import Settings, parse_settings
from windtunnel.pytest_suite.suite import find_pytest_suite

UP_TO_DATE = "all files are up to date"

NEXT_OF_FIRST = """the project had no benchmark, so these files are a first one; next:
  windtunnel bench   measures it on the last commit
  windtunnel init    once more: writes the workflow files"""

_PAGES = """\
{repo} has a site on GitHub Pages, and a deployment would replace it; decide in [tool.windtunnel.ci] of {file}:
  pages = true                     replaces that site
  pages = false                    keeps only the results
  site-branch = "gh-pages"         adds the folder benchmarks to this branch, which Pages show
  site-branch = "windtunnel-site"  keeps the site on a branch, for Pages that a workflow of yours deploys
  site-branch = "gh-pages", and in [tool.windtunnel] results-remote = "https://github.com/OWNER/NAME"
                                   keeps results and site in another repository, whose Pages show them
That workflow takes the site from its branch, after it built the pages and before it uploads them:
      - uses: actions/checkout@v7
        with: {{ref: windtunnel-site, path: .windtunnel-site}}
      - run: mv .windtunnel-site/benchmarks FOLDER-OF-THE-PAGES/"""

_PRIVATE = """\
{repo} may be private, and GitHub may show its Pages, with the results, to everyone; decide with pages = true (publish \
the site) or pages = false (keep only the results) in [tool.windtunnel.ci] of {file}"""

SETUP_OF_TYPES = {
    "conda": """setup = 'echo "$CONDA/bin" >> "$GITHUB_PATH"'""",
    "rattler": "setup = 'cd .windtunnel-tool/.windtunnel/tool/bin && ./uv pip install --python ./python py-rattler'",
}
"""What a hosted runner needs for environments of a type; docs/how-to/conda.md explains it."""


class InitCommandOptions(CommonOptions, frozen=True, kw_only=True):
    """Write the workflow files with which GitHub Actions measures this repository's asv suite or pytest benchmarks.

    All else that the workflows do is in [tool.windtunnel.ci] of the pyproject.toml beside the asv configuration, so the
    files are not to be edited. git shows what a later call changes in them. In a project without any benchmark, the
    command writes a first one instead, in the style of its tests.

    example:
      windtunnel init                                              at the installed release
      windtunnel init --release v0.1.0                             at another one
      windtunnel init --pin OWNER/windtunnel@0123456789abcdef0123456789abcdef01234567
      windtunnel init --name io --config io/asv.conf.json          one of several suites
      windtunnel init --suite OWNER/project-benchmarks             in the project's repository
      windtunnel init --check
    """

    config: File | None = None
    """The asv configuration, or the pyproject.toml of pytest benchmarks (default: the one in this repository)."""
    pin: Annotated[str, Arg(metavar="OWNER/NAME@HASH")] = ""
    """The commit of windtunnel to use (default: the one in existing files, else the installed one)."""
    release: Name = ""
    """The release to use, such as v0.1.0: the commit of this tag, which is looked up unless --pin is given."""
    name: Name | None = None
    """The name of one of several suites; its files have this name."""
    suite: Annotated[str, Arg(metavar="OWNER/NAME[@REF]")] | None = None
    """Compare pull requests of this repository with the suite in that one; --config is a path there."""
    repository: Annotated[str, Arg(metavar="OWNER/NAME")] | None = None
    """The name of this repository, whose forks measure nothing (default: that of its remote on GitHub)."""
    check: bool = False
    """Write nothing; report which files are missing or out of date."""


def run(options: InitCommandOptions, console: Console, env: Mapping[str, str]) -> int:
    """Write the files; with --check raise ConfigurationError (exit code 2) when some are out of date."""
    repository = Repository.at(Path.cwd(), env)
    found = sorted((repository.root / workflow_files.FOLDER).glob("windtunnel*.yml"))
    existing = {path.relative_to(repository.root).as_posix(): path.read_text("utf-8") for path in found}
    asked = options.check or options.config or options.suite or options.name
    if not (asked or existing or _has_suite(repository, env)) and (first := first_benchmark(Path.cwd())):
        for path, text in first.items():
            write_atomically(path, text.encode())
            console.print(f"{path.relative_to(repository.root)}\n")
        console.log(NEXT_OF_FIRST)
        return ExitCode.FINE
    kept = next((pin for text in existing.values() if (pin := workflow_files.Pin.find(text))), None)
    pin = choose_pin(options.pin, options.release, kept, repository.root, env)
    init = _Init(options=options, repository=repository, existing=existing, pin=pin, console=console, env=env)
    chosen = tuple(init.workflows(name) for name in init.names())
    files = {path: text for one in chosen for path, text in one.render().items()}
    stale = {path: text for path, text in files.items() if existing.get(path) != text}
    if not options.check:
        init.write(stale)
    elif stale:
        missing = {path: "is out of date" if path in existing else "is missing" for path in stale}
        listed = ", ".join(f"{path} ({state})" for path, state in missing.items())
        raise ConfigurationError(f"not up to date: {listed}; run windtunnel init")
    elif kept and not options.pin:
        check_repository(kept, env)
    if not stale:
        console.log(UP_TO_DATE)
    for one in () if options.check else chosen:
        init.advise(one)
    return ExitCode.FINE


def _has_suite(repository: Repository, env: Mapping[str, str]) -> bool:
    """Return whether the repository has a suite of asv, or the project here one of pytest."""
    try:
        return bool(list_suites(repository)) or find_pytest_suite(Path.cwd(), env) is not None
    except UsageError:  # pytest-benchmark is installed, and no test uses it
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Init:
    """One call of ``windtunnel init`` in a repository."""

    options: InitCommandOptions
    repository: Repository
    existing: Mapping[str, str]
    """The existing workflow files of windtunnel, by path."""
    pin: workflow_files.Pin
    console: Console
    env: Mapping[str, str]

    def names(self) -> tuple[str, ...]:
        """Return the names of the suites that this call is about."""
        if self.options.name is not None:
            if self.options.name and not workflow_files.SUITE_NAME.fullmatch(self.options.name):
                raise UsageError(f"--name {self.options.name[:60]!r} is not valid; use up to 40 letters, digits and -")
            return (self.options.name,)
        kept = {one.name: one for text in self.existing.values() if (one := InitOptions.find(text))}
        if self.options.config:
            path = self._relative(self.options.config)
            return next(((name,) for name, one in kept.items() if one.config == path), ("",))
        return tuple(sorted(kept)) or ("",)

    def workflows(self, name: str) -> SuiteWorkflows:
        """Return the files of the suite *name*, by this call's options, its existing files and the settings."""
        before = InitOptions.find(self.existing.get(workflow_files.measuring_path(name), ""))
        apart = self.options.suite if self.options.suite is not None else before.suite if before else ""
        known = self.options.repository if self.options.repository is not None else before.repository if before else ""
        if apart:
            given = self.options.config.as_posix() if self.options.config else before.config if before else ""
            own = InitOptions(config=given or configuration.NAMES[0], name=name, suite=apart)
            pyproject = self.repository.root / "pyproject.toml"
            text = pyproject.read_text(encoding="utf-8") if pyproject.is_file() else ""
            return SuiteWorkflows(options=own, settings=parse_settings(text, pyproject.name).ci, pin=self.pin)
        path = self._config(before)
        suite = read_suite(self.repository.root / path)
        configuration.check_suite(suite)
        self._check_settings(suite, name, before)
        project = find_project_elsewhere(suite, self.repository)
        forge = known or str(forge_name(self.repository, self.env) or "")
        return SuiteWorkflows(
            options=InitOptions(config=path, name=name, repository=forge),
            settings=suite.settings.ci,
            pin=self.pin,
            branch=self._branch(suite, apart=bool(project)),
            project=project,
            results_elsewhere=suite.settings.results_remote != Settings().results_remote,
        )

    def _branch(self, suite: Configuration, *, apart: bool) -> str:
        """Return the branch whose pushes start a run, by the remote: a clone keeps the old name of a renamed one."""
        here, configured = self.repository, () if apart else suite.branches
        if suite.settings.ci.branch and not apart:
            return suite.settings.ci.branch
        if not (default := here.remote_head()):
            return here.measured_branch(None, configured).name
        return default if apart else usual_branch(suite, default, here, self.env)

    def _check_settings(self, suite: Configuration, name: str, before: InitOptions | None) -> None:
        """Raise UsageError where the settings are those of another suite, or a person must decide about the site."""
        settings, ci = suite.settings, suite.settings.ci
        place = f"[tool.windtunnel] in {suite.folder / 'pyproject.toml'}"
        if name and settings.results_branch == Settings().results_branch:
            raise UsageError(
                f"each of several suites needs a results branch, and a folder for its site; add to {place}:\n"
                f'  results-branch = "windtunnel-results-{name}"\n'
                f'  [tool.windtunnel.ci]\n  site-branch = "gh-pages"\n  site-folder = "{name}"'
            )
        taken = {settings.results_branch, "" if settings.results_remote != Settings().results_remote else ci.branch}
        if ci.pages is not False and ci.site_branch and ci.site_branch in taken:
            raise UsageError(f"site-branch {ci.site_branch!r} of {place} is the results branch or the measured one")
        if ci.pages is None and not before and not self.options.check and self.repository.remotes():
            repo = forge_name(self.repository, self.env)
            known = find_public(repo, self.env) if repo else None
            if known and known.has_pages and not ci.site_branch:
                raise UsageError(_PAGES.format(repo=repo, file=suite.folder / "pyproject.toml"))
            if known is None:
                raise UsageError(_PRIVATE.format(repo=repo or "this repository", file=suite.folder / "pyproject.toml"))

    def _config(self, before: InitOptions | None) -> str:
        """Return the configuration that the options name, that of *before*, or the only one of the repository."""
        if self.options.config:
            return self._relative(self.options.config)
        if before and (self.repository.root / before.config).is_file():
            return before.config
        found = list_suites(self.repository)
        if pytest := find_pytest_suite(Path.cwd(), self.env, chosen=bool(found)):
            return self._relative(pytest.folder / pytest.own_file)
        if not found:
            raise ConfigurationError(
                f"{self.repository.root} has no {configuration.NAMES[0]}; create one with 'asv quickstart', or write "
                "tests with the fixture 'benchmark' and name pytest-benchmark in the project's dependencies. "
                "If the suite has a repository of its own, name that with --suite OWNER/NAME"
            )
        if len(found) > 1:
            raise UsageError(
                "the repository has several suites; for each that you want to measure, run windtunnel init --name NAME "
                f"--config FILE: {', '.join(found)}"
            )
        return found[0]

    def _relative(self, given: Path) -> str:
        root, path = self.repository.root.resolve(), given.resolve()
        if not path.is_relative_to(root):
            raise UsageError(f"{given} is not in the repository {root}; run windtunnel init in the suite's repository")
        return path.relative_to(root).as_posix()

    def write(self, stale: Mapping[str, str]) -> None:
        """Write the *stale* files; raises UsageError, and writes none, if another program wrote one of them."""
        foreign = [path for path in stale if path in self.existing and not workflow_files.Pin.find(self.existing[path])]
        if foreign:
            raise UsageError(f"{', '.join(foreign)} was not written by windtunnel; rename it. Nothing was written")
        for path, text in stale.items():
            write_atomically(self.repository.root / path, text.encode())
            self.console.print(f"{path}\n")

    def advise(self, files: SuiteWorkflows) -> None:
        """Print what a person does next, for one suite."""
        options = files.options
        settings = Settings()
        if not options.suite:
            suite = read_suite(self.repository.root / options.config)
            settings = suite.settings
            kind = environment_type([settings.ci.python], suite.asv.environment_type)
            if kind in SETUP_OF_TYPES and not settings.ci.setup:
                self.console.warn(
                    f"environments of the type {kind} need a setup command on GitHub's runners, so the first run would "
                    f"fail; add to {suite.folder / 'pyproject.toml'}:\n  [tool.windtunnel.ci]\n  {SETUP_OF_TYPES[kind]}"
                )
            if not options.repository:
                self.console.log(
                    "no remote is on GitHub, so no fork measures pushes; if this is a fork, add --repository OWNER/NAME"
                    f"; on an Enterprise Server, mirror {self.pin.repository} there: --pin OWNER/NAME@{self.pin.commit}"
                )
        steps = "".join(f"\n  {number}. {step}" for number, step in enumerate(files.steps(settings), 1))
        lines = files.explain_project(str(forge_name(self.repository, self.env) or "OWNER/NAME"))
        manual = f"https://github.com/{self.pin.repository}/blob/{self.pin.commit}/docs/how-to/adopt.md"
        self.console.log(
            f"next{f', for the suite {options.name}' if options.name else ''}:{steps}{lines}\nSee {manual}\n"
        )
