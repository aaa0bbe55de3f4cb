"""The report on a comparison as text: headline, recommended action, and figures; the whole report for a terminal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from windtunnel.compare.format import (
    ArmSummary,
    CommonChange,
    ComparedEnvironment,
    Comparison,
    ComparisonReport,
    MissingKind,
    NotCompared,
    Overall,
    UnmeasuredCause,
    Verdict,
)
from windtunnel.model.identity import case_name
from windtunnel.model.measure import CaseIdentity, MeasureKind
from windtunnel.text import numbers
from windtunnel.text.escaping import visible
from windtunnel.text.numbers import share

MOST = 0.9
"""The share of the cases that "most" stands for."""

MAX_NAME_LENGTH = 72
"""Characters of a name on a terminal; a longer one would push the figures off the screen."""

MAX_LINES = 40
"""Lines of one group on a terminal; the others are counted."""


MEASURE_ANYWAY = (
    "Comment `/benchmark` to measure this pull request now, or raise the cap in `[tool.windtunnel.budget]` on the main "
    "branch. Both need write access."
)

ADD_PARTS = (
    "Give `compare --shards` the verdicts of `compare --shard` too. In a workflow, read the logs of the jobs that "
    "measure."
)

COUNTED_KINDS = (MissingKind.ADDED, MissingKind.REMOVED, MissingKind.UNAFFECTED)
"""Cases outside the coverage, which are counted by their own names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """The verdict in one line; only *name* is foreign text."""

    lead: str
    name: str = ""
    """The case that changed most, if any."""
    trail: str = ""

    def __str__(self) -> str:
        """Return the line as plain text with visible control characters."""
        return self.lead + visible(self.name) + self.trail


def headline(report: ComparisonReport) -> Headline:
    """Return the verdict in one line."""
    main, failed = _headline_of_comparisons(report), report.failed_on_head
    if not failed:
        return main
    if report.overall in {Overall.REGRESSED, Overall.IMPROVED}:
        return replace(main, trail=f"{main.trail}; {len(failed)} failed")
    rest = main.lead[:1].lower() + main.lead[1:]
    return Headline(lead=f"{len(failed)} failed: ", name=case_label(failed[0]), trail=f"; {rest}")


def _headline_of_comparisons(report: ComparisonReport) -> Headline:
    worse, better = (by_size(report.having(verdict)) for verdict in (Verdict.REGRESSED, Verdict.IMPROVED))
    inconclusive, total = len(report.having(Verdict.INCONCLUSIVE)), len(report.comparisons)
    match report.overall:
        case Overall.REGRESSED:
            also = f"; {len(better)} became {_directions(better)}" if better else ""
            lead = f"{len(worse)} of {total} became {_directions(worse)}, worst {format_change(worse[0])}: "
            return Headline(lead=lead, name=case_label(worse[0]), trail=also)
        case Overall.IMPROVED:
            lead = f"{len(better)} of {total} became {_directions(better)}, best {format_change(better[0])}: "
            return Headline(lead=lead, name=case_label(better[0]))
        case Overall.UNCHANGED:
            return Headline(lead=_headline_without_change(report))
        case Overall.INCONCLUSIVE:
            others = total - inconclusive
            return Headline(lead=f"Inconclusive: {inconclusive} of {total} are too noisy; {others} did not change")
        case Overall.SAME_ARTIFACT:
            return Headline(lead="Both commits build the same artifact, so nothing was measured")
        case Overall.NOTHING_MEASURED:
            return Headline(lead=_explain_unmeasured(report)[0])


def _headline_without_change(report: ComparisonReport) -> str:
    unchanged, inconclusive = report.having(Verdict.UNCHANGED), report.having(Verdict.INCONCLUSIVE)
    small, size = sum(one.significant for one in unchanged), format_detectable(report)
    parts = [f"No relevant change in {len(unchanged)} of {len(report.comparisons)}"]
    parts += [f"a change of {size} or more would show in most"] if size else []
    parts += [f"{small} changed by less than their threshold"] if small else []
    parts += [f"{len(inconclusive)} inconclusive"] if inconclusive else []
    return "; ".join(parts)


def _directions(comparisons: Sequence[Comparison]) -> str:
    return " or ".join(sorted({format_direction(one) for one in comparisons}))


def recommended_action(report: ComparisonReport) -> str:
    """Return what the reader should do next; it contains no foreign text."""
    match report.overall:
        case Overall.REGRESSED if all(one.confirmed for one in report.having(Verdict.REGRESSED)):
            return (
                "Fix the regression, or explain the trade-off and merge. Fresh measurements confirmed each regression; "
                "`windtunnel bisect` finds the commit."
            )
        case Overall.REGRESSED:
            return (
                "Measure again before you act: `windtunnel compare BASE HEAD` measures both commits side by side. "
                "No fresh measurements confirmed these regressions."
            )
        case Overall.INCONCLUSIVE:
            return _measure_more(report.having(Verdict.INCONCLUSIVE))
        case Overall.NOTHING_MEASURED:
            return _explain_unmeasured(report)[1]
        case Overall.IMPROVED | Overall.UNCHANGED | Overall.SAME_ARTIFACT if report.failed_on_head:
            return "Fix the failed benchmarks; the measured ones need no action."
        case Overall.IMPROVED | Overall.UNCHANGED | Overall.SAME_ARTIFACT:
            return "Nothing to do."


def _explain_unmeasured(report: ComparisonReport) -> tuple[str, str]:
    """Return the headline and the recommended action of a report without measurements."""
    if report.is_irrelevant:
        return "Nothing was measured: no changed file can affect a benchmark", "Nothing to do."
    if report.unmeasured is UnmeasuredCause.CAP:
        return "Nothing was measured: a cap on runner-minutes is reached", MEASURE_ANYWAY
    if report.is_empty:
        return "Nothing was measured: no part of the comparison measured anything", ADD_PARTS
    return "Nothing was measured", "Make the suite run on both commits; the reasons are below."


def _most(values: Sequence[float]) -> float:
    """Return the quantile MOST of one value or more by linear interpolation; jobs that comment have no numpy."""
    ordered = sorted(values)
    place = MOST * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def _measure_more(inconclusive: Sequence[Comparison]) -> str:
    needed = [one.rounds_needed for one in inconclusive if one.rounds_needed is not None]
    if not needed:
        return "Measure both commits side by side with `windtunnel compare BASE HEAD`."
    rounds = int(_most(needed))
    return f"Measure again with more rounds (about {rounds} more would decide most cases) or on a quieter machine."


def format_common_change(change: CommonChange, compared: int) -> str:
    """Return the sentences on a change that nearly all of the *compared* cases share."""
    factor = numbers.ratio(1 + change.relative_change, None).value
    if change.removed:
        return (
            f"All {change.cases} times changed by {factor}, most likely because the machines differ. "
            "The changes below exclude this factor, so a change of the whole suite would not show."
        )
    return (
        f"{change.cases} of {compared} cases changed by the same factor, {factor}. Look for one cause "
        "(interpreter, dependency, build flags) before you look at single cases."
    )


def case_label(one: CaseIdentity) -> str:
    """Return benchmark and parameters, not escaped."""
    return case_name(one.benchmark, one.params)


def format_suite_change(one: Comparison) -> str:
    """Return the mark of a case that head's suite adds or changes, with a space before it; else an empty string."""
    return f" ({one.suite_change})" if one.suite_change else ""


def explain_suite_changes(report: ComparisonReport) -> str:
    """Return the sentence on the marks that occur in *report*; empty without any."""
    marks = sorted({one.suite_change.value for one in report.comparisons if one.suite_change})
    return (
        f"{' or '.join(marks).capitalize()} in head's suite: both commits ran head's benchmark code." if marks else ""
    )


def format_reason(one: NotCompared) -> str:
    """Return on which commits *one* gave no value, and why, not escaped; empty if unknown."""
    where = f"on {' and '.join(one.on)}{' only' if len(one.on) == 1 else ''}" if one.on else ""
    return ": ".join(part for part in (where, one.reason) if part)


def format_commit(commit: str) -> str:
    """Return the first 10 characters of a full hash; any other name as it is."""
    return commit[:10] if len(commit) >= 40 and commit.isalnum() else commit


def format_change(one: Comparison) -> str:
    """Return the change and its interval as factors."""
    if one.relative_change is None:
        return "from zero" if one.baseline.value == 0 else "unknown"
    known = one.interval is not None and one.interval.low < one.interval.high
    interval = (1 + one.interval.low, 1 + one.interval.high) if known and one.interval else None
    factor = numbers.ratio(1 + one.relative_change, interval)
    return factor.value if factor.interval is None else f"{factor.value} ({factor.interval})"


def format_direction(one: Comparison) -> str:
    """Return how *one* changed, in a word that fits its measure."""
    timed = one.kind is MeasureKind.TIME
    match one.verdict:
        case Verdict.REGRESSED:
            return "slower" if timed else "worse"
        case Verdict.IMPROVED:
            return "faster" if timed else "better"
        case _:
            return one.verdict.value


def format_certainty(one: Comparison) -> str:
    """Return the confidence of the interval, and whether fresh data confirmed the change."""
    return f"{share(one.confidence)}, {'confirmed' if one.confirmed else 'measured once'}"


def format_detectable(report: ComparisonReport) -> str:
    """Return the change that would show in most unchanged cases; empty if unknown."""
    sizes = [one.smallest_detectable for one in report.having(Verdict.UNCHANGED)]
    known = [size for size in sizes if size is not None]
    return share(_most(known)) if known else ""


def format_value(arm: ArmSummary, unit: str) -> str:
    """Return the value of *arm*; without a unit if the unit is not a known one."""
    return numbers.quantity(arm.value, None, unit if unit in numbers.SCALES else "unit").value


def foreign_unit(unit: str) -> str:
    """Return *unit* if it is foreign text, else an empty string."""
    return "" if unit in {*numbers.SCALES, "unit"} else unit


def by_size(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Return the largest change first; a change from zero precedes all others."""
    return tuple(sorted(comparisons, key=_size, reverse=True))


def _size(one: Comparison) -> float:
    if one.relative_change is None:
        return float("inf")
    factor = abs(1 + one.relative_change)
    return max(factor, 1 / factor) if factor else float("inf")


def render_terminal(report: ComparisonReport) -> str:
    """Return the whole report as plain text."""
    return "".join(f"{line}\n" for line in _terminal_lines(report))


def _terminal_lines(report: ComparisonReport) -> Iterator[str]:
    yield str(headline(report))
    yield recommended_action(report).replace("`", "'")
    if report.common_change:
        yield format_common_change(report.common_change, len(report.comparisons))
    yield from (visible(note, 400) for note in report.notes[:5])
    if explained := explain_suite_changes(report):
        yield explained
    named = len({one.environment for one in report.comparisons}) > 1
    for verdict in (Verdict.REGRESSED, Verdict.IMPROVED, Verdict.INCONCLUSIVE):
        yield from _terminal_group(by_size(report.having(verdict)), environments=named)
    small = [one for one in report.having(Verdict.UNCHANGED) if one.significant]
    yield from _terminal_group(small, environments=named)
    yield from _terminal_missing("failed", report.failed_on_head)
    yield from _terminal_missing("fails on base", report.failed_on_base)
    for kind in MissingKind:
        if kind is not MissingKind.FAILED:
            yield from _terminal_missing(kind, report.missing(kind))
    for one in report.environments:
        yield from _terminal_environment(one)
    coverage = report.coverage
    yield ""
    yield (
        f"{visible(format_commit(report.base))} against {visible(format_commit(report.head))}: "
        f"{coverage.compared} of {coverage.planned} cases compared"
    )


def _terminal_group(comparisons: Sequence[Comparison], *, environments: bool) -> Iterator[str]:
    """Yield an empty line and one line per comparison, with names in one column, and *environments* if asked."""
    shown = comparisons[:MAX_LINES]
    if not shown:
        return
    where = [
        (f" in {visible(one.environment, MAX_NAME_LENGTH // 2)}" if environments else "") + format_suite_change(one)
        for one in shown
    ]
    names = [visible(case_label(one), MAX_NAME_LENGTH) + place for one, place in zip(shown, where, strict=True)]
    width = max(map(len, names))
    yield ""
    for one, name in zip(shown, names, strict=True):
        unit = f" {visible(foreign_unit(one.unit), 20)}".rstrip()
        before, after = (format_value(arm, one.unit) for arm in (one.baseline, one.contender))
        if one.verdict is not Verdict.INCONCLUSIVE:
            certainty = format_certainty(one)
        elif one.rounds_needed is None:
            certainty = "needs a live comparison"
        else:
            certainty = f"needs {one.rounds_needed} more rounds"
        direction, change = format_direction(one), format_change(one)
        yield f"  {direction:12}  {name:{width}}  {change:22}  {before} -> {after}{unit}  {certainty}"
    if len(comparisons) > len(shown):
        yield f"  ... and {len(comparisons) - len(shown)} more"


def _terminal_missing(word: str, cases: Sequence[NotCompared]) -> Iterator[str]:
    """Yield an empty line and one line per case without a verdict."""
    if not cases:
        return
    yield ""
    for one in cases[:MAX_LINES]:
        reason = format_reason(one)
        name = visible(case_label(one), MAX_NAME_LENGTH)
        yield f"  {word:13}  {name}{f': {visible(reason, 300)}' if reason else ''}"
    if len(cases) > MAX_LINES:
        yield f"  ... and {len(cases) - MAX_LINES} more"


def _terminal_environment(one: ComparedEnvironment) -> Iterator[str]:
    """Yield how the environments of base and head differ; nothing if they do not."""
    if one.base_python or one.differences:
        yield ""
    if one.base_python:
        yield f"  base ran with {visible(one.base_python, 200)}, head with {visible(one.head_python, 200)}"
    if one.differences:
        shown = "; ".join(visible(each, MAX_NAME_LENGTH) for each in one.differences[:MAX_LINES])
        yield f"  packages differ in {visible(one.name, MAX_NAME_LENGTH)}: {shown}"


def format_counts(report: ComparisonReport) -> str:
    """Return how many cases have each result, without those that do not occur."""
    named = [(str(verdict), len(report.having(verdict))) for verdict in Verdict]
    named += [("failed", len(report.failed_on_head)), ("failing on base already", len(report.failed_on_base))]
    named += [("not measured", len(report.skipped) + len(report.incomparable))]
    named += [(str(kind), len(report.missing(kind))) for kind in COUNTED_KINDS]
    return ", ".join(f"{number} {name}" for name, number in named if number) or "no cases"
