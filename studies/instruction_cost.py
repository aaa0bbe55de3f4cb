"""What counts of instructions and profiles cost: seconds of each case, and of the comparison of two commits.

    make study ARGS="studies.instruction_cost FOLDER --only '^(asyncio_costs|sqlite).*quick'"
    make study ARGS="studies.instruction_cost FOLDER --compare HEAD~1 HEAD --bench 'quick' --budget 20"

The first one counts the cases of ``benchmarks`` that match with five hash seeds on one commit, then profiles each. The
second one compares two commits of this repository with ``--instructions none``, ``suspects`` (the default) and ``all``.
Both print the seconds on the clock, and those of all processors. Use an idle machine.
"""

import argparse
import contextlib
import re
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path
from time import perf_counter

from windtunnel import formats
from windtunnel.asv.function_profiler import profile_case
from windtunnel.asv.launcher import in_every_benchmark
from windtunnel.compare.format import ComparisonReport

from .instruction_counts.counting import count, discover, environment_of
from .instruction_counts.equal_code import combinations, title

SEEDS = (1, 2, 3, 4, 5)
HEAD = "| what | cases | seconds | CPU seconds |\n|---|---|---|---|"


def main():
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="for the environment and the verdicts")
    parser.add_argument("--only", default="^asyncio_costs.*quick", help="a regular expression of cases")
    parser.add_argument("--compare", nargs=2, metavar=("BASE", "HEAD"))
    parser.add_argument("--bench", default="quick", help="what is compared")
    parser.add_argument("--budget", default="30", help="minutes of a comparison, at most")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    sys.stdout.write(f"{HEAD}\n")
    for row in compared(asked) if asked.compare else each_case(asked):
        sys.stdout.write(f"| {' | '.join(row)} |\n")
        sys.stdout.flush()


def each_case(asked):
    """The start of the counter, and what each further case takes: counted, and profiled."""
    suite = Path("benchmarks").absolute()
    env = environment_of(asked.folder.absolute(), sys.executable)
    entries = discover(env, suite)
    timed = [(name, index) for name, one in entries.items() if one["type"] == "time" for index in combinations(one)]
    cases = [one for one in timed if re.search(asked.only, title(entries, *one))]
    counted = []

    def note(one, counts):
        sys.stderr.write(f"{title(entries, *one)}: {counts.reason or counts.per_call}\n")
        counted.extend([one] * bool(counts.per_call))

    with spent() as one:
        count(env, suite, entries, cases[:1], SEEDS, note)
    with spent() as rest:
        count(env, suite, entries, cases, SEEDS, note)
    more = len(cases) - 1
    if not more:
        sys.exit("--only needs to match two cases")
    further = [(whole - first) / more for first, whole in zip(one, rest, strict=True)]
    yield "counts, the first case", "1", *(f"{value:.1f}" for value in one)
    yield "counts, each further case", str(more), *(f"{value:.1f}" for value in further)
    profiled = list(dict.fromkeys(counted))
    with spent() as took, in_every_benchmark():
        for name, index in profiled:
            profile_case(env, str(suite), entries[name], index, None)
    if profiled:
        yield "profile, each case", str(len(profiled)), *(f"{value / len(profiled):.1f}" for value in took)


def compared(asked):
    """What a comparison takes with each choice of counts; the first call builds, and is not in the table."""
    base, head = asked.compare
    windtunnel = Path(sys.executable).with_name("windtunnel")
    for number, mode in enumerate(("none", "none", "suspects", "all")):
        out = asked.folder.absolute() / f"verdict-{mode}.json"
        command = [windtunnel, "compare", base, head, "--instructions", mode, "--bench", asked.bench, "--seed", "1"]
        budget = "1" if not number else asked.budget
        with spent() as took:
            subprocess.run([*command, "--budget", budget, "--no-gate", "--out", out], check=True, stdout=sys.stderr)
        if number:
            report = formats.decode(out.read_bytes(), ComparisonReport, str(out))
            found = Counter(str(one.verdict) for one in report.comparisons)
            counted = sum(bool(one.work and one.work.counted) for one in report.comparisons)
            verdicts = ", ".join(f"{number} {verdict}" for verdict, number in found.most_common())
            yield (
                f"compare, instructions {mode}: {verdicts}; {counted} counted",
                str(sum(found.values())),
                *took_of(took),
            )


def took_of(took):
    """Whole seconds."""
    return (f"{value:.0f}" for value in took)


@contextlib.contextmanager
def spent():
    """Give a list that holds the seconds on the clock, and of all processors, at the end."""
    took, begin, before = [], perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    yield took
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took += [perf_counter() - begin, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime]


if __name__ == "__main__":
    main()
