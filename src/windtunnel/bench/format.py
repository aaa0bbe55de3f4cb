"""What a plan is made of: selections, tasks, shards."""

from dataclasses import dataclass

from windtunnel.formats import Format
from windtunnel.model.benchmark import Selection
from windtunnel.model.identity import CommitHash


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One commit in one environment with what to time there; *seconds* is what it is expected to take."""

    commit: CommitHash
    python: str
    environment: str
    selections: tuple[Selection, ...]
    seconds: float

    @property
    def cases(self) -> int:
        """How many cases the task times."""
        return sum(len(selection.cases) for selection in self.selections)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """The tasks that one job carries out; *seconds* is what they are expected to take, set-up included."""

    index: int
    tasks: tuple[Task, ...]
    seconds: float

    @property
    def cases(self) -> int:
        """How many cases the shard times."""
        return sum(task.cases for task in self.tasks)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedEnvironment:
    """An environment that asv's matrix makes of a Python which is here."""

    python: str
    environment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Excluded:
    """Something that was asked for and is not in the plan: a Python, a commit, a case; and why."""

    item: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What will be timed, cut into shards. *config* is relative to the repository; *benchmarks* is asv's JSON text."""

    schema: int
    project: str
    config: str
    environments: tuple[PlannedEnvironment, ...]
    shards: tuple[Shard, ...]
    excluded: tuple[Excluded, ...]
    benchmarks: str

    @property
    def cases(self) -> int:
        """How many cases the plan times, over all commits and environments."""
        return sum(shard.cases for shard in self.shards)

    @property
    def seconds(self) -> float:
        """How long all shards take together."""
        return sum(shard.seconds for shard in self.shards)


PLAN_SCHEMA = 1


PLAN_FORMAT = Format(name="plan.json", type=Plan, schema=PLAN_SCHEMA, remedy="write it again with windtunnel plan")
