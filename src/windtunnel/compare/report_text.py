"""The report on a comparison as text for a terminal."""

from collections.abc import Iterator, Sequence

from windtunnel.compare import figures, summary
from windtunnel.compare import format as verdicts
from windtunnel.compare.bisect_format import Bisection, CandidateCommit
from windtunnel.compare.format import UNTOUCHED
from windtunnel.compare.kinds import OPEN, decide_conclusion, decide_kind
from windtunnel.text.escaping import shorten, visible
from windtunnel.text.numbers import count

MAX_NAME_LENGTH = 72
"""Characters of a name on a terminal; a longer one would push the figures off the screen."""

MAX_LINES = 40
"""Lines of one group on a terminal; the others are counted."""

MAX_CAUSES = 5
"""Lines on the functions that explain one change."""

MAX_ANNOTATIONS = 10
"""Annotations of a step that GitHub shows (docs.github.com, Workflow commands)."""

INDENT = " " * 16
"""Before what explains a case."""


def render_terminal(report: verdicts.ComparisonReport) -> str:
    """Return the whole report as plain text."""
    return "".join(f"{line}\n" for line in _lines(report))


def render_annotations(report: verdicts.ComparisonReport) -> str:
    """Return workflow commands of GitHub that annotate the step: the cases that fail the check, else the headline."""
    slower = [
        f"{figures.case_label(one)}: {figures.format_change(one)} {figures.format_direction(one)}"
        for one in figures.by_size(report.having("regressed"))
    ]
    failed = [f"{figures.case_label(one)} fails: {figures.format_reason(one)}" for one in report.failed_on_head]
    beyond = [f"{figures.case_label(one)}: too many instructions" for one in report.instruction_regressions]
    blocks, unsettled = decide_conclusion(report) == "failure", decide_kind(report) in OPEN
    level = "error" if blocks else "warning" if unsettled else "notice"
    lines = [*slower, *failed, *beyond] or [summary.headline(report)]
    shown = (visible(line, 400).replace("%", "%25") for line in lines[:MAX_ANNOTATIONS])
    return "".join(f"::{level} title=Windtunnel::{line}\n" for line in shown)


def _lines(report: verdicts.ComparisonReport) -> Iterator[str]:
    yield summary.headline(report)
    yield f"What to do: {summary.recommended_action(report)}".replace("`", "'")
    if report.common_change:
        yield summary.format_common_change(report.common_change, len(report.comparisons))
    yield from (visible(note, 400) for note in report.notes[:5])
    if explained := summary.explain_suite_changes(report):
        yield explained
    yield from (line.replace("`", "'") for line in summary.explain_reach(report))
    named = len({one.environment for one in report.comparisons}) > 1
    for verdict in ("regressed", "improved", *verdicts.UNDECIDED):
        yield from _group(figures.by_size(report.having(verdict)), report, environments=named)
    small = [one for one in report.having("unchanged") if one.significant]
    yield from _group(small, report, environments=named)
    other_work = [one for one in figures.having_only_other_work(report) if not one.significant]
    yield from _group(other_work, report, environments=named)
    yield from _missing("failed", report.failed_on_head)
    yield from _missing("fails on base", report.failed_on_base)
    for kind in verdicts.MISSING_KINDS:
        if kind != "failed":
            yield from _missing(kind, [one for one in report.missing(kind) if one.reason != UNTOUCHED])
    yield from _environments(report.environments, report.environment_failures)
    yield ""
    compared = f"{visible(figures.format_commit(report.head))} against {visible(figures.format_commit(report.base))}"
    yield "; ".join(part for part in (summary.format_counts(report), compared) if part)
    yield from summary.explain_certainty(report)
    yield from (visible(line, 400) for line in figures.explain_uncounted(report))


def _group(
    comparisons: Sequence[verdicts.Comparison], report: verdicts.ComparisonReport, *, environments: bool
) -> Iterator[str]:
    """Yield an empty line and one line per comparison, with names in one column, and *environments* if asked."""
    shown = comparisons[:MAX_LINES]
    if not shown:
        return
    short = shorten([*map(figures.case_label, shown)], MAX_NAME_LENGTH)
    names = [
        visible(short[figures.case_label(one)], MAX_NAME_LENGTH) + _place(one, environments=environments)
        for one in shown
    ]
    changes = [_change(one) for one in shown]
    width, second = max(map(len, names)), max(map(len, changes))
    yield ""
    for one, name, change in zip(shown, names, changes, strict=True):
        yield f"  {figures.format_direction(one):12}  {name:{width}}  {change:{second}}  {_values(one)}"
        if stop := figures.format_stop(one, report):
            bounded = one.verdict == "undecided" and verdicts.NOT_REPEATED not in one.notes
            yield f"{INDENT}{f'more than {figures.format_bound([one])} is ruled out; ' if bounded else ''}{stop}"
        yield from _explained(one)
    if len(comparisons) > len(shown):
        yield f"  ... and {len(comparisons) - len(shown)} more"


def _explained(one: verdicts.Comparison) -> Iterator[str]:
    """Yield the notes on *one*, what instructions show of it, and the functions that explain its change."""
    yield from (f"{INDENT}{visible(note, 200)}" for note in one.notes[:3] if note != verdicts.NOT_REPEATED)
    if joint := figures.join_witnesses(one, lambda reason: visible(reason, 300)):
        yield f"{INDENT}{joint}"
    if one.cause:
        yield from (f"{INDENT}- {visible(line, 300)}" for line in one.cause.sentences()[:MAX_CAUSES])


def _place(one: verdicts.Comparison, *, environments: bool) -> str:
    where = f" in {visible(one.environment, MAX_NAME_LENGTH // 2)}" if environments else ""
    return f"{where} ({figures.SUITE_CHANGES[one.suite_change]})" if one.suite_change else where


def _change(one: verdicts.Comparison) -> str:
    interval = figures.format_interval(one)
    return f"{figures.format_change(one)} ({interval})" if interval else figures.format_change(one)


def _values(one: verdicts.Comparison) -> str:
    before, after = (figures.format_quantity(arm.value, one.unit) for arm in (one.baseline, one.contender))
    words = (visible(figures.foreign_unit(one.unit), 20), figures.format_measure(one))
    return " ".join(part for part in (f"{before} -> {after}", *words) if part)


def _missing(word: str, cases: Sequence[verdicts.NotCompared]) -> Iterator[str]:
    """Yield an empty line, and a line for each case without a verdict, or for all with one reason."""
    if not cases:
        return
    yield ""
    groups = [*figures.group_missing(cases)]
    short = shorten([name for name, _, _ in groups[:MAX_LINES]], MAX_NAME_LENGTH)
    for name, number, one in groups[:MAX_LINES]:
        reason = figures.format_reason(one, number)
        shown = visible(short[name], MAX_NAME_LENGTH)
        yield f"  {word:13}  {shown}{f': {visible(reason, 300)}' if reason else ''}"
    if left := sum(number for _, number, _ in groups[MAX_LINES:]):
        yield f"  ... and {left} more"


def _environments(
    compared: Sequence[verdicts.ComparedEnvironment], failures: Sequence[verdicts.EnvironmentFailure]
) -> Iterator[str]:
    """Yield the environments without a verdict, and how those of base and head differ."""
    if failures:
        yield ""
    for failure in failures[:MAX_LINES]:
        yield f"  nothing was measured in {visible(failure.name, MAX_NAME_LENGTH)}: {visible(failure.reason, 400)}"
    for one in compared:
        if one.base_python or one.differences:
            yield ""
        if one.base_python:
            yield f"  base ran with {visible(one.base_python, 200)}, head with {visible(one.head_python, 200)}"
        if one.differences:
            shown = "; ".join(visible(each, MAX_NAME_LENGTH) for each in one.differences[:MAX_LINES])
            yield f"  packages differ in {visible(one.name, MAX_NAME_LENGTH)}: {shown}"


MAX_NAMED = 20
"""The commits of a range that are listed."""


def render_bisection(found: Bisection) -> str:
    """Return the report on *found*: the answer first, then its basis."""
    return "".join(f"{line}\n" for line in _bisection_lines(found))


def _bisection_lines(found: Bisection) -> Iterator[str]:
    name = visible(found.case, 200)
    if found.answer == "failed":
        yield f"The search did not begin: {visible(found.reason, 400)}"
        return
    match found.answer:
        case "commit":
            commit = next(one for one in found.candidates if one.hash == found.after)
            yield f"{_what(found, commit)} changed {name}{_bisection_change(found)}{_together(found)}"
        case "range":
            between = _between(found)
            several = "packages, or several together," if found.packages else "commits"
            lead = f"One of {len(between)} {several} changed {name}"
            yield f"{lead}{_bisection_change(found)}; which one is undecided:"
            yield from (f"  {_what(found, one)}{_reason(found, one)}" for one in between[:MAX_NAMED])
            if len(between) > MAX_NAMED:
                yield f"  ... and {len(between) - MAX_NAMED} more"
        case "nothing":
            yield f"Nothing to find: {visible(found.reason, 400)}"
        case "unfinished":
            yield f"No answer yet ({visible(found.reason or 'interrupted', 200)}): run the same command to continue"
    if found.cause is not None:
        yield from (f"  {visible(one, 400)}" for one in found.cause.sentences())
    yield _basis(found)


def _basis(found: Bisection) -> str:
    """Return what was tested, and the error rate of the answer."""
    if found.packages:
        which = visible(found.commit[:10])
        why = f" ({visible(found.commits_explain, 200)})" if found.commits_explain else ""
        moved = f"{len(found.packages)} packages moved, all measured with commit {which}{why}"
        tested = f"{moved}; {len(found.measured)} sets"
    else:
        after = _what(found, found.candidates[0])
        tested = f"{count(len(found.candidates) - 1, 'commit')} after {after}; {len(found.measured)} of them"
    if found.decided_by == "instructions":
        return f"{tested} counted; instructions decide, which noise does not change"
    processes = sum(len(one.processes) for one in found.measured)
    return (
        f"{tested} tested with {processes} processes; time decides, and the answer is wrong with a probability of at "
        f"most {found.error:.0%}"
    )


def _bisection_change(found: Bisection) -> str:
    if found.relative_change is None:
        return ""
    if found.decided_by == "instructions":
        return f" by {found.relative_change:+.1%} in instructions (bad against good)"
    if found.interval is None:
        return ""
    return (
        f" by {found.relative_change:+.1%} ({found.interval.low:+.1%} to {found.interval.high:+.1%}, "
        f"{found.confidence:.1%} confidence, bad against good)"
    )


def _together(found: Bisection) -> str:
    """Return whether a package needs others to change the case."""
    if not found.packages or found.alone_shows:
        return ""
    return ", only together with others" if found.alone_shows is False else "; whether it does so alone is not known"


def _between(found: Bisection) -> tuple[CandidateCommit, ...]:
    hashes = [one.hash for one in found.candidates]
    return found.candidates[hashes.index(found.before) + 1 : hashes.index(found.after) + 1]


def _reason(found: Bisection, one: CandidateCommit) -> str:
    tested = next((each for each in found.measured if each.hash == one.hash), None)
    return f": {visible(tested.reason.splitlines()[0], 120)}" if tested and tested.reason else ""


def _what(found: Bisection, one: CandidateCommit) -> str:
    return visible(one.subject, 120) if found.packages else f"{visible(one.hash[:10])} ({visible(one.subject, 80)})"
