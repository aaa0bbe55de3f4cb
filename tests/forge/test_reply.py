"""``windtunnel ci reply``: the result of a command replaces the answer that it was accepted."""

import io
import json
from html import unescape

import pytest
from builders.published import an_alert
from forge.test_command import ALERT, a_pull, hear
from forge.test_comment import HEAD, a_run, a_verdict, bodies, comment, zipped

from windtunnel.cli import main
from windtunnel.compare.bisect_format import (
    BISECT_FORMAT,
    Bisection,
    BisectionAnswer,
    CandidateCommit,
    MeasuredCommit,
)
from windtunnel.detect.alert_format import ALERTS_FORMAT, Alerts
from windtunnel.model.result import Interval

EVIL = "</pre><img src=x> @everyone #1 --> \x1b[31m\n## Forged\n"


def reply(forge, *argv, run="5"):
    """Run the command; return its exit code and outputs."""
    out, err = io.StringIO(), io.StringIO()
    code = main(["ci", "reply", "12/77", "--head", HEAD, *argv], out, err, forge.env(GITHUB_RUN_ID=run))
    return code, out.getvalue(), err.getvalue()


def asked(forge, tmp_path, body, run=5):
    """A maintainer's command was accepted, and the run goes on."""
    a_pull(forge)
    forge.run(run, HEAD, event="issue_comment", status="in_progress", conclusion=None)
    heard, _ = hear(forge, body, tmp_path)
    return heard


def test_the_answer_links_to_the_verdict_on_the_whole_suite(forge, tmp_path):
    """The verdict is in the comment that every push updates."""
    heard = asked(forge, tmp_path, "/benchmark")
    a_run(forge, 5, a_verdict(1.3), event="issue_comment", status="in_progress", conclusion=None)
    comment(forge, "--run", "5", "--head", HEAD, "--pull", "12", "--key", heard["key"], "--asked")
    assert reply(forge, "--result", "success", "--key", heard["key"])[0] == 0
    answer, verdict = bodies(forge)
    assert answer.startswith("**Done:** 1 of 1 benchmark case became slower")
    assert f"[the verdict]({forge.comments[1]['html_url']})" in answer
    assert verdict.startswith("## 1 of 1 benchmark case became slower")


def test_the_verdict_on_a_part_is_the_answer(forge, tmp_path):
    """Each command keeps its own, and the comment on the whole suite stays as it is."""
    heard = asked(forge, tmp_path, "/benchmark time_it")
    a_run(forge, 5, a_verdict(), event="issue_comment", status="in_progress", conclusion=None)
    comment(forge, "--run", "5", "--head", HEAD, "--pull", "12", "--key", heard["key"], "--asked")
    reply(forge, "--result", "success", "--key", heard["key"])
    (answer,) = bodies(forge)
    assert answer.startswith("## No relevant change")


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ("failure", "**Failed:** the run failed; its log says why ([run]("),
        ("cancelled", "**Failed:** the run was cancelled ([run]("),
        ("skipped", "**Failed:** the run stopped before that"),
        ("", "**Failed:** the run failed"),
        ("success", "**Done:** the head has changed meanwhile"),
    ],
)
@pytest.mark.parametrize("body", ["/benchmark", "/benchmark time_it"])
def test_a_comparison_without_a_verdict_says_what_happened(forge, tmp_path, body, result, text):
    """With a link to the run; an older verdict in the comment is not its result."""
    heard = asked(forge, tmp_path, body)
    a_run(forge, 4, a_verdict(1.3))
    comment(forge, "--run", "4")
    reply(forge, "--result", result, "--key", heard["key"])
    assert bodies(forge)[0].startswith(text)
    assert len(forge.comments) == 2


def test_a_verdict_that_a_later_run_replaced_is_not_missing(forge, tmp_path):
    """Two commands may run at the same time; the comment keeps the verdict of the later run."""
    heard = asked(forge, tmp_path, "/benchmark")
    a_run(forge, 6, a_verdict(1.3))
    comment(forge, "--run", "6")
    reply(forge, "--result", "success", "--key", heard["key"])
    assert bodies(forge)[0].startswith("**Done:** a later run has replaced its verdict")


def a_bisection(**what):
    candidates = tuple(CandidateCommit(hash=f"{number:040x}", subject=f"commit {number}") for number in range(4))
    fields = {
        "benchmark": "suite.time_it",
        "case": "suite.time_it",
        "environment": "e",
        "machine": "m",
        "candidates": candidates,
        "error": 0.01,
        "measured": (MeasuredCommit(hash=candidates[3].hash),),
        "answer": BisectionAnswer.COMMIT,
        "before": candidates[1].hash,
        "after": candidates[2].hash,
        "relative_change": 0.5,
        "interval": Interval(low=0.4, high=0.6),
        "confidence": 0.99,
    }
    return Bisection(**(fields | what))


def bisected(forge, tmp_path, content):
    asked(forge, tmp_path, "/benchmark bisect suite.time_it v1 main")
    if content is not None:
        forge.artifact(5, "windtunnel-bisect", zipped(content, "bisect.json"))
    assert reply(forge, "--action", "bisect", "--result", "failure")[0] == 0
    (answer,) = bodies(forge)
    return answer


def test_a_bisection_answers_with_the_commit_and_its_error_rate(forge, tmp_path):
    """And with the size of the change, and a link to the run."""
    answer = bisected(forge, tmp_path, BISECT_FORMAT.encode(a_bisection()))
    assert answer.startswith("**Done:** the search ended ([run](")
    for text in ("0000000000 (commit 2) changed", "+50.0%", "at most 1%"):
        assert text in answer


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ({"answer": BisectionAnswer.RANGE, "before": "0" * 40, "after": f"{3:040x}"}, "One of 3 commits changed"),
        ({"answer": BisectionAnswer.NOTHING, "reason": "no difference"}, "Nothing to find: no difference"),
        ({"answer": BisectionAnswer.UNFINISHED, "reason": "out of time"}, "No answer yet (out of time)"),
    ],
)
def test_a_bisection_without_a_commit_says_so(forge, tmp_path, what, text):
    """A range, nothing, or out of time."""
    assert text in unescape(bisected(forge, tmp_path, BISECT_FORMAT.encode(a_bisection(**what))))


def test_a_bisection_that_left_nothing_failed(forge, tmp_path):
    """The answer says so, with a link to the run."""
    assert bisected(forge, tmp_path, None).startswith("**Failed:** the run failed; its log says why ([run](")


def test_a_bisection_that_did_not_begin_says_why(forge, tmp_path):
    """The first line of the error, as text and not longer than others."""
    what = {"answer": "failed", "candidates": [], "reason": f"'time_x' matches no case {EVIL}{'x' * 5000}"}
    answer = bisected(forge, tmp_path, hostile(**what))
    assert answer.startswith("**Failed:** ")
    assert "time&#95;x' matches no case" in answer
    for forged in ("<img", "@everyone", "#1 ", "\x1b", "\n## Forged"):
        assert forged not in answer
    assert len(answer) < 5000


def hostile(**what):
    """The result of a bisection that code of a pull request wrote, with fields of its own."""
    return json.dumps(json.loads(BISECT_FORMAT.encode(a_bisection())) | what).encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        hostile(schema="other"),
        hostile(candidates=[]),
        hostile(before="f" * 40),
        hostile(after=""),
        hostile(before=f"{2:040x}", after=f"{1:040x}"),
        hostile(error=7),
        hostile(answer="yes"),
        hostile(relative_change="much"),
    ],
)
def test_a_broken_result_of_a_bisection_is_refused(forge, tmp_path, content):
    """The answer says so; it contradicts itself, is no JSON, or is something else."""
    assert bisected(forge, tmp_path, content).startswith("**Failed:** the result cannot be read")


@pytest.mark.parametrize(
    "what",
    [
        {"case": EVIL, "benchmark": EVIL},
        {
            "candidates": [{"hash": EVIL, "subject": EVIL}, {"hash": "a" * 40, "subject": EVIL * 5000}],
            "before": EVIL,
            "after": "a" * 40,
        },
        {"answer": "nothing", "reason": EVIL * 5000},
        {"answer": "unfinished", "reason": EVIL},
        {"relative_change": 1e300, "confidence": 1e300},
        {
            "answer": "range",
            "before": "0" * 40,
            "after": f"{3:040x}",
            "measured": [{"hash": f"{2:040x}", "reason": f"\n{EVIL}"}],
        },
    ],
)
def test_hostile_text_of_a_bisection_stays_text(forge, tmp_path, what):
    """No markup, mention or hidden line, and within GitHub's limit."""
    answer = bisected(forge, tmp_path, hostile(**what))
    assert answer.startswith("**Done:**")
    for bad in ("<img", "@everyone", "#1 ", "\x1b", "\n## "):
        assert bad not in answer
    assert answer.count("-->") == 1
    assert answer.count("</pre>") == 1
    assert len(answer) < 20_000


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        (("ack",), f"**Done:** the alert `{ALERT}` is acknowledged by maintainer: "),
        (("mute", "--until", "2999-01-31"), f"**Done:** the alert `{ALERT}` is muted until 2999-01-31 by maintainer: "),
        (("expect",), f"**Done:** the alert `{ALERT}` is expected by maintainer: "),
        (("mute", "--until", "2020-01-31"), "**Refused:** --until 2020-01-31T00&#58;00&#58;00Z is in the past"),
    ],
)
def test_a_response_to_an_alert_is_answered(forge, tmp_path, argv, text):
    """With the state, the author and the reason; a refusal is an answer and no error."""
    assert respond(forge, tmp_path, *argv, ALERT)[0] == 0
    (answer,) = bodies(forge)
    assert answer.startswith(text)
    assert "<img" not in answer
    assert "@everyone" not in answer


def test_the_suite_that_has_the_alert_answers_for_all(forge, tmp_path):
    """Another one has no such alert, whichever comes first."""
    for order in ((ALERT, "ffffffffffff"), ("ffffffffffff", ALERT)):
        forge.comments.clear()
        for one in order:
            assert respond(forge, tmp_path, "ack", one)[0] == 0
        assert [body.startswith("**Done:**") for body in bodies(forge)] == [True]


def test_no_alert_with_the_id_is_a_refusal(forge, tmp_path):
    """The answer says so; without a comment to answer it is an error."""
    respond(forge, tmp_path, "ack", "ffffffffffff")
    assert bodies(forge)[0].startswith("**Refused:** no alert has an id that begins with")


def respond(forge, tmp_path, command, *rest):
    """Respond to an alert in a file, and answer the comment."""
    path = tmp_path / "alerts.json"
    path.write_bytes(ALERTS_FORMAT.encode(Alerts(alerts=(an_alert("a" * 40),))))
    argv = [command, *rest, "--alerts", str(path), "--who", "maintainer", f"--why={EVIL}", "--reply", "12/77"]
    out, err = io.StringIO(), io.StringIO()
    return main(argv, out, err, forge.env()), err.getvalue()


def test_a_command_needs_a_run(forge):
    """Without $GITHUB_RUN_ID nothing says which run it was; a target is two numbers."""
    assert reply(forge, run="")[0] == 2
    out, err = io.StringIO(), io.StringIO()
    assert main(["ci", "reply", "12/../77"], out, err, forge.env(GITHUB_RUN_ID="5")) == 2
    assert "ISSUE/COMMENT" in err.getvalue()


def test_an_answer_of_a_later_attempt_is_not_replaced(forge, tmp_path):
    """A job of the first attempt may end late."""
    asked(forge, tmp_path, "/benchmark")
    forge.comments[0]["body"] = forge.comments[0]["body"].replace("run=5.1", "run=5.2")
    reply(forge, "--result", "failure")
    assert bodies(forge)[0].startswith("**Accepted:**")
