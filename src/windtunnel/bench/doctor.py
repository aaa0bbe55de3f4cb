"""Examines whether the main job could run here: each check is a function that yields findings."""

import os
import shutil
from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter, process_time

from windtunnel.asv import machine, pythons
from windtunnel.asv.project_repository import repository_of
from windtunnel.bench.check import Finding, Grade, Patient
from windtunnel.bench.store_doctor import check_branch, check_store
from windtunnel.errors import WindtunnelError

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
    present, absent = pythons.split_by_presence(patient.configuration.pythons, found)
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
    needed = ENVIRONMENT_SIZE * max(len(patient.configuration.pythons), 1)
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
