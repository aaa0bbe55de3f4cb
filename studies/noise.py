"""How much each case varies between processes that measured the same commit, as the Markdown of measurements/noise.md.

    make study ARGS="studies.noise A-1 A-2 …"                  runs of one commit (A/A)
    make study ARGS="studies.noise --worst 20 A-*"             the 20 noisiest cases
    make study ARGS="studies.noise A-* --into docs/measurements/noise.md"   to commit it

A run is the folder that windtunnel run left, or a results tree. A process stands with the median of its samples, and
with their minimum; and with the ratio of its median to that of the benchmark's first variant in the same run, of which
a machine that is faster or slower in one run than in another is no part. The coefficient of variation (CV) of those is
their standard deviation (n - 1) divided by their mean. Results of different machines or environments are kept apart;
what a run timed beside other work is left out.
"""

import argparse
import math
import re
import sys
from pathlib import Path
from statistics import mean, median, stdev

from studies.page import put_or_print
from windtunnel import formats
from windtunnel.model.result import Measured
from windtunnel.model.run_format import RunRecord
from windtunnel.results.tree import RECORD, RESULTS, read_records, read_tree
from windtunnel.text.numbers import quantity

LIMIT = 0.05
"""A case above this coefficient of variation needs a reason."""

REASONS = (
    (
        r"(files\.(Files|OneFile)|mixtures\.FilesCpu|asyncio_costs\.LoopLagFiles)\.",
        "the page cache and its write-back, as published; judge `files_after_sync`",
    ),
    (
        r"(files\.(FilesAfterSync|FiveFiles|FilesFsync|FilesTwoDisks|FilesDd)|sqlite\.SqliteRowCommits)\.",
        "a disk that others use",
    ),
    (r"files\.Files(Dd)?Tmpfs\.", "memory bandwidth, shared with neighbours; pages are zeroed at first touch"),
    (r"cpu\.\w+CpuTime\.", "frequency and shared caches"),
    (
        r".*\b(threads|processes_\w+|to_thread|queue|simple_queue|submit|run_in_executor)\b",
        "which cores threads run on",
    ),
    (r"(web_servers\.Web\w*|http_clients\.\w+|mixtures\.Http\w+)\.", "server and client share the cores"),
    (r"sqlite\.SqliteBulkInsert\.", "computing at a clock that neighbours change"),
    (r"asyncio_costs\.LoopLagCpu\.", "the worst of many waits, which is an extreme by its nature"),
    (r"processes\.", "starting and waking workers; which cores they run on"),
    (r"cpu\.SharedCounter\.", "the order in which threads get the lock"),
    (r"web_servers\.Echo\.", "server and clients share the cores"),
    (
        r"(cpu|fastapi|asyncio_costs)\.|mixtures\.SqliteCpu",
        "computing at a clock that neighbours change",
    ),
    (r"memory\.", "when the allocator returns pages to the system"),
)
"""Why a case may vary, by the first expression that fits its name. What only waits has no reason to vary: where it
does, it is to be looked into, as whatever fits none."""


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="+", help="folders that windtunnel run left, or results trees")
    parser.add_argument("--worst", type=int, metavar="N", help="only so many cases, the noisiest")
    parser.add_argument("--into", type=Path, metavar="FILE", help="the document to write it into")
    asked = parser.parse_args()
    found, disturbed = noise_of(asked.runs)
    if not found:
        sys.exit("no case was measured by two processes: give more runs of the same commit")
    put_or_print(asked.into, "noise", told(found, disturbed, asked.worst))


def noise_of(folders):
    """The noise of each case in the runs, the noisiest first, and how often one was timed beside other work."""
    cases, units, disturbed = {}, {}, 0
    for folder in folders:
        tree, doubted = read_run(folder)
        units |= {benchmark.name: benchmark.unit or "unit" for benchmark in tree.benchmarks}
        for run in tree.runs:
            for row in run.rows:
                first = {}
                for params, result in row.cases():
                    if not isinstance(result, Measured):
                        continue
                    if (run.commit, f"{row.name}({', '.join(params)})") in doubted:
                        disturbed += 1
                        continue
                    processes = [each for each in map(finite, result.processes) if each]
                    base = first.setdefault(params[1:], processes)
                    key = (run.machine, run.environment, run.commit, row.name, params)
                    cases.setdefault(key, Processes()).add(processes, base)
    rows = [noise(key, processes, units) for key, processes in cases.items()]
    return sorted((each for each in rows if each), key=lambda each: -each["cv"]), disturbed


class Processes:
    """What processes of one case measured: medians, minima, and medians as shares of those of another case."""

    def __init__(self):
        self.medians, self.minima, self.shares = [], [], []

    def add(self, processes, base):
        """Those of one run, whose k-th has the k-th of the other case beside it."""
        self.medians += [median(samples) for samples in processes]
        self.minima += [min(samples) for samples in processes]
        if base is not processes and len(base) == len(processes) and all(map(median, base)):
            self.shares += [median(one) / median(other) for one, other in zip(processes, base, strict=True)]


def read_run(folder):
    """The results of a run, and the cases with their commits that it timed while others kept processors busy."""
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
    """The samples that are numbers."""
    return [sample for sample in samples if math.isfinite(sample)]


def noise(key, processes, units):
    """A case and its noise; None where it had too few processes, or is always zero."""
    machine, environment, commit, name, params = key
    medians = processes.medians
    if len(medians) < 2 or not mean(medians):
        return None
    case = " ".join((name, *(param.strip("'") for param in params)))
    return {
        "case": case,
        "where": f"{machine}, {environment.python}",
        "commit": commit[:8],
        "processes": len(medians),
        "value": quantity(median(medians), None, units.get(name, "unit")).value,
        "cv": variation(medians),
        "cv_minimum": variation(processes.minima),
        "cv_share": variation(processes.shares) if len(processes.shares) > 1 else None,
        "reason": next((reason for pattern, reason in REASONS if re.match(pattern, case)), "to be looked into"),
    }


def variation(values):
    """The coefficient of variation."""
    return stdev(values) / abs(mean(values)) if mean(values) else 0.0


def told(found, disturbed, worst):
    """A sentence or two, and a table of all cases or the noisiest."""
    noisy, processes = sum(each["cv"] > LIMIT for each in found), [each["processes"] for each in found]
    commits = ", ".join(sorted({each["commit"] for each in found}))
    summary = (
        f"Commit {commits}: {len(found)} cases, {min(processes)} to {max(processes)} processes each: the median case "
        f"varies by {median(each['cv'] for each in found):.1%} between processes, {noisy} by more than {LIMIT:.0%}."
    )
    if shares := [(each["cv_share"], each["cv"]) for each in found if each["cv_share"] is not None]:
        summary += (
            f" Of the {len(shares)} with another variant beside them, the median ratio to the first varies by "
            f"{median(share for share, _ in shares):.1%}, the median case by {median(own for _, own in shares):.1%}."
        )
    if disturbed:
        summary += f" Left out, as they were timed beside other work: {disturbed} of the values."
    lines = [
        summary,
        "",
        "| case | machine, Python | processes | median | CV | CV of minima | CV of ratio | why |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for each in found[:worst]:
        why = each["reason"] if each["cv"] > LIMIT else ""
        cells = (f"`{each['case']}`", each["where"], each["processes"], each["value"])
        share = "" if each["cv_share"] is None else f"{each['cv_share']:.1%}"
        variations = f"{each['cv']:.1%} | {each['cv_minimum']:.1%} | {share}"
        lines.append(f"| {' | '.join(map(str, cells))} | {variations} | {why} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
