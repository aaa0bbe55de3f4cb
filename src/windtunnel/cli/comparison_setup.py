"""What ``compare``, ``bisect`` and ``build`` share: where to measure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from itertools import islice
from pathlib import Path, PurePosixPath
from time import monotonic

import msgspec

from windtunnel.asv import machine
from windtunnel.asv.configuration import EXISTING, Configuration, suite_digest
from windtunnel.asv.engine_session import Supervisor
from windtunnel.asv.protocol import PlannedEnvironment
from windtunnel.asv.pythons import environment_type, probe
from windtunnel.asv.results_format.files import decode_benchmarks
from windtunnel.bench.commit_selection import is_irrelevant
from windtunnel.bench.shard_run import LOG
from windtunnel.cli.console import Console
from windtunnel.cli.suite import SuiteContext, find_builds, make_planner, place_of
from windtunnel.compare.changed_code import ChangedCode, find_changed_code
from windtunnel.compare.format import ComparedMachine, EnvironmentFailure
from windtunnel.compare.reach import known_cases
from windtunnel.compare.request import ComparisonSetup, Listener, Touched
from windtunnel.compare.touched_functions import DIFF_OPTIONS, touched_files
from windtunnel.errors import UsageError, WindtunnelError
from windtunnel.git.repository import Repository, read_author
from windtunnel.model.identity import CommitHash
from windtunnel.model.reach_map import KeptMap, ReachMap, unpack
from windtunnel.results.record_files import read_maps
from windtunnel.results.tree import BENCHMARKS
from windtunnel.text.escaping import visible

MAX_DIFF_FILES = 1000
"""Files of a diff that are read."""

SOURCES = ("*.py", "*.pyx", "*.pxd", "*.pxi", "*.toml", "*.cfg")
"""Files that may mention a function or a module by its name."""

NO_MATCH = 1
"""The exit code of git grep."""


FOLDER = "compare"
"""Below ``.windtunnel``: environments of both commits, kept from one comparison to the next."""

NOT_INSTALLED = "it is not installed on the machine that measured"


def comparison_setup(
    context: SuiteContext,
    python: Sequence[str],
    builds: Path | None,
    listen: Listener,
    interpreters: Sequence[Path] = (),
) -> ComparisonSetup:
    """Return where the comparison takes place; *interpreters* are Pythons that have base and head installed.

    Raises UsageError when none of the Pythons is installed.
    """
    suite, folder = context.suite, context.work_dir.root / FOLDER
    prepared: tuple[PlannedEnvironment, ...] = _prepared(context, interpreters) if interpreters else ()
    chosen, missing = (prepared, ()) if prepared else find_environments(context, python)
    here = machine.read_machine(context.env)
    return ComparisonSetup(
        project=suite.asv.project,
        place=msgspec.structs.replace(
            place_of(suite, context.repository, find_builds(builds, context.console)),
            pythons=tuple(dict.fromkeys(one.python for one in chosen)),
        ),
        interpreters=tuple(interpreters),
        suite_in_repository="" if suite.suite_files else _inside(suite.benchmark_dir, context.repository.root),
        environments=tuple(one.environment for one in chosen),
        missing=tuple(EnvironmentFailure(name=f"Python {spec}", reason=NOT_INSTALLED) for spec in missing),
        machine=ComparedMachine(name=here.name, description=f"{here.cpu}, {here.cores} cores, {here.os}"),
        expectations=suite.settings.expectations,
        dependencies=suite.settings.depends,
        supervisor=Supervisor(env=context.env, log=folder / LOG),
        folder=folder,
        clock=monotonic,
        listen=listen,
    )


def find_environments(
    context: SuiteContext, pythons: Sequence[str]
) -> tuple[tuple[PlannedEnvironment, ...], tuple[str, ...]]:
    """Return the environments to make, and which of *pythons* are missing; raises UsageError if all are."""
    suite, asked = context.suite, tuple(pythons)
    if environment_type(asked, suite.asv.environment_type) == EXISTING:
        raise UsageError(
            f"{suite.path}: environment_type {EXISTING!r} cannot hold two commits; name two environments, one with "
            "each commit installed: --base-python PATH --head-python PATH"
        )
    planner = make_planner(suite, context.repository, context.work_dir.root / FOLDER, context.env, context.console)
    found = planner.environments(asked)
    missing = found.missing if asked else ()
    for spec in missing:
        context.console.warn(f"Python {spec} is not installed, so nothing is compared on it")
    return tuple(one for one in found.here if asked or one.python == found.here[0].python), tuple(missing)


def _prepared(context: SuiteContext, interpreters: Sequence[Path]) -> tuple[PlannedEnvironment, ...]:
    """Return the environment that stands for both *interpreters*; raises UsageError if they cannot be compared."""
    base, head = found = [probe(path, context.env) for path in interpreters]
    for path, python in zip(interpreters, found, strict=True):
        if not python.runner:
            runner = f"asv_runner=={metadata.version('asv_runner')}"
            raise UsageError(f"{path} cannot import asv_runner; install it there: {path} -m pip install {runner}")
    if base.folders == head.folders and interpreters[0].resolve() == interpreters[1].resolve():
        raise UsageError(
            f"{interpreters[0]} and {interpreters[1]} are one environment, so both would run the same code; "
            "name two environments, one with each commit installed"
        )
    version = ".".join(head.version.split(".")[:2])
    return (PlannedEnvironment(python=version, environment=f"{EXISTING}-py{version}"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFiles:
    """The files that differ between two commits of the project."""

    paths: tuple[str, ...]
    """From the root of the repository."""
    of_suite: frozenset[str]
    """Those that belong to the suite: its folder, its configuration and its settings."""

    @property
    def suite(self) -> bool:
        """Whether the suite changed: then every case may have changed."""
        return bool(self.of_suite)

    def relevant(self, irrelevant: Sequence[str]) -> tuple[str, ...]:
        """Return the files that may matter: of the suite, or in none of the *irrelevant* paths."""
        return tuple(path for path in self.paths if path in self.of_suite or not is_irrelevant((path,), irrelevant))


def find_changed_files(suite: Configuration, repository: Repository, base: str, head: str) -> ChangedFiles:
    """Return the files that differ between *base* and *head*."""
    paths = repository.diff_names(CommitHash(base), CommitHash(head))
    folder = "" if suite.suite_files else _inside(suite.benchmark_dir, repository.root)
    beside = [*suite.suite_files, *(suite.folder.resolve() / name for name in (suite.path.name, "pyproject.toml"))]
    with_targets = (*beside, *(path.resolve() for path in beside))  # a file may be a symbolic link
    files = {_relative(path, repository.root.resolve()) for path in with_targets} - {""}
    whole = suite.benchmark_dir.resolve() == repository.root.resolve()
    own = (path for path in paths if whole or path in files or (folder and path.startswith(f"{folder}/")))
    return ChangedFiles(paths=paths, of_suite=frozenset(own))


def find_code(
    suite: Configuration,
    repository: Repository,
    commits: tuple[str, str],
    console: Console,
    *,
    dispatches: bool = False,
) -> tuple[ChangedCode | None, tuple[str, ...]]:
    """Return the code that differs between two *commits*, base and head, and the files that do and may matter.

    The code is None if git cannot show it. *dispatches* is that of `find_changed_code`.
    """
    base, head = commits
    changed = find_changed_files(suite, repository, base, head)
    paths = changed.relevant(suite.settings.irrelevant_paths)
    if len(paths) > MAX_DIFF_FILES:
        return ChangedCode(others=paths), paths

    def source(commit: str, path: str) -> str | None:
        content = repository.read(CommitHash(commit), PurePosixPath(path))
        return None if content is None else content.decode("utf-8", "replace")

    def mentions(word: str) -> bool:
        call = ("--no-literal-pathspecs", "grep", "--quiet", "--word-regexp", "--fixed-strings", "-e", word, head, "--")
        return repository.git.attempt(*call, *SOURCES).exit_code != NO_MATCH

    try:
        sources = partial(source, base), partial(source, head)
        return find_changed_code(paths, *sources, mentions, dispatches=dispatches), paths
    except WindtunnelError as error:
        console.warn(
            f"what differs between {base[:10]} and {head[:10]} leaves out no case, because it is unknown: {error}"
        )
        return None, paths


def read_kept(
    suite: Configuration, repository: Repository, results: Path, commits: tuple[str, str], console: Console
) -> Mapping[str, tuple[KeptMap, ReachMap]]:
    """Return by environment a map in *results* that applies to *suite* and head, and what it says of cases there.

    It is that of base, the first of *commits*, else the one whose commit is next to base by its date. A map that cannot
    be read is reported.
    """
    (base, head), (found_maps, problems) = commits, read_maps(results)
    for problem in problems:
        console.warn(visible(problem, 400))
    date = read_author(repository, CommitHash(base)).author_date
    maps: dict[str, KeptMap] = {}
    for kept in sorted(found_maps, key=lambda each: (each.commit == base, -abs(each.date - date))):
        earlier = maps.get(kept.environment)
        if earlier is None or 2 * len(kept.cases) > len(earlier.cases):
            maps[kept.environment] = kept
    found: dict[str, tuple[KeptMap, ReachMap]] = {}
    codes: dict[str, ChangedCode | None] = {}
    digest, committed = suite_digest(suite.benchmark_dir), _is_committed(suite, repository, head)
    for kept in maps.values():
        if not (committed or kept.suite == digest):
            continue
        if kept.commit not in codes:
            codes[kept.commit] = find_kept_code(suite, repository, (head, kept.commit), console)
        if code := codes[kept.commit]:
            found[kept.environment] = kept, known_cases(unpack(kept), code, suite.settings.depends)
    return found


def find_kept_code(
    suite: Configuration, repository: Repository, commits: tuple[str, str], console: Console
) -> ChangedCode | None:
    """Return the code that differs between *commits*, head and that of a map, named as in the map; None if unknown."""
    if not repository.has(f"{commits[1]}^{{commit}}"):
        return None
    return find_code(suite, repository, commits, console, dispatches=True)[0]


def read_seen(results: Path) -> Mapping[str, int]:
    """Return when each benchmark of *results* had its last result, in milliseconds since 1970; 0 if never."""
    path = results / BENCHMARKS
    found = decode_benchmarks(path.read_bytes(), str(path)).value if path.is_file() else ()
    return {each.name: each.last_seen or 0 for each in found or ()}


def _is_committed(suite: Configuration, repository: Repository, head: str) -> bool:
    """Return whether *head* of *repository* has the *suite* as it is here, so that a diff shows how it differs."""
    paths = [path for each in suite.suite_files or (suite.benchmark_dir,) if (path := _inside(each, repository.root))]
    if not paths or repository.bare:
        return False
    differs = repository.git.attempt("diff", "--quiet", head, "--", *paths).exit_code
    return not (differs or repository.git.text("ls-files", "--others", "--exclude-standard", "--", *paths))


def find_touched(repository: Repository, base: str, head: str, console: Console) -> Touched:
    """Return what the diff between *base* and *head* changes, by path on head; None if git cannot show it."""
    if base == head:  # of prepared environments, commits are only labels
        return None
    before, after = CommitHash(base), CommitHash(head)

    def source(commit: CommitHash, path: str) -> str:
        content = repository.read(commit, PurePosixPath(path)) if path else None
        return (content or b"").decode("utf-8", "replace")

    try:
        diff = repository.diff(before, after, "*.py", *DIFF_OPTIONS)
        files = touched_files(diff, partial(source, before), partial(source, after))
        return {one.head_file or one.base_file: one for one in islice(files, MAX_DIFF_FILES)}
    except WindtunnelError as error:
        console.warn(f"the report does not say what the diff changes: {error}")
        return None


def find_base(
    repository: Repository, given: str, head: CommitHash, target: str, configured: Sequence[str] = ()
) -> CommitHash:
    """Return the commit *given*, else where *head* left *target*, the branch that it will be merged into.

    Without a target it is the measured branch. The remote's is used if there is one, because a local one may be old.
    """
    if given:
        return repository.resolve(given)
    branch = repository.measured_branch(target, configured)
    remote = f"refs/remotes/origin/{branch.name}"
    return repository.merge_base(repository.resolve(remote) if repository.has(remote) else branch.commit, head)


def _inside(path: Path, root: Path) -> str:
    return _relative(path.resolve(), root.resolve())


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) and path != root else ""
