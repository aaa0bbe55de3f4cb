"""asv's graphs, built from runs that were already read: asv itself reads every file three times.

The table of series cannot replace the rows here: asv's graphs have an entry for skipped cases too, and a series
for each combination of the run's parameters.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from multiprocessing import get_context
from typing import Any

from asv._stats import get_weight
from asv.graph import GraphSet

from windtunnel.asv.results_format.lazy_rows import Cell, cells_of
from windtunnel.git.process import Git
from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import CommitHash, Fields, Parameters
from windtunnel.model.run import Run

MIN_PARALLEL_VALUES = 100_000
"""Values for which worker processes are faster in spite of their start."""

Value = str | int | float | bool | None
Axes = tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedCommits:
    """The commits as asv numbers them."""

    revisions: Mapping[CommitHash, int]
    """The number of each commit along the axis."""
    branches: Mapping[str, frozenset[CommitHash]]
    """The commits of each branch."""
    tagged: frozenset[CommitHash]
    """The commits with a tag."""

    def branches_of(self, commit: CommitHash) -> list[str]:
        """Return the branches that show *commit*; a tagged commit on no branch is shown on all."""
        found = [name for name, commits in self.branches.items() if commit in commits]
        return found or (list(self.branches) if commit in self.tagged else [])


def revisions_of(view: Git, wanted: frozenset[CommitHash]) -> dict[CommitHash, int]:
    """Return the number of each of the *wanted* commits among all commits, as asv counts them."""
    listed = view.text("rev-list", "--all", "--date-order", "--reverse").splitlines()
    return {commit: number for number, line in enumerate(listed) if (commit := CommitHash(line)) in wanted}


@dataclass(frozen=True, slots=True, kw_only=True)
class Graphs:
    """All graphs, with the parameters that they differ in (without branches)."""

    graphs: GraphSet
    parameters: Mapping[str, list[Value]]
    combinations: tuple[dict[str, Value], ...]


def build_graphs(runs: Iterable[Run], benchmarks: Iterable[Benchmark], commits: NumberedCommits) -> Graphs:
    """Return the graphs of *runs*: one for each benchmark and each combination of branch, machine and environment."""
    runs = tuple(runs)
    known = [_axes(run) for run in runs]
    names = {name for axes in known for name, _ in axes}
    values: dict[str, set[Value]] = {name: set() for name in sorted(names)}
    for axes in known:
        for name, value in axes:
            values[name].add(value)
    builder = _GraphBuilder(benchmarks, frozenset(names))
    for run, axes in zip(runs, known, strict=True):
        lines = [(*axes, ("branch", branch)) for branch in commits.branches_of(run.commit)]
        if lines:
            builder.add(run, lines, commits.revisions[run.commit])
    for name, found in values.items():
        found.update(None for parameters in builder.combinations if parameters[name] is None)
    return Graphs(
        graphs=builder.graphs,
        parameters={name: sorted(found, key=_order) for name, found in values.items()},
        combinations=tuple(builder.combinations),
    )


def find_steps(graphs: GraphSet, cores: int, many: int = MIN_PARALLEL_VALUES) -> None:
    """Let asv find the steps in *graphs*, which store them; use *cores* processes from *many* values on."""
    if cores < 2 or sum(len(graph.data_points) * (graph.n_series or 1) for _, graph in graphs) < many:
        graphs.detect_steps()
        return
    with get_context("spawn").Pool(cores) as pool:  # our threads forbid forking
        graphs.detect_steps(pool)


class _GraphBuilder:
    """Adds runs to graphs."""

    def __init__(self, benchmarks: Iterable[Benchmark], names: frozenset[str]) -> None:
        self.graphs = GraphSet()
        self.combinations: list[dict[str, Value]] = []
        self._benchmarks = {each.name: (each, tuple(product(*each.params))) for each in benchmarks}
        self._names = names
        self._known: dict[Axes, tuple[dict[str, Value], dict[str, Any]]] = {}

    def add(self, run: Run, lines: Iterable[Axes], revision: int) -> None:
        """Add the values of *run*, of the present versions of benchmarks, to each of the *lines*."""
        for (name, version, grid), _, cells in cells_of(run.rows):
            benchmark, cases = self._benchmarks.get(name, (None, ()))
            if benchmark is None or not benchmark.is_current(version):
                continue
            value, weight = _values(cases, grid, cells)
            scalar = not benchmark.params
            for parameters, drawn in map(self._line, lines):
                graph = drawn.get(name)
                if graph is None:
                    graph = drawn[name] = self.graphs.get_graph(name, parameters)
                graph.add_data_point(revision, value[0] if scalar else value, weight[0] if scalar else weight)

    def _line(self, axes: Axes) -> tuple[dict[str, Value], dict[str, Any]]:
        """Return the parameters of the graphs on *axes*, and these graphs by benchmark."""
        key = tuple(sorted(axes))
        if key not in self._known:
            parameters: dict[str, Value] = dict.fromkeys(self._names) | dict(axes)
            self._known[key] = (parameters, {})
            self.combinations.append(parameters)
        return self._known[key]


def _values(
    cases: tuple[Parameters, ...], grid: tuple[Parameters, ...], cells: Iterable[Cell]
) -> tuple[list[float | None], list[float | None]]:
    """Return the value and the weight of each of *cases*; None where the row, with the parameters *grid*, has none."""
    found = dict(zip(product(*grid), cells, strict=False))
    here = [found.get(case, (None, None, None)) for case in cases]
    return [value for value, _, _ in here], [_weight(low, high) for _, low, high in here]


def _weight(low: float | None, high: float | None) -> float | None:
    if low is None or high is None:
        return None
    weight: float | None = get_weight({"ci_99_a": low, "ci_99_b": high})
    return weight


def _axes(run: Run) -> Axes:
    """Return the parameters for which asv has separate graphs."""
    variables = (("env-" + name, value) for name, value in _pairs(run.environment.variables))
    return (("machine", run.machine), *_pairs(run.params), *variables)


def _pairs(fields: Fields) -> Iterable[tuple[str, Value]]:
    for each in fields:
        value = json.loads(each.json)
        plain = value if isinstance(value, Value) else each.json
        yield each.name, "" if plain is None else plain


def _order(value: Value) -> str:
    return "[none]" if value is None else str(value)
