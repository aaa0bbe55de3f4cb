"""``windtunnel ci acknowledge-verdict``: the check turns neutral, a new regression fails again."""

import io

import pytest
from builders.samples import a_context, paired_samples, work_samples
from forge.test_comment import HEAD, NEXT, a_run, a_verdict, bodies, comment

from windtunnel.cli import main
from windtunnel.compare.decide import decide
from windtunnel.errors import ExitCode
from windtunnel.github.acknowledgements import MAX_CASES, acknowledge, decode_hidden, encode_hidden
from windtunnel.model.measure import Better

WHY = "the price of checksums, see <b>#5</b> -->"


def say(forge, *argv, who="maintainer", why=WHY):
    """Run the command; return its exit code and outputs."""
    out, err = io.StringIO(), io.StringIO()
    code = main(["ci", "acknowledge-verdict", "12", f"--who={who}", f"--why={why}", *argv], out, err, forge.env())
    return code, out.getvalue(), err.getvalue()


def a_published(forge, run, *ratios, head=HEAD, **what):
    """A verdict on benchmarks a, b, … with these ratios that ``windtunnel ci comment`` published."""
    samples = [
        paired_samples(
            f"suite.time_{name}", ratio, fresh=None if ratio == 1.0 else ratio, rounds=30, spread=0.002, **what
        )
        for name, ratio in zip("abcdef", ratios, strict=False)
    ]
    a_run(forge, run, decide(a_context(head=head), samples), head=head)
    assert comment(forge, "--run", str(run))[0] == ExitCode.FINE


def conclusions(forge):
    return [one["conclusion"] for one in forge.checks]


def test_the_check_turns_neutral_and_the_comment_keeps_the_reason(forge):
    """The same check run is changed; the reason is text, whatever it holds."""
    a_published(forge, 5, 1.3)
    assert conclusions(forge) == ["failure"]
    code, _, err = say(forge, "--reply", "12/77")
    assert code == 0, err
    assert conclusions(forge) == ["neutral"]
    assert forge.checks[0]["output"]["title"].startswith("Acknowledged: ")
    verdict, reply = bodies(forge)
    assert "**What to do:** Nothing: every regression is acknowledged." in verdict
    assert "> Acknowledged by maintainer (1 case): the price of checksums" in verdict
    assert "suite.time_a" in verdict
    assert reply.startswith("**Done:** 1 regression acknowledged by maintainer: the price of checksums")
    for body in (verdict, reply):
        assert "<b>" not in body
        assert "#5" not in body


def test_instructions_are_acknowledged_like_times(forge):
    """More than the threshold fails the check until then, and clearly more than was acknowledged fails it again."""
    gated = {"instructions_threshold": 0.005}
    a_published(forge, 5, 1.0, work=work_samples(1.02), **gated)
    assert conclusions(forge) == ["failure"]
    assert forge.checks[0]["output"]["title"].startswith("1 of 1 benchmark case with too many instructions")
    assert say(forge)[0] == 0
    assert conclusions(forge) == ["neutral"]
    assert "> Acknowledged by maintainer (1 case)" in bodies(forge)[0]
    for run, (work, conclusion) in enumerate(((1.02, "neutral"), (1.05, "failure"), (1.0, "success")), start=6):
        a_published(forge, run, 1.0, work=work_samples(work), **gated)
        assert conclusions(forge)[-1] == conclusion


@pytest.mark.parametrize(
    ("ratios", "conclusion"),
    [
        ((1.3,), "neutral"),
        ((1.25,), "neutral"),
        ((1.0,), "success"),
        ((1.4,), "failure"),
        ((1.3, 1.3), "failure"),
        ((1.0, 1.3), "failure"),
    ],
)
def test_later_pushes_stay_neutral_while_nothing_new_regresses(forge, ratios, conclusion):
    """All regressions are acknowledged ones, and not clearly larger."""
    a_published(forge, 5, 1.3)
    say(forge)
    a_published(forge, 6, *ratios, head=NEXT)
    assert conclusions(forge) == ["neutral", conclusion]
    (verdict,) = bodies(forge)
    if conclusion == "failure":
        assert "Not acknowledged, or clearly larger than then" in verdict or ratios == (1.0, 1.3)
        assert "every regression is acknowledged" not in verdict


def test_a_case_that_regresses_again_is_still_acknowledged(forge):
    """A verdict without it in between forgets nothing."""
    a_published(forge, 5, 1.3)
    say(forge)
    a_published(forge, 6, 1.0, head=NEXT)
    a_published(forge, 7, 1.3, head="d" * 40)
    assert conclusions(forge) == ["neutral", "success", "neutral"]


def test_higher_is_better_has_a_limit_too(forge):
    """A rate that falls further than it was acknowledged fails."""
    a_published(forge, 5, 0.7, better=Better.HIGHER)
    say(forge)
    a_published(forge, 6, 0.7, head=NEXT, better=Better.HIGHER)
    a_published(forge, 7, 0.5, head="d" * 40, better=Better.HIGHER)
    assert conclusions(forge) == ["neutral", "neutral", "failure"]


def test_a_part_of_a_run_fails_although_it_is_acknowledged(forge):
    """What was not measured is not known."""
    a_published(forge, 5, 1.3)
    forge.runs[5]["conclusion"] = "failure"
    say(forge)
    assert conclusions(forge) == ["failure"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("no comment", "no comment here has a verdict"),
        ("pushed", "but the head has moved"),
        ("no regression", "no regression"),
        ("expired", "no longer has its verdict"),
        ("broken", "is not a readable zip file"),
        ("deleted", "was deleted"),
        ("local", "no comment here has a verdict"),
    ],
)
def test_what_cannot_be_acknowledged_is_refused_with_the_reason(forge, change, reason):
    """In the answer, and nothing changes; without a comment to answer it is an error."""
    if change == "no regression":
        a_run(forge, 5, a_verdict())
        comment(forge, "--run", "5", "--asked")
    elif change != "no comment":
        a_published(forge, 5, 1.3)
    match change:
        case "no comment":
            forge.pull(12, HEAD)
        case "pushed":
            forge.pulls[0]["head"]["sha"] = NEXT
        case "expired":
            forge.artifacts.clear()
        case "broken":
            forge.blobs = dict.fromkeys(forge.blobs, b"no zip")
        case "deleted":
            forge.runs.clear()
        case "local":
            forge.comments[0]["body"] = forge.comments[0]["body"].replace("run=5.1", "run=0.1")
    before = conclusions(forge)
    code, _, err = say(forge, "--reply", "12/77")
    assert code == 0
    assert reason in err
    assert bodies(forge)[-1].startswith("**Refused:**")
    assert conclusions(forge) == before
    assert say(forge)[0] == ExitCode.USAGE


def test_a_hidden_line_of_another_author_acknowledges_nothing(forge):
    """Anyone can copy ours into a comment."""
    a_published(forge, 5, 1.3)
    say(forge)
    forge.comment(12, bodies(forge)[0], login="mallory")
    forge.comments.pop(0)
    a_published(forge, 6, 1.3, head=NEXT)
    assert conclusions(forge) == ["neutral", "failure"]


@pytest.mark.parametrize("path", ["/pulls", "/issues/12/comments"])
@pytest.mark.parametrize(
    "fault",
    [
        {"status": 403},
        {"status": 200, "body": '{"not": "a list"}'},
        {"status": 429, "headers": {"retry-after": "300"}},
    ],
    ids=["refused", "undocumented", "rate limit"],
)
def test_the_check_has_the_verdict_although_acknowledgements_cannot_be_read(forge, path, fault):
    """It is concluded as if there were none, says so, and no long wait comes first."""
    a_published(forge, 5, 1.3)
    say(forge)
    forge.fault(method="GET", path=f"{path}$", **fault)
    a_run(forge, 6, decide(a_context(head=NEXT), [paired_samples("suite.time_a", 1.3, fresh=1.3)]), head=NEXT)
    _, _, err = comment(forge, "--run", "6")
    assert conclusions(forge) == ["neutral", "failure"]
    output = forge.checks[-1]["output"]
    assert output["title"].startswith("1 of 1 benchmark case became slower")
    assert "GitHub did not answer which regressions were acknowledged" in output["summary"]
    assert "earlier acknowledgements cannot be read" in err


def test_suites_share_the_answer(forge):
    """Each adds its line; the refusal of another suite changes nothing."""
    a_published(forge, 5, 1.3)
    comment(forge, "--run", "5", "--key", "io", "--check", "windtunnel-io")
    say(forge, "--reply", "12/77", "--key", "cpu")
    say(forge, "--reply", "12/77")
    say(forge, "--reply", "12/77", "--key", "io", "--check", "windtunnel-io")
    say(forge, "--reply", "12/77", "--key", "cpu")
    reply = bodies(forge)[-1]
    assert len(forge.comments) == 3
    assert reply.count("**Done:**") == 2
    assert "of the suite `io`" in reply
    assert "**Refused:**" not in reply


@pytest.mark.parametrize(
    "line", ["", "text", "<!-- windtunnel:acknowledged e30= -->", "<!-- windtunnel:acknowledged = -->"]
)
def test_a_damaged_hidden_line_acknowledges_nothing(line):
    """A person may have edited the comment."""
    assert decode_hidden(line) == ()


def test_an_acknowledgement_fits_beside_a_verdict():
    """The hidden line holds the newest, and each a limited number of cases."""
    samples = [
        paired_samples(f"suite.time_{number}", 1.3, fresh=1.3, rounds=30, spread=0.002) for number in range(MAX_CASES)
    ]
    given = acknowledge(decide(a_context(), samples), "m" * 39, "x" * 2000)
    hidden = encode_hidden([given] * 9)
    assert len(hidden) < 60_000
    assert set(decode_hidden(hidden.strip())) == {given}
