"""Lists which cases of the scenarios run on which Python: measured, skipped with the reason, failed.

    make study ARGS="studies.pythons .asv/results"                  print the tables

Of several runs of a Python, the newest counts whose commit is the newest.
"""

import argparse
import re
import sys
from collections import Counter
from pathlib import Path

from windtunnel.results.tree import read_records
from windtunnel.text.numbers import count

REASON = re.compile(r"(requires .*?|cannot .*?|this commit has no case|no second disk found.*?).{0,2}$")
"""What a reason says after the name of the variant; the name of the error and quotes are around it."""


def main():
    """Print or write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="a results tree")
    parser.add_argument("--load", default="standard", help="only cases of this load (default: %(default)s)")
    options = parser.parse_args()
    records, problems = read_records(options.results)
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    sys.stdout.write(render(newest_tasks(records), options.load) + "\n")


def newest_tasks(records):
    """Returns the newest task of each Python, by name, with the cases of all its runs of that commit."""
    found = {}
    for record in sorted(records, key=lambda each: each.started):
        for task in record.tasks:
            commit, build, cases = found.get(task.python, (None, None, {}))
            kept = cases if commit == task.commit else {}
            found[task.python] = task.commit, task.build or build, {**kept, **{case.case: case for case in task.cases}}
    return found


def render(tasks, load):
    """Returns a table with a row for each Python, and one with a row for each reason."""
    rows, reasons, failures = [], {}, []
    for python, (commit, build, cases) in sorted(tasks.items(), key=lambda each: order(each[0])):
        chosen = [case for name, case in cases.items() if f"'{load}'" in name]
        states = Counter(case.state for case in chosen)
        minutes = sum(case.seconds for case in chosen) / 60
        version = f"{build.implementation} {build.version}{'' if build.gil else ', without the lock'}" if build else ""
        rows.append(
            f"| {python} | {version} | {len(chosen)} | {states['measured']} | {states['skipped']} "
            f"| {states['failed']} | {minutes:.0f} | {commit[:8]} |"
        )
        for case in chosen:
            if case.state == "skipped":
                reasons.setdefault(reason_of(case.reason), Counter())[python] += 1
            elif case.state == "failed":
                failures.append(f"- {python}: `{case.case}`: {case.reason.splitlines()[-1][:200]}")
    pythons = sorted(tasks, key=order)
    lines = [
        "| Python | version | cases | measured | skipped | failed | minutes | commit |",
        "|---|---|---|---|---|---|---|---|",
        *rows,
        "",
        f"| why a case is skipped | {' | '.join(pythons)} |",
        f"|---|{'---|' * len(pythons)}",
    ]
    for reason, counts in sorted(reasons.items(), key=lambda each: (-sum(each[1].values()), each[0])):
        lines.append(f"| {reason} | {' | '.join(str(counts[python] or '') for python in pythons)} |")
    lines += [
        "",
        f"{count(len(failures), 'case')} failed{':' if failures else '.'}",
        *([""] if failures else []),
        *failures,
    ]
    return "\n".join(lines)


def reason_of(text):
    """Returns the reason of a skipped case without the names of the error and of the variant."""
    (line, *_) = reversed(text.strip().splitlines() or [""])
    found = REASON.search(line.rstrip("')\""))
    reason = found.group(0) if found else line
    return re.sub(r", absent from this \w+$", "", reason)[:120].replace("|", "/")


def order(python):
    """Sorts 3.9 before 3.11, and CPython before others."""
    letters = re.match(r"[a-z]*", python).group()
    return letters, [int(part) for part in re.findall(r"\d+", python)], python


if __name__ == "__main__":
    main()
