"""What the first page shows of a claim board."""

from builders.claim_boards import a_claim_board, a_decided_claim, a_decided_test, a_finding
from msgspec.structs import replace

from windtunnel_claims.findings import MAX_ANSWERS, claim_summary
from windtunnel_claims.format import Decision, Verdict


def test_an_answer_has_the_figures_of_every_target():
    """Both values, the ratio with its interval, the decision, the commit and the day."""
    board = a_claim_board(
        replace(a_decided_claim(), measured="2026-11-22"),
        a_decided_claim(target="3.13", decision=Decision.UNDECIDED, reason="too few blocks"),
        findings=(a_finding(caveat="Only on one core."),),
    )
    summary = claim_summary(board)
    assert (summary.claims, summary.published, [each.name for each in summary.targets]) == (1, None, ["3.12", "3.13"])
    (answer,) = summary.answers
    assert (answer.caveat, answer.answers[0].targets) == ("Only on one core.", ("3.12",))
    first, second = answer.figures
    assert (first.tests, first.figures, first.measured) == ((a_decided_test(),), (), "2026-11-22")
    assert (second.target, second.decision, second.reason) == ("3.13", Decision.UNDECIDED, "too few blocks")


def test_the_figures_of_a_claim_with_several_tests_are_those_of_the_first():
    """The ratios of its blocks are on the page of claims."""
    tests = (replace(a_decided_test(ratio=0.5), block_ratios=(0.5,)), a_decided_test())
    board = a_claim_board(replace(a_decided_claim(tests=tests), decisive=1), findings=(a_finding(),))
    (figure,) = claim_summary(board).answers[0].figures
    assert (figure.tests, figure.decisive) == ((a_decided_test(ratio=0.5),), 0)


def test_a_finding_without_a_measurement_is_left_out():
    """It is out of scope everywhere; and there is a limit."""
    nothing = a_decided_claim("Q1", decision=Decision.OUT_OF_SCOPE, reason="needs 8 cores", tests=())
    several = [replace(a_finding(), id=str(number)) for number in range(MAX_ANSWERS + 2)]
    findings = (a_finding(claim="Q1"), *several)
    summary = claim_summary(a_claim_board(nothing, a_decided_claim(), findings=findings))
    assert [each.id for each in summary.answers] == [str(number) for number in range(MAX_ANSWERS)]


def test_answers_keep_the_order_of_the_claims_file():
    """It has their groups; an undecided one stays at its place."""
    undecided = replace(a_finding(), id="open", answers=())
    summary = claim_summary(a_claim_board(a_decided_claim(), findings=(undecided, a_finding())))
    assert [each.id for each in summary.answers] == ["open", "about-Z1"]


def test_a_board_that_was_measured_elsewhere_stands_beside():
    """With its own answers and targets, and the question of the whole suite."""
    here = a_claim_board(a_decided_claim(decision=Decision.OUT_OF_SCOPE, tests=()), findings=(a_finding(),))
    elsewhere = a_claim_board(a_decided_claim(), findings=(a_finding(),))
    verdict = Verdict(question="Is it faster?", answer="Yes.", claims=("Z1",))
    summary = claim_summary(here, verdict, elsewhere)
    assert (summary.answers, summary.verdict) == ((), verdict)
    assert summary.published is not None
    assert [each.id for each in summary.published.answers] == ["about-Z1"]
