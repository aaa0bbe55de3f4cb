"""Blocks of claims for tests: a test gives the ratios of its blocks, the rest is filled in."""

import math

from builders.trees import a_hash

from windtunnel.model.identity import BenchmarkName, BenchmarkVersion, EnvironmentName
from windtunnel.model.run_format import MachineRecord
from windtunnel_claims.format import Setting
from windtunnel_claims.samples_format import (
    SAMPLES_SCHEMA,
    Block,
    CaseOfSeries,
    ClaimSamples,
    ClaimSeries,
    ProcessMode,
    Visit,
)

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


def a_block(*values, visits=2, reason=""):
    """A block in which each case has its value in *values* in each visit; None is a case without visits."""
    order = [at for at, value in enumerate(values) if value is not None]
    seen = order if visits == 1 else [*order, *reversed(order)]
    return Block(
        started=0.0,
        visits=tuple(Visit(case=at, samples=(values[at],) * 3) for at in seen),
        seconds=1.0,
        reason=reason,
    )


def a_series(*blocks, claims=("Z1",), variants=("gather", "sync"), cases=None, given=STANDARD, skipped=""):
    """A series of cases; *blocks* are blocks, or ratios of the first case and the second."""
    return ClaimSeries(
        given=given,
        processes=ProcessMode.SHARED,
        claims=claims,
        cases=tuple(map(a_series_case, variants)) if cases is None else tuple(cases),
        blocks=tuple(each if isinstance(each, Block) else a_block(0.6 * each, 0.6) for each in blocks),
        skipped=skipped,
    )


def a_machine_record(name="desk", cores=8):
    """The machine that measured."""
    return MachineRecord(
        name=name,
        architecture="x86_64",
        cpu="a processor",
        cores=cores,
        memory=16_000_000_000,
        os="Linux",
        kernel="6",
        image="Debian",
        load=0.0,
    )


def claim_samples(*series, commit=1, python="3.12", machine="desk", environment=None, cores=8, day=0):
    """The blocks of commit number *commit*, measured *day* days after 30 January 2026."""
    ended = 1_769_760_000 + 86400 * day
    return ClaimSamples(
        schema=SAMPLES_SCHEMA,
        project="example",
        commit=a_hash(commit),
        date=1_700_000_000_000 + commit * 1000,
        python=python,
        environment=EnvironmentName(environment or f"virtualenv-py{python}"),
        machine=a_machine_record(machine, cores),
        build=None,
        started=ended - 600,
        ended=ended,
        interrupted=False,
        seed=1,
        series=series,
    )
