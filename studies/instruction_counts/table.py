"""What the counts say, as Markdown."""

from collections import Counter, defaultdict
from statistics import mean, median

from windtunnel.compare.samples_format import PairedSamples, WorkSamples
from windtunnel.compare.significance import CONFIDENCE, SAME_WORK, decide_work
from windtunnel.model.schedule import InstructionCounts

from .changes import EDITS, FACTORS, PLAIN, UNUSED
from .equal_code import AGAIN, LIMIT, beyond_limit, by_side, difference

THRESHOLDS = (0.001, 0.005)
"""Of the gate."""

SEEDS_ALONE = "hash seeds: with the same seeds the counts are equal"

TRIO = "trio draws at random whether a batch of tasks runs in reverse (its source; not examined by counting)"

UNEXPLAINED = "unexplained"

HEAD = (
    "| suite | cases that compute | seeds of the second side | counted on both sides | differ by at most 0.1 % "
    "| median difference | largest | spread over seeds, median |"
)

SEEDS_OF = {AGAIN: "the same, as in a comparison", "second": "others"}
"""What the sides that are compared with the first one are called."""


def tables(records):
    """All tables."""
    suites = sorted({record["suite"] for record in records} - {"changes"})
    parts = [equal_code({suite: [one for one in records if one["suite"] == suite] for suite in suites})]
    if changes := [record for record in records if record["suite"] == "changes"]:
        parts.append(changes_found(changes))
    return "\n\n".join(parts)


def equal_code(suites):
    """How far equal code differs: two rows a suite, and a row a case beyond the limit."""
    lines = [HEAD, "|---" * 8 + "|"]
    beyond, uncounted = [], Counter()
    for suite, records in suites.items():
        sides = by_side(records)
        first = [one for one in records if one["side"] == "first"]
        uncounted.update((suite, one["reason"]) for one in first if one["reason"])
        beyond += [(suite, case, *(sides[side].get(case) for side in sides)) for case in beyond_limit(records)]
        for side, seeds in SEEDS_OF.items():
            if both := [case for case in sides["first"] if case in sides[side]]:
                apart = [difference(sides["first"][case], sides[side][case]) for case in both]
                near = sum(value <= LIMIT for value in apart)
                spreads = median(spread(sides["first"][case]) for case in both)
                lines.append(
                    f"| {suite} | {len(first)} | {seeds} | {len(both)} | {near} ({near / len(both):.0%}) "
                    f"| {median(apart):.4%} | {max(apart):.2%} | {spreads:.4%} |"
                )
    lines += ["", "Cases of equal code that differ by more than 0.1 %:", ""]
    lines += [
        "| suite | case | instructions | with the same seeds | with others | spread over seeds | threads | reason |",
        "|---" * 8 + "|",
    ]
    for suite, case, first, second, again in sorted(beyond, key=lambda row: row[:2]):
        same, other = (f"{difference(first, one):.3%}" if one else "" for one in (again, second))
        lines.append(
            f"| {suite} | `{case}` | {mean(first['per_call']):,.0f} | {same} | {other} "
            f"| {max(spread(one) for one in (first, second, again) if one):.2%} "
            f"| {'yes' if first['other'] else ''} | {reason(case, first, again)} |"
        )
    lines += ["", "Cases without counts:", "", "| suite | reason | cases |", "|---|---|---|"]
    lines += [f"| {suite} | {escape(why)} | {number} |" for (suite, why), number in uncounted.most_common()]
    return "\n".join([*lines, "", *gate(suites)])


def gate(suites):
    """What would be decided of equal code, each side once as base: a row for each suite and threshold of the gate."""
    yield "Equal code with the same seeds, decided as in a comparison, each side once as base:"
    yield ""
    yield "| suite | threshold of the gate | cases | fail alone | fail together | more | less | same | unknown |"
    yield "|---" * 9 + "|"
    for suite, records in suites.items():
        first, second = (by_side(records)[side] for side in ("first", AGAIN))
        both = [case for case in first if case in second]
        for threshold in THRESHOLDS:
            pairs = [(first, second), (second, first)]
            together = [one for base, head in pairs for one in decided(both, base, head, threshold)]
            alone = [one for base, head in pairs for case in both for one in decided([case], base, head, threshold)]
            found = Counter(one.work for one in together)
            cells = [len(together), *(sum(one.regressed for one in each) for each in (alone, together))]
            cells += [found[each] for each in ("more", "less", "same", "unknown")]
            yield f"| {suite} | {threshold:.1%} | {' | '.join(map(str, cells))} |"


def spread(record):
    """Return the range over seeds, relative to the mean."""
    return (max(record["per_call"]) - min(record["per_call"])) / mean(record["per_call"])


def reason(case, first, again):
    """Return why the counts of a case differ; *again* has the seeds of *first*."""
    if "trio" in case:
        return TRIO
    return SEEDS_ALONE if again and first["per_call"] == again["per_call"] else UNEXPLAINED


def escape(text):
    """Keep a table a table."""
    return text.replace("|", "\\|")[:160]


def changes_found(records):
    """A row a change: how many jobs it was found in."""
    sides = defaultdict(dict)
    for record in records:
        sides[record["side"]][record["case"]] = record
    lines = [
        f"Decided as in a comparison: five seeds, {CONFIDENCE:.0%} interval, {SAME_WORK:.1%} is the same work.",
        "",
        "| change | jobs | more work | less work | same work | unknown | median relative change |",
        "|---" * 7 + "|",
    ]
    for label in (*FACTORS, *EDITS, UNUSED):
        decided = decisions(sides[PLAIN], sides[label])
        found = Counter(one.work for one in decided.values())
        changes = [one.relative_change for one in decided.values() if one.relative_change is not None]
        cells = [str(found[work]) for work in ("more", "less", "same", "unknown")]
        shown = f"{median(changes):+.2%}" if changes else ""
        lines.append(f"| {label} | {len(decided)} | {' | '.join(cells)} | {shown} |")
    lines += ["", "Jobs in which the change was not found, or was found where there is none:", ""]
    lines += ["| change | job | relative change | interval | decision |", "|---" * 5 + "|"]
    for label in (*FACTORS, *EDITS, UNUSED):
        wanted = "same" if label == UNUSED else "more"
        for job, one in decisions(sides[PLAIN], sides[label]).items():
            if one.work is not wanted:
                between = f"{one.interval.low:+.3%} to {one.interval.high:+.3%}" if one.interval else ""
                shown = f"{one.relative_change:+.3%}" if one.relative_change is not None else ""
                lines.append(f"| {label} | `{job}` | {shown} | {between} | {one.work} {one.reason} |")
    calls = [mean(record["per_call"]) for record in sides[PLAIN].values() if record["per_call"]]
    lines += ["", f"The jobs take {min(calls) / 1e6:.1f} to {max(calls) / 1e6:.0f} million instructions a call."]
    return "\n".join(lines)


def decisions(base, head):
    """Return by job what the counts of both sides show."""
    jobs = [job for job in head if job in base]
    return {job: one for job, one in zip(jobs, decided(jobs, base, head), strict=True) if one}


def decided(cases, base, head, threshold=0.0):
    """Return what the counts of *cases* show, compared together; the gate has the *threshold*."""
    return decide_work(
        [
            PairedSamples(
                benchmark=case,
                environment="",
                instructions_threshold=threshold,
                work=WorkSamples(base=counts(base[case]), head=counts(head[case])),
            )
            for case in cases
        ]
    )


def counts(record):
    """Return a record as what the engine sends."""
    return InstructionCounts(
        per_call=tuple(record["per_call"]),
        calls=record["calls"],
        other_threads=record["other"],
        reason=record["reason"],
    )
