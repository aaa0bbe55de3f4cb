"""Cases of a comparison, and processes that have ended."""

from windtunnel.compare.case_matching import ComparableCase
from windtunnel.compare.samples_format import PairedSamples
from windtunnel.model.benchmark import Case
from windtunnel.model.schedule import Arm, Process, ScheduledProcess


def a_comparable_case(name="suite.time_it", *, index=0, **what):
    """A case that both commits have, without parameters by default."""
    return ComparableCase(
        case=Case(index=index, name=name), samples=PairedSamples(**{"benchmark": name, "environment": "env"} | what)
    )


def a_process(
    arm=Arm.BASE,
    wall=(1.0,),
    *,
    name="suite.time_it",
    cpu=(),
    queued=(),
    probe=(),
    value=None,
    stage="screening",
    reason="",
    state=None,
):
    """A process that took *wall* seconds a sample, or failed for a *reason*."""
    usual = "failed" if reason else "measured"
    return Process(
        scheduled=ScheduledProcess(arm=arm, stage=stage, benchmark=name, case=Case(index=0, name=name)),
        state=state or usual,
        value=value,
        wall=() if reason or value is not None else wall,
        cpu=cpu,
        queued=queued,
        probe=probe,
        seconds=0.3,
        reason=reason,
    )
