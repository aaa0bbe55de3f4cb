"""Time and instructions are joined in one sentence; the figures are those of the counts."""

import pytest
from builders.samples import a_cause, a_context, paired_samples, uncounted, work_samples

from windtunnel.compare.comment_markdown import CommentContext, is_resolved, needs_comment, render_comment
from windtunnel.compare.decide import decide
from windtunnel.compare.figures import explain_uncounted, join_witnesses
from windtunnel.compare.report_markdown import render_markdown
from windtunnel.compare.summary import headline, recommended_action

LAYOUT = "memory layout, caches or the system"


def a_report(*samples, **what):
    return decide(a_context(**what), samples)


def changed(ratio=1.3, work=None, **what):
    """A case whose change in time is confirmed."""
    return paired_samples(ratio=ratio, fresh=ratio, work=work, **what)


def sentence(one):
    found = join_witnesses(a_report(one).comparisons[0])
    return found and found.text


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
    assert sentence(changed(time, work_samples(work, spread=0.0))) == expected


def test_an_inconclusive_time_is_not_explained():
    """The work is stated, and that the time is open."""
    noisy = paired_samples(spread=0.3, work=work_samples(1.12, spread=0.0))
    assert sentence(noisy) == "more work: instructions +12 %; the time is inconclusive"


def test_without_counts_there_is_no_sentence():
    """Neither without counting nor where it failed; the report states how many failed and why, once a reason."""
    assert sentence(changed()) is None
    assert sentence(changed(work=uncounted())) is None
    cases = [paired_samples(f"suite.time_{number}", work=uncounted(f"no {number // 3}")) for number in range(12)]
    found = [*explain_uncounted(a_report(*cases))]
    assert found[0] == "Instructions of 3 cases were not counted: no 0"
    assert len(found) == 4
    assert found[-1] == "Instructions of 3 more cases were not counted for other reasons"


def test_same_work_changes_what_to_do():
    """Code that does the same work is not to be rewritten; one case with more work is enough to look at the code."""
    same, more = (changed(name=name, work=work_samples(ratio)) for name, ratio in (("a", 1.0), ("b", 1.4)))
    assert "executes as many instructions as before" in recommended_action(a_report(same))
    assert "Fix the regression" in recommended_action(a_report(same, more))


def test_other_work_without_another_time_is_folded():
    """It causes no comment, and the headline is that of the time."""
    found = a_report(paired_samples(work=work_samples(0.8)), paired_samples("suite.time_same", work=work_samples()))
    assert not needs_comment(found)
    assert str(headline(found)) == "No relevant change in 2 benchmark cases"


def test_too_many_instructions_are_reported_as_such():
    """The time is unchanged and stays so; a comment is needed, and it resolves nothing."""
    found = a_report(paired_samples(work=work_samples(1.02), instructions_threshold=0.005), paired_samples("b.time_b"))
    assert found.overall == "unchanged"
    assert found.fails_gate
    assert needs_comment(found)
    assert not is_resolved(found)


def test_foreign_text_stays_text():
    """Names of functions, paths, notes and reasons come from an artifact."""
    evil = "<img src=x>|`@all` [a](http://x)\n## x"
    cause = a_cause(evil, head_file=evil)
    found = a_report(
        changed(work=work_samples(1.3), cause=cause),
        paired_samples("suite.time_b", work=uncounted(evil)),
    )
    for text in (render_markdown(found), render_comment(found, CommentContext(head="b" * 40))):
        assert "<img" not in text
        assert "[a](" not in text
        assert "\n## x" not in text
        assert "@all" not in text
