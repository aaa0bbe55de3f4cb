"""Writes what the claims say into README.md, docs/claims.md and docs/images/answers-*.svg, from a board.

    windtunnel claims RESULTS --out docs/measurements/claims.json
    make study ARGS="studies.claim_page"

Measured numbers come from the board alone. Why a claim comes out as it does is in docs/claims.toml.
"""

import argparse
import textwrap
from itertools import groupby
from pathlib import Path

from msgspec.structs import replace

from studies.board import (
    BOARD,
    DOCS,
    LABELS,
    cell,
    decisions_of,
    is_measured,
    listed,
    read_board,
)
from studies.findings_picture import SCHEMES, draw
from studies.page import put
from studies.years import read_years
from windtunnel.text.numbers import share
from windtunnel_claims.findings import _quantities, answering
from windtunnel_claims.format import Decision

README, PAGE = DOCS.parent / "README.md", DOCS / "claims.md"
PICTURES = DOCS / "images"
STUDY = "claim_page"
IN_README = 5
"""The findings that the first screen of README.md has room for."""
NOT_MEASURED = "not measured"
COUNTED = {
    "S120": ("HttpInTurn", "aiohttp", "httpx_async"),
    "S63": ("ServerRequests", "uvicorn_httptools", "uvicorn_h11"),
}
"""The job of the page Years that shows since when an answer holds: what it recommends, and the other way."""
ALIKE = 1.03
"""The ratio from which the first screen says that two ways differ; the site has the same rule."""
WIDTH = 124
"""The characters of a line."""


def main():
    """Write the parts of README.md and docs/claims.md, and the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board", type=Path, nargs="?", default=BOARD, help="claims.json (default: the committed one)")
    board = read_board(parser.parse_args().board)
    put(README, STUDY, readme_part(board))
    put(PAGE, STUDY, page_part(board))
    for scheme in SCHEMES:
        (PICTURES / f"answers-{scheme}.svg").write_text(draw(board.findings, board, scheme), encoding="utf-8")


def shown_findings(board):
    """Returns the first findings that have an answer."""
    return [each for each in board.findings if each.answers][:IN_README]


def readme_part(board):
    """Returns a line for each of the first findings, with the day, the machine and how many decisions are wrong."""
    items = [first_line(board, each) for each in shown_findings(board)]
    here = measured_where(answering_targets(board, shown_findings(board)))
    sentences = [here, wrong_share(board), *map(note, board.notes)]
    return "\n\n".join(["\n".join(items), wrapped(f"*{' '.join(filter(None, sentences))}*")])


def answering_targets(board, findings=None):
    """Returns the board with the Pythons alone that answer *findings*; all of the board without."""
    asked = board.findings if findings is None else findings
    used = {name for each in asked for answer in each.answers for name in answer.targets}
    return replace(board, targets=tuple(each for each in board.targets if each.name in used))


def first_line(board, finding):
    """Returns what the program does, what to use, and what that changes: the other way, then the recommended one."""
    known = [one for one in decisions_of(board, finding.claim).values() if one.answers]
    tests = [test for one in known for test in answering(one)]
    sides = {side: _quantities([getattr(test, side) for test in tests]) for side in ("contender", "baseline")}
    best = sides.pop(finding.best)
    (other,) = sides.values()
    quantity = f" ({finding.quantity})" if finding.quantity else ""
    use = finding.use[:1].lower() + finding.use[1:]
    alike = tests and all(max(test.ratio, 1 / test.ratio) < ALIKE for test in tests if test.ratio)
    change = "No clear difference" if alike else f"{other} → {best}{quantity}"
    text = f"- **{cell(finding.program or finding.question)}**: {cell(use)}. {change}"
    return wrapped(f"{text} ({link(finding.claim, 'docs/claims.md')})", indent="  ")


def page_part(board):
    """Returns all findings, how they were measured, and a line for each claim."""
    years = read_years()
    findings = [finding_item(each, "", board, history(each.claim, years)) for each in board.findings if each.answers]
    sentences = (
        measured_where(board),
        decided_share(board),
        wrong_share(board),
        close(board),
        builds(answering_targets(board)),
    )
    parts = ["## The answers", "\n".join(findings)] if findings else []
    parts += [wrapped(" ".join(filter(None, sentences)))]
    parts += ["\n".join(wrapped(f"- {note(each)}", "  ") for each in board.notes)] if board.notes else []
    parts.append("## The claims")
    titles = {source.id: source.title for source in board.sources}
    places, own = list(titles), [source.id for source in board.sources if source.own]
    ordered = sorted(board.claims, key=lambda claim: places.index(claim.source))
    for source, claims in groupby(ordered, key=lambda claim: claim.source):
        parts.append(f"### {source}: {cell(titles[source])}")
        parts.append("\n".join(claim_line(board, one, own) for one in claims))
    return "\n\n".join(parts)


def claim_line(board, claim, own=()):
    """Returns the line of a claim: id, sentence, who says it if no article does, and decision."""
    decided = decision_words(decisions_of(board, claim.id), usual(board))
    by = {"readers": " (readers)", "suite": "" if claim.source in own else " (ours)"}.get(claim.said_by, "")
    return f'- <a id="{claim.id.lower()}"></a>{claim.id}: {cell(claim.sentence)}{by} *{decided}*'


def usual(board):
    """Returns the CPythons with a global lock of each machine: the page names Pythons only where these differ."""
    here = {}
    for target in board.targets:
        if target.gil and not target.python.startswith("pypy"):
            here.setdefault(target.machine, set()).add(target.name)
    return tuple(here.values())


def history(claim, years):
    """Returns since when counts with past libraries say the same as the answer to *claim*; "" without such counts."""
    name, best, other = COUNTED.get(claim, ("", "", ""))
    for job in (each for each in years.jobs if each.id == name):
        pairs = zip(years.dates, job.cases[best], job.cases[other], strict=True)
        known = [(date[:7], less < more) for date, less, more in pairs if less and more]
        since = next((at for at in range(len(known)) if all(fewer for _, fewer in known[at:])), None)
        if since is not None:
            quarter = "quarter" if len(known) == len(years.dates) else "counted quarter"
            return f"Counts: in each {quarter} since {known[since][0]}{', not before' * (since > 0)}."
    return ""


def finding_item(finding, page, board, past="", *, with_caveat=True):
    """Returns the question and its answers as an item of a list, with a link to the claim."""
    several = len(finding.answers) > 1
    answers = [f"{listed(each.targets)}: {each.sentence}" if several else each.sentence for each in finding.answers]
    first = finding.answers[0]
    decision = "" if several or {*first.targets} in usual(board)[-1:] else f", {listed(first.targets)}"
    limit = finding.caveat.partition(". ")[0].rstrip(".")  # the site has the others
    caveat = f" {cell(limit)}." if limit and with_caveat else ""
    question = cell(finding.question).rstrip(".")
    end = "" if question.endswith("?") else "."
    text = f"- **{question}{end}** {cell(' '.join(answers))} ({link(finding.claim, page)}{decision}){caveat}"
    return wrapped(f"{text} {past}".rstrip(), indent="  ")


def measured_where(board):
    """Returns a sentence with the days, the machines and the Pythons."""
    names = {target.name for target in board.targets}
    measured = [one for one in board.decisions if is_measured(one) and one.target in names]
    days = sorted({one.measured or one.date[:10] for one in measured})
    span = "" if not days else days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    places = listed(list(dict.fromkeys(target.machine for target in board.targets)))
    pythons = f"Python {listed([target.name for target in board.targets])}"
    ranges = "; ranges go over idle and awake processors and over Pythons" if board.targets else ""
    return f"Measured {span} on {places}, {pythons}{ranges}."


def was_tried(decision):
    """Whether a run tried the claim on this Python."""
    return decision.is_measured or bool(decision.measured)


def decided_share(board):
    """Returns a sentence with how many of the claims that were tried are decided, over all Pythons."""
    inside = [one for one in board.decisions if one.decision is not Decision.OUT_OF_SCOPE and was_tried(one)]
    return f"Decided: {sum(one.is_decided for one in inside)} of {len(inside)}."


def note(text):
    """Returns a note of the board as a sentence."""
    return f"{cell(text).rstrip('.')}."


def close(board):
    """Returns a sentence with how many decisions are about at the limit, and how many ratios have another size."""
    found = [one.decision for one in board.decisions if is_measured(one)]
    about, direction = found.count(Decision.ABOUT), found.count(Decision.DIRECTION)
    if not about + direction:
        return ""
    return (
        f"{about} are about at the limit: nearer than 10 % to it, where three days or boots decide. {direction} hold "
        "in direction, but not in size: the article's is over 1.5 times as large or as small."
    )


def builds(board):
    """Returns a sentence with the Pythons that were built alike, which may be compared."""
    known = {}
    for target in board.targets:
        known.setdefault((target.machine, target.built), []).append(target.build.partition(", ")[0])
    alike = [f"{listed(names)} ({built})" for (_, built), names in known.items() if built and len(names) > 1]
    return f"Built alike: {'; '.join(alike)}." if alike else ""


def wrong_share(board):
    """Returns a sentence with the share of wrong decisions; empty if the board does not state it."""
    if board.false_discovery_rate is None:
        return ""
    wrong = f"At most {share(board.false_discovery_rate)} of the decisions on a Python are expected to be wrong"
    return f"{wrong}, for this machine, these days, builds and commit."


def link(claim, page=""):
    """Returns a link to the section of a claim."""
    return f"[{claim}]({page}#{claim.lower()})"


def decision_words(decided, usual=()):
    """Returns the decision on a claim, with the Pythons unless all agree on which it could be measured."""
    inside = {name: one for name, one in decided.items() if one.decision is not Decision.OUT_OF_SCOPE}
    measured = {name: one for name, one in inside.items() if one.is_measured}
    groups = grouped(measured or inside or decided)
    if len(groups) == 1 and (
        not measured or any(measured.keys() >= names for names in usual) or measured.keys() == decided.keys()
    ):
        return groups[0][0]
    return "; ".join(f"{label} on {listed(names)}" for label, names in groups) or NOT_MEASURED


def grouped(decided):
    """Returns the names of targets by the label of their decision, in the order of the labels."""
    order, groups = [*LABELS.values(), NOT_MEASURED], {}
    for name, one in decided.items():
        missing = one.decision is Decision.UNDECIDED and not one.is_measured
        groups.setdefault(NOT_MEASURED if missing else LABELS[one.decision], []).append(name)
    return sorted(groups.items(), key=lambda group: order.index(group[0]))


def wrapped(text, indent=""):
    """Returns *text* in lines of the usual width."""
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    main()
