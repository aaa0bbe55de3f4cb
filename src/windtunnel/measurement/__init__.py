"""The nouns of measuring, frozen: what a benchmark, a case, a result, a run, a machine is (docs/glossary.md)."""

from windtunnel.measurement.benchmark import Benchmark, BenchmarkKind
from windtunnel.measurement.commit import CommitHash
from windtunnel.measurement.environment import Environment
from windtunnel.measurement.field import Field, Fields, text_of
from windtunnel.measurement.identity import (
    BenchmarkName,
    BenchmarkVersion,
    EnvironmentName,
    Instant,
    MachineName,
    ParameterGrid,
    Parameters,
    case_name,
)
from windtunnel.measurement.machine import Machine
from windtunnel.measurement.result import Failed, Interval, Measured, Result, Skipped
from windtunnel.measurement.results_tree import Problem, ResultsTree
from windtunnel.measurement.row import Row, Session
from windtunnel.measurement.run import Run, RunKey

__all__ = [
    "Benchmark",
    "BenchmarkKind",
    "BenchmarkName",
    "BenchmarkVersion",
    "CommitHash",
    "Environment",
    "EnvironmentName",
    "Failed",
    "Field",
    "Fields",
    "Instant",
    "Interval",
    "Machine",
    "MachineName",
    "Measured",
    "ParameterGrid",
    "Parameters",
    "Problem",
    "Result",
    "ResultsTree",
    "Row",
    "Run",
    "RunKey",
    "Session",
    "Skipped",
    "case_name",
    "text_of",
]
