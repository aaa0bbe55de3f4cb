"""Each kind of verdict has its report: the golden files hold what a terminal, a step summary and a comment show.

``WRITE_GOLDEN=1 pytest tests/unit/compare/test_reports.py`` writes them again; read the difference before committing.
"""

import os
from pathlib import Path

import pytest
from builders.comment_examples import EXAMPLES
from builders.samples import (
    a_cause,
    a_report,
    changed,
    exact_samples,
    paired_samples,
    timed,
    unbuilt,
    uncounted,
    work_samples,
)
from msgspec.structs import replace

from windtunnel.compare.format import (
    UNTOUCHED,
    Budget,
    CommonChange,
    ComparedEnvironment,
    ComparedMachine,
    FalseAlarms,
    MachineTiming,
    NotCompared,
    Reach,
    SelfCheck,
)
from windtunnel.compare.kinds import CommentContext
from windtunnel.compare.report_markdown import render_markdown
from windtunnel.compare.report_text import render_terminal
from windtunnel.model.benchmark import CaseIdentity
from windtunnel.model.schedule import COMPARED_COMMITS

MOVED = ("`<b> 1 → 2", "eggs 1.0 was removed", "fastapi 0.141.1 → 0.142.0", "spam 2 was added")
BUMPED = ComparedEnvironment(name="py3.13", differences=MOVED)
GOLDEN = Path(__file__).parents[2] / "golden" / "reports"
BASE, HEAD = COMPARED_COMMITS


def common():
    """Every case changed by about the same factor."""
    found = a_report(*(changed(f"t{index}", seed=index) for index in range(20)))
    return replace(found, common_change=CommonChange(relative_change=0.3, cases=20))


def measured():
    """What it took to measure."""
    return a_report(
        paired_samples(),
        machines=(ComparedMachine(name="ci-1", description="4 cores"),),
        environments=(ComparedEnvironment(name="py3.12", differences=("numpy 2.1 -> 2.2",)),),
        budget=Budget(seconds=90.0, processes=120),
        aa=FalseAlarms(comparisons=20, alarms=1),
    )


def self_checked(**check):
    """A commit against itself."""
    return a_report(paired_samples("a"), changed("b"), changed("c", 0.7), self_check=SelfCheck(**check))


FAILED = NotCompared(benchmark="b", reason="timeout")
LEFT_OUT = NotCompared(benchmark="io.read", reason="no change in src/io/")
NOT_RUN = NotCompared(benchmark="c.time", reason=UNTOUCHED)
REACH = Reach(cases=30, reached=1, guard=(CaseIdentity(benchmark="b.time"),), unreached=("src/b.py",))
OLD_FAILURES = (replace(FAILED, on=(BASE, HEAD)), NotCompared(benchmark="c", on=(BASE,)))

REPORTS = {
    "slower": lambda: a_report(changed("a.time"), paired_samples("b.time"), paired_samples("c.time")),
    "faster": lambda: a_report(changed(ratio=0.7)),
    "worse": lambda: a_report(exact_samples(contender=150.0)),
    "from-zero": lambda: a_report(exact_samples(baseline=0, contender=150.0)),
    "memory": lambda: a_report(replace(exact_samples("suite.peakmem_it", 2**20, 2**21), unit="bytes")),
    "small": lambda: a_report(changed(ratio=1.02, spread=0.001)),
    "undecided": lambda: a_report(
        paired_samples(spread=0.1), paired_samples("b.time"), budget=Budget(processes=32, process_seconds=32.0)
    ),
    "inconclusive": lambda: a_report(paired_samples(spread=1.2, rounds=24), paired_samples("b.time")),
    "suspected": lambda: a_report(paired_samples(ratio=1.2), paired_samples("b.time")),
    "nothing": a_report,
    "same-artifact": lambda: a_report(same_artifact=True),
    "irrelevant": lambda: a_report(unmeasured="irrelevant"),
    "all-left-out": lambda: a_report(unaffected=(LEFT_OUT,)),
    "some-left-out": lambda: a_report(paired_samples(), unaffected=(LEFT_OUT,)),
    "reached": lambda: a_report(
        changed("a.time"),
        paired_samples("b.time"),
        unaffected=(NOT_RUN,),
        reach=replace(REACH, imported=("src/c`.py",), map_commit="`<b>@abcdef0"),
    ),
    "control-changed": lambda: a_report(paired_samples("a.time"), changed("b.time"), reach=REACH),
    "all-reached": lambda: a_report(paired_samples(), reach=Reach(cases=1, reached=1, unattributed=("setup.py",))),
    "bumped": lambda: a_report(
        paired_samples(), reach=Reach(cases=1, reached=1, unattributed=("setup.py",)), environments=(BUMPED,)
    ),
    "unreached": lambda: a_report(unaffected=(NOT_RUN,), reach=Reach(cases=1, unreached=("src/a.py",))),
    "failed": lambda: a_report(paired_samples(), failed=(FAILED,)),
    "failed-on-base": lambda: a_report(paired_samples(), failed=OLD_FAILURES),
    "common": common,
    "measured": measured,
    "cpu-time": lambda: a_report(timed("cpu_minimum")),
    "wall-time": lambda: a_report(timed("wall_minimum")),
    "new-and-changed": lambda: a_report(
        changed("suite.time_new", 2.0, suite_change="new"),
        changed("suite.time_changed", 2.0, suite_change="changed"),
        changed("suite.time_old", 2.0),
    ),
    "environments": lambda: a_report(*(changed(environment=name) for name in ("py3.12", "py3.13"))),
    "false-alarms": self_checked,
    "slowdowns": lambda: self_checked(slowdown=0.05),
    "head-unbuilt": lambda: unbuilt(HEAD),
    "base-unbuilt": lambda: unbuilt(BASE),
    "both-unbuilt": lambda: unbuilt(BASE, HEAD),
    "no-environment": lambda: unbuilt(None),
    "one-environment-missing": lambda: unbuilt(None, samples=[paired_samples()]),
    "more-work": lambda: a_report(changed(work=work_samples(1.38, spread=1e-3), cause=a_cause())),
    "same-work": lambda: a_report(changed(work=work_samples(1.0))),
    "less-work": lambda: a_report(
        paired_samples(work=work_samples(0.8)), paired_samples("b.time", work=work_samples())
    ),
    "too-much-work": lambda: a_report(
        paired_samples(work=work_samples(1.02), instructions_threshold=0.005), paired_samples("b.time")
    ),
    "slower-and-too-much-work": lambda: a_report(changed(work=work_samples(1.3), instructions_threshold=0.005)),
    "threads": lambda: a_report(changed(work=work_samples(1.5, other_threads=True))),
    "uncounted": lambda: a_report(*(paired_samples(f"t{at}", work=uncounted(f"no {at // 3}")) for at in range(12))),
}


def is_golden(name, text):
    """Whether the golden file *name* has *text*; it is written first where that is asked for."""
    path = GOLDEN / name
    if os.environ.get("WRITE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", REPORTS)
def test_each_verdict_has_its_report(name):
    """The headline and the action come first; a terminal and Markdown say the same."""
    report = REPORTS[name]()
    context = CommentContext(site_url="https://site.example/project")
    assert is_golden(f"{name}.txt", render_terminal(report))
    assert is_golden(f"{name}.md", render_markdown(report, context=context))


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_verdict_has_its_comment(name):
    """With the links, the hidden lines left out; verdict and action come first, none longer than three lines."""
    assert is_golden(f"comment-{name}.md", EXAMPLES[name])
    lead, action = [line for line in EXAMPLES[name].splitlines() if line][:2]
    quiet = lead.startswith(("## Nothing to do: ", "## Resolved: "))
    assert quiet or lead.startswith(("## Blocks merging: ", "## Does not block merging: ", "## Accepted: "))
    assert action.startswith("**What to do:** ") is not quiet
    assert (len(lead) < 130, len(action) < 250) == (True, True)


def test_every_golden_file_belongs_to_a_report():
    """A renamed report leaves none behind."""
    known = {f"{name}.{ending}" for name in REPORTS for ending in ("txt", "md")}
    assert {path.name for path in GOLDEN.iterdir()} == known | {f"comment-{name}.md" for name in EXAMPLES}


def test_a_report_says_where_the_time_went():
    """Parts below a second are left out."""
    timing = MachineTiming(
        stage="screening", building_seconds=65.0, measuring_seconds=40.0, import_seconds=30.0, sample_seconds=0.4
    )
    report = a_report(changed(), budget=Budget(seconds=105.0, processes=9, machine_timings=(timing,)))
    said = "Where the time went (screening): building 65 s, importing the suite 30 s, the rest 10 s."
    assert said in render_markdown(report)
