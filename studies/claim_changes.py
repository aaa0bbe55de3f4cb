"""Lists the claims that an earlier board decided otherwise, and what changed: the cases, the band, or the numbers.

    git show REVISION:docs/measurements/claims.json > before.json
    make study ARGS="studies.claim_changes before.json"

Targets are matched by their Python, because machines and libraries change.
"""

import argparse
import sys
from pathlib import Path

from studies.board import BOARD, LABELS, cell, listed, ratio_text, read_board
from windtunnel.claims.format import Decision


def main():
    """Print a table of what changed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, help="an earlier claims.json")
    parser.add_argument("now", type=Path, nargs="?", default=BOARD, help="claims.json (default: the committed one)")
    options = parser.parse_args()
    sys.stdout.write("\n".join(table(read_board(options.before), read_board(options.now))) + "\n")


def table(before, now):
    """Yields the lines of a table with a row for each claim and Python that both boards have and decide otherwise."""
    yield "| claim | Python | before | now | what changed |"
    yield "|---|---|---|---|---|"
    earlier = by_python(before)
    for key, decision in by_python(now).items():
        old = earlier.get(key)
        if old is None or old.decision is decision.decision:
            continue
        cells = [*key, shown(old), shown(decision), cell(reason(old, decision))]
        yield f"| {' | '.join(cells)} |"


def by_python(board):
    """Returns the decisions by claim and Python."""
    pythons = {target.name: target.python for target in board.targets}
    return {(one.claim, pythons[one.target]): one for one in board.decisions}


def decisive(decision):
    """Returns the test that decides; None if the claim is out of scope."""
    return decision.tests[decision.decisive] if decision.tests else None


def shown(decision):
    """Returns the decision with the ratio that decides."""
    return f"**{LABELS[decision.decision]}** {ratio_text(decisive(decision))}".strip()


def reason(old, new):
    """Returns what changed between two decisions on a claim."""
    if Decision.OUT_OF_SCOPE in (old.decision, new.decision):
        return f"scope: {new.reason or old.reason}"
    if cases(old) != cases(new):
        same = benchmarks(old) == benchmarks(new)
        return "other tests" if same else f"measured by {benchmarks(new)}; before: {benchmarks(old)}"
    if bands(old) != bands(new):
        return "another band"
    if old.given != new.given:
        loads = [", ".join(setting.value for setting in each.given) or "none" for each in (old, new)]
        return f"measured with {loads[1]}; before: {loads[0]}"
    first, second = decisive(old).interval, decisive(new).interval
    if second is None:
        return new.reason or "not measured"
    if first is None:
        return "not measured before"
    if first.high < second.low or second.high < first.low:
        return "the ratio moved"
    return "a narrower interval" if second.high * first.low < first.high * second.low else "a wider interval"


def cases(decision):
    """Returns the benchmarks and variants of all tests."""
    return [
        [(case.benchmark, case.params[:1]) for case in (each.contender, each.baseline, *each.divided_by)]
        for each in decision.tests
    ]


def benchmarks(decision):
    """Returns the classes of the benchmarks, once each."""
    names = [case.benchmark.split(".")[-2] for each in decision.tests for case in (each.contender, each.baseline)]
    return listed(list(dict.fromkeys(names)))


def bands(decision):
    """Returns the band of each test."""
    return [(each.low, each.high) for each in decision.tests]


if __name__ == "__main__":
    main()
