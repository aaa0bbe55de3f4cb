"""What a figure of one benchmark shows: its values over commits, or its variants side by side."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, nan

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.commit_history import CommitHistory
from windtunnel.model.result import Failed
from windtunnel.model.run import ResultsTree
from windtunnel.model.target import all_targets
from windtunnel.publish.figure import Figure, standing
from windtunnel.publish.scenario_board import readable


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A value at a *position* among the measured commits, with the limits of its interval (the value: unknown).

    A failure is a point whose value is NaN: the line has a gap there.
    """

    position: int
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A case at a place; *label* tells it from the other lines of the benchmark."""

    label: str
    points: tuple[Point, ...]


def lines_of(tree: ResultsTree, benchmark: Benchmark, history: CommitHistory) -> tuple[Line, ...]:
    """Return the lines of *benchmark*'s present version, in the order of Pythons and of the suite's parameters."""
    measured = {run.commit for run in tree.runs}
    order = [commit.hash for commit in history.commits if commit.hash in measured]
    positions = {commit: position for position, commit in enumerate(order)}
    names = {target.key: target.name for target in all_targets(tree.runs)}
    points: dict[str, list[Point]] = defaultdict(list)
    for run in tree.runs:
        row = run.row(benchmark.name)
        if run.commit not in positions or row is None or row.version not in (None, benchmark.version):
            continue
        for params, result in row.cases():
            known = standing(result)
            if isinstance(known, Figure | Failed):
                label = ", ".join((*map(readable, params), names[run.machine, run.environment.name]))
                points[label].append(_point(positions[run.commit], known))
    lines = (Line(label=label, points=_ordered(found)) for label, found in points.items())
    return tuple(line for line in lines if any(isfinite(point.value) for point in line.points))


def _point(position: int, known: Figure | Failed) -> Point:
    if isinstance(known, Failed):
        return Point(position=position, value=nan, low=nan, high=nan)
    interval = known.interval
    low, high = (interval.low, interval.high) if interval else (known.value, known.value)
    return Point(position=position, value=known.value, low=low, high=high)


def _ordered(points: Sequence[Point]) -> tuple[Point, ...]:
    return tuple(sorted(points, key=lambda point: point.position))
