"""docs/comment.md: a comment for each verdict, rendered by the code that comments on pull requests.

The samples are made up; everything else is decided and rendered as for a measured comparison.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.compare.cause_format import Cause, ChangedFunction
from windtunnel.compare.comment_markdown import CommentContext, needs_comment, render_comment
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
from windtunnel.compare.samples_format import PairedSamples, ProcessStatistic, ProcessValues, StageSamples, SuiteChange
from windtunnel.compare.summary import NO_OPTIONS, ReaderOptions
from windtunnel.compare.work_format import WorkSamples
from windtunnel.github.acknowledgements import Acknowledgement, acknowledge, render_acknowledgements
from windtunnel.github.comment_metadata import CommentMetadata, render_footer
from windtunnel.github.publish_verdict import decide_conclusion
from windtunnel.model.measure import MeasureKind
from windtunnel.model.schedule import ComparedCommit, Stage
from windtunnel.model.witness import InstructionCounts

BASE, HEAD = "3f1c9a7e25" * 4, "8d20b6f41c" * 4
SITE, RUN = "https://example.org/words", "https://github.com/example/words/actions/runs/17"
MACHINE = ComparedMachine(name="gh-4c-amd-7763", description="AMD EPYC 7763, 4 cores, Linux")
TIMINGS = "queue 5 s, build 1.6 min, measure 6.1 min, confirm 1.4 min, report 8 s, together 9.3 min"
ROUNDS = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One comment of the page."""

    slug: str
    """The name of its picture, where it has one."""
    title: str
    when: str
    """When a reader sees it."""
    then: str
    """What to do, beyond the second line of the comment."""
    report: ComparisonReport
    reader: ReaderOptions = NO_OPTIONS
    follows_verdict: bool = False
    complete: bool = True
    """Whether every job of the run succeeded."""
    acknowledgement: Acknowledgement | None = None
    """What a person accepted."""
    earlier: tuple[str, ...] = ()
    """The lines of earlier verdicts."""

    @property
    def comment(self) -> str:
        """The Markdown of the comment."""
        context = CommentContext(
            head=HEAD,
            run_url=RUN,
            site_url=SITE,
            timings=TIMINGS if self.report.comparisons else "",
            reader=self.reader,
            follows_verdict=self.follows_verdict,
            acknowledged=render_acknowledgements(self.report, self.given),
            all_acknowledged=bool(self.given),
        )
        footer = render_footer(CommentMetadata(key="default", head=HEAD, run=17), self.earlier)
        return re.sub("<!-- .* -->\n", "", render_comment(self.report, context, footer)).rstrip("\n") + "\n"

    @property
    def given(self) -> tuple[Acknowledgement, ...]:
        """What was acknowledged."""
        return (self.acknowledgement,) if self.acknowledgement else ()


def _samples(  # noqa: PLR0913 - one argument for each thing that an example varies
    benchmark: str,
    ratio: float = 1.0,
    *,
    value: float = 1.67e-3,
    spread: float = 0.03,
    statistic: ProcessStatistic = ProcessStatistic.CPU_MINIMUM,
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

    stages = (Stage.SCREENING, Stage.CONFIRMATION) if confirmed and ratio != 1 else (Stage.SCREENING,)
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
        for stage in Stage
    )
    return PairedSamples(benchmark=benchmark, unit="bytes", kind=MeasureKind.OTHER, stage_samples=parts)


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
WAITING = _samples("files.Copy.time_run", value=0.0212, statistic=ProcessStatistic.WALL_MINIMUM)
SLOWER = _samples("words.time_search", 1.31, params=("1000",), work=_work(1.34))
FASTER = _samples("words.time_index", 0.62, value=8.4e-3, work=_work(0.58))
BROKEN = NotCompared(
    benchmark="words.time_merge", reason="TypeError: merge() got an unexpected keyword", on=(ComparedCommit.HEAD,)
)


def _examples() -> Iterator[Example]:
    regressed = _report(
        [
            *UNCHANGED,
            WAITING,
            SLOWER,
            _samples(
                "files.Watch.time_first_event",
                1.12,
                value=0.0104,
                statistic=ProcessStatistic.WALL_MINIMUM,
                work=_work(1.0002),
            ),
            _memory("words.peakmem_index", 41_943_040, 52_428_800),
            FASTER,
            _samples("words.time_tail", spread=0.12),
        ],
        failed=(NotCompared(benchmark="words.time_legacy", reason="no such file", on=tuple(ComparedCommit)),),
    )
    yield Example(
        slug="regressed",
        title="Slower",
        when="At least one case became slower, or worse if it is not a time. A second measurement confirmed it.",
        then="If one case matters and the others do not, set [thresholds](how-to/compare.md#thresholds). "
        "`windtunnel compare` with the two commits of the last line repeats the measurement on your machine.",
        report=regressed,
    )
    yield Example(
        slug="more-work",
        title="Slower: more work",
        when="The slower case executes more instructions, and the profiles of both commits name the functions.",
        then="Begin with the first function: it explains most of the change. *Not changed by the diff* means that a "
        "caller changed, such as a call that moved into a loop.",
        report=_report(
            [*UNCHANGED, _samples("words.time_search", 1.31, params=("1000",), work=_work(1.38), cause=CAUSE)]
        ),
    )
    yield Example(
        slug="same-work",
        title="Slower: same work",
        when="The slower case executes as many instructions as before. Another memory layout, fuller caches or the "
        "system make the same instructions take longer.",
        then="Do not rewrite the code. Look for new waiting or system calls. If there is nothing, merge.",
        report=_report([*UNCHANGED, _samples("words.time_join", 1.08, spread=0.01, work=_work(1.00003))]),
    )
    yield Example(
        slug="less-work",
        title="Less work, but not faster",
        when="A case executes fewer instructions, and its time did not change. This alone gives no comment.",
        then="Nothing. The code waits for something else, such as memory.",
        report=_report([*UNCHANGED, _samples("words.time_fold", work=_work(0.88))]),
    )
    yield Example(
        slug="instructions",
        title="Too many instructions",
        when="The suite sets [`instructions-threshold`](how-to/compare.md#let-instructions-fail-the-check), and a case "
        "executes more instructions than it allows. Its time may be unchanged.",
        then="Reduce the instructions, or acknowledge them like a slower case.",
        report=_report([*UNCHANGED, _samples("words.time_fold", work=_work(1.012), instructions_threshold=0.005)]),
    )
    yield Example(
        slug="regressed-commands",
        title="Slower, where comments are commands",
        when="The same, in a repository that `windtunnel init --commands` set up. The second line names the command "
        "that accepts the change.",
        then="Write the reason for later readers: the check turns neutral and keeps it.",
        report=_report([*UNCHANGED, SLOWER]),
        reader=ReaderOptions(commands=True),
    )
    accepted = _report([*UNCHANGED, SLOWER])
    yield Example(
        slug="acknowledged",
        title="Acknowledged",
        when="A person who may push commented `/benchmark ack REASON`. Later verdicts stay neutral.",
        then="Nothing. A new regression, or one that grows clearly, fails the check again. "
        "[Comment commands](how-to/commands.md) has the rules.",
        report=accepted,
        reader=ReaderOptions(commands=True),
        acknowledgement=acknowledge(accepted, "alice", "The search now ranks by relevance, which is worth the time."),
    )
    suite = [_samples(f"words.time_{at}", 1.3 + at * 2e-4) for at in range(10)]
    yield Example(
        slug="common",
        title="The whole suite changed",
        when="At least 80 % of the times changed by about the same amount. One cause is more likely than many.",
        then="Compare the packages of both environments, which the folded part lists where they differ.",
        report=_report(suite, environments=(ENVIRONMENTS_DIFFER,)),
    )
    yield Example(
        slug="improved",
        title="Faster",
        when="At least one case became faster, or better, and none became slower.",
        then="Merge. A benchmark that comes with its speed-up is measured on both commits, so the change is real.",
        report=_report([*UNCHANGED, FASTER, _samples("words.time_fold", 0.83, suite_change=SuiteChange.NEW)]),
    )
    yield Example(
        slug="failed",
        title="Failed",
        when="A benchmark works on base and fails on head. What fails on base already is only counted.",
        then="The error is the last line of the benchmark's output. The log of the run has all of it.",
        report=_report([*UNCHANGED, WAITING], failed=(BROKEN,)),
    )
    yield Example(
        slug="inconclusive",
        title="Inconclusive",
        when="More than 10 % of the cases vary too much to decide. The first verdict of a pull request then posts no "
        "comment; a comment that exists is updated.",
        then="A case that is always inconclusive needs a longer benchmark, or a larger threshold.",
        report=_report([_samples("words.time_tail", spread=0.12), _samples("words.time_poll", spread=0.2), *UNCHANGED]),
    )
    yield Example(
        slug="partial",
        title="A part of the run failed",
        when="One of several runners lost its connection, or its job failed. The check fails, because the lost part "
        "may hold a regression.",
        then="*Re-run failed jobs* on the page of the run measures the lost part.",
        report=_report([*UNCHANGED, WAITING]),
        reader=ReaderOptions(failed_jobs=1),
        complete=False,
    )
    yield Example(
        slug="resolved",
        title="Resolved",
        when="An earlier commit of the pull request regressed or failed, and this one does not.",
        then="Nothing. The earlier verdict is folded below the comment.",
        report=_report([*UNCHANGED, WAITING, _samples("words.time_search", params=("1000",))]),
        follows_verdict=True,
        earlier=("- `5a0e93cd17`: 1 of 7 benchmark cases became slower: `words.time_search(1000)` (+31 %)",),
    )
    yield from _unmeasured()


ENVIRONMENTS_DIFFER = ComparedEnvironment(
    name="virtualenv-py3.13", differences=("base has regex==2026.2.1", "head has regex==2026.5.18")
)
BUILD_OUTPUT = "install of {} failed: Command 'python -m build' returned 1: src/words/_fast.c:18: error: expected ';'"


def _unmeasured() -> Iterator[Example]:
    yield Example(
        slug="unbuilt-head",
        title="Nothing measured: head cannot be built",
        when="asv could not build or install the pull request.",
        then="The run's log has the whole output of the build.",
        report=_report([], environment_failures=(_unbuilt(ComparedCommit.HEAD),)),
        complete=False,
    )
    yield Example(
        slug="unbuilt-base",
        title="Nothing measured: base cannot be built",
        when="asv could not build the commit where the branch left the main branch.",
        then="If the pull request changes `asv.conf.json`, check `build_command` and `matrix`: both commits use them.",
        report=_report([], environment_failures=(_unbuilt(ComparedCommit.BASE),)),
        complete=False,
    )
    missing = EnvironmentFailure(name="Python 3.9", reason="it is not installed on the machine that measured")
    yield Example(
        slug="missing-python",
        title="A Python is missing",
        when="The runner does not have one of several Pythons. The others are compared. The example is a requested "
        "comparison: without a change there is otherwise no comment.",
        then="Install the Python in the workflow, or remove it from the configuration.",
        report=_report([*UNCHANGED, WAITING], environment_failures=(missing,)),
    )
    yield Example(
        slug="irrelevant",
        title="Nothing measured: nothing relevant changed",
        when="No changed file can affect a benchmark. Without an earlier comment to resolve, none is posted.",
        then="Nothing. If a case should have been measured, correct `irrelevant-paths` or `depends` "
        "in [the settings](reference/settings.md).",
        report=_report([], unmeasured="irrelevant", notes=("2 changed files, all in docs/",)),
        follows_verdict=True,
    )
    yield Example(
        slug="same",
        title="Nothing measured: the same package",
        when="Both commits build a package with the same content. There is no comment, unless an earlier one has to be "
        "resolved.",
        then="Nothing.",
        report=_report([], same_artifact=True),
        follows_verdict=True,
    )


def _unbuilt(commit: ComparedCommit) -> EnvironmentFailure:
    return EnvironmentFailure(name="virtualenv-py3.13", on=commit, reason=BUILD_OUTPUT.format(commit))


EXAMPLES = tuple(_examples())

FOLDED = re.compile(
    r"<details><summary>(How this was measured|\d+ unchanged|Median and 95th percentile of what changed)</summary>.*?"
    r"</details>\n\n",
    re.DOTALL,
)
"""What only the first example has."""

PICTURES = ("regressed", "more-work", "same-work", "less-work", "failed", "resolved")
"""The examples with a picture in docs/images."""

INTRODUCTION = """\
<!-- Generated by make generate from docs/comment_page.py. -->

# The comment on a pull request

The first line is the verdict, and the second line is what to do. A table of what changed follows. Everything else is
folded. [When a comment is posted](reference/workflows.md#when-a-comment-is-posted) lists the rules.

![The comment on a regression](images/comment-regressed.png)

## How to read it

- **Change**: how much the value of a case changed from *before* (base) to *after* (head). +31 % is 1.31 times.
  From 10 times on, the ratio itself is shown. Below it is the range in which the true change lies; the folded part
  states with which confidence.
- **Before, after**: the value on which the verdict is based. The line below the name says what it is: *CPU time* or
  *wall time*, of the fastest run in each process, averaged over the processes. Figures of another kind, such as the
  95th percentile of wall time, are in a folded table of their own.
- **Slower, faster**: the range excludes zero and reaches beyond the threshold (5 % by default). For memory and other
  values the words are *worse* and *better*.
- **Unchanged**: the whole range lies within the threshold. **Inconclusive**: the range is too wide to say either.
- **Instructions**: how many more or fewer instructions the code executes for one call. They hardly vary, are
  counted for cases that seem to have changed, and never decide about time. *Why* joins both: *more work*; *same work,
  but slower*; *less work, but not faster*.
- The last line counts every case once, so the numbers add up to the total. New, removed and left-out cases do not.

## The verdicts

{verdicts}

The title of the check is the headline. The figures of the examples are made up; the text is what the code writes today.
The first example has every folded part. The others leave out *unchanged*, *Median and 95th percentile* and *How this
was measured*.
"""


def comment_page() -> str:
    """Return docs/comment.md."""
    rows = ["| verdict | posted | check |", "|---|---|---|", *map(_row, EXAMPLES)]
    introduction = INTRODUCTION.format(verdicts="\n".join(rows))
    return "\n".join([introduction, *(_section(one, whole=one is EXAMPLES[0]) for one in EXAMPLES)])


def _row(example: Example) -> str:
    anchor = re.sub(r"[^\w -]", "", example.title.lower()).replace(" ", "-")
    return f"| [{example.title}](#{anchor}) | {_posted(example)} | `{_conclusion(example)}` |"


def _conclusion(example: Example) -> str:
    """Return how the check ends."""
    accepted = bool(example.given)
    return decide_conclusion(example.report, gate=True, complete=example.complete, acknowledged=accepted)


def _posted(example: Example) -> str:
    return "a comment" if needs_comment(example.report) else "a comment only where one exists, or on request"


def _section(example: Example, *, whole: bool) -> str:
    comment = example.comment if whole else FOLDED.sub("", example.comment)
    quoted = "\n".join(f"> {line}".rstrip() for line in comment.replace("## ", "#### ", 1).splitlines())
    picture = f"![{example.title}](images/comment-{example.slug}.png)\n\n"
    return (
        f"## {example.title}\n\n"
        f"**When:** {example.when}\n\n"
        f"**What to do:** {example.then}\n\n"
        f"{picture if example.slug in PICTURES[1:] else ''}{quoted}\n"
    )
