"""Sum up a report in sentences: the headline, the recommended action, the counts, and how sure the verdict is."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from windtunnel.compare import figures
from windtunnel.compare.format import (
    UNDECIDED,
    VERDICTS,
    CommonChange,
    ComparisonReport,
    MachineTiming,
    MissingKind,
    SelfCheck,
)
from windtunnel.compare.samples_format import InstructionChange
from windtunnel.model.schedule import STAGES
from windtunnel.text import numbers
from windtunnel.text.escaping import visible
from windtunnel.text.numbers import count

NOTHING_TO_DO = "Nothing."

ADD_PARTS = (
    "Read the logs of the jobs that measure. On your machine, give `compare --shards` the verdicts of every "
    "`compare --shard`."
)
UNBUILT = {
    "head": (": head cannot be built", "Fix the build of head; the error is below."),
    "base": (
        ": base cannot be built",
        "Fix the build of the main branch and merge it into this branch. The error is below.",
    ),
    None: (": no environment could be made", "Make the environments of the suite available; the errors are below."),
}
"""The end of the headline and the action, by the commit that cannot be built."""
NOT_IMPORTED = (": the suite cannot be imported", "Make the suite import on both commits; the error is below.")
MOST = 0.9
"""The share of the cases that "most" stands for."""
QUIETER = "To know more, measure again on a quieter machine."
MAX_MACHINES = 5
"""Machines of which a report says where their time went."""

MAX_NAMED_FILES = 3
"""Files that a sentence names."""

SAME_INSTRUCTIONS = (
    "The slower code executes as many instructions as before: look for memory layout, caches or the system."
)
TOO_MANY_INSTRUCTIONS = (
    "Reduce the instructions of the cases named below, or raise `instructions-threshold` in `[tool.windtunnel]`."
)
COUNTED_APART: Mapping[MissingKind, str] = {
    "added": "new",
    "removed": "removed",
    "unaffected": "left out because the change cannot affect them",
}
"""Cases outside the coverage."""


def headline(report: ComparisonReport, shown: Callable[[str], str] = visible) -> str:
    """Return the verdict in one line; *shown* escapes the name of a case, which is foreign text."""
    failed, planned = report.failed_on_head, report.coverage.planned
    changed = report.overall in {"regressed", "improved"}
    if failed and not changed:
        others = planned - len(failed)
        rest = _headline_of_comparisons(report, others, "", shown)
        line = f"{len(failed)} of {_cases(planned)} failed: {shown(figures.case_label(failed[0]))}; {_continued(rest)}"
    else:
        line = _headline_of_comparisons(report, planned, _cases(planned), shown)
        line += f"; {len(failed)} failed" if failed else ""
    if (beyond := len(report.instruction_regressions)) and (failed or changed):
        line += f"; {beyond} with too many instructions"
    elif beyond:
        rest = _headline_of_comparisons(report, planned, "", shown)
        line = f"{_headline_of_instructions(report, shown)}; {_continued(rest).partition(':')[0]}"
    unmeasured = len({one.name for one in report.environment_failures})
    if unmeasured and report.comparisons:
        line += f"; nothing was measured in {count(unmeasured, 'environment')}"
    return line


def _continued(line: str) -> str:
    return line[:1].lower() + line[1:]


def _headline_of_instructions(report: ComparisonReport, shown: Callable[[str], str]) -> str:
    """Return how many cases have more instructions than the settings allow, and the worst."""
    found = report.instruction_regressions
    worst = max(found, key=lambda one: _growth(one.instructions))
    lead = f"{len(found)} of {_cases(report.coverage.planned)} with too many instructions"
    grown = f" ({figures.format_instructions(worst.instructions)})" if worst.instructions else ""
    return f"{lead}{', worst' if len(found) > 1 else ''}: {shown(figures.case_label(worst))}{grown}"


def _growth(found: InstructionChange | None) -> float:
    return found.relative_change if found and found.relative_change is not None else 0.0


def _headline_of_comparisons(report: ComparisonReport, number: int, total: str, shown: Callable[[str], str]) -> str:
    """Return the verdict on the compared cases; *total* names the *number* of cases that they are part of.

    Without *total* it is short, as the rest of a longer headline.
    """
    compared = len(report.comparisons)
    found = f". {f'{compared} of ' if compared < number else ''}{count(number, 'case')} measured" if total else ""
    match report.overall:
        case "regressed" | "improved":
            return _headline_of_changes(report, total, shown)
        case "unchanged" | "undecided":
            worse = "slowdown" if all(one.kind == "time" for one in report.comparisons) else "regression"
            return f"No {worse} found{found}: {', '.join(_known(report))}"
        case "inconclusive":
            moved = report.control_change
            size = "" if moved is None else numbers.relative_change(moved, None).value
            lead = f"Discarded, because cases that run nothing that changed moved by about {size} too" if size else ""
            return f"{lead or 'Inconclusive'}{found}: {', '.join(reversed([*_known(report)]))}"
        case "same_artifact":
            return "Nothing was measured: both commits build the same package"
        case "nothing_measured" if report.is_irrelevant and report.reach and report.reach.unreached:
            return f"No benchmark runs the changed code: {name_files(report.reach.unreached, shown)}"
        case "nothing_measured":
            return f"Nothing was measured{_explain_unmeasured(report)[0]}"


def _known(report: ComparisonReport) -> Iterator[str]:
    """Yield what is known of the cases that did not change: how many are unchanged, and what the others exclude."""
    if unchanged := report.having("unchanged"):
        thresholds = {one.threshold for one in unchanged}
        within = figures.format_share(max(thresholds)) if len(thresholds) == 1 else "their thresholds"
        every = len(unchanged) == len(report.comparisons) > 1
        yield f"{'all ' if every else ''}{len(unchanged)} unchanged within {within}"
    suspects = figures.suspects(report)
    known = {id(one) for one in suspects}
    if suspects:
        yield f"{len(suspects)} suspected but not measured again"
    if same := [one for one in report.having(*UNDECIDED) if id(one) not in known and figures.is_same_work([one])]:
        known |= {*map(id, same)}
        yield f"{len(same)} with the same work (equal instructions, time undecided)"
    if bounded := [one for one in report.having("undecided") if id(one) not in known]:
        yield f"{len(bounded)} undecided: {figures.format_bound(bounded)} or more would be noticed"
    unbounded = [one for one in report.having("inconclusive") if id(one) not in known]
    for stop, why in figures.STOPS.items():
        if found := [one for one in unbounded if one.stopped_by == stop]:
            yield f"{len(found)} may even have doubled ({why})"


def _headline_of_changes(report: ComparisonReport, total: str, shown: Callable[[str], str]) -> str:
    """Return how many of the cases changed, and the largest change or the one that nearly all have in common."""
    worse, better = (figures.by_size(report.having(verdict)) for verdict in ("regressed", "improved"))
    main, superlative = (worse, "worst") if worse else (better, "best")
    lead = f"{len(main)} of {total} became {figures.join_directions(main)}"
    also = f"; {len(better)} became {figures.join_directions(better)}" if worse and better else ""
    if report.common_change:
        size = numbers.relative_change(report.common_change.relative_change, None).value
        return f"{lead}, nearly all by about {size}{also}"
    lead = f"{lead}{f', {superlative}' if len(main) > 1 else ''}: "
    return f"{lead}{shown(figures.case_label(main[0]))} ({figures.format_size(main[0])}){also}"


def _cases(number: int) -> str:
    return count(number, "benchmark case")


def recommended_action(report: ComparisonReport, failed_jobs: int = 0) -> str:
    """Return what the reader should do next, without foreign text; *failed_jobs* of the run measured nothing."""
    if report.self_check and report.comparisons:
        return _count_self_check(report)
    sentences = [*_actions(report, failed_jobs)]
    return " ".join(sentences) if sentences else NOTHING_TO_DO


def explain_self_check(check: SelfCheck | None) -> tuple[str, ...]:
    """Return a sentence that says what alarms of a self-check mean."""
    if not check:
        return ()
    if check.slowdown:
        percent = f"{check.slowdown * 100:.3g} %"
        return (f"Self-check: the commit is compared with itself, and head is slowed down by {percent}.",)
    return ("Self-check: the commit is compared with itself, so each alarm is false.",)


def _count_self_check(report: ComparisonReport) -> str:
    """Return what a comparison of a commit with itself shows."""
    assert report.self_check
    slower, faster = len(report.having("regressed")), len(report.having("improved"))
    total = len(report.comparisons)
    found = f"{slower} of {count(total, 'slowdown')} found"
    if not report.self_check.slowdown:
        found = f"{slower + faster} of {count(total, 'comparison')} raised a false alarm"
    return f"{found}. `windtunnel ci error-rates` adds the verdict to the rates of the project."


def _actions(report: ComparisonReport, failed_jobs: int) -> Iterator[str]:
    """Yield the sentences; none if there is nothing to do."""
    if report.overall == "regressed":
        yield from _act_on_regression(report)
    if failed_jobs and report.comparisons:
        jobs = count(failed_jobs, "job")
        ask = "Press *Re-run failed jobs* on the page of the run, or ask a maintainer to"
        yield f"{ask}: {jobs} failed, so not every case was measured."
    if report.instruction_regressions:
        yield TOO_MANY_INSTRUCTIONS
    if report.failed_on_head:
        yield "Fix what failed; the errors are below."
    if report.unbuilt_on_head and report.comparisons:
        yield "Fix the build of head; the error is below."
    if report.comparisons and any(one.on is None for one in report.environment_failures):
        yield "Make the missing environment available, or remove it from the configuration."
    if report.overall in UNDECIDED or (report.overall == "unchanged" and figures.suspects(report)):
        yield from filter(None, [_measure_more(report)])
    if report.overall == "nothing_measured" and not report.failed_on_head:
        yield _explain_unmeasured(report)[1]


def _act_on_regression(report: ComparisonReport) -> Iterator[str]:
    if report.common_change:
        yield "Look for one cause first, such as another interpreter, dependency or build flag."
    accept = "say why the cost is worth it; a maintainer accepts it with the label `perf-accepted`"
    if figures.is_same_work(report.having("regressed")):
        yield f"{SAME_INSTRUCTIONS} If nothing there can be changed, {accept}."
        return
    several = len(report.having("regressed")) > 1
    yield f"Make {'these cases' if several else 'this case'} cheaper again, or {accept}."
    explained = any(one.cause and one.cause.functions for one in report.having("regressed"))
    if not (explained or report.common_change):
        yield "If the change has several commits, `windtunnel bisect` on your machine finds the one that caused it."


def _measure_more(report: ComparisonReport) -> str:
    """Return how to decide what is open: more time where time ended it, else more rounds or less noise.

    It is empty where all that is open executes the same instructions.
    """
    open_cases = [one for one in report.having(*UNDECIDED) if not figures.is_same_work([one])]
    if report.control_change is not None:
        return "Measure again, on a quieter machine if you can: this one changed while suspects were measured again."
    if figures.suspects(report):
        return "Measure the suspects again: `windtunnel compare --only verdict.json`."
    by_time = [one for one in open_cases if one.stopped_by == "time"]
    needed = sorted(one.rounds_needed for one in by_time or open_cases if one.rounds_needed is not None)
    if not needed:
        return QUIETER if open_cases else ""
    reached = max(one.samples().rounds(stage) for one in open_cases for stage in STAGES)
    needed = needed[: math.ceil(MOST * len(needed))]
    rounds, total = needed[-1], sum(needed)
    allowed, seconds = report.budget.allowed_seconds, figures.seconds_of(total, report)
    more = f"{figures.format_rounds(rounds, total, report)} would decide most cases"
    if by_time:
        option = f" (`windtunnel compare --budget {math.ceil((allowed + seconds) / 60)}`)" if allowed else ""
        return f"To know more, measure for longer: {more}{option}."
    if reached + rounds <= report.rules.confirmation.interim_analyses[-1]:
        return QUIETER
    return (
        f"To know more, measure on a quieter machine or for longer: {more} "
        f"(`windtunnel compare --rounds {reached + rounds}`)."
    )


def _explain_unmeasured(report: ComparisonReport) -> tuple[str, str]:
    """Return the end of the headline, and the recommended action, of a report without measurements."""
    if report.is_irrelevant:
        return ": no changed file can affect a benchmark", NOTHING_TO_DO
    if report.environment_failures:
        failed_on = {one.on for one in report.environment_failures}
        first = next((commit for commit in ("head", "base") if commit in failed_on), None)
        imports = all(one.reason.startswith("discovery of ") for one in report.environment_failures)
        return NOT_IMPORTED if imports else UNBUILT[first]
    if report.is_empty:
        return ": no part of the comparison measured anything", ADD_PARTS
    return "", "Make the suite run on both commits; the reasons are below."


def format_common_change(change: CommonChange, compared: int) -> str:
    """Return the sentences on a change that nearly all of the *compared* cases share."""
    shown = numbers.relative_change(change.relative_change, None).value
    return f"{change.cases} of {compared} cases changed by about {shown}, so they probably have one cause."


def explain_suite_changes(report: ComparisonReport) -> str:
    """Return the sentence on new and changed benchmarks in *report*; empty without any."""
    marks = sorted({one.suite_change for one in report.comparisons if one.suite_change}, reverse=True)
    return f"{' and '.join(marks).capitalize()} benchmarks ran with head's code on both commits." if marks else ""


def name_files(paths: Sequence[str], shown: Callable[[str], str] = visible) -> str:
    """Return the first of *paths*, escaped by *shown*, and how many there are beside them; there is at least one."""
    named = ", ".join(map(shown, paths[:MAX_NAMED_FILES]))
    left = len(paths) - MAX_NAMED_FILES
    return f"{named} and {left} more" if left > 0 else named


def explain_reach(report: ComparisonReport, shown: Callable[[str], str] = visible) -> Iterator[str]:
    """Yield the sentences on which cases the change can reach; *shown* escapes names of files and cases."""
    reach = report.reach
    if reach is None or report.is_irrelevant or report.same_artifact or not reach.cases:
        return
    differ = tuple(dict.fromkeys(each for one in report.environments for each in one.differences))
    if differ:
        yield f"All cases are measured, because installed packages differ: {name_files(differ, shown)}."
    elif reach.unattributed:
        yield f"All cases are measured, because any of them may use {name_files(reach.unattributed, shown)}."
    if reach.reached < reach.cases:
        left = reach.cases - reach.reached - len(reach.guard)
        yield (
            f"{reach.reached} of {_cases(reach.cases)} can run code that changed. {left} are left out; "
            f"{len(reach.guard)} more, drawn at random, are measured as a control (`--all` measures all)."
        )
    if reach.map_commit:
        yield f"What cases run is known from the map of {shown(reach.map_commit[:10])}, stored with the results."
    if reach.imported:
        yield f"The import of the suite runs what changed in {name_files(reach.imported, shown)}."
    if reach.unreached:
        yield f"No benchmark runs what changed in {name_files(reach.unreached, shown)}."
    control = {one.identity for one in reach.guard}
    for one in report.changed:
        if one.identity in control:
            yield (
                f"{shown(figures.case_label(one))} changed although it runs nothing that changed: this is a false "
                "alarm, or it runs something that no map sees."
            )


def explain_certainty(report: ComparisonReport) -> Iterator[str]:
    """Yield the sentences on how sure the verdict is."""
    if confidence := figures.format_confidence(report.changed or report.comparisons):
        yield f"Each true change lies in its range, with a confidence of {confidence}."
    if not report.comparisons:
        return
    if any(figures.format_interval(one) == figures.EXACT for one in report.changed):
        yield "A change is exact where every process of a commit gave the same value."
    if report.changed:
        stages = {one.stage for one in report.budget.machine_timings}
        how = "of new processes on the same machine" if stages == {"screening"} else "independent of the first"
        yield (
            f"Every change shown was measured twice. The figures are those of the second measurement, which is {how} "
            "and confirmed it."
        )
    error = numbers.share(report.rules.confirmation.error)
    yield f"Where nothing changes, at most {error} of comparisons report a change."


def format_counts(report: ComparisonReport) -> str:
    """Return how many cases have each result, which add up to the total, and those left out; "" without any."""
    named = [
        *_count_directions(report),
        (len(report.failed_on_head), "failed"),
        (len(report.failed_on_base), "failing on base already"),
        (len(report.skipped), "not measured"),
        (len(report.incomparable), "not comparable"),
    ]
    apart = [(len(report.missing(kind)), name) for kind, name in COUNTED_APART.items()]
    total = f"{count(report.coverage.planned, 'case')}: {_list(named)}" if report.coverage.planned else ""
    others = f"not counted: {_list(apart)}" if any(number for number, _ in apart) else ""
    return "; ".join(part for part in (total, others) if part)


def _count_directions(report: ComparisonReport) -> Iterator[tuple[int, str]]:
    for verdict in VERDICTS:
        words = [figures.format_direction(one) for one in report.having(verdict)]
        yield from ((words.count(word), word) for word in dict.fromkeys(words))


def _list(named: Sequence[tuple[int, str]]) -> str:
    return ", ".join(f"{number} {name}" for number, name in named if number)


def explain_cost(report: ComparisonReport) -> Iterator[str]:
    """Yield what it took, and where the time of each machine went; parts below a second are left out."""
    if report.aa.comparisons:
        alarms = count(report.aa.alarms, "false alarm") if report.aa.alarms else "no false alarm"
        cases = count(report.aa.comparisons, "case")
        yield f"A/A comparison: base was also compared with itself in {cases}, with {alarms}."
    if report.budget.processes and report.budget.seconds is not None:
        spent = numbers.duration(report.budget.seconds)
        yield f"{report.budget.processes} processes ran for {spent} of machine time, building included."
    for one in report.budget.machine_timings[:MAX_MACHINES]:
        parts = [f"{name} {numbers.duration(seconds)}" for name, seconds in time_parts(one).items() if seconds >= 1]
        if parts:
            yield f"Where the time went ({one.stage}): {', '.join(parts)}."


def time_parts(timing: MachineTiming) -> dict[str, float]:
    """Return where the time of a machine went, in seconds by name."""
    parts = {
        "building": timing.building_seconds,
        "finding what cases run": timing.mapping_seconds,
        "importing the suite": timing.import_seconds,
        "starting processes and setup": timing.setup_seconds,
        "warm-up": timing.warmup_seconds,
        "samples": timing.sample_seconds,
        "counting and profiling": timing.work_seconds,
    }
    return {**parts, "the rest": max(timing.seconds - sum(parts.values()), 0.0)}
