"""Writes a table for each article into docs/measurements/article.md: its figure, our ratio on each Python, the verdict.

    make study ARGS="studies.article_page"             # from the files below
    make study ARGS="studies.article_page RESULTS"     # also takes medians of the load `article` from a results tree

studies/articles.toml has a row for each experiment. Ratios come from the board in docs/measurements/claims.json. Where
no claim has the ratio, they are of medians in docs/measurements/cases.json, without intervals.
"""

import argparse
import json
import sys
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from studies.board import DOCS, LABELS, cell, decimals_of, decisions_of, is_measured, listed, read_board
from studies.claim_page import measured_where, wrapped
from studies.page import put
from windtunnel.model.run import Measured
from windtunnel.results.tree import read_records, read_tree
from windtunnel.text.numbers import TIMES
from windtunnel_claims.format import Decision

PAGE, CASES = DOCS / "measurements" / "article.md", DOCS / "measurements" / "cases.json"
ARTICLES = Path(__file__).parent / "articles.toml"
LOAD = "'article'"
NEAR = 0.1
"""The relative difference up to which a ratio agrees with the article's even if its interval does not contain it."""
WIDE = 1.35
"""An interval whose ends differ by more than this factor is too wide to agree with anything."""
EQUAL = 0.05
"""A published ratio that is nearer to 1 has no direction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ours:
    """What was measured here of an experiment, on one Python."""

    text: str
    """The ratio as it is shown; empty if there is none."""
    verdict: str
    """``agrees``, ``same direction``, ``differs``, ``undecided``, ``not measured``, ``yes``, ``no``, or empty."""


def main():
    """Write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "results", type=Path, nargs="?", help="a results tree whose medians replace those of cases.json"
    )
    options = parser.parse_args()
    days, cases = read_cases()
    if options.results:
        tree, (records, problems) = read_tree(options.results), read_records(options.results)
        for problem in (*tree.problems, *problems):
            sys.stderr.write(f"{problem}\n")
        days = {*days, *(f"{datetime.fromtimestamp(record.started, UTC):%Y-%m-%d}" for record in records)}
        cases.update(newest_medians(tree.runs))
        write_cases(CASES, days, cases)
    put(PAGE, "article_page", page(read_articles(), read_board(), days, cases))


def read_articles(path=ARTICLES):
    """Returns the articles with their rows."""
    return tomllib.loads(Path(path).read_text(encoding="utf-8"))["article"]


def read_cases(path=CASES):
    """Returns the days of measuring, and the median of each benchmark, variant and Python."""
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    return content["days"], {tuple(names): value for *names, value in content["cases"]}


def write_cases(path, days, cases):
    """Write *cases* with a line for each."""
    lines = ",\n".join(json.dumps([*key, float(f"{value:.4g}")]) for key, value in sorted(cases.items()))
    Path(path).write_text(f'{{"days": {json.dumps(sorted({*days}))}, "cases": [\n{lines}\n]}}\n', encoding="utf-8")


def newest_medians(runs):
    """Returns the median of each case of the `article` load on the newest commit that measured it."""
    found = {}
    for run in sorted(runs, key=lambda run: run.date):
        for row in run.rows:
            for params, result in row.cases():
                if params[1:] == (LOAD,) and isinstance(result, Measured):
                    found[row.name, params[0].strip("'"), run.environment.python] = centre(result)
    return found


def centre(result):
    """Returns the median of the processes' medians."""
    return median(map(median, result.processes)) if result.processes else result.value


def page(articles, board, days, cases):
    """Returns the days of measuring, and a heading, the setting and a table for each article."""
    parts = [wrapped(f"{measured_where(board)} Medians without an interval: {listed(sorted(days))}.")]
    return "\n\n".join([*parts, *(part for article in articles for part in article_parts(article, board, cases))])


def article_parts(article, board, cases):
    """Yields the heading, the setting, the experiments that agree, and a table of the others."""
    yield f"## {article['title']}"
    rows = [
        (row, {target.name: measured(row, target, board, cases) for target in board.targets}) for row in article["row"]
    ]
    agreeing = [row["experiment"] for row, ours in rows if agrees(row, ours)]
    tally = f" {len(agreeing)} of {len(rows)} rows agree: {listed(list(dict.fromkeys(agreeing)))}." if agreeing else ""
    yield wrapped(f"{article['setting']}.{tally}")
    others = [line(row, ours) for row, ours in rows if not agrees(row, ours)]
    if others:
        yield "\n".join(["| | ratio | article | here | verdict |", "|---|---|---|---|---|", *others])


def agrees(row, ours):
    """Whether the ratio is the article's on each Python that measured it."""
    return "answer" not in row and known(ours).keys() == {"agrees"}


def known(ours):
    """Returns the Pythons by verdict, without those that did not measure unless none did."""
    groups = {}
    for name, each in ours.items():
        groups.setdefault(each.verdict, []).append(name)
    found = {word: names for word, names in groups.items() if word not in {"not measured", "out of scope"}}
    return found or groups


def line(row, ours):
    """Returns the row of an experiment, with the range of our ratios."""
    figure = f"{row['ratio']:.3g}{TIMES}" if "ratio" in row else cell(row["figure"])
    texts = sorted({each.text for each in ours.values() if each.text}, key=lambda text: float(text.split(TIMES)[0]))
    here = " to ".join(dict.fromkeys([*texts[:1], *texts[-1:]]))
    source = f" ([{row['claim']}](../claims.md#{row['claim'].lower()}))" if "claim" in row else ""
    outcome = row.get("answer") or verdict(row, ours)
    return f"| {row['experiment']} | {cell(row['what'])}{source} | {figure} | {here} | {cell(outcome)} |"


def measured(row, target, board, cases):
    """Returns what was measured of *row* at *target*."""
    if "claim" in row:
        return from_board(row, decisions_of(board, row["claim"]).get(target.name))
    keys = [(row.get("benchmark"), row.get(side), target.python) for side in ("contender", "baseline")]
    if any(key not in cases for key in keys):
        return Ours(text="", verdict="not measured")
    found = cases[keys[0]] / cases[keys[1]]
    return Ours(text=plain_ratio(found), verdict=compare(row, found, None) if "ratio" in row else "")


def from_board(row, decision):
    """Returns what the board has of *row*."""
    if decision is None or decision.decision is Decision.OUT_OF_SCOPE:
        return Ours(text="", verdict="out of scope" if decision else "not measured")
    if "number" in row:
        return accompanying(decision, row["number"])
    index = row.get("test", 1) - 1
    test = decision.tests[index] if len(decision.tests) > index else None
    if test is None or not is_measured(decision) or test.ratio is None:
        return Ours(text="", verdict="not measured")
    if "ratio" in row:
        return Ours(text=plain_ratio(test.ratio), verdict=compare(row, test.ratio, test.interval))
    words = {Decision.HOLDS: "yes", Decision.FAILS: "no"} if row.get("asked") else {}
    words = words or {Decision.HOLDS: "agrees", Decision.FAILS: "differs"}
    return Ours(text=plain_ratio(test.ratio), verdict=words.get(test.decision, LABELS[test.decision]))


def accompanying(decision, name):
    """Returns the ratio that accompanies a claim as a figure; it agrees if it may be 1."""
    found = next((each for each in decision.figures if each.name == name and each.value is not None), None)
    if found is None:
        return Ours(text="", verdict="not measured")
    low, high = (found.value if end is None else end for end in (found.low, found.high))
    return Ours(text=plain_ratio(found.value), verdict="agrees" if low <= 1 <= high else "differs")


def compare(row, ours, interval):
    """Returns whether *ours* agrees with the article's ratio; a wide interval that contains it decides nothing."""
    published = row["ratio"]
    low, high = (interval.low, interval.high) if interval else (ours, ours)
    inside = low <= published <= high
    if high <= WIDE * low and (inside or abs(ours / published - 1) <= NEAR):
        return "agrees"
    if inside:
        return "undecided"
    one_side = low > 1 < published * (1 - EQUAL) or high < 1 > published * (1 + EQUAL)
    return "same direction" if one_side else "differs"


def verdict(row, ours):
    """Returns the verdict on each Python that measured the ratio, one for all if they are equal, and the reason."""
    groups = known(ours)
    text = next(iter(groups))
    if len(groups) > 1:
        text = "; ".join(f"{word} on {', '.join(names)}" for word, names in groups.items())
    if groups.keys() <= {"agrees", "yes", "no"}:
        return text
    return ": ".join(part for part in (text, row.get("reason")) if part)


def plain_ratio(value):
    """Returns a ratio without an interval."""
    return f"{value:.{decimals_of(value)}f}{TIMES}"


if __name__ == "__main__":
    main()
