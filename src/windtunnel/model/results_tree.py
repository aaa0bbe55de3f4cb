"""Everything that a folder in asv's results format holds."""

from dataclasses import dataclass

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.environment import Machine
from windtunnel.model.run import Run


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
