"""Results trees drawn by hypothesis: few names and small numbers, so that sources meet and disagree."""

from dataclasses import replace
from itertools import product

from builders.trees import a_hash, a_tree
from hypothesis import strategies as st

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, EnvironmentName, Field, Instant, MachineName
from windtunnel.model.result import Failed, Interval, Measured, Row, Session, Skipped
from windtunnel.model.run import Environment, Run

NAMES = st.sampled_from(("a.time", "b.track", 'c."quoted"\nünïcode'))
VERSIONS = st.sampled_from((None, "1", "2"))
GRIDS = st.sampled_from(((), (("1", "2"),), (("1", "2"), ("'x'", "nan")), (("2", "3"),)))
MOMENTS = st.none() | st.integers(1, 4).map(Instant)
NUMBERS = st.sampled_from((0, 1, 1.0, 2.5, -3.0, 1e300, float("inf"), 5e-324))
SAMPLES = st.sampled_from((0.5, 1, 1.0, 2.0, 1e300, float("inf")))
FIELDS = st.lists(
    st.builds(
        lambda name, json: Field(name=name, json=json),
        st.sampled_from(("ram", "cpu")),
        st.sampled_from(('"1"', "NaN", "[1, null]")),
    ),
    unique_by=lambda field: field.name,
    max_size=2,
).map(lambda fields: tuple(sorted(fields)))


@st.composite
def measured(draw):
    """A value, with whatever asv may have recorded beside it."""
    processes = draw(st.lists(st.lists(SAMPLES, min_size=1, max_size=3), max_size=3))
    samples = tuple(value for process in processes for value in process)
    return Measured(
        value=draw(NUMBERS),
        interval=draw(st.none() | st.just(Interval(low=-float("inf"), high=2.0))),
        quartiles=draw(st.none() | st.just(Interval(low=1, high=1.5))),
        number=draw(st.none() | st.integers(1, 3)),
        repeat=draw(st.none() | st.integers(1, 3)),
        samples=samples or None,
        process_sizes=tuple(map(len, processes)) if processes and draw(st.booleans()) else None,
    )


RESULTS = measured() | st.just(Failed()) | st.just(Skipped())


@st.composite
def rows(draw, names=NAMES):
    """The results of one benchmark."""
    params = draw(GRIDS)
    count = len(list(product(*params)))
    started_at = draw(MOMENTS)
    times = draw(st.just(()) | st.tuples(*[MOMENTS] * count))
    return Row(
        name=BenchmarkName(draw(names)),
        version=draw(VERSIONS),
        params=params,
        results=draw(st.tuples(*[RESULTS] * count)),
        started_at=started_at,
        duration=draw(st.none() | st.sampled_from((1, 1.0, 0.1, 0.2))),
        case_started_at=() if all(time == started_at for time in times) else times,
        sessions=draw(st.just(()) | st.tuples(sessions(), sessions())),
        profile=draw(st.sampled_from((None, "eJw=", "eJx="))),
        extra=draw(FIELDS),
    )


def sessions():
    """When asv worked on a benchmark."""
    return st.builds(
        lambda started_at, duration: Session(started_at=started_at, duration=duration),
        MOMENTS,
        st.sampled_from((0.1, 0.7)),
    )


@st.composite
def runs(draw):
    """The results of one of two commits in one of two environments on one of two machines."""
    return Run(
        commit=a_hash(draw(st.integers(1, 2))),
        machine=MachineName(draw(st.sampled_from(("desk", "runner")))),
        environment=Environment(
            name=EnvironmentName(draw(st.sampled_from(("py3.12", "py3.13")))),
            python=draw(st.sampled_from(("3.12", "3.13"))),
            requirements=draw(FIELDS),
            variables=draw(FIELDS),
        ),
        date=Instant(draw(st.integers(0, 2))),
        params=draw(FIELDS),
        rows=tuple(draw(st.lists(rows(), unique_by=lambda row: row.name, max_size=3))),
        durations=draw(FIELDS),
        extra=draw(FIELDS),
        source=draw(st.sampled_from(("one.json", "two.json"))),
    )


@st.composite
def benchmarks(draw):
    """What a benchmark may be."""
    params = draw(GRIDS)
    return Benchmark(
        name=BenchmarkName(draw(NAMES)),
        type_word=draw(st.sampled_from(("time", "track", "ray"))),
        unit=draw(st.sampled_from((None, "seconds"))),
        version=draw(VERSIONS.map(lambda version: None if version is None else BenchmarkVersion(version))),
        param_names=tuple(f"p{place}" for place in range(len(params))),
        params=params,
        code=draw(st.sampled_from(("", "pass"))),
        extra=draw(FIELDS),
    )


@st.composite
def trees(draw):
    """A small results tree; no run, benchmark or machine twice."""
    tree = a_tree(
        *draw(st.lists(runs(), unique_by=lambda run: run.key, max_size=3)),
        benchmarks=draw(st.lists(benchmarks(), unique_by=lambda benchmark: benchmark.name, max_size=3)),
    )
    return replace(tree, machines=tuple(replace(machine, details=draw(FIELDS)) for machine in tree.machines))
