"""What results files say about benchmarks, for a history whose ``benchmarks.json`` is missing or broken.

They hold names, versions and parameter values, but no types, units and names of parameters. asv takes type and unit
from the beginning of a benchmark's name (https://asv.readthedocs.io/en/stable/benchmarks.html); those that a suite sets
itself are not known.
"""

from collections.abc import Iterable
from dataclasses import replace

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName
from windtunnel.model.instructions import INSTRUCTIONS
from windtunnel.model.result import Row
from windtunnel.model.run import Problem, ResultsTree, Run

TYPES = {
    "time": ("time", "seconds"),
    "timeraw": ("time", "seconds"),
    "mem": ("memory", "bytes"),
    "peakmem": ("peakmemory", "bytes"),
    "track": ("track", "unit"),
    INSTRUCTIONS: ("track", INSTRUCTIONS),
}
"""asv's type and unit by how the last part of a name begins."""

REASON = (
    "cannot be used, so benchmarks are described from the results: without the units of track_ benchmarks and the "
    "names of parameters; measure once more, or restore the file"
)


def with_benchmarks(tree: ResultsTree, file: str) -> ResultsTree:
    """Return *tree*; with results and no benchmarks, add those of the results, and a problem that names *file*."""
    if tree.benchmarks or not tree.runs:
        return tree
    problem = Problem(file=file, key="", reason=REASON)
    return replace(tree, benchmarks=recover(tree.runs), problems=tuple(sorted((*tree.problems, problem))))


def recover(runs: Iterable[Run]) -> tuple[Benchmark, ...]:
    """Return the benchmarks of *runs*, as the newest result of each has them."""
    newest: dict[BenchmarkName, Row] = {}
    for run in sorted(runs, key=lambda run: run.date, reverse=True):
        for row in run.rows:
            newest.setdefault(row.name, row)
    return tuple(_benchmark(newest[name]) for name in sorted(newest))


def _benchmark(row: Row) -> Benchmark:
    kind, unit = TYPES.get(row.name.rpartition(".")[2].partition("_")[0].lower(), ("track", None))
    return Benchmark(
        name=row.name,
        type_word=kind,
        unit=unit,
        version=row.version,
        param_names=tuple(f"param{number}" for number, _ in enumerate(row.params, start=1)),
        params=row.params,
    )
