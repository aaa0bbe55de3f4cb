"""Comments: the verdict, figures, counts and actions."""

import re

import pytest
from builders.samples import a_report, changed, exact_samples, paired_samples, timed, unbuilt, uncounted, work_samples
from msgspec.structs import replace

from windtunnel.compare.comment_markdown import check_title, render_comment
from windtunnel.compare.figures import explain_uncounted, join_witnesses
from windtunnel.compare.format import MISSING_KINDS, NotCompared
from windtunnel.compare.kinds import CommentContext, VerdictKind, decide_conclusion, decide_kind, needs_comment
from windtunnel.compare.report_markdown import MAX_VISIBLE_CHANGES, render_markdown
from windtunnel.compare.summary import format_counts, headline, recommended_action
from windtunnel.model.schedule import COMPARED_COMMITS
from windtunnel.text.escaping import MAX_COMMENT_LENGTH

HEAD = "b" * 40
AFTER_ANOTHER = CommentContext(follows_verdict=True)


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
    found = a_report(replace(samples, stage_samples=(screening, confirmation, other)))
    assert found.comparisons[0].statistic == ""
    assert "CPU time" not in render_markdown(found)


def test_a_long_name_leaves_room_for_the_figures():
    """A table of GitHub's width holds 72 characters beside the figures; the beginning and the end of a name stay."""
    text = render_markdown(a_report(timed("cpu_minimum", params=(repr("p" * 700), "7"))))
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
    found = a_report(*samples, **missing | {"failed": (*missing["failed"], old)})
    counted, _, apart = format_counts(found).partition("; not counted: ")
    total, *numbers = map(int, re.findall(r"\d+", counted))
    assert total == sum(numbers) == found.coverage.planned == 8
    assert sum(map(int, re.findall(r"\d+", apart))) == 3
    assert headline(found).startswith(f"2 of {total} benchmark cases ")


@pytest.mark.parametrize("number", [40, 2000])
def test_many_regressions_are_counted_and_the_largest_are_visible(number):
    """The table stays readable; the rest is folded, and what does not fit is counted."""
    (one,) = a_report(timed("cpu_minimum")).comparisons
    many = tuple(
        replace(one, benchmark=f"suite.time_{at:04}_{'x' * 60}", relative_change=0.1 + at / 1000)
        for at in range(number)
    )
    found = replace(a_report(paired_samples()), comparisons=many, overall="regressed")
    text = render_comment(found, CommentContext(head=HEAD, site_url="https://site.example"))
    assert len(rows_of_changes(text)) == MAX_VISIBLE_CHANGES
    assert f"suite.time_{number - 1:04}" in rows_of_changes(text)[0][1]
    assert f"<summary>{number - MAX_VISIBLE_CHANGES} more that changed</summary>" in text
    assert ("more: see verdict.json in the artifacts of the run" in text) is (number == 2000)
    assert "Median and 95th percentile" in text
    assert "How this was measured" in text
    assert len(text.encode()) <= MAX_COMMENT_LENGTH


def test_an_environment_without_a_verdict_is_in_the_headline():
    """The other environments are compared; the verdict does not hold for this one and resolves nothing."""
    found = unbuilt(None, samples=[paired_samples()])
    assert (
        headline(found)
        == "No slowdown found. 1 case measured: 1 unchanged within 5 %; nothing was measured in 1 environment"
    )
    assert recommended_action(found).startswith("Make the missing environment available")
    assert decide_kind(found, AFTER_ANOTHER) is VerdictKind.INCOMPLETE
    nothing = unbuilt("head")
    assert recommended_action(nothing, failed_jobs=1).startswith("Fix the build of head")
    assert all(map(needs_comment, (nothing, unbuilt("head", samples=[paired_samples()]))))


def test_a_lost_part_resolves_nothing_and_asks_for_itself():
    """One of eight runners failed: what it would have measured is not known."""
    found = a_report(paired_samples())
    for failed, lead in ((1, "## Part of the run failed. No slowdown found"), (0, "## Resolved: No slowdown found")):
        context = CommentContext(head=HEAD, failed_jobs=failed, follows_verdict=True)
        assert render_comment(found, context).startswith(lead)
    action = "Press *Re-run failed jobs* on the page of the run, or ask a maintainer to: 1 job failed"
    assert recommended_action(found, failed_jobs=1).startswith(action)
    lost = CommentContext(failed_jobs=1)
    assert check_title(found, lost).startswith("Part of the run failed. No slowdown found")
    assert (decide_kind(found, lost), decide_conclusion(found, lost)) == (VerdictKind.INCOMPLETE, "failure")


def test_only_what_a_person_may_have_to_act_on_gets_a_comment():
    """A case that became faster is a line of the check, and a comment if the settings ask for one."""
    faster, slower = a_report(changed(ratio=0.7)), a_report(changed(ratio=1.3), changed("suite.other", 0.7))
    assert [needs_comment(found) for found in (faster, slower)] == [False, True]
    assert needs_comment(faster, faster=True)
    assert not needs_comment(a_report(paired_samples()), faster=True)
    text = render_comment(faster, CommentContext(conclusion="success"))
    assert text.startswith("## Nothing to do: 1 of 1 benchmark case became faster")
    assert "What to do" not in text


@pytest.mark.parametrize("conclusion", ["failure", "neutral", "success", ""])
def test_the_first_words_say_whether_the_check_blocks(conclusion):
    """They follow its conclusion; advice that asks for nothing is folded."""
    noisy = a_report(*(paired_samples(f"t{at}", spread=0.1, seed=at) for at in range(3)))
    slower = a_report(changed())
    context = CommentContext(conclusion=conclusion)
    lead = {"failure": "Blocks merging: ", "": ""}
    assert render_comment(slower, context).startswith(f"## {lead.get(conclusion, 'Does not block merging: ')}1 of 1 ")
    text = render_comment(noisy, context)
    assert text.startswith(f"## {lead.get(conclusion, 'Nothing to do: ')}")
    quiet = conclusion in {"neutral", "success"}
    assert ("**What to do:**" not in text) is quiet
    assert recommended_action(noisy) in text


LAYOUT = "memory layout, caches or the system"


def sentence(one):
    return join_witnesses(a_report(one).comparisons[0], str)


@pytest.mark.parametrize(
    ("time", "work", "expected"),
    [
        (1.3, 1.38, "more work: instructions +38 %"),
        (1.3, 1.0, f"same work, but slower: instructions 0.0 %; {LAYOUT}"),
        (1.3, 0.9, f"less work, but slower: instructions −10 %; {LAYOUT}"),
        (1.3, 1.02, f"hardly more work: instructions +2 %; mostly {LAYOUT}"),
        (0.7, 0.62, "less work: instructions −38 %"),
        (0.7, 1.0, f"same work, but faster: instructions 0.0 %; {LAYOUT}"),
        (0.7, 1.1, f"more work, but faster: instructions +10 %; {LAYOUT}"),
        (0.7, 0.98, f"hardly less work: instructions −2 %; mostly {LAYOUT}"),
        (1.0, 0.88, "less work, but not faster: instructions −12 %"),
        (1.0, 1.12, "more work, but not slower: instructions +12 %"),
        (1.0, 1.0, "same work: instructions 0.0 %"),
    ],
)
def test_each_pair_of_results_has_its_sentence(time, work, expected):
    """A cause is named only where the instructions do not explain the time."""
    assert sentence(changed(ratio=time, work=work_samples(work, spread=0.0))) == expected


def test_an_inconclusive_time_is_not_explained():
    """The work is stated, and that the time is open."""
    noisy = paired_samples(spread=0.3, work=work_samples(1.12, spread=0.0))
    assert sentence(noisy) == "more work: instructions +12 %; the time is undecided"


def test_without_counts_there_is_no_sentence():
    """Neither without counting nor where it failed; the report states how many failed and why, once a reason."""
    assert sentence(changed()) == sentence(changed(work=uncounted())) == ""
    cases = [paired_samples(f"suite.time_{number}", work=uncounted(f"no {number // 3}")) for number in range(12)]
    found = [*explain_uncounted(a_report(*cases))]
    assert found[0] == "Instructions of 3 cases were not counted: no 0"
    assert len(found) == 4
    assert found[-1] == "Instructions of 3 more cases were not counted for other reasons"


def test_same_work_changes_what_to_do():
    """Code that does the same work is not to be rewritten; one case with more work is enough to look at the code."""
    same, more = (changed(name=name, work=work_samples(ratio)) for name, ratio in (("a", 1.0), ("b", 1.4)))
    assert "executes as many instructions as before" in recommended_action(a_report(same))
    assert "Make these cases cheaper again" in recommended_action(a_report(same, more))


@pytest.mark.parametrize("ratio", [1.2, 3.0])
def test_a_suspect_that_was_not_measured_again_is_told_as_one(ratio):
    """Neither its noise nor its bound is the reason; the action measures it again, also where most are decided."""
    for others in (0, 20):
        found = a_report(paired_samples("a", ratio), *(paired_samples(f"b{at}", seed=at) for at in range(others)))
        assert headline(found).endswith("1 suspected but not measured again") or found.overall == "inconclusive"
        assert "noise" not in headline(found)
        assert recommended_action(found).startswith("Measure the suspects again")


def test_other_work_without_another_time_is_folded():
    """It causes no comment, and the headline is that of the time."""
    found = a_report(paired_samples(work=work_samples(0.8)), paired_samples("suite.time_same", work=work_samples()))
    assert not needs_comment(found)
    assert headline(found) == "No slowdown found. 2 cases measured: all 2 unchanged within 5 %"


def test_too_many_instructions_are_reported_as_such():
    """The time is unchanged and stays so; a comment is needed, and it resolves nothing."""
    found = a_report(paired_samples(work=work_samples(1.02), instructions_threshold=0.005), paired_samples("b.time_b"))
    assert found.overall == "unchanged"
    assert decide_kind(found, AFTER_ANOTHER) is VerdictKind.SLOWER
    assert needs_comment(found)
