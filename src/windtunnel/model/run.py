"""Environments (a Python and the versions of its dependencies) and machines (hardware and operating system)."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, CommitHash, EnvironmentName, Fields, Instant, MachineName, text_of
from windtunnel.model.result import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """Where a commit was installed. *python* is asv's word: ``3.12``, ``3.14t``, ``pypy3.11``.

    *requirements* are package names with the version asked for (an empty text: any).
    """

    name: EnvironmentName
    python: str
    requirements: Fields = ()
    variables: Fields = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A machine as ``machine.json`` describes it: often the name is all there is.

    *details* are its other fields; asv's own are ``arch``, ``cpu``, ``num_cpu``, ``os`` and ``ram``.
    *source* is where the machine was read, for messages; it is no part of the value.
    """

    name: MachineName
    details: Fields = ()
    source: str = field(default="", compare=False)

    def detail(self, name: str) -> str | None:
        """Return the detail called *name*, None where the file does not say."""
        return text_of(self.details, name)


class RunKey(NamedTuple):
    """What makes two runs the same run; sorts as results trees are sorted."""

    machine: MachineName
    commit: CommitHash
    environment: EnvironmentName


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One results file.

    *date* is the commit's author date. *params* is what asv makes series from, the machine's name apart: details of
    the machine, Python and requirements. *rows* are sorted by name, each name once; a sequence that may read its rows
    only when asked.
    *superseded* are rows of another version or other parameters that lost to the one in *rows* when runs were
    merged. *durations* are seconds of steps (``<build>``, ``<setup_cache …>``). *source* is where the run was read,
    for messages; it is no part of the value.
    """

    commit: CommitHash
    machine: MachineName
    environment: Environment
    date: Instant
    params: Fields = ()
    rows: Sequence[Row] = ()
    superseded: tuple[Row, ...] = ()
    durations: Fields = ()
    extra: Fields = ()
    source: str = field(default="", compare=False)

    @property
    def key(self) -> RunKey:
        """What names the run."""
        return RunKey(self.machine, self.commit, self.environment.name)

    def __post_init__(self) -> None:
        """Sort rows that are at hand; others come sorted."""
        if isinstance(self.rows, tuple):
            object.__setattr__(self, "rows", tuple(sorted(self.rows, key=attrgetter("name"))))

    def row(self, name: BenchmarkName) -> Row | None:
        """Return the row of the benchmark called *name*, None where the run has none."""
        place = bisect_left(self.rows, name, key=attrgetter("name"))
        if place == len(self.rows):
            return None
        found = self.rows[place]
        return found if found.name == name else None


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Problem:
    """Something that could not be used: the file, the key in it (empty: all of it) and why."""

    file: str
    key: str
    reason: str

    def __str__(self) -> str:
        """One line for people."""
        place = f"{self.file}: {self.key}" if self.key else self.file
        return f"{place}: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsTree:
    """Runs by key, benchmarks by name, machines by name: each sorted and each once; and what could not be used."""

    runs: tuple[Run, ...] = ()
    benchmarks: tuple[Benchmark, ...] = ()
    machines: tuple[Machine, ...] = ()
    problems: tuple[Problem, ...] = ()
