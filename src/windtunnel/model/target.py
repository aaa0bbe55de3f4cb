"""Targets: where cases are measured, an environment on a machine."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from windtunnel.model.identity import CommitHash, EnvironmentName, MachineName
from windtunnel.model.run import Failed, Measured, ResultsTree, Run

TargetKey = tuple[MachineName, EnvironmentName]
"""The machine and the environment, which identify a target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """An environment (a Python with its requirements) on a machine."""

    name: str
    """A name that no other target in the same list has."""
    python: str
    machine: MachineName
    environment: EnvironmentName

    @property
    def key(self) -> TargetKey:
        """What identifies the target."""
        return self.machine, self.environment


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredTarget(Target):
    """A target with its runs."""

    runs: tuple[Run, ...]
    """The runs, newest first; at least one."""

    @property
    def commit(self) -> CommitHash:
        """The newest commit with results here."""
        return self.runs[0].commit


T = TypeVar("T", bound=Target)


def all_targets(runs: Iterable[Run]) -> tuple[Target, ...]:
    """Return every target of *runs*, ordered by Python, environment and machine."""
    pythons = {(run.machine, run.environment.name): run.environment.python for run in runs}
    found = [
        Target(name=python, python=python, machine=machine, environment=environment)
        for (machine, environment), python in pythons.items()
    ]
    return with_unique_names(sorted(found, key=_order))


def newest_targets(tree: ResultsTree, history: Sequence[CommitHash]) -> tuple[MeasuredTarget, ...]:
    """Return, for each Python, the targets with results for the newest commit measured with that Python.

    *history* holds the commits of the project's branches, newest first. Commits that are not in it count as older than
    all of them. Machines and requirements that only older commits used are left out.
    """
    found: list[MeasuredTarget] = []
    by_python = defaultdict[str, list[Run]](list)
    for run in newest_first(tree.runs, history):
        by_python[run.environment.python].append(run)
    for runs in by_python.values():
        newest = next((run.commit for run in runs if has_results(run)), None)
        at_newest = [run for run in runs if run.commit == newest and has_results(run)]
        found += [_measured_target(run, runs) for run in at_newest]
    return with_unique_names(sorted(found, key=_order))


def newest_first(runs: Iterable[Run], history: Sequence[CommitHash]) -> list[Run]:
    """Sort *runs* by the position of their commits in *history*, newest first; other commits come last."""
    ranks = {commit: rank for rank, commit in reversed(list(enumerate(history)))}
    return sorted(runs, key=lambda run: (ranks.get(run.commit, len(ranks)), -run.date, run.commit))


def has_results(run: Run) -> bool:
    """Return whether *run* tried any case; a skipped case was not tried."""
    return any(isinstance(result, Measured | Failed) for row in run.rows for result in row.results)


def with_unique_names(targets: Sequence[T]) -> tuple[T, ...]:
    """Add the machine, and then the environment, to names that several of *targets* have."""
    found = tuple(targets)
    for field in ("machine", "environment"):
        counts = Counter(target.name for target in found)
        found = tuple(
            replace(target, name=f"{target.name}, {getattr(target, field)}") if counts[target.name] > 1 else target
            for target in found
        )
    return found


def natural_order(python: str) -> tuple[bool, tuple[int, ...], str]:
    """Return a sort key: 3.9 before 3.10, 3.13t after 3.13, and other interpreters last."""
    head = "".join(char if char.isdigit() else " " for char in python)
    return not python[:1].isdigit(), tuple(int(part) for part in head.split()[:9]), python


def _order(target: Target) -> tuple[tuple[bool, tuple[int, ...], str], str, str]:
    return natural_order(target.python), target.environment, target.machine


def _measured_target(run: Run, runs: Sequence[Run]) -> MeasuredTarget:
    same = [each for each in runs if (each.machine, each.environment.name) == (run.machine, run.environment.name)]
    return MeasuredTarget(
        name=run.environment.python,
        python=run.environment.python,
        machine=run.machine,
        environment=run.environment.name,
        runs=tuple(same[same.index(run) :]),
    )
