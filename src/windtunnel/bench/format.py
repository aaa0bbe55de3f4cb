"""plan.json: which cases to time, on which commits and environments, divided into shards."""

from typing import Annotated

from msgspec import Meta, Struct

from windtunnel.asv.protocol import PlannedEnvironment
from windtunnel.formats import Format
from windtunnel.model.benchmark import Selection
from windtunnel.model.identity import CommitHash

PLAN_SCHEMA = 1

Seconds = Annotated[float, Meta(ge=0)]


class Task(Struct, frozen=True, kw_only=True):
    """One commit in one environment, and what to time there."""

    commit: CommitHash
    """Full hash of the commit."""
    python: str
    """Python as asv names it: 3.12, 3.14t, pypy3.11."""
    environment: str
    """Name of the environment as asv names it."""
    selections: tuple[Selection, ...]
    """Benchmarks and their cases."""
    seconds: Seconds
    """Expected time of all cases."""

    @property
    def cases(self) -> int:
        """Number of cases."""
        return sum(len(selection.cases) for selection in self.selections)


class Shard(Struct, frozen=True, kw_only=True):
    """The tasks of one job."""

    index: Annotated[int, Meta(ge=0)]
    """Number of the shard, from 0."""
    tasks: tuple[Task, ...]
    """Tasks, in the order to run them."""
    seconds: Seconds
    """Expected time of all tasks, including the set-up of environments."""

    @property
    def cases(self) -> int:
        """Number of cases."""
        return sum(task.cases for task in self.tasks)


class SharedBuild(Struct, frozen=True, kw_only=True):
    """A build that several shards need, so a job of its own makes it."""

    commit: CommitHash
    """Full hash of the commit."""
    python: str
    """Python as asv names it."""
    environment: str
    """Name of the environment as asv names it."""


class Excluded(Struct, frozen=True, kw_only=True):
    """A Python, commit or case that was requested and is not in the plan."""

    item: str
    """What is excluded."""
    reason: str
    """Why."""


class Plan(Struct, frozen=True, kw_only=True):
    """Everything that a matrix of jobs needs to run."""

    schema: int
    """Version of the format."""
    project: str
    """Name of the project."""
    config: str
    """Path of the asv configuration, relative to the repository."""
    environments: tuple[PlannedEnvironment, ...]
    """Environments of the plan."""
    shards: tuple[Shard, ...]
    """One shard for each job."""
    excluded: tuple[Excluded, ...]
    """What was requested and is not in the plan."""
    benchmarks: str
    """Text of asv's benchmarks.json."""
    builds: tuple[SharedBuild, ...] = ()
    """Builds to make once, before the shards run."""

    @property
    def cases(self) -> int:
        """Number of cases, over all commits and environments."""
        return sum(shard.cases for shard in self.shards)

    @property
    def seconds(self) -> float:
        """Expected time of all shards together."""
        return sum(shard.seconds for shard in self.shards)


PLAN_FORMAT = Format(name="plan.json", type=Plan, schema=PLAN_SCHEMA, remedy="write it again with windtunnel ci plan")
