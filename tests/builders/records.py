"""Run records for tests."""

from builders.trees import a_hash

from windtunnel.model.run_format import RECORD_SCHEMA, CaseRecord, MachineRecord, PythonBuild, RunRecord, TaskRecord


def a_build(**given):
    """How a Python describes itself."""
    known = {"implementation": "cpython", "version": "3.12.1", "compiler": "GCC", "options": "--enable-optimizations"}
    state = {"gil": True, "jit": False, "allocator": "pymalloc", "switch_interval": 0.005, "packages": ()}
    return PythonBuild(**{**known, **state, **given})


def a_task(*, commit=1, python="3.12", case=None, state="failed", reason="it broke", failure="", background_load=()):
    """The record of one commit in one environment, with one *case* that ended as *state*, or with none."""
    record = CaseRecord(
        case=case or "",
        benchmark=case or "",
        version="1",
        state=state,
        seconds=1.0,
        reason=reason,
        background_load=background_load,
    )
    return TaskRecord(
        commit=a_hash(commit),
        python=python,
        environment=f"virtualenv-py{python}",
        expected=1,
        environment_seconds=0.0,
        install_seconds=0.0,
        failure=failure,
        cases=(record,) if case else (),
    )


def a_record(*tasks, machine="desk"):
    """The record of a run on *machine*."""
    return RunRecord(
        schema=RECORD_SCHEMA,
        project="project",
        shard=0,
        started=0.0,
        ended=1.0,
        interrupted=False,
        machine=MachineRecord(
            name=machine, architecture="x86_64", cpu="", cores=2, memory=2**33, os="", kernel="", image="", load=0.0
        ),
        tasks=tasks,
    )
