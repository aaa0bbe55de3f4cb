"""What a store lacks: environments without results for a commit that others have, machines that fell silent."""

from collections.abc import Iterator
from dataclasses import dataclass

from windtunnel.model.commit import CommitHash
from windtunnel.model.identity import EnvironmentName, MachineName
from windtunnel.model.result import Row
from windtunnel.model.result_part import Measured
from windtunnel.model.results_tree import ResultsTree
from windtunnel.model.run import Run

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
    for machine in dict.fromkeys(run.machine for run in tree.runs):
        measured = [run for run in tree.runs if run.machine == machine and _has_values(run)]
        there = {(run.commit, run.environment.name) for run in measured}
        for commit in dict.fromkeys(run.commit for run in measured):
            for environment in dict.fromkeys(run.environment.name for run in measured):
                if (commit, environment) not in there:
                    yield Hole(machine=machine, commit=commit, environment=environment)


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
