"""Writes what the claims say into README.md, docs/claims.md and docs/images/findings.svg, from a board.

    windtunnel claims RESULTS --out docs/measurements/claims.json
    make study ARGS="studies.claim_page"

The reasons and caveats of claims are in docs/claims.toml; measured numbers come from the board alone.
"""

import argparse
import re
import sys
import textwrap
import tomllib
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from studies.board import (
    BOARD,
    DOCS,
    LABELS,
    NARROWLY,
    cell,
    decisions_of,
    indifferent,
    is_measured,
    label_of,
    label_of_test,
    listed,
    ratio_text,
    read_board,
    sides,
)
from studies.findings_picture import draw
from studies.page import put
from windtunnel.claims.format import Decision
from windtunnel.text.numbers import DASH, quantity, ratio, share

README, PAGE = DOCS.parent / "README.md", DOCS / "claims.md"
PROSE, JOBS, PICTURE = DOCS / "claims.toml", DOCS / "which_to_use.toml", DOCS / "images" / "findings.svg"
STUDY = "claim_page"
IN_README = 5
"""The findings that the first screen of README.md has room for."""
NOT_MEASURED = "not measured"
WIDTH = 124
"""The characters of a line."""
BLOCKS = "[blocks](how-to/claims.md#measure-it)"
LEGEND = """\
- A claim **holds** if the interval of every ratio lies in the claimed band, and **fails** if one lies outside.
  Otherwise it is **undecided**, and the reason is given.
- *Either* are ratios next to an end of the band, where a difference is too small to matter: both decisions are right
  there. An interval that lies outside but for these ratios fails. A decision whose interval reaches them is made
  **narrowly**: Pythons of which one narrowly holds and one narrowly fails do not differ.
  [How a claim is decided](how-to/claims.md#how-a-claim-is-decided) has the details.
- A ratio is contender / baseline, of times unless the claim is about memory. Below 1, the contender is faster. Both are
  variants of one scenario: [experiments.md](measurements/experiments.md) names the scenario of each claim, and
  [method.md](explanation/method.md) describes what its clock includes.
- *Article* is the ratio that the article reports; *asked* or *expected* where none reports one.
  [article.md](measurements/article.md) compares them one by one.
- *Why* is the mechanism as far as we know it. *But* is what the number does not show."""
"""What stands before the numbers."""


def main():
    """Write the parts of README.md and docs/claims.md, and the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board", type=Path, nargs="?", default=BOARD, help="claims.json (default: the committed one)")
    board = read_board(parser.parse_args().board)
    put(README, STUDY, readme_part(board))
    put(PAGE, STUDY, page_part(board, read_prose()))
    PICTURE.write_text(draw(shown_findings(board), board), encoding="utf-8")


def read_prose(path=PROSE):
    """Returns the reason and the caveat of each claim by its id."""
    return tomllib.loads(Path(path).read_text(encoding="utf-8"))


def read_jobs(path=JOBS):
    """Returns what to use for which job, with the claims that show it."""
    return tomllib.loads(Path(path).read_text(encoding="utf-8"))["job"]


def shown_findings(board):
    """Returns the first findings that have an answer."""
    return [each for each in board.findings if each.answers][:IN_README]


def readme_part(board):
    """Returns the findings as a list, with the day, the machine and the share of claims that are decided."""
    items = [finding_item(each, "docs/claims.md", with_caveat=False) for each in shown_findings(board)]
    sentences = [measured_where(board), decided_share(board), wrong_share(board), *map(note, board.notes)]
    return "\n\n".join(["\n".join(items), wrapped(f"*{' '.join(filter(None, sentences))}*")])


def page_part(board, prose):
    """Returns all findings, how they were measured, what to use, and a section for each claim."""
    missing = [claim.id for claim in board.claims if claim.id not in prose]
    if missing:
        sys.exit(f"{PROSE} has no table for {listed(missing)}; write why and caveat of each")
    findings = [finding_item(each, "") for each in board.findings if each.answers]
    sentences = (measured_where(board), decided_share(board), method(board), counted(board))
    parts = ["## The answers", "\n".join(findings)] if findings else []
    parts += [wrapped(" ".join(filter(None, sentences)))]
    parts += ["\n".join(wrapped(f"- {note(each)}", "  ") for each in board.notes)] if board.notes else []
    parts += ["## Which to use", jobs_table(board, read_jobs()), "## How to read a claim", LEGEND]
    titles = {source.id: source.title for source in board.sources}
    places = list(titles)
    ordered = sorted(board.claims, key=lambda claim: places.index(claim.source))
    for source, claims in groupby(ordered, key=lambda claim: claim.source):
        parts.append(f"## {source}: {cell(titles[source])}")
        parts += [section(board, claim, prose[claim.id]) for claim in claims]
    return "\n\n".join(parts)


def jobs_table(board, jobs):
    """Returns a table with a row for each job of which a claim was tried: what to use, and what its claims say."""
    sentences = {claim.id: cell(claim.sentence) for claim in board.claims}
    known = tried(board)
    lines = ["| your program | use | how sure |", "|---|---|---|"]
    for job in jobs:
        decided = [(decision_words(decisions_of(board, claim)), claim) for claim in job["claims"] if claim in sentences]
        said = [
            f"**{words}**: " + " ".join(f"{sentences[claim]} ({link(claim)})" for _, claim in claims)
            for words, claims in groupby(decided, itemgetter(0))
        ]
        if known.intersection(job["claims"]):
            lines.append(f"| {cell(job['program'])} | {cell(job['use'])} | {'<br>'.join(said)} |")
    return "\n".join(lines)


def finding_item(finding, page, *, with_caveat=True):
    """Returns the question and its answers as an item of a list, with a link to the claim."""
    several = len(finding.answers) > 1
    answers = [f"{listed(each.targets)}: {each.sentence}" if several else each.sentence for each in finding.answers]
    first = finding.answers[0]
    decision = "" if several else f" {first.decision} on {listed(first.targets)}"
    caveat = f" {cell(finding.caveat)}" if finding.caveat and with_caveat else ""
    question = cell(finding.question).rstrip(".")
    text = f"- **{question}.** {cell(' '.join(answers))} ({link(finding.claim, page)}{decision}){caveat}"
    return wrapped(text, indent="  ")


def measured_where(board):
    """Returns a sentence with the days, the machines and the Pythons."""
    days = sorted({one.measured or one.date[:10] for one in board.decisions if is_measured(one)})
    span = "" if not days else days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    machines = {target.machine: target.cores for target in board.targets}
    places = listed([f"{name} ({cores} cores)" if cores else name for name, cores in machines.items()])
    pythons = f"Python {listed([target.name for target in board.targets])}"
    ranges = "; a range goes over the Pythons that an answer names" if len(board.targets) > 1 else ""
    return f"Measured {span} on {places}, {pythons}{ranges}."


def tried(board):
    """Returns the ids of the claims that a run tried on some Python, whether or not it could measure them."""
    return {one.claim for one in board.decisions if was_tried(one)}


def was_tried(decision):
    """Whether a run tried the claim on this Python."""
    return decision.is_measured or bool(decision.measured)


def decided_share(board):
    """Returns a sentence with the decided claims of each Python among those it tried, and how many it did not try."""
    parts, left = [], []
    for target in board.targets:
        inside = [
            one for one in board.decisions if one.target == target.name and one.decision is not Decision.OUT_OF_SCOPE
        ]
        known = [one for one in inside if was_tried(one)]
        parts.append(f"{sum(one.is_decided for one in known)} of {len(known)} on {target.name}")
        if len(inside) > len(known):
            left.append(f"{len(inside) - len(known)} on {target.name}")
    more = f" Not measured: {listed(left)}; some need a library that the Python lacks." if left else ""
    return f"Decided: {', '.join(parts)}.{more}"


def note(text):
    """Returns a note of the board as a sentence."""
    return f"{cell(text).rstrip('.')}."


def method(board):
    """Returns sentences on how often decisions are wrong; empty if the board does not state it."""
    if not board.analyses or board.error is None:
        return ""
    looks = listed([str(each) for each in board.analyses])
    text = f"A claim is analysed after {looks} {BLOCKS}, with an error of {share(board.error)} each."
    return f"{text} {wrong_share(board)}".strip()


def counted(board):
    """Returns a sentence on what instructions decide; empty if none are counted."""
    if not any(test.instructions for one in board.decisions for test in one.tests):
        return ""
    return (
        "Times decide claims. Where computing is claimed to cost the same, the instructions of both sides are a second "
        "witness: they hardly vary, and do not see waiting, the system, caches and memory layout."
    )


def wrong_share(board):
    """Returns a sentence with the share of wrong decisions; empty if the board does not state it."""
    if board.false_discovery_rate is None:
        return ""
    return f"At most {share(board.false_discovery_rate)} of the decisions on a Python are expected to be wrong."


def section(board, claim, prose):
    """Returns the section of a claim: sentence, decision, numbers, reason and caveat."""
    decided = decisions_of(board, claim.id)
    measured = any(test.ratio is not None for one in decided.values() for test in one.tests)
    parts = [f"### {claim.id}", f"**{cell(claim.sentence)}**", wrapped(decision_sentence(decided))]
    rows = [*rows_of_tests(board, claim, decided), *figure_rows(board, decided)] if measured else []
    if rows:
        names = [target.name for target in board.targets]
        head = [f"| ratio | claimed | article | {' | '.join(names)} |", "|---" * (3 + len(names)) + "|"]
        parts.append("\n".join([*head, *rows]))
    others = {each.id for each in board.claims} - {claim.id}
    notes = [f"- *{word}:* {with_links(prose[key], others)}" for word, key in (("Why", "why"), ("But", "caveat"))]
    parts.append("\n".join(wrapped(note, "  ") for note in notes))
    return "\n\n".join(parts)


def with_links(text, claims):
    """Returns *text* with a link at each id of *claims*."""
    return re.sub(r"\b[A-Z]\d+[a-z]?\b", lambda found: link(found[0]) if found[0] in claims else found[0], text)


def link(claim, page=""):
    """Returns a link to the section of a claim."""
    return f"[{claim}]({page}#{claim.lower()})"


def decision_sentence(decided):
    """Returns where the claim holds, fails and so on, with the reasons of what is undecided."""
    parts = [
        f"{label} on {listed(names)}" + (f" ({reason})" if reason else "")
        for (label, reason), names in grouped(decided, told_reason)
    ]
    sentence = "; ".join(parts) or NOT_MEASURED
    return f"{sentence[0].upper()}{sentence[1:]}."


def decision_words(decided):
    """Returns the decision, with the Pythons unless all agree; what says nothing of a Python counts only alone."""
    inside = {name: one for name, one in decided.items() if one.decision is not Decision.OUT_OF_SCOPE}
    measured = {name: one for name, one in inside.items() if one.is_measured}
    groups = grouped(measured or inside or decided, lambda _: "")
    if len(groups) == 1 and measured in ({}, decided):
        return groups[0][0][0]
    return "; ".join(f"{label} on {listed(names)}" for (label, _), names in groups) or NOT_MEASURED


def told_reason(one):
    """Returns the reason of a decision for the page: that a case was not measured needs no name of the case."""
    return "" if one.reason.endswith(NOT_MEASURED) else cell(one.reason)


def grouped(decided, reason):
    """Returns the names of targets by label and reason, in the order of the labels."""
    order, groups = [*LABELS.values(), NOT_MEASURED], {}
    for name, one in decided.items():
        missing = one.decision is Decision.UNDECIDED and not one.is_measured
        label = NOT_MEASURED if missing else label_of(one)
        groups.setdefault((label, reason(one)), []).append(name)
    return sorted(groups.items(), key=lambda group: order.index(group[0][0].removeprefix(NARROWLY)))


def rows_of_tests(board, claim, decided):
    """Yields a row for each test with its ratio at each target."""
    tests = {name: one.tests for name, one in decided.items() if one.tests}
    several = len({each.contender.benchmark for one in tests.values() for each in one}) > 1
    for index in range(max(map(len, tests.values()), default=0)):
        first = next(each[index] for each in tests.values() if len(each) > index)
        published = claim.published_text if first.published is None else ratio(first.published, None).value
        cells = [decided_cell(tests[target.name][index]) if target.name in tests else "" for target in board.targets]
        yield f"| {sides(first, with_benchmark=several)} | {band(first)} | {cell(published)} | {' | '.join(cells)} |"
        counts = {name: each[index].instructions for name, each in tests.items() if each[index].instructions}
        if counts:
            cells = [instruction_cell(counts.get(target.name)) for target in board.targets]
            yield f"| the same in instructions | {band(first)} | | {' | '.join(cells)} |"


def decided_cell(test):
    """Returns the decision on a test and its ratio."""
    text = ratio_text(test)
    return f"**{label_of_test(test)}** {text}" if text else DASH


def instruction_cell(counts):
    """Returns what instructions decide with their ratio, or why they decide nothing."""
    if counts is None:
        return ""
    if counts.ratio is None:
        return cell(counts.reason)
    found = ratio(counts.ratio, (counts.interval.low, counts.interval.high))
    return f"**{LABELS[counts.decision]}** {found.value} ({found.interval})"


def band(test):
    """Returns the ratios that the claim allows, and those where both decisions are right."""
    if test.low is not None and test.high is not None:
        text = f"{test.low:.3g} to {test.high:.3g}"
    else:
        text = f"below {test.high:.3g}" if test.low is None else f"above {test.low:.3g}"
    either = [f"{low:.3g} to {high:.3g}" for low, high in indifferent(test)]
    return text + (f"; either: {listed(either)}" if either else "")


def figure_rows(board, decided):
    """Yields a row for each figure that accompanies the claim."""
    found = {name: {each.name: each for each in one.figures} for name, one in decided.items()}
    for title in dict.fromkeys(title for figures in found.values() for title in figures):
        cells = [figure_cell(found.get(target.name, {}).get(title)) for target in board.targets]
        yield f"| {cell(title)} | | | {' | '.join(cells)} |"


def figure_cell(figure):
    """Returns a figure with its interval."""
    if figure is None or figure.value is None:
        return ""
    ends = None if figure.low is None or figure.high is None else (figure.low, figure.high)
    shown = ratio(figure.value, ends) if figure.unit is None else quantity(figure.value, ends, figure.unit)
    return f"{shown.value} ({shown.interval})" if shown.interval else shown.value


def wrapped(text, indent=""):
    """Returns *text* in lines of the usual width."""
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    main()
