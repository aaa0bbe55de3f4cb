"""A finding answers a question with the numbers of a decided test, over all Pythons that agree."""

import pytest
from builders.claim_boards import a_claim_target, a_decided_claim, a_decided_test
from msgspec.structs import replace

from windtunnel_claims.claims_file import Finding
from windtunnel_claims.findings import decide_findings
from windtunnel_claims.format import Crossing, Decision, FindingAnswer

HOLDS, FAILS, UNDECIDED = Decision.HOLDS, Decision.FAILS, Decision.UNDECIDED
FINDING = Finding(
    id="wait",
    question="I wait for many things",
    claim="Z1",
    holds="Gathering is {inverse} times as fast.",
    fails="Gathering is not faster: it takes {percent} longer.",
    caveat="Sleeps only.",
)


def answers(*tests, finding=FINDING, decisions=None):
    """The answers of *finding* if each Python has one of *tests*."""
    names = [f"3.{11 + at}" for at in range(len(tests))]
    decided = [
        a_decided_claim(target=name, decision=decision, tests=(test,))
        for name, test, decision in zip(names, tests, decisions or [test.decision for test in tests], strict=True)
    ]
    (found,) = decide_findings([finding], decided, [a_claim_target(name) for name in names])
    return found.answers


def test_an_answer_has_the_range_over_the_pythons():
    """It names the targets; the question and the caveat stay beside it."""
    decided = [a_decided_claim(target="3.12", tests=(a_decided_test(ratio=1 / 17.1),))]
    (found,) = decide_findings([FINDING], decided, [a_claim_target("3.12")])
    assert (found.id, found.question, found.claim) == ("wait", "I wait for many things", "Z1")
    assert found.caveat == "Sleeps only."
    (answer,) = answers(a_decided_test(ratio=1 / 17.1), a_decided_test(ratio=1 / 18.3))
    assert answer == FindingAnswer(
        sentence="Gathering is 17 to 18 times as fast.", decision=HOLDS, targets=("3.11", "3.12")
    )


def test_pythons_that_differ_have_an_answer_each():
    """The answer of most Pythons is first."""
    found = answers(*(a_decided_test(each, ratio=1.25) for each in (HOLDS, FAILS, FAILS)))
    assert [(each.decision, each.targets) for each in found] == [(FAILS, ("3.12", "3.13")), (HOLDS, ("3.11",))]
    assert found[0].sentence == "Gathering is not faster: it takes 25 % longer."


def test_only_decided_claims_answer():
    """A test may hold though its claim is undecided, such as after a disturbance."""
    assert answers(a_decided_test(UNDECIDED)) == ()
    assert answers(a_decided_test(HOLDS), decisions=[UNDECIDED]) == ()
    assert answers(a_decided_test(HOLDS), a_decided_test(HOLDS), decisions=[UNDECIDED, HOLDS])[0].targets == ("3.12",)


def test_the_first_test_answers():
    """A claim may fail because of another test."""
    tests = (a_decided_test(HOLDS, ratio=0.5), a_decided_test(FAILS, ratio=1.25))
    (found,) = decide_findings([FINDING], [a_decided_claim(decision=FAILS, tests=tests)], [a_claim_target()])
    assert [each.sentence for each in found.answers] == ["Gathering is 2.0 times as fast."]


def test_the_last_value_of_a_series_answers():
    """The advice applies from some size on, so the smallest value may show the opposite."""
    tests = tuple(replace(a_decided_test(HOLDS, ratio=ratio), at=at) for ratio, at in ((1.5, "1 ms"), (0.5, "20 ms")))
    crossing = Crossing(parameter="load", low="1 ms", high="20 ms", claimed=("1 ms", "20 ms"))
    decided = replace(a_decided_claim(tests=tests), crossing=crossing)
    (found,) = decide_findings([FINDING], [decided], [a_claim_target()])
    assert [each.sentence for each in found.answers] == ["Gathering is 2.0 times as fast."]


@pytest.mark.parametrize(
    ("ratios", "text"),
    [
        ((0.3333,), "0.33"),
        ((0.971, 1.032), "0.97 to 1.03"),
        ((1.004,), "1.00"),
        ((1.62, 1.71), "1.62 to 1.71"),
        ((2.34, 2.31), "2.3"),
        ((9.96, 12.04), "10.0 to 12.0"),
        ((17.1, 18.3), "17 to 18"),
        ((116.4, 1240.0), "116 to 1240"),
        ((0.0412, 0.0533), "0.041 to 0.053"),
    ],
)
def test_ratios_have_the_digits_that_a_reader_needs(ratios, text):
    """Two, and three around 1; both ends have the same decimals."""
    (answer,) = answers(*(a_decided_test(ratio=each) for each in ratios), finding=replace(FINDING, holds="{ratio}"))
    assert answer.sentence == text


def test_values_are_stated_with_their_unit():
    """Contender and baseline each have one unit for all Pythons."""
    tests = [
        replace(test, contender=replace(test.contender, value=low), baseline=replace(test.baseline, value=high))
        for test, low, high in ((a_decided_test(), 0.35, 3.6), (a_decided_test(), 0.45, 7.7))
    ]
    finding = replace(FINDING, holds="{baseline} against {contender}")
    (answer,) = answers(*tests, finding=finding)
    assert answer.sentence == "3.6 to 7.7 s against 350 to 450 ms"
    unknown = replace(a_decided_test(), contender=replace(tests[0].contender, value=None, unit=None))
    assert answers(unknown, finding=finding)[0].sentence == "600 ms against an unknown number"
