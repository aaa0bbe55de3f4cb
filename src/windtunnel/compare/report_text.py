"""Words of a verdict that every form of the report shares: headline, next action, figures of a case."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from windtunnel.compare.format import (
    ArmSummary,
    CommonChange,
    Comparison,
    ComparisonReport,
    NotCompared,
    Overall,
    Verdict,
)
from windtunnel.model.identity import case_name
from windtunnel.model.measure import CaseIdentity, MeasureKind
from windtunnel.text import numbers
from windtunnel.text.escaping import visible
from windtunnel.text.numbers import share

MOST = 0.9
"""Share of the cases that "most" stands for."""


def action(report: ComparisonReport) -> str:
    """Return what the reader should do next, without any foreign text in it."""
    match report.overall:
        case Overall.REGRESSED:
            return _act_on(report.having(Verdict.REGRESSED))
        case Overall.INCONCLUSIVE:
            return _measure_more(report.having(Verdict.INCONCLUSIVE))
        case Overall.NOTHING_MEASURED:
            return "Make the suite run on both commits; the reasons are below."
        case Overall.IMPROVED | Overall.UNCHANGED | Overall.SAME_ARTIFACT if report.broken:
            return "Look at what failed; what was measured needs nothing."
        case Overall.IMPROVED | Overall.UNCHANGED | Overall.SAME_ARTIFACT:
            return "Nothing to do."


def common(change: CommonChange, compared: int) -> str:
    """Return what is said once of everything that moved together."""
    factor = numbers.ratio(1 + change.relative_change, None).value
    if change.removed:
        return (
            f"All {change.cases} times together differ by {factor}: most likely the machines. "
            "That factor is divided out of every change shown here; a change of the whole suite would hide in it."
        )
    return (
        f"Nearly everything ({change.cases} of {compared}) moved by the same factor, {factor}: look for one cause "
        "(interpreter, dependency, build flags) before looking at single cases."
    )


def name(one: CaseIdentity) -> str:
    """Return benchmark and parameters, as foreign as they came."""
    return case_name(one.benchmark, one.params)


def why(one: NotCompared) -> str:
    """Return on which commits *one* gave no value, and why, as foreign as that came; empty where nobody knows."""
    where = f"on {' and '.join(one.on)}{' only' if len(one.on) == 1 else ''}" if one.on else ""
    return ": ".join(part for part in (where, one.reason) if part)


def commit(text: str) -> str:
    """Return a commit as people write it: a full hash shortened, a name as it is."""
    return text[:10] if len(text) >= 40 and text.isalnum() else text


def changed(one: Comparison) -> str:
    """Return the change and its interval as factors."""
    if one.relative_change is None:
        return "from zero" if one.baseline.value == 0 else "unknown"
    known = one.interval is not None and one.interval.low < one.interval.high
    interval = (1 + one.interval.low, 1 + one.interval.high) if known and one.interval else None
    worded = numbers.ratio(1 + one.relative_change, interval)
    return worded.value if worded.interval is None else f"{worded.value} ({worded.interval})"


def word(one: Comparison) -> str:
    """Return how *one* moved, in a word that fits what it measures."""
    timed = one.kind is MeasureKind.TIME
    if one.verdict is Verdict.REGRESSED:
        return "slower" if timed else "worse"
    if one.verdict is Verdict.IMPROVED:
        return "faster" if timed else "better"
    return one.verdict.value


def certainty(one: Comparison) -> str:
    """Return how sure the interval is and whether fresh data agreed."""
    return f"{share(one.confidence)}, {'confirmed' if one.confirmed else 'seen once'}"


def seen(report: ComparisonReport) -> str:
    """Return what change would have been seen in most unchanged cases; nothing where that is unknown."""
    sizes = [one.smallest_detectable for one in report.having(Verdict.UNCHANGED)]
    known = [size for size in sizes if size is not None]
    return share(float(np.quantile(known, MOST))) if known else ""


def by_size(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Return the largest change first; what has no relative change came from zero and leads."""
    return tuple(sorted(comparisons, key=_size, reverse=True))


def _size(one: Comparison) -> float:
    if one.relative_change is None:
        return float("inf")
    factor = abs(1 + one.relative_change)
    return max(factor, 1 / factor) if factor else float("inf")


def _act_on(worse: Sequence[Comparison]) -> str:
    if not all(one.confirmed for one in worse):
        return (
            "These come from data that was never measured again. Before acting, let `windtunnel compare BASE HEAD` "
            "measure both commits side by side."
        )
    return (
        "Mend it, or say what it is the price of and merge. Each was measured a second time on fresh data and came out "
        "worse again; `windtunnel bisect` finds the commit."
    )


def value(side: ArmSummary, unit: str) -> str:
    """Return the value of *side* in a unit of ours; without a unit where it is a foreign one."""
    return numbers.quantity(side.value, None, unit if unit in numbers.SCALES else "unit").value


def foreign(unit: str) -> str:
    """Return *unit* where it is foreign text, nothing where the value carries it or there is none."""
    return "" if unit in {*numbers.SCALES, "unit"} else unit


def _measure_more(undecided: Sequence[Comparison]) -> str:
    needed = [one.rounds_needed for one in undecided if one.rounds_needed is not None]
    if not needed:
        return "Measure both commits side by side with `windtunnel compare BASE HEAD`."
    most = int(np.quantile(needed, MOST))
    return f"Measure again with more rounds (about {most} more would decide most of them) or on a quieter machine."


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """The verdict in a line: words of ours around the name of the case that moved most, if any did."""

    lead: str
    name: str = ""
    trail: str = ""

    def __str__(self) -> str:
        """Return it as plain text, the name made visible but not escaped."""
        return self.lead + visible(self.name) + self.trail


def headline(report: ComparisonReport) -> Headline:
    """Return the verdict in a line."""
    news, broken = _news(report), report.broken
    if not broken:
        return news
    if report.overall in {Overall.REGRESSED, Overall.IMPROVED}:
        return replace(news, trail=f"{news.trail}; {len(broken)} failed")
    rest = news.lead[:1].lower() + news.lead[1:]
    return Headline(lead=f"{len(broken)} failed: ", name=name(broken[0]), trail=f"; {rest}")


def _news(report: ComparisonReport) -> Headline:
    worse, better = (
        by_size(report.having(Verdict.REGRESSED)),
        by_size(report.having(Verdict.IMPROVED)),
    )
    undecided, total = report.having(Verdict.INCONCLUSIVE), len(report.comparisons)
    match report.overall:
        case Overall.REGRESSED:
            also = f"; {len(better)} became {_together(better)}" if better else ""
            lead = f"{len(worse)} of {total} became {_together(worse)}, worst {changed(worse[0])}: "
            return Headline(lead=lead, name=name(worse[0]), trail=also)
        case Overall.IMPROVED:
            lead = f"{len(better)} of {total} became {_together(better)}, best {changed(better[0])}: "
            return Headline(lead=lead, name=name(better[0]))
        case Overall.UNCHANGED:
            return Headline(lead=_no_change(report))
        case Overall.INCONCLUSIVE:
            still = total - len(undecided)
            return Headline(
                lead=f"Undecided: {len(undecided)} of {total} are too noisy to tell; {still} did not change"
            )
        case Overall.SAME_ARTIFACT:
            return Headline(lead="Both commits build the same artifact, so nothing was measured")
        case Overall.NOTHING_MEASURED:
            return Headline(lead="Nothing was measured")


def _no_change(report: ComparisonReport) -> str:
    still, undecided = report.having(Verdict.UNCHANGED), report.having(Verdict.INCONCLUSIVE)
    small, size = sum(one.significant for one in still), seen(report)
    parts = [f"No change that matters in {len(still)} of {len(report.comparisons)}"]
    parts += [f"{size} or more would have been seen in most"] if size else []
    parts += [f"{small} changed by less than their threshold"] if small else []
    parts += [f"{len(undecided)} undecided"] if undecided else []
    return "; ".join(parts)


def _together(comparisons: Sequence[Comparison]) -> str:
    words = {word(one) for one in comparisons}
    return words.pop() if len(words) == 1 else " or ".join(sorted(words))


MAX_NAME_LENGTH = 72
"""Characters of a name; beyond them the figures would leave the screen."""

MAX_LINES = 40
"""Lines of one kind; the rest is counted."""


def render_terminal(report: ComparisonReport) -> str:
    """Return the report on *judgement* as plain text."""
    return "".join(f"{line}\n" for line in _lines(report))


def _lines(report: ComparisonReport) -> Iterator[str]:
    yield str(headline(report))
    yield action(report).replace("`", "'")
    if report.common_change:
        yield common(report.common_change, len(report.comparisons))
    yield from (visible(note, 400) for note in report.notes[:5])
    named = len({one.environment for one in report.comparisons}) > 1
    for verdict in (Verdict.REGRESSED, Verdict.IMPROVED, Verdict.INCONCLUSIVE):
        yield from _group(by_size(report.having(verdict)), named=named)
    yield from _group([one for one in report.having(Verdict.UNCHANGED) if one.significant], named=named)
    yield from _missing("failed", report.broken)
    yield from _missing("was failing", report.failing_before)
    for word in ("added", "removed", "incomparable", "skipped"):
        yield from _missing(word, getattr(report, word))
    coverage = report.coverage
    yield ""
    yield (
        f"{visible(commit(report.base))} against {visible(commit(report.head))}: "
        f"{coverage.compared} of {coverage.planned} cases compared"
    )


def _group(comparisons: Sequence[Comparison], *, named: bool) -> Iterator[str]:
    """Yield a blank line and a line a comparison, names in one column; *named* adds the environment."""
    shown = comparisons[:MAX_LINES]
    if not shown:
        return
    where = [f" in {visible(one.environment, MAX_NAME_LENGTH // 2)}" if named else "" for one in shown]
    names = [visible(name(one), MAX_NAME_LENGTH) + place for one, place in zip(shown, where, strict=True)]
    width = max(map(len, names))
    yield ""
    for one, name in zip(shown, names, strict=True):
        unit = f" {visible(foreign(one.unit), 20)}".rstrip()
        before, after = (value(side, one.unit) for side in (one.baseline, one.contender))
        sides = f"{before} -> {after}{unit}"
        yield f"  {word(one):12}  {name:{width}}  {changed(one):22}  {sides}  {_doubt(one)}"
    if len(comparisons) > len(shown):
        yield f"  ... and {len(comparisons) - len(shown)} more"


def _doubt(one: Comparison) -> str:
    if one.verdict is Verdict.INCONCLUSIVE:
        return "needs a live comparison" if one.rounds_needed is None else f"needs {one.rounds_needed} more rounds"
    return certainty(one)


def _missing(word: str, cases: Sequence[NotCompared]) -> Iterator[str]:
    """Yield a blank line and a line a case that has no verdict."""
    if not cases:
        return
    yield ""
    for one in cases[:MAX_LINES]:
        reason = why(one)
        yield f"  {word:12}  {visible(name(one), MAX_NAME_LENGTH)}{f': {visible(reason, 300)}' if reason else ''}"
    if len(cases) > MAX_LINES:
        yield f"  ... and {len(cases) - MAX_LINES} more"
