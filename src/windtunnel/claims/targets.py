"""The targets at which claims are decided, with their runs and their blocks."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from windtunnel.claims.format import ClaimTarget
from windtunnel.claims.samples_format import ClaimSamples
from windtunnel.model.identity import CommitHash, MachineName
from windtunnel.model.run import Machine, ResultsTree, Run
from windtunnel.model.target import (
    MeasuredTarget,
    Target,
    natural_order,
    newest_first,
    newest_targets,
    with_unique_names,
)

FREE_THREADED = re.compile(r"\d[\d.]*t")
"""The versions that asv writes for builds of CPython without a global interpreter lock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardTarget(Target):
    """A target with what was measured there; it has runs, blocks or both."""

    runs: tuple[Run, ...] = ()
    """The runs, newest first."""
    samples: tuple[ClaimSamples, ...] = ()
    """The blocks of each commit, newest first."""

    def described(self, machines: Sequence[Machine]) -> ClaimTarget:
        """Return the target as claims.json describes it."""
        machine = next((machine for machine in machines if machine.name == self.machine), None)
        cores = (machine and machine.detail("num_cpu")) or ""
        recorded = [samples.machine.cores for samples in self.samples if samples.machine.cores > 0]
        return ClaimTarget(
            name=self.name,
            python=self.python,
            machine=self.machine,
            environment=self.environment,
            cores=int(cores) if re.fullmatch(r"[1-9][0-9]{0,5}", cores) else next(iter(recorded), None),
            gil=not FREE_THREADED.fullmatch(self.python),
        )


def board_targets(
    tree: ResultsTree, history: Sequence[CommitHash], samples: Sequence[ClaimSamples]
) -> tuple[BoardTarget, ...]:
    """Return the newest targets of each machine, its Pythons ascending.

    A machine that measures rarely may decide claims too.

    *history* holds the commits of the project's branches, newest first.
    """
    ranks = {commit: rank for rank, commit in reversed(list(enumerate(history)))}
    newest = sorted(samples, key=lambda each: (ranks.get(each.commit, len(ranks)), -each.date, -each.ended))
    machines = [*(run.machine for run in tree.runs), *(MachineName(each.machine.name) for each in newest)]
    found: list[BoardTarget] = []
    for machine in dict.fromkeys(machines):
        runs = ResultsTree(runs=tuple(run for run in tree.runs if run.machine == machine))
        measured = [*_with_older_runs(newest_targets(runs, history), runs, history)]
        targets = _with_samples(measured, [each for each in newest if each.machine.name == machine])
        found += sorted(targets, key=lambda target: natural_order(target.python))
    return with_unique_names([replace(target, name=target.python) for target in found])


def _with_older_runs(
    targets: Sequence[MeasuredTarget], tree: ResultsTree, history: Sequence[CommitHash]
) -> Iterator[BoardTarget]:
    """Yield the *targets* of a machine, each with the older runs of its Python in other environments.

    An environment changes when a library is added. Earlier decisions remain valid until the cases are measured again.
    If a Python has several environments now, each keeps its own runs.
    """
    counts = Counter(target.python for target in targets)
    for target in targets:
        runs: Sequence[Run] = target.runs
        if counts[target.python] == 1:
            ordered = newest_first((run for run in tree.runs if run.environment.python == target.python), history)
            runs = ordered[ordered.index(target.runs[0]) :]
        yield BoardTarget(
            name=target.name,
            python=target.python,
            machine=target.machine,
            environment=target.environment,
            runs=tuple(runs),
        )


def _with_samples(targets: Sequence[BoardTarget], samples: Sequence[ClaimSamples]) -> Iterator[BoardTarget]:
    """Yield the *targets* of a machine with its *samples*, and a target for each Python that has only blocks.

    As for runs, the environment distinguishes targets only if a Python has several of them.
    """
    counts = Counter(target.python for target in targets)
    for target in targets:
        same = [each for each in samples if each.python == target.python]
        several = counts[target.python] > 1
        yield replace(
            target,
            samples=tuple(each for each in same if not several or each.environment == target.environment),
        )
    for python in dict.fromkeys(each.python for each in samples if each.python not in counts):
        same = [each for each in samples if each.python == python]
        yield BoardTarget(
            name=python,
            python=python,
            machine=MachineName(same[0].machine.name),
            environment=same[0].environment,
            samples=tuple(same),
        )
