"""Measures how much each case varies between processes of the same commit, for docs/measurements/noise.md.

    make study ARGS="studies.noise A-1 A-2 …"                  runs of one commit (A/A)
    make study ARGS="studies.noise --worst 20 A-*"             the 20 noisiest cases

A run is a folder that ``windtunnel ci run`` wrote, or a results tree. Each process has three values: the median of its
samples, their minimum, and the ratio of the median to that of the first variant in the same run. The coefficient of
variation (CV) is the standard deviation (n - 1) of such values divided by their mean. Targets are separate. Values with
background load are left out.
"""

import argparse
import math
import sys
from pathlib import Path
from statistics import mean, median, stdev

from windtunnel import formats
from windtunnel.model.run import Measured
from windtunnel.model.run_format import RunRecord
from windtunnel.results.tree import RECORD, RESULTS, read_records, read_tree
from windtunnel.text.numbers import quantity

LIMIT = 0.05
"""A case above this coefficient of variation is counted as noisy."""


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="+", help="folders that windtunnel ci run wrote, or results trees")
    parser.add_argument("--worst", type=int, metavar="N", help="only the N noisiest cases")
    options = parser.parse_args()
    found, disturbed = compute_noise(options.runs)
    if not found:
        sys.exit("no case has two processes: give more runs of the same commit")
    sys.stdout.write(render(found, disturbed, options.worst) + "\n")


def compute_noise(folders):
    """Returns the noise of each case, noisiest first, and the number of values with background load."""
    cases, units, disturbed = {}, {}, 0
    for folder in folders:
        tree, loaded = read_run(folder)
        units |= {benchmark.name: benchmark.unit or "unit" for benchmark in tree.benchmarks}
        for run in tree.runs:
            for row in run.rows:
                first = {}
                for params, result in row.cases():
                    if not isinstance(result, Measured):
                        continue
                    if (run.commit, f"{row.name}({', '.join(params)})") in loaded:
                        disturbed += 1
                        continue
                    processes = [each for each in map(finite, result.processes) if each]
                    base = first.setdefault(params[1:], processes)
                    key = (run.machine, run.environment, run.commit, row.name, params)
                    cases.setdefault(key, Processes()).add(processes, base)
    rows = [noise(key, processes, units) for key, processes in cases.items()]
    return sorted((each for each in rows if each), key=lambda each: -each["cv"]), disturbed


class Processes:
    """The medians and minima of one case's processes, and their medians divided by those of the first variant."""

    def __init__(self):
        self.medians, self.minima, self.ratios = [], [], []

    def add(self, processes, base):
        """Add the processes of one run; the k-th process of *base* is the reference of the k-th process."""
        self.medians += [median(samples) for samples in processes]
        self.minima += [min(samples) for samples in processes]
        if base is not processes and len(base) == len(processes) and all(map(median, base)):
            self.ratios += [median(one) / median(other) for one, other in zip(processes, base, strict=True)]


def read_run(folder):
    """Returns the results of a run, and its (commit, case) pairs with background load."""
    if (folder / RECORD).is_file():
        tree, records = (
            folder / RESULTS,
            [formats.decode((folder / RECORD).read_bytes(), RunRecord, str(folder / RECORD))],
        )
    else:
        tree, records = folder, read_records(folder)[0]
    cases = ((task.commit, case) for record in records for task in record.tasks for case in task.cases)
    return read_tree(tree), {(commit, case.case) for commit, case in cases if case.excess_load}


def finite(samples):
    """Returns the samples that are finite numbers."""
    return [sample for sample in samples if math.isfinite(sample)]


def noise(key, processes, units):
    """Returns a case and its noise; None if it has fewer than two processes or is always zero."""
    machine, environment, commit, name, params = key
    medians = processes.medians
    if len(medians) < 2 or not mean(medians):
        return None
    case = " ".join((name, *(param.strip("'") for param in params)))
    return {
        "case": case,
        "target": f"{machine}, Python {environment.python}",
        "commit": commit[:8],
        "processes": len(medians),
        "value": quantity(median(medians), None, units.get(name, "unit")).value,
        "cv": variation(medians),
        "cv_minimum": variation(processes.minima),
        "cv_ratio": variation(processes.ratios) if len(processes.ratios) > 1 else None,
    }


def variation(values):
    """Returns the coefficient of variation."""
    return stdev(values) / abs(mean(values)) if mean(values) else 0.0


def render(found, disturbed, worst):
    """Returns a summary and a table of all cases, or of the *worst* noisiest ones."""
    targets = sorted({each["target"] for each in found})
    return "\n".join([summary(found, disturbed, targets), "", *table(found[:worst], with_target=len(targets) > 1)])


def summary(found, disturbed, targets):
    """Returns what was measured and how much the median case varies."""
    noisy, processes = sum(each["cv"] > LIMIT for each in found), [each["processes"] for each in found]
    commits, middle = ", ".join(sorted({each["commit"] for each in found})), median(each["cv"] for each in found)
    text = (
        f"Commit {commits}, {', '.join(targets)}; {len(found)} cases with {min(processes)} to {max(processes)} "
        f"processes each. The median case varies by {middle:.1%} between processes; {noisy} cases vary by more than "
        f"{LIMIT:.0%}."
    )
    if ratios := [(each["cv_ratio"], each["cv"]) for each in found if each["cv_ratio"] is not None]:
        of_ratios, of_cases = (median(values) for values in zip(*ratios, strict=True))
        text += (
            f" {len(ratios)} cases have a reference variant: their median CV is {of_cases:.1%}, the median CV of their "
            f"ratios {of_ratios:.1%}."
        )
    if disturbed:
        text += f" {disturbed} values with background load are left out."
    return text


def table(found, *, with_target):
    """Yields the lines of the table; it names the target of each case if there are several."""
    head = ["case", *["target"] * with_target, "processes", "median", "CV", "CV of minima", "CV of ratio"]
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    for each in found:
        cells = [f"`{each['case']}`", *[each["target"]] * with_target, str(each["processes"]), each["value"]]
        cells += [
            "" if value is None else f"{value:.1%}" for value in (each["cv"], each["cv_minimum"], each["cv_ratio"])
        ]
        yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
