"""Results trees drawn by hypothesis: few names and small numbers, so that sources meet and disagree.

Each draw takes some 30 µs, and a tree has hundreds of parts: what has few values is one draw from a list of them, and
no strategy is made while another draws.
"""

from dataclasses import replace
from itertools import product

from builders.trees import a_hash, a_tree
from hypothesis import strategies as st

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, EnvironmentName, Field, Instant, MachineName
from windtunnel.model.run import Environment, Failed, Interval, Measured, Row, Run, Session, Skipped

NAMES = st.sampled_from(("a.time", "b.track", 'c."quoted"\nünïcode'))
VERSIONS = st.sampled_from((None, "1", "2"))
GRIDS = st.sampled_from(((), (("1", "2"),), (("1", "2"), ("'x'", "nan")), (("2", "3"),)))
MOMENTS = st.sampled_from((None, *map(Instant, range(1, 5))))
NUMBERS = st.sampled_from((0, 1, 1.0, 2.5, -3.0, 1e300, float("inf"), 5e-324))
SAMPLES = st.sampled_from((0.5, 1, 1.0, 2.0, 1e300, float("inf")))
PROCESSES = st.lists(st.lists(SAMPLES, min_size=1, max_size=3), max_size=3)
FIELDS = st.sampled_from(
    tuple(
        tuple(Field(name=name, json=json) for name, json in zip(("cpu", "ram"), pair, strict=True) if json)
        for pair in product(("", '"1"', "NaN", "[1, null]"), repeat=2)
    )
)
STATISTICS = st.sampled_from(
    tuple(
        {"interval": interval, "quartiles": quartiles, "number": number, "repeat": repeat}
        for interval, quartiles, number, repeat in product(
            (None, Interval(low=-float("inf"), high=2.0)),
            (None, Interval(low=1, high=1.5)),
            (None, 1, 2, 3),
            (None, 1, 2, 3),
        )
    )
)


@st.composite
def measured(draw):
    """A value, with whatever asv may have recorded beside it."""
    processes = draw(PROCESSES)
    samples = tuple(value for process in processes for value in process)
    return Measured(
        value=draw(NUMBERS),
        samples=samples or None,
        process_sizes=tuple(map(len, processes)) if processes and draw(st.booleans()) else None,
        **draw(STATISTICS),
    )


RESULTS = measured() | st.just(Failed()) | st.just(Skipped())
SESSION = st.sampled_from(
    tuple(
        Session(started_at=started_at, duration=duration)
        for started_at, duration in product((None, *map(Instant, range(1, 5))), (0.1, 0.7))
    )
)
SESSIONS = st.just(()) | st.tuples(SESSION, SESSION)
COUNTS = (1, 2, 4)
"""Combinations of parameters of a grid."""
RESULTS_OF = {count: st.tuples(*[RESULTS] * count) for count in COUNTS}
TIMES_OF = {count: st.just(()) | st.tuples(*[MOMENTS] * count) for count in COUNTS}


@st.composite
def rows(draw):
    """The results of one benchmark."""
    params = draw(GRIDS)
    count = len(list(product(*params)))
    started_at = draw(MOMENTS)
    times = draw(TIMES_OF[count])
    return Row(
        name=BenchmarkName(draw(NAMES)),
        version=draw(VERSIONS),
        params=params,
        results=draw(RESULTS_OF[count]),
        started_at=started_at,
        duration=draw(st.sampled_from((None, 1, 1.0, 0.1, 0.2))),
        case_started_at=() if all(time == started_at for time in times) else times,
        sessions=draw(SESSIONS),
        profile=draw(st.sampled_from((None, "eJw=", "eJx="))),
        extra=draw(FIELDS),
    )


ROWS = st.lists(rows(), unique_by=lambda row: row.name, max_size=3)


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
        rows=tuple(draw(ROWS)),
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
        version=draw(VERSIONS),
        param_names=tuple(f"p{place}" for place in range(len(params))),
        params=params,
        code=draw(st.sampled_from(("", "pass"))),
        extra=draw(FIELDS),
    )


RUNS = st.lists(runs(), unique_by=lambda run: run.key, max_size=3)
BENCHMARKS = st.lists(benchmarks(), unique_by=lambda benchmark: benchmark.name, max_size=3)


@st.composite
def trees(draw):
    """A small results tree; no run, benchmark or machine twice."""
    tree = a_tree(*draw(RUNS), benchmarks=draw(BENCHMARKS))
    return replace(tree, machines=tuple(replace(machine, details=draw(FIELDS)) for machine in tree.machines))
