"""The checks of the results folder, its coverage, and the branch that it is exchanged with."""

from collections.abc import Iterator
from dataclasses import dataclass

from windtunnel.bench.check import Finding, Grade, Patient
from windtunnel.errors import DataError, RemoteError, UsageError
from windtunnel.git.branch import Branch, open_branch
from windtunnel.git.remote import Remote
from windtunnel.model.identity import CommitHash, EnvironmentName, MachineName
from windtunnel.model.result import Measured, Row
from windtunnel.model.run import ResultsTree, Run
from windtunnel.results.branch.snapshot import take_snapshot
from windtunnel.results.tree import read_tree

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
