"""Claims files, blocks and decisions for tests: a test gives the ratios of its blocks, the rest is filled in."""

import math

from builders.trees import a_hash, a_scenario

from windtunnel.asv import protocol
from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, EnvironmentName
from windtunnel.model.run_format import MachineRecord
from windtunnel_claims.board import claim_board
from windtunnel_claims.claims_file import parse_claims
from windtunnel_claims.format import Decision, Setting
from windtunnel_claims.samples_format import SAMPLES_SCHEMA, Block, CaseOfSeries, ClaimSamples, ClaimSeries, ProcessMode

STANDARD = (Setting(name="load", value="'standard'"),)


def ratios(centre, blocks, spread=0.001):
    """Ratios of *blocks* around *centre*; they scatter by *spread* (relative), in turn above and below."""
    return [centre * math.exp(spread * (1 if at % 2 else -1)) for at in range(blocks)]


def a_series_case(
    variant, *, benchmark="sleep.Sleep.time_run", version="1", unit="seconds", absence="", load="standard"
):
    """A case of a series."""
    return CaseOfSeries(
        benchmark=BenchmarkName(benchmark),
        params=(repr(variant), repr(load)),
        version=BenchmarkVersion(version),
        unit=unit,
        is_time=unit == "seconds",
        absence=absence,
    )


def a_block(*values, visits=2, started=0.0, seconds=1.0, **given):
    """A block: for each case its value in each visit, or None; or visits, each a case and its value or values."""
    order = [(at, (value,) * 3) for at, value in enumerate(values) if value is not None]
    seen = order if visits == 1 else [*order, *reversed(order)]
    if values and isinstance(values[0], tuple):
        seen = [(case, value if isinstance(value, tuple | list) else (value,)) for case, value in values]
    runs = tuple(protocol.CaseVisit(case=case, samples=tuple(samples)) for case, samples in seen)
    return Block(started=started, visits=runs, seconds=seconds, **given)


def a_series(*blocks, claims=("Z1",), cases=("gather", "sync"), given=STANDARD, **kept):
    """A series of *cases*, variants or cases; *blocks* are blocks, or ratios of the first case and the second."""
    return ClaimSeries(
        given=given,
        claims=claims,
        cases=tuple(a_series_case(each) if isinstance(each, str) else each for each in cases),
        blocks=tuple(each if isinstance(each, Block) else a_block(0.6 * each, 0.6) for each in blocks),
        **{"processes": ProcessMode.SHARED, **kept},
    )


def claim_samples(*series, commit=1, python="3.12", machine="desk", cores=8, day=0, **given):
    """What *machine* measured of commit number *commit*, *day* days after 30 January 2026."""
    ended = given.get("ended", 1_769_760_000 + 86400 * day)
    record = MachineRecord(
        name=machine, architecture="x86_64", cpu="", cores=cores, memory=2**33, os="", kernel="", image="", load=0.0
    )
    known = {
        "date": 1_700_000_000_000 + commit * 1000,
        "environment": EnvironmentName(f"virtualenv-py{python}"),
        "started": max(0, ended - 600),
        "ended": ended,
        "interrupted": False,
        "build": None,
        "seed": 1,
    }
    return ClaimSamples(
        schema=SAMPLES_SCHEMA,
        project="example",
        commit=a_hash(commit),
        python=python,
        machine=record,
        series=series,
        **{**known, **given},
    )


SLEEP = a_scenario("sleep.Sleep.time_run", ("sync", "gather"), ("quick", "standard", "article"))

HEAD = """
[sources]
Z = { title = "an article" }
"""

THIRD = """
[[claim]]
id = "Z1"
source = "Z"
sentence = "Gathering takes a third."
published = 0.333
benchmark = "sleep.Sleep.time_run"
given = { load = "standard" }
contender = { variant = "gather" }
baseline = { variant = "sync" }
between = [0.3233, 0.3433]
"""

HOLDS, FAILS, UNDECIDED, OUT = Decision.HOLDS, Decision.FAILS, Decision.UNDECIDED, Decision.OUT_OF_SCOPE


def a_claims_file(*claims):
    """The claims file with *claims*, which are TOML."""
    return parse_claims(HEAD + "".join(claims or (THIRD,)), "claims.toml")


def blocks_of(ratio, *, blocks=4, spread=0.001, **samples):
    """What a machine measured: blocks in which gathering takes *ratio* of the time."""
    return claim_samples(a_series(*ratios(ratio, blocks, spread)), **samples)


def decide(*samples, claims=()):
    """The board of *samples*; commits with higher numbers are newer."""
    return claim_board(a_claims_file(*claims), {SLEEP.name: SLEEP}, samples)


def only(board):
    """The one decision of *board*."""
    (decision,) = board.decisions
    return decision
