"""The checks of ``windtunnel doctor``: can the main job run here, and what is in the results folder and branch?

Each check is a generator of results. A check that fails does not stop the others.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from time import perf_counter, process_time
from typing import Literal

from windtunnel.asv import configuration, machine, pythons
from windtunnel.asv.configuration import FINDS_PYTHON, Configuration
from windtunnel.asv.protocol import SuiteEnvironments
from windtunnel.bench.plan import NAME_A_PYTHON, own_python_warning
from windtunnel.errors import DataError, RemoteError, UsageError, WindtunnelError
from windtunnel.git.branch import RemoteBranch, open_branch
from windtunnel.git.remote import Remote
from windtunnel.git.repository import Repository
from windtunnel.results.branch.listing import take_snapshot
from windtunnel.results.columns import kind_of, propose_kinds
from windtunnel.results.tree import read_tree
from windtunnel.text import numbers

ENVIRONMENT_BYTES = 100 * 2**20
"""Size of one environment of this project's own suite, rounded up (``du -sh .asv/env/*``)."""

MAX_STRETCH = 1.05
"""Wall time over CPU time of a computing loop; above it, other work takes part of the core."""

MAX_PROBLEMS_SHOWN = 8
"""Problems of the store that are listed; a history of ten years may have thousands."""

REMOTE_TIMEOUT = 20.0
"""Seconds to wait for the remote."""


CheckStatus = Literal["ok", "warning", "fatal"]
"""How serious a check result is; with a fatal one the main job cannot run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """One result of a check."""

    status: CheckStatus
    message: str
    fix: str = ""
    """How to fix it; empty when nothing needs fixing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorContext:
    """What is checked."""

    configuration: Configuration
    env: Mapping[str, str]
    """Environment variables."""
    repository: Callable[[], Repository]
    """Opens the project's repository."""
    environments: Callable[[], SuiteEnvironments]
    """Returns the environments of the suite; raises UsageError when none can be made here."""
    pythons: tuple[str, ...] = ()
    """Pythons to measure on; empty: those of the configuration."""


CheckResults = Iterator[CheckResult]


def run_checks(context: DoctorContext) -> CheckResults:
    """Yield the results of every check; an error in a check is a fatal result."""
    checks: tuple[Callable[[DoctorContext], CheckResults], ...] = (
        check_suite,
        check_repository,
        check_pythons,
        check_folders,
        check_disk,
        check_store,
        check_branch,
        check_machine,
        check_noise,
    )
    for check in checks:
        try:
            yield from check(context)
        except WindtunnelError as error:
            yield _fatal(str(error))


def check_suite(context: DoctorContext) -> CheckResults:
    """Check that the suite is in the folder that the configuration names."""
    configuration.check_suite(context.configuration)
    folder = context.configuration.benchmark_dir
    modules = sum(1 for path in folder.rglob("*.py") if not path.name.startswith("_"))
    yield _ok(f"suite {folder.name}/ with {numbers.count(modules, 'module')}")


def check_repository(context: DoctorContext) -> CheckResults:
    """Check that the repository has commits, its whole history and no uncommitted changes."""
    repository = context.repository()
    if not repository.has_commits():
        yield _fatal(f"{repository.root} has no commits", "commit something first")
        return
    yield _ok(f"repository {repository.root.name} at {repository.resolve('HEAD')[:8]}")
    if repository.is_shallow():
        yield _warning(
            "the clone is shallow: older commits cannot be timed and detection leaves them out",
            "git fetch --unshallow (actions/checkout: fetch-depth: 0)",
        )
    if repository.is_dirty():
        yield _warning(
            "the work tree has uncommitted changes: the committed package is timed, with the suite of the work tree",
            "commit them, or stash them",
        )


def check_pythons(context: DoctorContext) -> CheckResults:
    """Check which of the Pythons have an environment here."""
    interpreters = {each.spec: each for each in pythons.find_interpreters(context.env)}
    kind = pythons.environment_type(context.pythons, context.configuration.asv.environment_type)
    found = context.environments()
    for spec in dict.fromkeys(each.python for each in found.here):
        known = interpreters.get(spec) if kind in FINDS_PYTHON else None
        yield _ok(f"Python {spec}: {known.version}, {known.path}" if known else f"Python {spec}: {kind} environment")
    if warning := own_python_warning(context.configuration, context.pythons):
        yield _warning(warning, NAME_A_PYTHON)
    for spec in found.missing:
        hint = pythons.install_hint(spec, context.env)
        fix = hint if kind in FINDS_PYTHON else f"{found.reason}; install what {kind} needs"
        yield _warning(f"Python {spec}: not found", fix)


def check_folders(context: DoctorContext) -> CheckResults:
    """Check that environments and results can be written."""
    for folder in (context.configuration.env_dir, context.configuration.results_dir):
        nearest = next(parent for parent in (folder, *folder.parents) if parent.exists())
        if not nearest.is_dir() or not os.access(nearest, os.W_OK):
            yield _fatal(f"{folder} cannot be written", f"chmod u+w {nearest}")


def check_disk(context: DoctorContext) -> CheckResults:
    """Check that the environments fit on the disk."""
    free = shutil.disk_usage(context.configuration.folder).free
    needed = ENVIRONMENT_BYTES * max(len(context.configuration.asv.pythons), 1)
    message = f"disk: {free / 2**30:.1f} GiB free, about {needed / 2**30:.1f} GiB needed for environments"
    yield _fatal(message, "free some space, or list fewer Pythons") if free < needed else _ok(message)


def check_store(context: DoctorContext) -> CheckResults:
    """Check the results folder; `detect` reports machines and Pythons without new results."""
    folder = context.configuration.results_dir
    if not folder.is_dir():
        yield _ok("store: empty, nothing has been measured yet")
        return
    tree = read_tree(folder)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20
    commits = len({run.commit for run in tree.runs})
    yield _ok(f"store: {len(tree.runs)} runs, {commits} commits, {len(tree.machines)} machines, {size:.1f} MiB")
    kinds = context.configuration.settings.machines
    for pattern in propose_kinds(one.name for one in tree.machines if kind_of(one.name, kinds) == one.name):
        why = "store: hosted runners with a name for each run have series that are too short to show a change"
        yield _warning(why, f"join them: [tool.windtunnel.machines] hosted = '{pattern}'")
    for problem in tree.problems[:MAX_PROBLEMS_SHOWN]:
        yield _warning(f"store: cannot be used: {problem}")
    if len(tree.problems) > MAX_PROBLEMS_SHOWN:
        yield _warning(f"store: {len(tree.problems) - MAX_PROBLEMS_SHOWN} more problems")


def check_branch(context: DoctorContext) -> CheckResults:
    """Check the results branch, if the remote can be reached."""
    suite = context.configuration
    try:
        remote = Remote.find(suite.settings.results_remote, suite.folder, context.env)
    except UsageError:
        name = suite.settings.results_remote
        yield _ok(f"results branch: remote {name!r} does not exist, so results stay on this machine")
        return
    with open_branch(suite.settings.results_branch, remote, context.env, REMOTE_TIMEOUT) as branch:
        try:
            yield _ok(_branch_summary(branch))
        except (DataError, RemoteError) as error:
            yield _warning(f"results branch: {error}")


def check_machine(context: DoctorContext) -> CheckResults:
    """Show the name of this machine in results."""
    record = machine.read_machine(context.env)
    yield _ok(f"machine {record.name}: {record.cpu}, {record.cores} cores")


def check_noise(context: DoctorContext) -> CheckResults:
    """Check that no other work takes part of the core: wall over CPU time of 20 loops of about 10 ms."""
    del context
    stretch = median(_stretch() for _ in range(20))
    message = f"a computing loop takes {stretch:.2f} times its CPU time"
    if stretch > MAX_STRETCH:
        yield _warning(f"noisy: {message}", "stop other work on this machine; until then intervals will be wide")
    else:
        yield _ok(f"quiet: {message}")


def _ok(message: str) -> CheckResult:
    return CheckResult(status="ok", message=message)


def _warning(message: str, fix: str = "") -> CheckResult:
    return CheckResult(status="warning", message=message, fix=fix)


def _fatal(message: str, fix: str = "") -> CheckResult:
    return CheckResult(status="fatal", message=message, fix=fix)


def _branch_summary(branch: RemoteBranch) -> str:
    snapshot = take_snapshot(branch)
    if snapshot.commit is None:
        return f"there is no {branch} yet; the first 'windtunnel store push' creates it"
    machines = {path.partition("/")[0] for path in snapshot.files if path.endswith("/machine.json")}
    refused = f", {len(snapshot.refused)} that are refused" if snapshot.refused else ""
    return (
        f"{branch}: {len(snapshot.files)} files of {len(machines)} machines, "
        f"{len(snapshot.orphans)} orphan files{refused}"
    )


def _stretch() -> float:
    wall, cpu = perf_counter(), process_time()
    total = 0
    for value in range(200_000):
        total += value
    return (perf_counter() - wall) / max(process_time() - cpu, 1e-9)
