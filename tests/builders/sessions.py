"""Builds comparisons that are under way, on an engine that answers at once."""

from pathlib import Path

from builders.records import a_build

from windtunnel.asv.engine_session import Supervisor
from windtunnel.asv.protocol import Installed, Place
from windtunnel.compare.case_matching import ComparableCases
from windtunnel.compare.environment_pair import EnvironmentPair
from windtunnel.compare.format import MISSING_KINDS, ComparedMachine
from windtunnel.compare.request import ComparisonSetup
from windtunnel.compare.schedule import ProcessCollection
from windtunnel.compare.session import ComparisonSession
from windtunnel.model.schedule import COMPARED_COMMITS


def a_pair(engine, cases, artifact=""):
    """Both commits with *cases* in one environment."""
    side = {"environment_seconds": 0.0, "seconds": 0.0, "build": a_build(), "artifact": artifact}
    return EnvironmentPair(
        name="env",
        session=engine,
        ready={commit: Installed(commit=commit, **side) for commit in COMPARED_COMMITS},
        comparable=ComparableCases(cases=tuple(cases), missing={kind: [] for kind in MISSING_KINDS}),
        collection=ProcessCollection(machine="m"),
        listen=lambda event: None,
    )


def a_session(engine, cases, request, clock, artifact="", listen=lambda event: None):
    """A comparison of *cases* in one environment; *clock* returns seconds."""
    setup = ComparisonSetup(
        project="spam",
        place=Place(config="asv.conf.json", repository=".", pythons=("3.13",)),
        suite_in_repository="suite",
        environments=("env",),
        machine=ComparedMachine(name="m"),
        expectations=(),
        supervisor=Supervisor(env={}, log=Path("asv.log")),
        folder=Path(),
        clock=clock,
        listen=listen,
    )
    return ComparisonSession(setup=setup, request=request, pairs=[a_pair(engine, cases, artifact)])
