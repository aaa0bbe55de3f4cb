"""The settings of a suite: ``[tool.windtunnel]`` in the pyproject.toml beside its asv configuration.

[tool.windtunnel]
results-branch = "windtunnel-results"
bench = ["quick"]
threshold = 0.05

[[tool.windtunnel.expect]]
match = "requests_per_second"
better = "higher"

[[tool.windtunnel.depends]]
match = "^sqlite"
paths = ["src/package/database/"]

[tool.windtunnel.ci]
setup = "sudo apt-get install --yes libopenblas-dev"

[tool.windtunnel.board]
variant = "technique"

[tool.windtunnel.machines]
hosted = '^fv-az\\d+'
"""

import fnmatch
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from windtunnel.errors import ConfigurationError
from windtunnel.formats import convert
from windtunnel.model.benchmark import Better, CaseIdentity
from windtunnel.model.identity import case_name

DEFAULT_THRESHOLD = 0.05
"""The smallest relative change that matters: asv's own default for regressions in a history."""

NEWS = ("CHANGES/*.md", "CHANGES/*.rst", "change*/*.md", "change*/*.rst", "newsfragments/*.md", "newsfragments/*.rst")
"""The notes that each pull request adds, as towncrier reads them; a package may have the name of such a folder."""

IRRELEVANT_PATHS = ("docs/", "doc/", "tests/", "test/", ".github/", ".ci/", "site/", "*.md", "*.rst", "LICENSE*", *NEWS)
"""Paths that neither an installed package nor a benchmark reads: a change of nothing else cannot matter."""

Text = Annotated[str, Meta(min_length=1)]
RunnerMinutes = Annotated[int, Meta(ge=0, lt=10**9)]
Days = Annotated[float, Meta(ge=0, le=1e6)]
Share = Annotated[float, Meta(ge=0, le=1)]
Threshold = Annotated[float, Meta(gt=0, le=1e6, description="a relative change: 0.05 is 5 %")]
InstructionsThreshold = Annotated[float, Meta(ge=0, le=1e6, description="a relative change: 0.005 is 0.5 %")]


class Expectation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """What holds of the cases that *match* finds: an entry of ``[[tool.windtunnel.expect]]``."""

    match: str
    """A regular expression, searched for in ``benchmark(parameter, ...)``; the empty text matches every case."""
    threshold: Threshold | None = None
    """The smallest relative change that matters."""
    better: Better | None = None
    """The direction of an improvement."""
    instructions_threshold: InstructionsThreshold | None = None
    """The relative increase of instructions that fails the check; 0 for none.

    In a history, the smallest change of counts that matters; 0 for 0.005."""

    def __post_init__(self) -> None:
        """Check the regular expression; raises ValueError."""
        _check_pattern("'match'", self.match)


def _check_pattern(key: str, pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{key} is {pattern!r}, not a regular expression: {error}") from None


class CaseExpectation(Struct, frozen=True, kw_only=True):
    """What holds of one case."""

    threshold: float = DEFAULT_THRESHOLD
    """The smallest relative change that matters."""
    better: Better = "lower"
    """The direction of an improvement."""
    instructions_threshold: float = 0.0
    """The relative increase of instructions that fails the check of a comparison; 0 for none."""


def case_expectation(case: CaseIdentity, expectations: Sequence[Expectation]) -> CaseExpectation:
    """Return what holds of *case*: for each property, the first of *expectations* that matches and sets it."""
    name = case_name(case.benchmark, case.params)
    matching = [each for each in expectations if re.search(each.match, name)]
    default = CaseExpectation()
    return CaseExpectation(
        threshold=next((each.threshold for each in matching if each.threshold is not None), default.threshold),
        better=next((each.better for each in matching if each.better is not None), default.better),
        instructions_threshold=next(
            (each.instructions_threshold for each in matching if each.instructions_threshold is not None),
            default.instructions_threshold,
        ),
    )


class Dependency(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """What the cases that *match* finds depend on: an entry of ``[[tool.windtunnel.depends]]``.

    A change of one of the paths reaches such a case, also where no map shows it: data, C, Cython. With
    ``--changed-only``, the case is measured only if one of the paths of its entries or the suite changes.
    """

    match: str
    """A regular expression, searched for in ``benchmark(parameter, ...)``; the empty text matches every case."""
    paths: Annotated[tuple[Text, ...], Meta(min_length=1)]
    """Paths from the root of the repository: folders (``src/package/database/``) or files (``src/package/*.c``)."""

    def __post_init__(self) -> None:
        """Check the regular expression; raises ValueError."""
        _check_pattern("'match'", self.match)


def path_matches(path: str, pattern: str) -> bool:
    """Return whether *path* is in the folder *pattern* (``docs/``), or is a file that it describes (``*.md``)."""
    if pattern.endswith("/"):
        return path.startswith(pattern)
    return path.count("/") == pattern.count("/") and fnmatch.fnmatchcase(path, pattern)


def find_unaffected(
    cases: Iterable[str], changed: Sequence[str], dependencies: Sequence[Dependency]
) -> Mapping[str, str]:
    """Return those of *cases*, by name, that the *changed* files cannot affect, each with the reason.

    A case without an entry in *dependencies* may depend on any file.
    """
    touched = [any(path_matches(path, each) for path in changed for each in one.paths) for one in dependencies]
    found = {}
    for name in cases:
        entries = [index for index, one in enumerate(dependencies) if re.search(one.match, name)]
        if entries and not any(touched[index] for index in entries):
            paths = dict.fromkeys(path for index in entries for path in dependencies[index].paths)
            found[name] = f"no change in {', '.join(paths)}"
    return found


MAX_MATRIX_JOBS = 256
"""Jobs of a matrix; GitHub starts no run with more (docs.github.com, Actions limits)."""


class HealthLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """When the health of the measurements becomes an alert, and how long alerts are bisected.

    This is ``[tool.windtunnel.alerts]``.
    """

    stale_days: Days = 14.0
    """Days without any result, while a relevant commit waits for one."""
    vanished_days: Days = 14.0
    """Days that one Python may be behind the others."""
    min_coverage: Share = 0.9
    """The share of a plan's cases that must have a result."""
    max_retracted: Share = 0.1
    """The share of series whose alarms newer results may retract within 30 days."""
    bisect_minutes: RunnerMinutes = 120
    """Runner-minutes a day that search for the commits of alerts; 0 for no search."""


class BoardSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """The parameters that a scenario board compares: ``[tool.windtunnel.board]``.

    A benchmark with exactly these parameters is a scenario. Its board shows the variants side by side.
    """

    variant: Text
    """The parameter whose values are compared."""
    load: Text | None = None
    """The parameter that says how much work is done; each of its values has a board of its own."""
    reference: Text | None = None
    """The variant that ratios divide by; by default, and if a scenario lacks it, the first."""
    never: tuple[Text, ...] = ()
    """Loads that are too small to judge on: no page advises from them."""
    names: dict[Text, Text] = field(default_factory=dict)
    """Names for readers: of a class (``a.B``), of a variant, or of a variant in one class (``a.B.variant``)."""


VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
RESERVED_VARIABLE = re.compile(
    r"PATH|GITHUB_\w*|RUNNER_\w*|WINDTUNNEL_\w*|BASH_ENV|LD_PRELOAD|NODE_OPTIONS", re.IGNORECASE
)
"""Variables that GitHub does not allow, or that change every later step of a job."""

INVALID_BRANCH = re.compile(
    r"""
    [\x00-\x20\x7f~^:?*\[\\!]       # characters that git rejects, and those of a pattern on GitHub
    | \.\. | // | @\{
    | ^[-./] | /\. | [./]$
    | \.lock(?:/|$)
    | ^(?:@|HEAD)$
    """,
    re.VERBOSE,
)


URL = re.compile(r"https?://[^\s()<>\[\]\"'`|\\]+")
"""An address that is safe inside a Markdown link."""


class WorkflowSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """What the workflows do: ``[tool.windtunnel.ci]``.

    ``windtunnel init`` writes what GitHub reads before a checkout (*runner*, *label*, the branch of pushes, the weekly
    run) into the workflow files; the jobs read the rest.
    """

    runner: Text = "ubuntu-24.04"
    """The label of the runners that measure."""
    label: str = ""
    """Measure only pull requests with this label; empty for all."""
    branch: str = ""
    """The measured branch; by default the configured one that exists, else the default branch."""
    deadline: Annotated[int, Meta(ge=1, lt=10**6)] = 20
    """A pull request gets its verdict within this many minutes."""
    max_runners: Annotated[int, Meta(ge=1, le=MAX_MATRIX_JOBS)] | None = None
    """The most runners that measure at the same time; by default 4 for a pull request."""
    changed_only: bool = False
    """Whether a pull request leaves out the cases that no changed file can affect."""
    instructions: bool = False
    """Whether histories have counts of instructions too."""
    python: str = ""
    """Measure only on this Python, such as 3.13 or virtualenv:3.13; by default on those of the asv configuration."""
    setup: str = ""
    """A command that prepares each runner that builds or measures, in the root of the repository."""
    variables: dict[Text, str] = field(default_factory=dict)
    """Environment variables of those runners."""
    submodules: Literal["no", "yes", "recursive"] = "no"
    """Whether those runners check out submodules."""
    pages: bool | None = None
    """Whether the site is published; by default it is, but ``init`` asks for a decision if it may be private."""
    comment_faster: bool = False
    """Whether a pull request that only became faster gets a comment; by default only the check has that line."""
    site: str = ""
    """The address of the site, for links; by default the variable WINDTUNNEL_SITE on GitHub."""
    site_branch: str = ""
    """Publish the site on this branch, in the repository of the results, instead of deploying it to GitHub Pages."""
    site_folder: Text = "benchmarks"
    """The folder of the site on that branch."""
    self_check: bool = False
    """Whether a weekly run compares a commit with itself, for the rates of false alarms and found slowdowns."""

    def __post_init__(self) -> None:
        """Check the address, names of branches and variables, and the folder; raises ValueError."""
        if self.site and not URL.fullmatch(self.site):
            raise ValueError(f"'site' is {self.site[:80]!r}, not a URL that begins with http:// or https://")
        for key, branch in (("branch", self.branch), ("site-branch", self.site_branch)):
            if INVALID_BRANCH.search(branch):
                raise ValueError(f"'{key}' is {branch[:80]!r}, not a name of a branch")
        for name, value in self.variables.items():
            if not VARIABLE.fullmatch(name) or RESERVED_VARIABLE.fullmatch(name) or not set(value).isdisjoint("\r\n"):
                raise ValueError(f"variables.{name[:80]} is reserved or not a variable of one line; set it in 'setup'")
        parts = set(self.site_folder.lower().split("/")) - {"", "."}
        if not parts or self.site_folder.startswith("/") or {"..", ".git"} & parts:
            raise ValueError(
                f"'site-folder' is {self.site_folder[:80]!r}, not a folder of a branch, such as benchmarks"
            )


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """The table ``[tool.windtunnel]``; every key has a default."""

    suite: Literal["", "asv", "pytest"] = ""
    """The kind of the suite; by default asv's where a configuration of asv exists, else pytest's."""
    suite_requirements: tuple[Text, ...] = ()
    """The dependency groups, extras and files of requirements that a suite of pytest needs.

    By default those that name pytest-benchmark or pytest-codspeed, and those named test, tests and testing."""
    suite_build: tuple[Text, ...] = ()
    """Commands that run in the checkout of each commit before a suite of pytest builds its wheel, without a shell."""
    suite_build_timeout: Annotated[int, Meta(ge=1, lt=10**6)] = 1800
    """The seconds that a command which builds or installs a commit may print nothing, in a suite of pytest."""
    results_branch: Text = "windtunnel-results"
    """The branch that keeps the results."""
    results_remote: Text = "origin"
    """The name, URL or path of the remote that holds this branch; by default the remote of the suite's repository."""
    irrelevant_paths: tuple[str, ...] = IRRELEVANT_PATHS
    """Paths that no measurement depends on; a commit that touches nothing else is not measured."""
    pythons: tuple[Text, ...] = ()
    """The Pythons to measure, those of them that a machine has; by default ``pythons`` of the asv configuration.

    asv stops at a Python that its configuration lists and the machine lacks."""
    bench: tuple[str, ...] = ()
    """Regular expressions of the cases that ``windtunnel bench`` selects by default; empty selects all."""
    threshold: Threshold | None = None
    """The smallest relative change that matters; by default 0.05 in a comparison and 0.03 in a history."""
    instructions_threshold: InstructionsThreshold = 0.0
    """The relative increase of instructions that fails the check of a comparison, such as 0.005; by default 0: none.

    It is also the smallest relevant change of counts in a history, by default 0.005."""
    expect: tuple[Expectation, ...] = ()
    """Expectations of single cases; they take precedence over *threshold*."""
    depends: tuple[Dependency, ...] = ()
    """What cases depend on that no map shows, and for ``--changed-only``."""
    reference_benchmarks: tuple[str, ...] = ()
    """Regular expressions of benchmarks that only the machine can slow down."""
    ci: WorkflowSettings = field(default_factory=WorkflowSettings)
    """What the workflows do."""
    alerts: HealthLimits = HealthLimits()
    """When the health of the measurements becomes an alert, and how long alerts are bisected."""
    board: BoardSettings | None = None
    """The parameters that scenario boards compare; without it, boards are not built."""
    events: str = ""
    """The path from the configuration of asv to a file of events that histories show, such as events.toml."""
    published_claims: str = ""
    """The path from the configuration of asv to a claims.json that was measured elsewhere; the site shows it so."""
    years: str = ""
    """The path from the configuration of asv to a years.json, which the page Years of the site shows."""
    machines: dict[Text, Text] = field(default_factory=dict)
    """Machines that are one: the name of a kind, and a regular expression of the names of its machines."""

    def __post_init__(self) -> None:
        """Check the regular expressions; raises ValueError."""
        for name, pattern in self.machines.items():
            _check_pattern(f"machines.{name}", pattern)
        for pattern in self.reference_benchmarks:
            _check_pattern("reference-benchmarks", pattern)

    @property
    def expectations(self) -> tuple[Expectation, ...]:
        """The expectations of single cases, then that of the suite."""
        suite = Expectation(
            match="", threshold=self.threshold, instructions_threshold=self.instructions_threshold or None
        )
        return (*self.expect, *([suite] if suite != Expectation(match="") else []))


def parse_settings(pyproject: str, source: str) -> Settings:
    """Return the settings in *pyproject*, the text of a pyproject.toml; *source* is its path.

    Raises ConfigurationError, naming *source* and the key.
    """
    try:
        table = tomllib.loads(pyproject)
    except RecursionError:
        raise ConfigurationError(f"{source} is not TOML: it is nested too deeply; correct it and try again") from None
    except ValueError as error:
        raise ConfigurationError(f"{source} is not TOML: {error}; correct it and try again") from None
    for name in ("tool", "windtunnel"):
        table = table.get(name, {})
        if not isinstance(table, dict):
            raise ConfigurationError(f"{source}: [tool.windtunnel] is {table!r}; write a table")
    return convert(table, Settings, source, "tool.windtunnel")
