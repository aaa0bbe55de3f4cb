"""Values of claims that were measured in blocks, for tests."""

from builders.claim_blocks import STANDARD, a_series_case
from builders.trees import a_hash

from windtunnel.model.run_format import MachineRecord
from windtunnel_claims.samples_format import (
    SAMPLES_SCHEMA,
    Block,
    ClaimSamples,
    ClaimSeries,
    ProcessMode,
    Visit,
)


def a_block(*visits, started=1000.0, **given):
    """A block with *visits*: pairs of the index of a case and its value or values."""
    runs = tuple(
        Visit(case=case, samples=tuple(values) if isinstance(values, tuple | list) else (values,))
        for case, values in visits
    )
    return Block(started=started, visits=runs, **{"seconds": 1.0, "background_load": 0.0, **given})


def a_series(*blocks, cases=("sync", "gather"), claims=("Z1",), given=STANDARD, **kept):
    """A series of *cases*, which are variants or cases."""
    listed = tuple(a_series_case(case) if isinstance(case, str) else case for case in cases)
    return ClaimSeries(
        claims=claims, given=given, cases=listed, blocks=blocks, **{"processes": ProcessMode.SHARED, **kept}
    )


def claim_samples(*series, commit=1, machine="desk", python="3.12", **given):
    """What *machine* measured of a commit."""
    record = MachineRecord(
        name=machine, architecture="x86_64", cpu="", cores=2, memory=2**33, os="", kernel="", image="", load=0.0
    )
    known = {"date": commit * 1000, "started": 1000.0, "ended": 2000.0, "interrupted": False, "seed": 1, "build": None}
    return ClaimSamples(
        schema=SAMPLES_SCHEMA,
        project="project",
        commit=a_hash(commit),
        python=python,
        environment=f"virtualenv-py{python}",
        machine=record,
        series=series,
        **{**known, **given},
    )
