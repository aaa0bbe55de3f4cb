"""Two results trees to a judgement: which runs belong together, and what is weaker than a live comparison."""

from collections.abc import Sequence
from dataclasses import dataclass

from windtunnel.compare.decide import decide
from windtunnel.compare.format import ComparedEnvironment, ComparedMachine, ComparisonContext, ComparisonReport
from windtunnel.compare.stored_samples import RULES, StoredSuite, collect_samples
from windtunnel.errors import DataError
from windtunnel.model.run import Machine, ResultsTree, Run
from windtunnel.model.settings import Expectation

WEAKER = (
    "Stored results: base and head were measured in two runs, with who knows what between them, and nothing was "
    "measured again. Each change is held against how far all cases lie apart, so only large ones show."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCommit:
    """A results tree, which *commit* of it (a beginning will do; empty: the only one), and a *name* for messages."""

    tree: ResultsTree
    commit: str
    name: str

    def runs(self) -> tuple[Run, ...]:
        """Return the runs of the one commit that was asked for; raises DataError where that is none or not one."""
        runs = tuple(run for run in self.tree.runs if run.commit.startswith(self.commit.lower()))
        commits = sorted({run.commit for run in runs})
        if len(commits) == 1:
            return runs
        wanted = f" beginning with {self.commit!r}" if self.commit else ""
        if not commits:
            raise DataError(
                f"{self.name} has no results of a commit{wanted}; windtunnel compare --help shows how to name one"
            )
        shown = ", ".join(commit[:10] for commit in commits[:5]) + (" ..." if len(commits) > 5 else "")
        raise DataError(f"{self.name} has results of {len(commits)} commits{wanted} ({shown}); name one of them")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPair:
    """A run of each side that are compared, and what to call their environment."""

    base: Run
    head: Run
    label: str


def compare_stored(base: StoredCommit, head: StoredCommit, expectations: Sequence[Expectation]) -> ComparisonReport:
    """Judge what two results trees hold; raises DataError where they share no environment."""
    before, after = base.runs(), head.runs()
    pairs = _pairs(before, after)
    benchmarks = {str(one.name): one for side in (base, head) for one in side.tree.benchmarks}
    suite = StoredSuite(benchmarks=benchmarks, expectations=expectations)
    parts = [collect_samples(pair.base, pair.head, suite, pair.label) for pair in pairs]
    context = ComparisonContext(
        base=before[0].commit,
        head=after[0].commit,
        rules=RULES,
        machines=_machines((*base.tree.machines, *head.tree.machines), pairs),
        environments=tuple(ComparedEnvironment(name=pair.label) for pair in pairs),
        notes=(WEAKER, *_notes(pairs)),
        failed=tuple(one for part in parts for one in part.failed),
        added=tuple(one for part in parts for one in part.added),
        removed=tuple(one for part in parts for one in part.removed),
        skipped=tuple(one for part in parts for one in part.skipped),
        incomparable=tuple(one for part in parts for one in part.incomparable),
    )
    return decide(context, [one for part in parts for one in part.samples])


def _pairs(before: Sequence[Run], after: Sequence[Run]) -> tuple[RunPair, ...]:
    """Return runs of the same environment, on the same machine where there is one."""
    pairs = []
    for environment in sorted({run.environment.name for run in before} & {run.environment.name for run in after}):
        bases = {run.machine: run for run in before if run.environment.name == environment}
        heads = {run.machine: run for run in after if run.environment.name == environment}
        same = sorted({*bases} & {*heads})
        for machine in same:
            label = f"{environment} on {machine}" if len(same) > 1 else environment
            pairs.append(RunPair(base=bases[machine], head=heads[machine], label=label))
        if not same:
            pairs.append(RunPair(base=bases[min(bases)], head=heads[min(heads)], label=environment))
    if not pairs:
        raise DataError(
            f"base was measured in {_listed(before)} and head in {_listed(after)}: "
            "no environment has both; measure one commit again in an environment of the other"
        )
    return tuple(pairs)


def _listed(runs: Sequence[Run]) -> str:
    return ", ".join(sorted({run.environment.name for run in runs})[:5])


def _notes(pairs: Sequence[RunPair]) -> tuple[str, ...]:
    return tuple(
        f"{pair.label}: base was measured on {pair.base.machine}, head on {pair.head.machine}."
        for pair in pairs
        if pair.base.machine != pair.head.machine
    )


def _machines(known: Sequence[Machine], pairs: Sequence[RunPair]) -> tuple[ComparedMachine, ...]:
    details = {one.name: ", ".join(filter(None, (one.detail("cpu"), one.detail("os")))) for one in known}
    names = sorted({run.machine for pair in pairs for run in (pair.base, pair.head)})
    return tuple(ComparedMachine(name=name, description=details.get(name, "")) for name in names)
