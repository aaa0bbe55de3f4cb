"""A verdict for a terminal: the headline, what to do, and a line for everything that is not plainly unchanged."""

from collections.abc import Iterator, Sequence

from windtunnel.compare import report_text
from windtunnel.compare.format import Comparison, ComparisonReport, NotCompared, Verdict
from windtunnel.compare.report_text import headline
from windtunnel.text.escaping import visible

MAX_NAME_LENGTH = 72
"""Characters of a name; beyond them the figures would leave the screen."""

MAX_LINES = 40
"""Lines of one kind; the rest is counted."""


def render_terminal(report: ComparisonReport) -> str:
    """Return the report on *judgement* as plain text."""
    return "".join(f"{line}\n" for line in _lines(report))


def _lines(report: ComparisonReport) -> Iterator[str]:
    yield str(headline(report))
    yield report_text.action(report).replace("`", "'")
    if report.common_change:
        yield report_text.common(report.common_change, len(report.comparisons))
    yield from (visible(note, 400) for note in report.notes[:5])
    named = len({one.environment for one in report.comparisons}) > 1
    for verdict in (Verdict.REGRESSED, Verdict.IMPROVED, Verdict.INCONCLUSIVE):
        yield from _group(report_text.by_size(report.having(verdict)), named=named)
    yield from _group([one for one in report.having(Verdict.UNCHANGED) if one.significant], named=named)
    yield from _missing("failed", report.broken)
    yield from _missing("was failing", report.failing_before)
    for word in ("added", "removed", "incomparable", "skipped"):
        yield from _missing(word, getattr(report, word))
    coverage = report.coverage
    yield ""
    yield (
        f"{visible(report_text.commit(report.base))} against {visible(report_text.commit(report.head))}: "
        f"{coverage.compared} of {coverage.planned} cases compared"
    )


def _group(comparisons: Sequence[Comparison], *, named: bool) -> Iterator[str]:
    """Yield a blank line and a line a comparison, names in one column; *named* adds the environment."""
    shown = comparisons[:MAX_LINES]
    if not shown:
        return
    where = [f" in {visible(one.environment, MAX_NAME_LENGTH // 2)}" if named else "" for one in shown]
    names = [visible(report_text.name(one), MAX_NAME_LENGTH) + place for one, place in zip(shown, where, strict=True)]
    width = max(map(len, names))
    yield ""
    for one, name in zip(shown, names, strict=True):
        unit = f" {visible(report_text.foreign(one.unit), 20)}".rstrip()
        before, after = (report_text.value(side, one.unit) for side in (one.baseline, one.contender))
        sides = f"{before} -> {after}{unit}"
        yield f"  {report_text.word(one):12}  {name:{width}}  {report_text.changed(one):22}  {sides}  {_doubt(one)}"
    if len(comparisons) > len(shown):
        yield f"  ... and {len(comparisons) - len(shown)} more"


def _doubt(one: Comparison) -> str:
    if one.verdict is Verdict.INCONCLUSIVE:
        return "needs a live comparison" if one.rounds_needed is None else f"needs {one.rounds_needed} more rounds"
    return report_text.certainty(one)


def _missing(word: str, cases: Sequence[NotCompared]) -> Iterator[str]:
    """Yield a blank line and a line a case that has no verdict."""
    if not cases:
        return
    yield ""
    for one in cases[:MAX_LINES]:
        why = report_text.why(one)
        yield f"  {word:12}  {visible(report_text.name(one), MAX_NAME_LENGTH)}{f': {visible(why, 300)}' if why else ''}"
    if len(cases) > MAX_LINES:
        yield f"  ... and {len(cases) - MAX_LINES} more"
