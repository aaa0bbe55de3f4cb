"""What ``windtunnel doctor`` examines, and what it finds."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from time import perf_counter, process_time

from windtunnel.asv import machine, pythons
from windtunnel.asv.configuration import Configuration
from windtunnel.asv.project_repository import repository_of
from windtunnel.errors import DataError, RemoteError, UsageError, WindtunnelError
from windtunnel.git.branch import Branch, open_branch
from windtunnel.git.remote import Remote
from windtunnel.model.identity import CommitHash, EnvironmentName, MachineName
from windtunnel.model.result import Measured, Row
from windtunnel.model.run import ResultsTree, Run
from windtunnel.results.branch.snapshot import take_snapshot
from windtunnel.results.tree import read_tree


class Grade(StrEnum):
    """How much a finding matters."""

    GOOD = "good"
    WARNING = "warning"
    FATAL = "fatal"
    """The main job could not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a check found, and how to mend it ("" when nothing is to be mended)."""

    grade: Grade
    what: str
    mend: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """What is examined."""

    configuration: Configuration
    env: Mapping[str, str]


STALE = 30 * 86_400_000
"""Milliseconds without a result after which a machine counts as gone; its series end there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hole:
    """A commit that one environment of a machine has no value for, though another one has."""

    machine: MachineName
    commit: CommitHash
    environment: EnvironmentName


def holes(tree: ResultsTree) -> Iterator[Hole]:
    """Yield the holes of *tree*, machine by machine."""
    for name in dict.fromkeys(run.machine for run in tree.runs):
        measured = [run for run in tree.runs if run.machine == name and _has_values(run)]
        there = {(run.commit, run.environment.name) for run in measured}
        for commit in dict.fromkeys(run.commit for run in measured):
            for environment in dict.fromkeys(run.environment.name for run in measured):
                if (commit, environment) not in there:
                    yield Hole(machine=name, commit=commit, environment=environment)


def stale_machines(tree: ResultsTree) -> tuple[MachineName, ...]:
    """Return the machines whose newest result is a month older than the newest of all."""
    newest: dict[MachineName, int] = {}
    for run in tree.runs:
        newest[run.machine] = max(newest.get(run.machine, 0), _last_start(run))
    latest = max(newest.values(), default=0)
    return tuple(machine for machine, last in sorted(newest.items()) if latest - last > STALE)


def _has_values(run: Run) -> bool:
    return any(isinstance(result, Measured) for row in run.rows for result in row.results)


def _last_start(run: Run) -> int:
    return max((_start(row) for row in run.rows), default=0)


def _start(row: Row) -> int:
    return row.started_at or 0


LONGEST_LIST = 8
"""Findings about the store that are shown; a history of ten years may have thousands."""

ANSWER_WITHIN = 20.0
"""Seconds that a doctor waits for a remote."""


def check_store(patient: Patient) -> Iterator[Finding]:
    """What is in the store, and what does it lack?"""
    folder = patient.configuration.results_dir
    if not folder.is_dir():
        yield Finding(grade=Grade.GOOD, what="store: empty, nothing has been measured yet")
        return
    tree = read_tree(folder)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    commits = len({run.commit for run in tree.runs})
    yield Finding(
        grade=Grade.GOOD,
        what=f"store: {len(tree.runs)} runs, {commits} commits, {len(tree.machines)} machines, {size / 2**20:.1f} MiB",
    )
    found = (
        *(f"cannot be used: {problem}" for problem in tree.problems),
        *(f"{hole.commit[:8]} has no values in {hole.environment}, others have" for hole in holes(tree)),
        *(f"machine {machine} has been silent for a month" for machine in stale_machines(tree)),
    )
    for what in found[:LONGEST_LIST]:
        yield Finding(grade=Grade.WARNING, what=f"store: {what}")
    if len(found) > LONGEST_LIST:
        yield Finding(grade=Grade.WARNING, what=f"store: and {len(found) - LONGEST_LIST} more findings like these")


def check_branch(patient: Patient) -> Iterator[Finding]:
    """What is on the results branch, as far as its remote can be asked?"""
    configuration = patient.configuration
    try:
        remote = Remote.find("origin", configuration.folder, patient.env)
    except UsageError:
        yield Finding(
            grade=Grade.GOOD, what="results branch: there is no remote 'origin', results stay on this machine"
        )
        return
    with open_branch(configuration.settings.results_branch, remote, patient.env, ANSWER_WITHIN) as branch:
        try:
            yield _held(branch)
        except (DataError, RemoteError) as error:
            yield Finding(grade=Grade.WARNING, what=f"results branch: {error}")


def _held(branch: Branch) -> Finding:
    snapshot = take_snapshot(branch)
    if snapshot.commit is None:
        return Finding(grade=Grade.GOOD, what=f"there is no {branch} yet; the first 'windtunnel store push' makes it")
    machines = {item.path.partition("/")[0] for item in snapshot.items if item.path.endswith("/machine.json")}
    counts = f"{len(snapshot.items)} files of {len(machines)} machines, {len(snapshot.strays)} stray files"
    return Finding(grade=Grade.GOOD, what=f"{branch}: {counts}")


ENVIRONMENT_SIZE = 100 * 2**20
"""Bytes that one environment of this project's own suite takes, rounded up (``du -sh .asv/env/*``)."""

QUIET = 1.05
"""Wall time over CPU time of a computing loop, above which other work takes part of the core."""


def examine(patient: Patient) -> Iterator[Finding]:
    """Yield the findings of every check; one check that breaks does not stop the others."""
    checks: tuple[Callable[[Patient], Iterator[Finding]], ...] = (
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
            yield from check(patient)
        except WindtunnelError as error:
            yield Finding(grade=Grade.FATAL, what=str(error))


def check_suite(patient: Patient) -> Iterator[Finding]:
    """Is there a suite where the configuration says so?"""
    folder = patient.configuration.benchmark_dir
    if not (folder / "__init__.py").is_file():
        yield Finding(
            grade=Grade.FATAL,
            what=f"no suite in {folder}",
            mend="create the folder with an __init__.py, or mend benchmark_dir in asv.conf.json",
        )
        return
    modules = sum(1 for path in folder.rglob("*.py") if not path.name.startswith("_"))
    yield Finding(grade=Grade.GOOD, what=f"suite {folder.name}/ with {modules} modules")


def check_repository(patient: Patient) -> Iterator[Finding]:
    """Can commits be checked out, and histories be drawn?"""
    repository = repository_of(patient.configuration, patient.env)
    if not repository.has_commits():
        yield Finding(grade=Grade.FATAL, what=f"{repository.root} has no commits", mend="commit something first")
        return
    yield Finding(grade=Grade.GOOD, what=f"repository {repository.root.name} at {repository.resolve('HEAD')[:8]}")
    if repository.is_shallow():
        yield Finding(
            grade=Grade.WARNING,
            what="the clone is shallow: older commits cannot be timed and detection leaves them out",
            mend="git fetch --unshallow (actions/checkout: fetch-depth: 0)",
        )
    if repository.is_dirty():
        yield Finding(
            grade=Grade.WARNING,
            what="the work tree has uncommitted changes: the package is timed as committed, the suite as it lies here",
            mend="commit them, or stash them",
        )


def check_pythons(patient: Patient) -> Iterator[Finding]:
    """Which of the Pythons asked for are here?"""
    found = pythons.find_interpreters(patient.env)
    present, absent = pythons.split_by_presence(patient.configuration.asv.pythons, found)
    for interpreter in present:
        yield Finding(grade=Grade.GOOD, what=f"Python {interpreter.spec}: {interpreter.version}, {interpreter.path}")
    for spec in absent:
        yield Finding(grade=Grade.WARNING, what=f"Python {spec}: not found", mend=f"uv python install {spec}")
    if not present:
        yield Finding(grade=Grade.FATAL, what="none of the Pythons that asv.conf.json lists is here")


def check_folders(patient: Patient) -> Iterator[Finding]:
    """Can environments and results be written?"""
    for folder in (patient.configuration.env_dir, patient.configuration.results_dir):
        nearest = next(parent for parent in (folder, *folder.parents) if parent.exists())
        if not nearest.is_dir() or not os.access(nearest, os.W_OK):
            yield Finding(grade=Grade.FATAL, what=f"{folder} cannot be written", mend=f"chmod u+w {nearest}")


def check_disk(patient: Patient) -> Iterator[Finding]:
    """Is there room for the environments?"""
    folder = patient.configuration.folder
    free = shutil.disk_usage(folder).free
    needed = ENVIRONMENT_SIZE * max(len(patient.configuration.asv.pythons), 1)
    what = f"disk: {free / 2**30:.1f} GiB free, about {needed / 2**30:.1f} GiB needed for environments"
    if free < needed:
        yield Finding(grade=Grade.FATAL, what=what, mend="free some space, or list fewer Pythons")
    else:
        yield Finding(grade=Grade.GOOD, what=what)


def check_machine(patient: Patient) -> Iterator[Finding]:
    """What is this machine called in results?"""
    record = machine.record(machine.read_system(patient.env), patient.env)
    yield Finding(grade=Grade.GOOD, what=f"machine {record.name}: {record.cpu}, {record.cores} cores")


def check_noise(patient: Patient) -> Iterator[Finding]:
    """Does other work take part of the core? Wall over CPU time of 20 loops of some 10 ms."""
    del patient
    stretch = median(_stretch() for _ in range(20))
    if stretch > QUIET:
        yield Finding(
            grade=Grade.WARNING,
            what=f"noisy: a computing loop takes {stretch:.2f} times its CPU time",
            mend="stop other work on this machine; until then intervals will be wide",
        )
    else:
        yield Finding(grade=Grade.GOOD, what=f"quiet: a computing loop takes {stretch:.2f} times its CPU time")


def _stretch() -> float:
    wall, cpu = perf_counter(), process_time()
    total = 0
    for value in range(200_000):
        total += value
    return (perf_counter() - wall) / max(process_time() - cpu, 1e-9)
