"""A comment for each verdict, rendered by the code that comments on pull requests.

The samples are made up; everything else is decided and rendered as for a measured comparison.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from windtunnel.compare.comment_markdown import render_comment
from windtunnel.compare.decide import decide
from windtunnel.compare.format import (
    Budget,
    ComparedEnvironment,
    ComparedMachine,
    ComparisonReport,
    EnvironmentFailure,
    FalseAlarms,
    NotCompared,
    ReportContext,
)
from windtunnel.compare.kinds import CommentContext, VerdictKind, decide_conclusion, decide_kind
from windtunnel.compare.samples_format import (
    Cause,
    ChangedFunction,
    PairedSamples,
    ProcessStatistic,
    ProcessValues,
    StageSamples,
    WorkSamples,
)
from windtunnel.github.comment import CommentMetadata, render_footer
from windtunnel.model.schedule import COMPARED_COMMITS, STAGES, ComparedCommit, InstructionCounts

BASE, HEAD = "3f1c9a7e25" * 4, "8d20b6f41c" * 4
SITE, RUN = "https://example.org/words", "https://github.com/example/words/actions/runs/17"
MACHINE = ComparedMachine(name="gh-4c-amd-7763", description="AMD EPYC 7763, 4 cores, Linux")
TIMINGS = "queue 5 s, build 1.6 min, measure 6.1 min, confirm 1.4 min, report 8 s, together 9.3 min"
ROUNDS = 15


def _comment(
    report: ComparisonReport,
    *,
    failed_jobs: int = 0,
    accepted_by: str = "",
    follows_verdict: bool = False,
    earlier: Sequence[str] = (),
) -> tuple[VerdictKind, str]:
    """Return the kind of a comment, and its Markdown without its hidden lines."""
    context = CommentContext(
        head=HEAD,
        run_url=RUN,
        site_url=SITE,
        timings=TIMINGS if report.comparisons else "",
        failed_jobs=failed_jobs,
        accepted_by=accepted_by,
        follows_verdict=follows_verdict,
    )
    context = replace(context, conclusion=decide_conclusion(report, context))
    footer = render_footer(CommentMetadata(key="default", head=HEAD, run=17), earlier)
    shown = re.sub("<!-- .* -->\n", "", render_comment(report, context, footer)).rstrip("\n") + "\n"
    return decide_kind(report, context), shown


def _samples(
    benchmark: str,
    ratio: float = 1.0,
    *,
    value: float = 1.67e-3,
    spread: float = 0.03,
    statistic: ProcessStatistic = "cpu_minimum",
    confirmed: bool = True,
    **what: Any,
) -> PairedSamples:
    """Return the samples of a timing whose head takes *ratio* times as long."""

    def arm(seed: int, factor: float) -> ProcessValues:
        phase = seed + sum(benchmark.encode())
        values = tuple(value * factor * (1 + spread * math.sin(phase + 2.4 * (at + 1) ** 2)) for at in range(ROUNDS))
        return ProcessValues(
            values=values, medians=tuple(1.04 * one for one in values), p95s=tuple(1.11 * one for one in values)
        )

    stages = ("screening", "confirmation") if confirmed and ratio != 1 else ("screening",)
    parts = tuple(
        StageSamples(
            stage=stage, machine=MACHINE.name, statistic=statistic, baseline=arm(at, 1.0), contender=arm(at + 7, ratio)
        )
        for at, stage in enumerate(stages)
    )
    return PairedSamples(benchmark=benchmark, stage_samples=parts, **what)


def _work(ratio: float, instructions: float = 1.2e6) -> WorkSamples:
    """Return counts of five hash seeds whose head executes *ratio* times the instructions."""
    seeds = (1.0, 1.0004, 0.9997, 1.0002, 0.9999)
    base, head = (
        InstructionCounts(per_call=tuple(instructions * factor * seed for seed in seeds), calls=10)
        for factor in (1.0, ratio)
    )
    return WorkSamples(base=base, head=head)


def _function(name: str, line: int, calls: int, costs: tuple[float, float], *, touched: bool) -> ChangedFunction:
    """Return a function that runs once on base, and lies three lines further down on head."""
    file = "src/words/search.py"
    return ChangedFunction(
        name=name,
        base_file=file,
        base_line=line,
        head_file=file,
        head_line=line + 3,
        calls_base=1,
        calls_head=calls,
        cost_base=costs[0],
        cost_head=costs[1],
        touched=touched,
    )


CAUSE = Cause(
    functions=(
        _function("normalise", 40, 2000, (310.0, 448_000.0), touched=False),
        _function("Index.find", 71, 1, (52_000.0, 61_000.0), touched=True),
    )
)


def _memory(benchmark: str, before: float, after: float) -> PairedSamples:
    parts = tuple(
        StageSamples(
            stage=stage,
            machine=MACHINE.name,
            baseline=ProcessValues(values=(before,) * 8),
            contender=ProcessValues(values=(after,) * 8),
        )
        for stage in STAGES
    )
    return PairedSamples(benchmark=benchmark, unit="bytes", kind="other", stage_samples=parts)


def _report(samples: Sequence[PairedSamples], **what: Any) -> ComparisonReport:
    context: dict[str, Any] = {"base": BASE, "head": HEAD}
    if samples:
        context |= {
            "machines": (MACHINE,),
            "environments": (ComparedEnvironment(name="virtualenv-py3.13"),),
            "aa": FalseAlarms(comparisons=len(samples) // 4),
            "budget": Budget(seconds=540.0, processes=34 * len(samples)),
        }
    return decide(ReportContext(**context | what), samples)


UNCHANGED = tuple(_samples(f"words.time_{name}") for name in ("count", "split", "join", "sort", "strip"))
WAITING = _samples("files.Copy.time_run", value=0.0212, statistic="wall_minimum")
SLOWER = _samples("words.time_search", 1.31, params=("1000",), work=_work(1.34))
FASTER = _samples("words.time_index", 0.62, value=8.4e-3, work=_work(0.58))
BROKEN = NotCompared(benchmark="words.time_merge", reason="TypeError: merge() got an unexpected keyword", on=("head",))


def _examples() -> Iterator[tuple[str, tuple[VerdictKind, str]]]:
    """Yield comments of each kind, with their names."""
    regressed = _report(
        [
            *UNCHANGED,
            WAITING,
            SLOWER,
            _samples("files.Watch.time_first_event", 1.12, value=0.0104, statistic="wall_minimum", work=_work(1.0002)),
            _memory("words.peakmem_index", 41_943_040, 52_428_800),
            FASTER,
            _samples("words.time_tail", spread=0.12),
        ],
        failed=(NotCompared(benchmark="words.time_legacy", reason="no such file", on=COMPARED_COMMITS),),
    )
    yield "regressed", _comment(regressed)
    more_work = _samples("words.time_search", 1.31, params=("1000",), work=_work(1.38), cause=CAUSE)
    yield "more-work", _comment(_report([*UNCHANGED, more_work]))
    same_work = _samples("words.time_join", 1.08, spread=0.01, work=_work(1.00003))
    yield "same-work", _comment(_report([*UNCHANGED, same_work]))
    yield "less-work", _comment(_report([*UNCHANGED, _samples("words.time_fold", work=_work(0.88))]))
    gated = _samples("words.time_fold", work=_work(1.012), instructions_threshold=0.005)
    yield "instructions", _comment(_report([*UNCHANGED, gated]))
    suite = [_samples(f"words.time_{at}", 1.3 + at * 2e-4) for at in range(10)]
    yield "common", _comment(_report(suite, environments=(ENVIRONMENTS_DIFFER,)))
    new = _samples("words.time_fold", 0.83, suite_change="new")
    yield "improved", _comment(_report([*UNCHANGED, FASTER, new]))
    yield "failed", _comment(_report([*UNCHANGED, WAITING], failed=(BROKEN,)))
    noisy = (_samples("words.time_tail", spread=0.12), _samples("words.time_poll", spread=0.2))
    yield "undecided", _comment(_report([*noisy, *UNCHANGED]))
    yield "accepted", _comment(_report([*UNCHANGED, SLOWER]), accepted_by="alice")
    yield "partial", _comment(_report([*UNCHANGED, WAITING]), failed_jobs=1)
    yield (
        "resolved",
        _comment(
            _report([*UNCHANGED, WAITING, _samples("words.time_search", params=("1000",))]),
            follows_verdict=True,
            earlier=("- `5a0e93cd17`: 1 of 7 benchmark cases became slower: `words.time_search(1000)` (+31 %)",),
        ),
    )
    yield "unbuilt-head", _comment(_report([], environment_failures=(_unbuilt("head"),)))
    yield "unbuilt-base", _comment(_report([], environment_failures=(_unbuilt("base"),)))
    missing = EnvironmentFailure(name="Python 3.9", reason="it is not installed on the machine that measured")
    yield "missing-python", _comment(_report([*UNCHANGED, WAITING], environment_failures=(missing,)))
    irrelevant = _report([], unmeasured="irrelevant", notes=("2 changed files, all in docs/",))
    yield "irrelevant", _comment(irrelevant, follows_verdict=True)
    yield "same", _comment(_report([], same_artifact=True), follows_verdict=True)


ENVIRONMENTS_DIFFER = ComparedEnvironment(name="virtualenv-py3.13", differences=("regex 2026.2.1 → 2026.5.18",))
BUILD_OUTPUT = "install of {} failed: Command 'python -m build' returned 1: src/words/_fast.c:18: error: expected ';'"


def _unbuilt(commit: ComparedCommit) -> EnvironmentFailure:
    return EnvironmentFailure(name="virtualenv-py3.13", on=commit, reason=BUILD_OUTPUT.format(commit))


_ALL = dict(_examples())
EXAMPLES = {name: text for name, (_, text) in _ALL.items()}
"""The Markdown of each comment by its name."""
KINDS = {name: kind for name, (kind, _) in _ALL.items()}
"""The kind of each comment by its name."""
