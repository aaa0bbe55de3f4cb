"""Entrants of a comparison and processes that have ended."""

from windtunnel.compare.schedule import ComparableCase
from windtunnel.model.benchmark import Case
from windtunnel.model.measure import Better, MeasureKind, Stage
from windtunnel.model.run_format import CaseState
from windtunnel.model.schedule import Arm, Process, ScheduledProcess


def a_comparable_case(name="suite.time_it", *, index=0, **what):
    """An entrant without parameters unless told otherwise."""
    return ComparableCase(
        **{
            "benchmark": name,
            "environment": "env",
            "case": Case(index=index, name=name),
            "unit": "seconds",
            "kind": MeasureKind.TIME,
            "better": Better.LOWER,
            "threshold": 0.05,
        }
        | what
    )


def a_process(
    arm=Arm.BASE,
    wall=(1.0,),
    *,
    name="suite.time_it",
    cpu=(),
    value=None,
    stage=Stage.SCREENING,
    reason="",
    state=None,
):
    """A process that took *wall* seconds a sample, or failed for a *reason*."""
    usual = CaseState.FAILED if reason else CaseState.MEASURED
    return Process(
        scheduled=ScheduledProcess(arm=arm, stage=stage, benchmark=name, case=Case(index=0, name=name)),
        state=state or usual,
        value=value,
        wall=() if reason or value is not None else wall,
        cpu=cpu,
        seconds=0.3,
        reason=reason,
    )
