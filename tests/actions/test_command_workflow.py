"""command.yml under act: commands in comments run or are refused."""

import os

import pytest
from actions import acting
from actions.pulls import PACKAGE, PULL, SAME, SLOWER, a_pull_request
from builders.published import an_alert
from builders.repositories import git
from builders.suites import change

from windtunnel.detect.alert_format import ALERTS_FORMAT, Alerts

pytestmark = pytest.mark.act
full = pytest.mark.skipif(not os.environ.get("WINDTUNNEL_ACT"), reason="takes minutes; WINDTUNNEL_ACT=1 runs it")


def say(clone, forge, body, login="maintainer"):
    """What comes of a comment on the pull request."""
    forge.permissions["maintainer"] = "write"
    event = {
        "action": "created",
        "comment": {"id": 77, "body": body, "user": {"login": login}, "created_at": "2026-01-02T00:00:00Z"},
        "issue": {"number": PULL, "pull_request": {"url": "x"}},
        "repository": {"full_name": forge.repo, "default_branch": "main"},
    }
    return acting.run(
        clone, clone.parent / "origin.git", "issue_comment", event, clone.parent / "act",
        workflow="command.yml", token=forge.token, GITHUB_API_URL=forge.url, GITHUB_REPOSITORY=forge.repo,
    )  # fmt: skip


def reactions(forge):
    return [one["content"] for one in forge.reactions]


@pytest.mark.parametrize(
    ("body", "login"),
    [("/benchmark", "mallory"), ("/benchmark bisect x --evil", "maintainer")],
)
def test_what_may_not_be_done_runs_nothing(adopted, forge, body, login):
    """A reaction, and no job that executes code of the pull request or writes anything."""
    clone = adopted()
    forge.pull(PULL, "b" * 40)
    acted = say(clone, forge, body, login)
    assert acted.code == 0, acted.output
    assert reactions(forge) == ["confused"]
    assert acted.result("Authorise", "Authorise") == "success"
    for job, step in (("Report", "Comment"), ("Bisect", "Bisect"), ("Acknowledge", "Acknowledge")):
        assert acted.result(job, step) is None
    assert [path for method, path in forge.seen if method != "GET"] == ["/repos/org/spam/issues/comments/77/reactions"]


def test_an_alert_is_acknowledged(adopted, forge):
    """The acknowledgement is on the results branch, with the author and the text of the comment unchanged."""
    clone = adopted()
    a_pull_request(clone, forge, {"spam/__init__.py": SAME})
    git(clone, "checkout", "--quiet", "--orphan", "kept")
    stored = Alerts(alerts=(an_alert(git(clone, "rev-parse", "topic")),))
    change(clone, {"alerts.json": ALERTS_FORMAT.encode(stored).decode()}, "alerts")
    git(clone, "push", "--quiet", "origin", "HEAD:windtunnel-results")
    git(clone, "checkout", "--quiet", "main")
    acted = say(clone, forge, """/benchmark ack 5d0c6f1f3a9e "--it's $(known)" """)
    assert acted.code == 0, acted.output
    assert reactions(forge) == ["rocket"]
    content = git(clone.parent / "origin.git", "show", "windtunnel-results:alerts.json")
    (alert,) = ALERTS_FORMAT.decode(content.encode(), "alerts.json").alerts
    assert (alert.history[-1].author, alert.history[-1].reason) == ("maintainer", "--it's $(known)")


@full
def test_a_pull_request_is_measured_when_a_maintainer_asks(adopted, forge):
    """Only what the expression names, on the head of that moment; that nothing changed is an answer too."""
    clone = adopted(package=PACKAGE)
    event = a_pull_request(clone, forge, {"spam/__init__.py": SAME})
    forge.run(5, git(clone, "rev-parse", "main"), event="issue_comment", status="in_progress", conclusion=None)
    forge.shelf = clone.parent / "act" / "artifacts"
    acted = say(clone, forge, "/benchmark time_one")
    assert acted.code == 0, acted.output
    assert reactions(forge) == ["rocket"]
    ((body),) = [one["body"] for one in forge.comments]
    assert "1 unchanged" in body or "1 inconclusive" in body, body
    assert f"head={event['pull_request']['head']['sha']}" in body
    assert "key=command" in body
    assert [one["status"] for one in forge.checks] == ["completed"]


@full
def test_a_commit_is_looked_for_when_a_maintainer_asks(adopted, forge):
    """Among those of the pull request; the step succeeds when it has named one."""
    clone = adopted(package=PACKAGE)
    good = git(clone, "rev-parse", "HEAD")
    event = a_pull_request(clone, forge, {"spam/__init__.py": SLOWER})
    acted = say(clone, forge, f"/benchmark bisect time_one {good} {event['pull_request']['head']['sha']}")
    assert acted.code == 0, acted.output
    assert acted.result("Bisect", "Bisect") == "success"
