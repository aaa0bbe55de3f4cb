"""A comment shows one kind of number in a row, counts that add up, and only actions that the reader can take."""

import re

import pytest
from builders.samples import a_context, exact_samples, paired_samples
from msgspec.structs import replace

from windtunnel.compare.comment_markdown import CommentContext, check_title, is_resolved, needs_comment, render_comment
from windtunnel.compare.decide import decide
from windtunnel.compare.format import MISSING_KINDS, EnvironmentFailure, NotCompared
from windtunnel.compare.report_markdown import MAX_VISIBLE_CHANGES, render_markdown
from windtunnel.compare.samples_format import ProcessValues
from windtunnel.compare.summary import format_counts, headline, recommended_action
from windtunnel.model.schedule import COMPARED_COMMITS
from windtunnel.text.escaping import MAX_COMMENT_LENGTH

HEAD = "b" * 40


def timed(statistic, name="suite.time_it", ratio=1.3, **what):
    """Confirmed samples whose values are of *statistic*; medians and 95th percentiles are of wall time."""

    def of_arm(arm):
        return ProcessValues(values=arm.values, medians=arm.values, p95s=tuple(7 * one for one in arm.values))

    samples = paired_samples(name, ratio, fresh=ratio, **what)
    stages = tuple(
        replace(one, statistic=statistic, baseline=of_arm(one.baseline), contender=of_arm(one.contender))
        for one in samples.stage_samples
    )
    return replace(samples, stage_samples=stages)


def rows_of_changes(text):
    """The cells of the first table."""
    table = text.partition("| change | benchmark case | before | after |\n|---|---|---:|---:|\n")[2].partition("\n\n")[
        0
    ]
    return [row.strip("| ").split(" | ") for row in table.splitlines()]


def test_values_of_two_statistics_are_named_after_neither():
    """A case that computes on one machine and waits on another one has no single measure."""
    samples = timed("cpu_minimum")
    screening, confirmation = samples.stage_samples
    other = replace(confirmation, machine="other", statistic="wall_minimum")
    found = decide(a_context(), [replace(samples, stage_samples=(screening, confirmation, other))])
    assert found.comparisons[0].statistic == ""
    assert "CPU time" not in render_markdown(found)


def test_a_long_name_leaves_room_for_the_figures():
    """A table of GitHub's width holds 72 characters beside the figures; the beginning and the end of a name stay."""
    samples = timed("cpu_minimum", params=(repr("p" * 700), "7"))
    text = render_markdown(decide(a_context(), [samples]))
    ((_, case, *_),) = rows_of_changes(text)
    shown = case.partition("<br>")[0].strip("`")
    assert len(shown) == 72
    assert shown.startswith("suite.time_it('ppp")
    assert shown.endswith("p', 7)")
    assert shown in text.splitlines()[0]


def test_counts_add_up():
    """Each planned case is counted once, and the headline has the same total."""
    samples = [
        timed("cpu_minimum"),
        paired_samples("suite.time_noisy", spread=0.2),
        paired_samples("suite.time_same"),
        exact_samples("suite.track_worse", 1, 2),
    ]
    missing = {kind: (NotCompared(benchmark=f"suite.{kind}"),) for kind in MISSING_KINDS}
    old = NotCompared(benchmark="suite.old", on=COMPARED_COMMITS)
    found = decide(a_context(**missing | {"failed": (*missing["failed"], old)}), samples)
    counted, _, apart = format_counts(found).partition("; not counted: ")
    total, *numbers = map(int, re.findall(r"\d+", counted))
    assert total == sum(numbers) == found.coverage.planned == 8
    assert sum(map(int, re.findall(r"\d+", apart))) == 3
    assert str(headline(found)).startswith(f"2 of {total} benchmark cases ")


@pytest.mark.parametrize("number", [40, 2000])
def test_many_regressions_are_counted_and_the_largest_are_visible(number):
    """The table stays readable; the rest is folded, and what does not fit is counted."""
    (one,) = decide(a_context(), [timed("cpu_minimum")]).comparisons
    many = tuple(
        replace(one, benchmark=f"suite.time_{at:04}_{'x' * 60}", relative_change=0.1 + at / 1000)
        for at in range(number)
    )
    found = replace(decide(a_context(), [paired_samples()]), comparisons=many, overall="regressed")
    text = render_comment(found, CommentContext(head=HEAD, site_url="https://site.example"))
    assert len(rows_of_changes(text)) == MAX_VISIBLE_CHANGES
    assert f"suite.time_{number - 1:04}" in rows_of_changes(text)[0][1]
    assert f"<summary>{number - MAX_VISIBLE_CHANGES} more that changed</summary>" in text
    assert ("more: see verdict.json in the artifacts of the run" in text) is (number == 2000)
    assert "Median and 95th percentile" in text
    assert "How this was measured" in text
    assert len(text.encode("utf-16-le")) // 2 <= MAX_COMMENT_LENGTH


def unbuilt(*failures, samples=()):
    found = tuple(EnvironmentFailure(name=f"py{at}", on=on, reason="no such") for at, on in enumerate(failures))
    return decide(a_context(environment_failures=found), list(samples))


def test_an_environment_without_a_verdict_is_in_the_headline():
    """The other environments are compared; the verdict does not hold for this one and resolves nothing."""
    found = unbuilt(None, samples=[paired_samples()])
    assert str(headline(found)) == "No relevant change in 1 benchmark case; nothing was measured in 1 environment"
    assert recommended_action(found).startswith("Make the missing environment available")
    assert not is_resolved(found)
    nothing = unbuilt("head")
    assert recommended_action(nothing, failed_jobs=1).startswith("Fix the build of head")
    assert all(map(needs_comment, (nothing, unbuilt("head", samples=[paired_samples()]))))


def test_a_lost_part_resolves_nothing_and_asks_for_itself():
    """One of eight runners failed: what it would have measured is not known."""
    found = decide(a_context(), [paired_samples()])
    for failed, lead in ((1, "## Part of the run failed. No relevant change"), (0, "## Resolved: No relevant change")):
        context = CommentContext(head=HEAD, failed_jobs=failed, follows_verdict=True)
        assert render_comment(found, context).startswith(lead)
    assert recommended_action(found, failed_jobs=1).startswith("Run the failed part again: 1 job of")
    assert check_title(found, complete=False).startswith("Part of the run failed. No relevant change")
