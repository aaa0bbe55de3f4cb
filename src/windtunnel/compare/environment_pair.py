"""One environment in which both commits are built, and everything that is measured there."""

from collections.abc import Iterator
from dataclasses import dataclass

from windtunnel.asv.engine_session import EngineSession
from windtunnel.asv.protocol import Broken, CommitReady, ProcessEnded, ProcessesDone, RunProcesses
from windtunnel.compare.case_matching import ComparableCases
from windtunnel.compare.format import NotCompared
from windtunnel.compare.request import Listener
from windtunnel.compare.schedule import ComparableCase, ProcessCollection
from windtunnel.errors import DataError
from windtunnel.model.run_format import CaseState, last_line
from windtunnel.model.schedule import COMPARISON, ComparedCommit, ScheduledProcess


@dataclass(slots=True, kw_only=True)
class EnvironmentPair:
    """One environment with both commits in it, and what takes part there."""

    name: str
    session: EngineSession
    sides: dict[ComparedCommit, CommitReady]
    comparable: ComparableCases
    collection: ProcessCollection

    @property
    def same_artifact(self) -> bool:
        """Whether both commits were built to the same content."""
        base, head = (self.sides[commit] for commit in ComparedCommit)
        return bool(base.artifact) and base.artifact == head.artifact

    def differences(self, project: str) -> tuple[str, ...]:
        """Return in what the packages beside the project differ."""
        base, head = (
            {one for one in self.sides[commit].packages if _normal(one.partition("==")[0]) != _normal(project)}
            for commit in ComparedCommit
        )
        return tuple(sorted([f"base has {one}" for one in base - head] + [f"head has {one}" for one in head - base]))

    def stopped(self) -> Iterator[tuple[CaseState, NotCompared]]:
        """Yield the cases that gave no value, with the commits on which they did not."""
        for one in self.comparable.cases:
            ended = self.collection.stopped(one, COMPARISON)
            if ended:
                worst = next(
                    (each for each in ended.values() if each.state is CaseState.FAILED), next(iter(ended.values()))
                )
                on = tuple(arm.commit for arm in COMPARISON if arm in ended)
                yield worst.state, _left_out(one, last_line(worst.reason), on)

    def take(self, processes: tuple[ScheduledProcess, ...], listen: Listener) -> None:
        """Run *turns* and collect their processes; raises DataError when the engine gives up."""
        if not processes:
            return
        self.session.send(RunProcesses(processes=processes))
        found = []
        for event in self.session.events():
            match event:
                case ProcessEnded(process=process):
                    found.append(process)
                    listen(process)
                case ProcessesDone():
                    self.collection.add(found)
                    return
                case Broken():
                    raise DataError(f"measuring in {self.name} broke off: {event.step}: {last_line(event.reason)}")
                case _:
                    pass
        raise DataError(f"measuring in {self.name} broke off; see the end of {self.session.log}")


def _normal(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def _left_out(one: ComparableCase, reason: str, on: tuple[ComparedCommit, ...]) -> NotCompared:
    return NotCompared(benchmark=one.benchmark, params=one.params, environment=one.environment, reason=reason, on=on)
