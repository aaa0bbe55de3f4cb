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
from windtunnel.cli.history_options import HistorySource
from windtunnel.git.repository import Repository
from windtunnel.results.tree import read_records
from windtunnel.text.numbers import duration, quantity, ratio

SUITE_CLAIMS = Path(__file__).parents[1] / "benchmarks" / "claims.toml"


def main():
    """Print the part, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="a results tree that windtunnel merge or bench wrote")
    parser.add_argument("--claims", type=Path, default=SUITE_CLAIMS, help="the claims file")
    parser.add_argument("--into", type=Path, metavar="FILE", help="the page to write it into")
    options = parser.parse_args()
    records, problems = read_records(options.results)
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    source = HistorySource(repository=lambda: Repository.at(Path.cwd(), os.environ))
    console = Console(out=sys.stdout, err=sys.stderr, level=VERBOSE)
    board = decide(read_claims(options.claims), options.results, source, console)
    put_or_print(options.into, "claim_page", page(board, records))


def page(board, records):
    """Returns the table of runs, the board, and the table of ratios that differ from the articles'."""
    parts = ["\n".join(run_table(records)), render_markdown(board).removeprefix("## Claims\n\n").strip()]
    rows = list(differing_ratios(board))
    if rows:
        targets = [target.name for target in board.targets]
        head = [f"| claim | article | {' | '.join(targets)} |", f"|---|---|{'---|' * len(targets)}"]
        parts.append("\n".join(["Ratios whose interval does not contain the article's value:", "", *head, *rows]))
    return "\n\n".join(parts)


def run_table(records):
    """Yields the lines of a table with a row for each machine, Python and commit."""
    groups = {}
    for record in records:
        for task in record.tasks:
            groups.setdefault((record.machine.name, task.python, task.commit), []).append((record, task))
    yield "| Python | commit | date | machine | load average before | background load | cases | duration |"
    yield "|---|---|---|---|---|---|---|---|"
    for (_, python, commit), pairs in groups.items():
        machine, tasks = pairs[0][0].machine, [task for _, task in pairs]
        cases = [case for task in tasks for case in task.cases]
        first = datetime.fromtimestamp(min(record.started for record, _ in pairs), UTC)
        busiest = max((share for case in cases for share in case.background_load), default=None)
        memory = quantity(machine.memory, None, "bytes").value
        cells = (
            f"{python}{describe_build(tasks)}",
            commit[:8],
            f"{first:%Y-%m-%d}",
            f"{machine.cpu}, {machine.cores} cores, {memory}, {machine.os}",
            f"≤ {max(record.machine.load for record, _ in pairs):.2f}",
            "not recorded" if busiest is None else f"≤ {busiest:.1f} processors",
            str(len({case.case for case in cases if case.state == "measured"})),
            duration(sum(case.seconds for case in cases)),
        )
        yield f"| {' | '.join(cells)} |"


def describe_build(tasks):
    """Returns the version and build options of the Python, in brackets; nothing if they are not recorded."""
    build = next((task.build for task in tasks if task.build), None)
    if build is None:
        return ""
    optimised = "optimised" if "--enable-optimizations" in build.options else "built without --enable-optimizations"
    return f" ({build.implementation} {build.version}, {optimised}{', JIT' * build.jit}{', no GIL' * (not build.gil)})"


def differing_ratios(board):
    """Yields a row for each ratio with a published value that lies outside an interval."""
    for claim in board.claims:
        decided = [one for one in board.decisions if one.claim == claim.id and one.tests]
        count = max((len(one.tests) for one in decided), default=0)
        for index in range(count):
            tests = {one.target: one.tests[index] for one in decided}
            published = next(iter(tests.values())).published
            if published is None or not any(map(differs, tests.values())):
                continue
            cells = [ratio_cell(tests.get(target.name)) for target in board.targets]
            name = f"{claim.id}{f' ({index + 1})' if count > 1 else ''}"
            yield f"| {name} | {ratio(published, None).value} | {' | '.join(cells)} |"


def differs(test):
    """Whether the published ratio lies outside the interval."""
    return test.interval is not None and not test.interval.low <= test.published <= test.interval.high


def ratio_cell(test):
    """Returns the ratio with its interval; bold if the published ratio lies outside."""
    figures = test and format_ratio(test)
    if not figures:
        return ""
    text = f"{figures.value} ({figures.interval})"
    return f"**{text}**" if differs(test) else text


if __name__ == "__main__":
    main()
