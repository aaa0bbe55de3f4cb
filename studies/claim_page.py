"""The claim board of a results tree as Markdown: the runs, the board, and the ratios that differ from published ones.

    make study ARGS="studies.claim_page article/results"                          to look at it
    make study ARGS="studies.claim_page article/results --into docs/measurements/claims.md"    to commit it

Figures come from the results, and machines and dates from their run records. The document explains differences below
the part that this study writes.
"""

import argparse
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from studies.page import put_or_print
from windtunnel.claims.report import format_ratio, render_markdown
from windtunnel.cli.claims import decide, read_claims
from windtunnel.cli.console import VERBOSE, Console
from windtunnel.cli.history_options import HistoryOptions
from windtunnel.results.tree import read_records
from windtunnel.text.numbers import duration, quantity, ratio

SUITE_CLAIMS = Path(__file__).parents[1] / "benchmarks" / "claims.toml"


def main():
    """Print the part of the page, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="a results tree that windtunnel merge or bench left")
    parser.add_argument("--claims", type=Path, default=SUITE_CLAIMS, help="the claims file")
    parser.add_argument("--into", type=Path, metavar="FILE", help="the document to write it into")
    asked = parser.parse_args()
    records, doubts = read_records(asked.results)
    for doubt in doubts:
        sys.stderr.write(f"{doubt}\n")
    history, console = HistoryOptions(), Console(out=sys.stdout, err=sys.stderr, level=VERBOSE)
    board = decide(read_claims(asked.claims), asked.results, history, os.environ, console)
    put_or_print(asked.into, "claim_page", page(board, records))


def page(board, records):
    """Return the runs, the board, and the table of ratios that differ from published ones."""
    parts = ["\n".join(ran(records)), render_markdown(board).removeprefix("## Claims\n\n").strip()]
    rows = list(different(board))
    if rows:
        targets = [target.name for target in board.targets]
        head = [f"| claim | published | {' | '.join(targets)} |", f"|---|---|{'---|' * len(targets)}"]
        parts.append("\n".join(["Ratios whose interval does not contain the published ratio:", "", *head, *rows]))
    return "\n\n".join(parts)


def ran(records):
    """Yield a line for each machine and Python: commit, date, hardware, load, how long, and how many cases."""
    groups = {}
    for record in records:
        for task in record.tasks:
            groups.setdefault((record.machine.name, task.python, task.commit), []).append((record, task))
    for (_, python, commit), pairs in groups.items():
        machine, tasks = pairs[0][0].machine, [task for _, task in pairs]
        cases = [case for task in tasks for case in task.cases]
        measured = len({case.case for case in cases if case.state == "measured"})
        first = datetime.fromtimestamp(min(record.started for record, _ in pairs), UTC)
        load = max(record.machine.load for record, _ in pairs)
        hardware = (
            f"{machine.cpu}, {machine.cores} cores, {quantity(machine.memory, None, 'bytes').value}, {machine.os}"
        )
        took = duration(sum(case.seconds for case in cases))
        busiest = max((share for case in cases for share in case.background_load), default=None)
        others = "" if busiest is None else f", others kept at most {busiest:.1f} processors busy"
        yield (
            f"- Python {python}{build(tasks)}, commit {commit[:8]}, {first:%Y-%m-%d}: {hardware}; load average before "
            f"at most {load:.2f}{others}; {measured} cases measured in {took}"
        )


def build(tasks):
    """Return how the Python was built, if the record says."""
    found = next((task.build for task in tasks if task.build), None)
    if found is None:
        return ""
    optimised = "optimised" if "--enable-optimizations" in found.options else "built without --enable-optimizations"
    return f" ({found.implementation} {found.version}, {optimised}{', JIT' * found.jit}{', no GIL' * (not found.gil)})"


def different(board):
    """Yield a row for each ratio whose published value lies outside an interval."""
    for claim in board.claims:
        decided = [one for one in board.decisions if one.claim == claim.id and one.tests]
        count = max((len(one.tests) for one in decided), default=0)
        for index in range(count):
            tests = {one.target: one.tests[index] for one in decided}
            published = next(iter(tests.values())).published
            if published is None or not any(map(contradicts, tests.values())):
                continue
            cells = [cell(tests.get(target.name)) for target in board.targets]
            name = f"{claim.id}{f' ({index + 1})' if count > 1 else ''}"
            yield f"| {name} | {ratio(published, None).value} | {' | '.join(cells)} |"


def contradicts(test):
    """Return whether the published ratio lies outside the interval of *test*."""
    return test.interval is not None and not test.interval.low <= test.published <= test.interval.high


def cell(test):
    """Return the ratio with its interval, bold if the published ratio lies outside."""
    found = test and format_ratio(test)
    if not found:
        return ""
    text = f"{found.value} ({found.interval})"
    return f"**{text}**" if contradicts(test) else text


if __name__ == "__main__":
    main()
