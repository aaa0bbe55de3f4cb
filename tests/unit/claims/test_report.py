"""Reports of the claim board, for a terminal and for GitHub; sentences and names are untrusted."""

import pytest
from builders.claim_boards import (
    a_claim_board,
    a_claim_statement,
    a_claim_target,
    a_decided_claim,
    a_decided_test,
    a_side,
)
from builders.trees import a_hash
from markdown_it import MarkdownIt
from msgspec.structs import replace

from windtunnel.model.identity import BenchmarkName
from windtunnel.text.escaping import MAX_COMMENT_LENGTH, size
from windtunnel_claims.format import DecidedFinding, Decision, FigureResult, FindingAnswer
from windtunnel_claims.report import render_markdown, render_terminal

HOLDS, FAILS, UNDECIDED, OUT = Decision.HOLDS, Decision.FAILS, Decision.UNDECIDED, Decision.OUT_OF_SCOPE
HOSTILE = "</td><script>@all #1 `|`\n::error::[x](http://e)"


def a_full_board():
    """One claim with a different decision at each target."""
    wide = a_decided_test(UNDECIDED, ratio=0.34, reason="the next analysis is after 6")
    flip = replace(a_decided_claim(), commit=a_hash(2 << 128), before=FAILS, before_commit=a_hash(1 << 128))
    return a_claim_board(
        flip,
        a_decided_claim(target="3.13t", decision=FAILS, tests=(a_decided_test(FAILS, ratio=0.9),)),
        a_decided_claim(target="3.11", decision=UNDECIDED, reason=wide.reason, tests=(wide,)),
        a_decided_claim(target="pypy3.11", decision=OUT, reason="the claim is about others", tests=()),
        replace(a_decided_claim(target="3.14", decision=UNDECIDED, reason="not measured"), commit=None),
    )


def test_the_terminal_shows_ratio_interval_band_and_published_ratio():
    """There is a row for each target below the sentence."""
    lines = render_terminal(a_full_board(), 120).splitlines()
    assert lines[:5] == [
        "3.12: 1 holds",
        "3.13t: 1 fails",
        "3.11: 1 undecided",
        "pypy3.11: 1 out of scope",
        "3.14: 1 not measured",
    ]
    assert "Z1  Gathering takes a third." in lines
    rows = [line.split() for line in lines if line.startswith("  3.")]
    assert rows[0] == ["3.12", "holds", "0.333×", "0.330", "–", "0.336", "0.323", "–", "0.343", "0.333×", "standard"]
    assert rows[1][:2] == ["3.13t", "fails"]
    assert "  3.11: the next analysis is after 6" in lines
    assert not [line for line in lines if line.startswith(("  3.14", "  pypy"))]


def test_columns_are_aligned_below_their_titles():
    """Ratios and intervals end with their titles; the other columns start with theirs."""
    board = a_claim_board(
        a_decided_claim("A", tests=(a_decided_test(FAILS, ratio=12.34),)), a_decided_claim("B", target="pypy3.11")
    )
    lines = render_terminal(board, 120).splitlines()
    (header,) = [line for line in lines if line.startswith("  target")]
    rows = [line for line in lines if "standard" in line]
    titles = ["target", "decision", "ratio", "interval", "claimed", "published", "parameters"]
    assert header.split() == titles
    starts = {title: header.index(title) for title in titles}
    ends = {title: start + len(title) for title, start in starts.items()}
    assert [row[: ends["ratio"]].split()[-1] for row in rows] == ["12.3×", "0.333×"]
    assert [row[: ends["interval"]].split()[-1] for row in rows] == ["12.5", "0.336"]
    for title in ("target", "decision", "claimed", "published", "parameters"):
        assert all(row[starts[title] - 1 : starts[title] + 1].strip() == row[starts[title]] for row in rows), title


def a_wide_board():
    """A board that needs more than 100 columns, because of its published text and its target."""
    claim = a_claim_statement(published_text="several seconds on a machine of that time")
    tests = (a_decided_test(ratio=0.33333, published=None),)
    return a_claim_board(a_decided_claim(target="pypy3.11-v7.3.20", tests=tests), claims=(claim,))


@pytest.mark.parametrize(
    ("width", "claimed", "published"),
    [(100, "0.323 – 0.343", "several seconds …"), (92, "0.323 – 0.343", "several …"), (86, "0.323 …", "several …")],
)
def test_a_narrow_terminal_cuts_no_ratio(width, claimed, published):
    """The published text shrinks first, then the band; ratio and interval keep their width."""
    lines = render_terminal(a_wide_board(), width).splitlines()
    (row,) = [line for line in lines if line.startswith("  pypy3.11-v7.3.20 ")]
    assert row.endswith(f"holds     0.3333×  0.3300 – 0.3367  {claimed}  {published}  standard")
    assert max(map(len, lines)) <= width


def test_flips_are_listed():
    """Flips between targets and between commits have a sentence each."""
    text = render_terminal(a_full_board(), 120)
    assert "Z1 failed on commit 00000001 and holds on 00000002 (3.12)." in text


def a_board_of_two_tests():
    """A claim of two tests: one place fails the second."""
    first, second = replace(a_decided_test(), low=1.4, high=None), a_decided_test(FAILS, ratio=0.9, published=2.5)
    second = replace(second, contender=a_side("pool"), low=None, high=1.0)
    claim = a_claim_statement(published_text="no gain")
    return a_claim_board(
        replace(a_decided_claim(decision=FAILS, tests=(first, second)), decisive=1),
        a_decided_claim(target="3.13", tests=(first, replace(second, decision=HOLDS))),
        claims=(claim,),
    )


def test_each_of_several_tests_has_its_row_in_a_terminal():
    """Band and published ratio are those of the test; the claim itself has the first row."""
    lines = render_terminal(a_board_of_two_tests(), 120).splitlines()
    start = lines.index("Z1  Gathering takes a third.")
    assert lines[start + 1 : start + 3] == ["  test 1: gather", "  test 2: pool"]
    assert [line.split(maxsplit=1) for line in lines[start + 3 : start + 6]] == [
        ["3.12", "all   fails                                       no gain    standard"],
        ["1", "holds     0.333×  0.330 – 0.336  above 1.4  0.333×"],
        ["2", "fails     0.900×  0.891 – 0.909  below 1    2.50×"],
    ]
    assert lines[start + 6].split()[:3] == ["3.13", "all", "holds"]
    assert "test" in next(line for line in lines if line.startswith("  target")).split()


@pytest.mark.parametrize(
    ("test", "label"),
    [
        (a_decided_test(), "gather / sync"),
        (
            replace(a_decided_test(), baseline=replace(a_side("gather"), benchmark=BenchmarkName("a.Files.time_run"))),
            "gather of Sleep / gather of Files",
        ),
        (replace(a_decided_test(), at="5 ms", condition="awake"), "gather / sync, 5 ms, awake"),
        (
            replace(a_decided_test(), contender=replace(a_side("x"), params=(), benchmark=BenchmarkName("gone"))),
            "gone / sync of Sleep",
        ),
    ],
)
def test_a_row_names_what_its_test_divides(test, label):
    """It names the parameters that differ, and the classes if those differ."""
    other = replace(a_decided_test(), baseline=a_side("other"))
    board = a_claim_board(a_decided_claim(tests=(test, other)))
    assert f"  test 1: {label}" in render_terminal(board, 160).splitlines()


def with_findings(*answers, caveat="Sleeps only."):
    """A board with a finding that has *answers*."""
    finding = DecidedFinding(id="wait", question="I wait for many things", claim="Z1", caveat=caveat, answers=answers)
    return replace(a_full_board(), findings=(finding,))


def an_answer(sentence="It takes a third.", *targets, decision=HOLDS):
    return FindingAnswer(sentence=sentence, decision=decision, targets=targets)


def test_findings_come_first():
    """A reader sees question, answer and caveat before the table."""
    board = with_findings(an_answer("It takes a third.", "3.11", "3.12"))
    assert render_terminal(board, 120).splitlines()[:4] == [
        "I wait for many things",
        "  It takes a third. (3.11 and 3.12; Z1)",
        "  Sleeps only.",
        "",
    ]


def test_answers_that_differ_begin_with_their_targets():
    """Each answer says which Pythons it is about."""
    board = with_findings(an_answer("It holds.", "3.11"), an_answer("It fails.", "3.12", decision=FAILS), caveat="")
    assert render_terminal(board, 120).splitlines()[:4] == [
        "I wait for many things",
        "  On 3.11: It holds. (Z1)",
        "  On 3.12: It fails. (Z1)",
        "",
    ]


def test_findings_without_an_answer_are_left_out():
    """A run may support none."""
    assert "I wait" not in render_terminal(with_findings())


def test_the_error_rates_of_blocks_are_stated():
    """A board from stored results states none."""
    board = replace(a_full_board(), analyses=(4, 6, 10), error=0.01, false_discovery_rate=0.05)
    assert "analysed after 4, 6 and 10 blocks, with an error of 1 % each." in (render_terminal(board))
    assert "at most 5 % are expected to be wrong" in (render_terminal(board))
    assert "analysed" not in render_terminal(a_full_board())


def test_a_board_without_measurements_has_a_sentence():
    """There is no empty table."""
    idle = replace(a_decided_claim(decision=UNDECIDED, reason="not measured"), commit=None)
    assert "Nothing was measured that a claim is about." in render_terminal(a_claim_board(idle))
    assert "Nothing was measured" in render_terminal(a_claim_board())


def test_texts_of_a_suite_are_escaped():
    """Sentences, ids, targets and reasons may contain markup."""
    target = a_claim_target(name=HOSTILE)
    claim = a_claim_statement(HOSTILE, sentence=HOSTILE, published_text=HOSTILE)
    tests = (a_decided_test(UNDECIDED, published=None, reason=HOSTILE),)
    decided = a_decided_claim(HOSTILE, HOSTILE, UNDECIDED, reason=HOSTILE, tests=tests)
    board = a_claim_board(decided, claims=(claim,), targets=(target,), notes=(HOSTILE,))
    html = MarkdownIt("gfm-like", {"linkify": False}).enable("table").render(render_markdown(board))
    assert "<script" not in html
    assert "<a " not in html
    assert "\n::" not in "\n" + render_terminal(board)


def test_markdown_always_fits_a_comment():
    """The report counts the lines that it leaves out."""
    names = [f"C{number}" for number in range(600)]
    board = a_claim_board(*(a_decided_claim(name, place) for name in names for place in ("3.11", "3.12")))
    text = render_markdown(board)
    assert size(text) <= MAX_COMMENT_LENGTH
    assert "lines more" in text


def test_a_band_with_one_end_is_above_or_below_it():
    """The report has the word and the end."""
    test = a_decided_test()
    board = a_claim_board(
        a_decided_claim("A", tests=(replace(test, low=1.5, high=None),)),
        a_decided_claim("B", tests=(replace(test, low=None, high=1.0, published=None),)),
    )
    text = render_terminal(board, 120)
    assert "above 1.5" in text
    assert "below 1 " in text


def a_figure(value=2e-6, *, unit="seconds", low=1.9e-6, high=2.1e-6, name="a turn of the loop", reason=""):
    return FigureResult(name=name, value=value, unit=unit, low=low, high=high, reason=reason)


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        (a_figure(), "a turn of the loop: 2.00 µs (1.90 – 2.10)"),
        (a_figure(1.02, unit=None, low=1.01, high=1.03), "a turn of the loop: 1.020× (1.010 – 1.030)"),
        (a_figure(0.12, low=0.1, high=None), "a turn of the loop: 120 ms (at least 100 ms)"),
        (a_figure(None, unit=None, low=None, high=None, reason="never"), "a turn of the loop: never"),
    ],
)
def test_figures_are_listed_with_their_claim(figure, words):
    """A figure has its interval, its lower end, or the reason why it has no value."""
    assert words in (render_terminal(a_claim_board(replace(a_decided_claim(), figures=(figure,)))))
