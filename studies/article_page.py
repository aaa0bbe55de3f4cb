"""Writes every case of the `article` load beside the articles' figures, for docs/measurements/article.md.

    make study ARGS="studies.article_page article/results"                                      print it
    make study ARGS="studies.article_page article/results --into docs/measurements/article.md"    write it into the page

The value of a case is the median of its processes' medians on the newest commit that tried it. Its ratio is to the
first measured variant of its benchmark. The articles' figures are in published.toml.
"""

import argparse
import sys
import tomllib
from pathlib import Path
from statistics import median

from studies.claim_page import run_table
from studies.page import put_or_print
from windtunnel.asv.pythons import spec_order
from windtunnel.model.result import Failed, Measured, Skipped
from windtunnel.results.tree import read_records, read_tree
from windtunnel.text.numbers import quantity, ratio

PUBLISHED = Path(__file__).parent / "published.toml"
LOAD = "'article'"


def main():
    """Print the part, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="a results tree that windtunnel merge or bench wrote")
    parser.add_argument("--into", type=Path, metavar="FILE", help="the page to write it into")
    options = parser.parse_args()
    tree, (records, problems) = read_tree(options.results), read_records(options.results)
    for problem in (*tree.problems, *problems):
        sys.stderr.write(f"{problem}\n")
    put_or_print(options.into, "article_page", page(tree, records, read_published(PUBLISHED)))


def read_published(path):
    """Returns the articles' seconds and the letter of the article, by benchmark and variant."""
    articles = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        (benchmark, variant): (seconds, letter)
        for letter, benchmarks in articles.items()
        for benchmark, variants in benchmarks.items()
        for variant, seconds in variants.items()
    }


def page(tree, records, figures):
    """Returns the table of runs, the number of cases of each Python, and a table with a row for each case."""
    cases = newest(tree.runs)
    pythons = sorted({python for tried in cases.values() for python in tried}, key=spec_order)
    head = ["benchmark", "variant", "published", *(cell for python in pythons for cell in (python, "of the first"))]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for benchmark in tree.benchmarks:
        if benchmark.type_word == "profile":
            continue
        first, name = {}, f"`{benchmark.name}`"
        for variant in benchmark.params[0] if benchmark.params else ():
            tried = cases.get((benchmark.name, variant))
            if not tried:
                continue
            shown = variant.strip("'")
            seconds, letter = figures.get((benchmark.name, shown), (None, ""))
            reported = "" if seconds is None else f"{quantity(seconds, None, 'seconds').value} ({letter})"
            cells = [name, f"`{shown}`", reported]
            for python in pythons:
                cells += result_cells(tried.get(python), first.get(python), benchmark.unit or "unit")
                if isinstance(tried.get(python), Measured):
                    first.setdefault(python, tried[python])
            lines.append(f"| {' | '.join(cells)} |")
            name = ""
    return "\n\n".join(["\n".join(run_table(records)), summary(cases, pythons), "\n".join(lines)])


def newest(runs):
    """Returns the result of each benchmark and variant by Python, from the newest commit that tried it.

    asv stores a case that was not selected as skipped; other results therefore take precedence over skipped ones.
    """
    cases = {}
    for run in sorted(runs, key=lambda run: run.date):
        for row in run.rows:
            for params, result in row.cases():
                if params[1:] != (LOAD,):
                    continue
                tried, python = cases.setdefault((row.name, params[0]), {}), run.environment.python
                if python not in tried or not isinstance(result, Skipped):
                    tried[python] = result
    return cases


def summary(cases, pythons):
    """Returns how many cases each Python measured, skipped and failed."""
    parts = []
    for python in pythons:
        results = [tried[python] for tried in cases.values() if python in tried]
        counts = [(sum(isinstance(each, kind) for each in results), word) for kind, word in WORDS.items()]
        parts.append(f"Python {python}: {', '.join(f'{count} {word}' for count, word in counts if count)}")
    return f"{'; '.join(parts)}."


WORDS = {Measured: "cases measured", Skipped: "skipped", Failed: "failed"}


def result_cells(result, first, unit):
    """Returns the value and its ratio to the first variant, or why there is none."""
    match result:
        case Measured():
            beside = first and centre(first) and ratio(centre(result) / centre(first), None).value
            return [quantity(centre(result), None, unit).value, beside or ""]
        case Skipped():
            return ["skipped", ""]
        case Failed():
            return ["**failed**", ""]
    return ["", ""]


def centre(result):
    """Returns the median of the processes' medians."""
    return median(map(median, result.processes)) if result.processes else result.value


if __name__ == "__main__":
    main()
