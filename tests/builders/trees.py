"""Results trees for tests: say what matters, the rest is filled in."""

from itertools import product

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, CommitHash, EnvironmentName, Instant, MachineName
from windtunnel.model.run import Environment, Machine, Measured, ResultsTree, Row, Run
from windtunnel.model.settings import BoardSettings

VARIANTS = ("sync", "gather")
LOADS = ("quick",)


def a_hash(number):
    """The hash of the commit that tests call *number*."""
    return CommitHash(f"{number:040x}")


def a_benchmark(name="plain.time_it", *, version="1", unit="seconds", **params):
    """A benchmark whose parameters are given as keywords, raw as asv keeps them."""
    return Benchmark(
        name=BenchmarkName(name),
        type_word="time",
        unit=unit,
        version=BenchmarkVersion(version),
        param_names=tuple(params),
        params=tuple(tuple(values) for values in params.values()),
    )


BOARD = BoardSettings(variant="variant", load="load", reference="sync")
"""What makes a benchmark of ``a_scenario`` a scenario."""


def a_scenario(name="sleep.Sleep.time_run", variants=VARIANTS, loads=LOADS, **more):
    """A benchmark with the parameters that make a scenario."""
    return a_benchmark(name, variant=map(repr, variants), load=map(repr, loads), **more)


def a_value(middle, spread=0.01, count=6):
    """A measured value with *count* samples around *middle* that reach *spread* (relative) to both sides."""
    places = [0.0] if count == 1 else [2 * index / (count - 1) - 1 for index in range(count)]
    return Measured(value=middle, samples=tuple(middle * (1 + spread * place) for place in places))


def a_row(benchmark, *results, version=None):
    """The results of *benchmark*, in the order of its combinations."""
    return Row(
        name=benchmark.name,
        version=BenchmarkVersion(version) if version else benchmark.version,
        params=benchmark.params,
        results=results or tuple(a_value(0.1) for _ in product(*benchmark.params)),
    )


def a_run(*rows, commit=1, python="3.12", machine="desk", environment=None, date=None):
    """The results of commit number *commit*."""
    name = EnvironmentName(environment or f"virtualenv-py{python}")
    return Run(
        commit=a_hash(commit),
        machine=MachineName(machine),
        environment=Environment(name=name, python=python),
        date=Instant(1_700_000_000_000 + commit * 1000 if date is None else date),
        rows=rows,
    )


def a_tree(*runs, benchmarks=()):
    """A results tree with *runs* and *benchmarks*."""
    machines = sorted({run.machine for run in runs})
    return ResultsTree(
        runs=tuple(sorted(runs, key=lambda run: run.key)),
        benchmarks=tuple(sorted(benchmarks, key=lambda benchmark: benchmark.name)),
        machines=tuple(Machine(name=name) for name in machines),
    )
