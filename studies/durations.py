"""Lists the duration of each benchmark of a run, longest first, and the sum.

    make study ARGS="studies.durations .asv/results"     of all records there
    make study ARGS="studies.durations quick/run.json"   of one run

Durations are those of whole processes. They include the start of Python, the setup of the case and the warm-up.
"""

import argparse
import sys
from collections import defaultdict
from pathlib import Path

from windtunnel import formats
from windtunnel.model.run_format import RunRecord
from windtunnel.results.tree import read_records


def main():
    """Print the list."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("where", type=Path, nargs="+", help="results trees, or run.json of runs")
    records = [record for path in parser.parse_args().where for record in records_of(path)]
    sys.stdout.write(f"{render(records)}\n")


def records_of(path):
    """Returns the run record in a file, or all records of a results tree."""
    if path.is_dir():
        return read_records(path)[0]
    return [formats.decode(path.read_bytes(), RunRecord, str(path))]


def render(records):
    """Returns a line for each benchmark and Python, longest first, and the sum."""
    seconds, cases = defaultdict(float), defaultdict(set)
    for record in records:
        for task in record.tasks:
            for case in task.cases:
                seconds[task.python, case.benchmark] += case.seconds
                cases[task.python, case.benchmark].add(case.case)
    lines = [
        f"{took:8.1f} s {len(cases[key]):4} cases  {key[0]:9} {key[1]}"
        for key, took in sorted(seconds.items(), key=lambda each: -each[1])
    ]
    return "\n".join([*lines, f"{sum(seconds.values()):8.1f} s {sum(map(len, cases.values())):4} cases  in all"])


if __name__ == "__main__":
    main()
