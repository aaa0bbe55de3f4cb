"""Where figures come from: a Python with its requirements on a machine, and the newest commit measured there."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from windtunnel.model.identity import CommitHash, EnvironmentName, MachineName
from windtunnel.model.result import Failed, Measured
from windtunnel.model.run import ResultsTree, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """An environment on a machine with its runs, newest first; *name* tells it from the other places."""

    name: str
    python: str
    machine: MachineName
    environment: EnvironmentName
    runs: tuple[Run, ...]

    @property
    def commit(self) -> CommitHash:
        """The newest commit with results here."""
        return self.runs[0].commit


def places(tree: ResultsTree, history: Sequence[CommitHash]) -> tuple[Place, ...]:
    """Return, for each Python, the places that have results for the newest commit measured with it.

    *history* holds the commits of the project's branches, newest first; commits elsewhere count as older than all of
    them. Machines and requirements that only older commits used are left out.
    """
    found: list[Place] = []
    for runs in _by_python(newest_first(tree.runs, history)):
        newest = next((run.commit for run in runs if has_results(run)), None)
        at_newest = [run for run in runs if run.commit == newest and has_results(run)]
        found += [_place(run, runs) for run in at_newest]
    return named(sorted(found, key=lambda place: (natural(place.python), place.environment, place.machine)))


def newest_first(runs: Iterable[Run], history: Sequence[CommitHash]) -> list[Run]:
    """Sort *runs* by the place of their commits in *history*, newest first; commits elsewhere come last."""
    ranks = {commit: rank for rank, commit in reversed(list(enumerate(history)))}
    return sorted(runs, key=lambda run: (ranks.get(run.commit, len(ranks)), -run.date, run.commit))


def has_results(run: Run) -> bool:
    """Tell whether anything was tried in *run*: a skipped case was not."""
    return any(isinstance(result, Measured | Failed) for row in run.rows for result in row.results)


def _by_python(runs: Iterable[Run]) -> Iterable[list[Run]]:
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(run.environment.python, []).append(run)
    return groups.values()


def _place(run: Run, runs: Iterable[Run]) -> Place:
    same = (run.machine, run.environment.name)
    mine = [each for each in runs if (each.machine, each.environment.name) == same]
    return Place(
        name=run.environment.python,
        python=run.environment.python,
        machine=run.machine,
        environment=run.environment.name,
        runs=tuple(mine[mine.index(run) :]),
    )


def named(found: Sequence[Place]) -> tuple[Place, ...]:
    """Name each place by its Python and, where that is not enough, by machine and environment too."""
    told = tuple(found)
    for distinction in ("machine", "environment"):
        counts = Counter(place.name for place in told)
        told = tuple(
            replace(place, name=f"{place.name}, {getattr(place, distinction)}") if counts[place.name] > 1 else place
            for place in told
        )
    return told


def natural(python: str) -> tuple[bool, tuple[int, ...], str]:
    """Sort 3.9 before 3.10, 3.13t after 3.13, and other interpreters last."""
    head = "".join(char if char.isdigit() else " " for char in python)
    return not python[:1].isdigit(), tuple(int(part) for part in head.split()[:9]), python
