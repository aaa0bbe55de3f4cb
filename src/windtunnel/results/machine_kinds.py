"""Kinds of machines: machines with names of their own that are measured as one, such as hosted runners."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from windtunnel.model.identity import MachineName
from windtunnel.model.run import Machine
from windtunnel.results.columns import ResultsValues

HOSTED_RUNNERS = (
    r"^fv-az\d+(-\d+)?$",
    r"^(runnervm|pkrvm)\w+$",
    r"^Mac-\d+(\.local)?$",
    r"^sat\d+-[\w-]+(\.local)?$",
    r"^runner-[\w-]+-project-\d+-concurrent-\d+$",
    r"^[0-9a-f]{12}$",
)
"""The host names of GitHub's runners (Linux and Windows, then macOS), of GitLab's runners, and of containers."""


def kind_of(name: MachineName, kinds: Mapping[str, str]) -> MachineName:
    """Return the first of *kinds* whose regular expression finds something in *name*; *name* without one."""
    return MachineName(next((kind for kind, pattern in kinds.items() if re.search(pattern, name)), name))


def propose_kinds(names: Iterable[MachineName], least: int = 2) -> Sequence[str]:
    """Return the patterns of hosted runners that fit at least *least* of *names*."""
    known = tuple(names)
    return [pattern for pattern in HOSTED_RUNNERS if sum(bool(re.search(pattern, name)) for name in known) >= least]


def join_machines(values: ResultsValues, kinds: Mapping[str, str]) -> ResultsValues:
    """Return *values* with one machine name for all machines of each of *kinds*, a pattern by name.

    A kind has the details of the first of its machines. Runs of one commit in one environment stay separate runs.
    """
    if not kinds:
        return values
    runs = [replace(run, machine=kind_of(run.machine, kinds)) for run in values.tree.runs]
    order = sorted(range(len(runs)), key=lambda index: runs[index].key)
    machines: dict[str, Machine] = {}
    for machine in values.tree.machines:
        name = kind_of(machine.name, kinds)
        machines.setdefault(name, replace(machine, name=name))
    tree = replace(
        values.tree,
        runs=tuple(runs[index] for index in order),
        machines=tuple(machines[name] for name in sorted(machines)),
    )
    position = np.full(len(runs) + 1, -1, np.int32)
    position[order] = np.arange(len(runs))
    return replace(
        values,
        tree=tree,
        runs=tuple(values.runs[index] for index in order),
        blocks=tuple(replace(block, runs=position[block.runs]) for block in values.blocks),
    )
