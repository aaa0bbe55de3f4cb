"""command.yml under act: commands in comments run or are refused."""

import os

import pytest
from actions import acting
from actions.pulls import PACKAGE, PULL, SAME, SLOWER, a_comment, a_pull_request
from builders.published import an_alert
from builders.repositories import git
from builders.suites import change
from forge.test_comment import a_run, a_verdict, comment

from windtunnel.detect.alert_format import ALERTS_FORMAT, Alerts

pytestmark = pytest.mark.act
full = pytest.mark.skipif(not os.environ.get("WINDTUNNEL_ACT"), reason="takes minutes; WINDTUNNEL_ACT=1 runs it")


def say(clone, forge, said, login="maintainer", **issue):
    """What comes of a comment on the pull request, or on another *issue*."""
    event = a_comment(forge, said, login, **issue)
    return acting.run(
        clone, clone.parent / "origin.git", "issue_comment", event, clone.parent / "act",
        workflow="command.yml", token=forge.token, GITHUB_API_URL=forge.url, GITHUB_REPOSITORY=forge.repo,
    )  # fmt: skip


def reactions(forge):
    return [one["content"] for one in forge.reactions]


JOBS = {"Report": "Answer", "Bisect": "Bisect", "Respond": "Respond", "Acknowledge": "Acknowledge"}
"""A step of each job that follows the authorisation."""


def test_what_may_not_be_done_runs_nothing(adopted, forge):
    """A reaction and an answer, and no job that executes code of the pull request or writes anything else."""
    clone = adopted()
    forge.pull(PULL, "b" * 40)
    acted = say(clone, forge, "/benchmark", "mallory")
    assert acted.code == 0, acted.output
    assert reactions(forge) == ["confused"]
    assert acted.result("Authorise", "Authorise") == "success"
    assert {job: acted.result(job, step) for job, step in JOBS.items()} == dict.fromkeys(JOBS)
    writes = [path.removeprefix("/repos/org/spam/issues/") for method, path in forge.seen if method != "GET"]
    assert writes == ["comments/77/reactions", f"{PULL}/comments"]
    assert "only people with write access" in forge.comments[0]["body"]


def test_an_alert_is_acknowledged_on_its_issue(adopted, forge):
    """It is on the results branch, with the author and the text of the comment unchanged; the answer says so."""
    clone = adopted()
    a_pull_request(clone, forge, {"spam/__init__.py": SAME})
    git(clone, "checkout", "--quiet", "--orphan", "kept")
    stored = Alerts(alerts=(an_alert(git(clone, "rev-parse", "topic")),))
    change(clone, {"alerts.json": ALERTS_FORMAT.encode(stored).decode()}, "alerts")
    git(clone, "push", "--quiet", "origin", "HEAD:windtunnel-results")
    git(clone, "checkout", "--quiet", "main")
    marker = "<!-- windtunnel:alert key=default id=5d0c6f1f3a9e is=open -->"
    issue = {"number": 30, "pull_request": None, "labels": [{"name": "windtunnel"}], "body": f"Raised.\n\n{marker}\n"}
    acted = say(clone, forge, """/benchmark ack "--it's $(known)" """, **issue, user={"login": forge.login})
    assert acted.code == 0, acted.output
    assert reactions(forge) == ["rocket"]
    content = git(clone.parent / "origin.git", "show", "windtunnel-results:alerts.json")
    (alert,) = ALERTS_FORMAT.decode(content.encode(), "alerts.json").alerts
    assert (alert.history[-1].author, alert.history[-1].reason) == ("maintainer", "--it's $(known)")
    ((number, body),) = [(one["number"], one["body"]) for one in forge.comments]
    assert number == 30
    assert body.startswith("**Done:** the alert `5d0c6f1f3a9e` is acknowledged by maintainer")


def test_a_regression_is_acknowledged_on_its_pull_request(adopted, forge):
    """The check turns neutral; nothing of the pull request is checked out."""
    clone = adopted()
    head = a_pull_request(clone, forge, {"spam/__init__.py": SLOWER})["pull_request"]["head"]["sha"]
    a_run(forge, 3, a_verdict(1.3, head=head), head=head, number=PULL)
    assert comment(forge, "--run", "3")[0] == 0
    acted = say(clone, forge, "/benchmark ack it's $(wanted)")
    assert acted.code == 0, acted.output
    assert [one["conclusion"] for one in forge.checks] == ["neutral"]
    verdict, answer = [one["body"] for one in forge.comments]
    assert "Acknowledged by maintainer (1 case): it's &#36;(wanted)" in verdict
    assert answer.startswith("**Done:** 1 regression acknowledged by maintainer")
    assert {job for job, step in JOBS.items() if acted.result(job, step)} == {"Acknowledge"}


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
    assert "key=reply-77" in body
    assert [one["name"] for one in forge.checks] == ["windtunnel (asked)"]
    assert [one["status"] for one in forge.checks] == ["completed"]


@full
def test_a_commit_is_looked_for_when_a_maintainer_asks(adopted, forge):
    """Among those of the pull request; the answer names it."""
    clone = adopted(package=PACKAGE)
    good = git(clone, "rev-parse", "HEAD")
    event = a_pull_request(clone, forge, {"spam/__init__.py": SLOWER})
    head = event["pull_request"]["head"]["sha"]
    forge.run(5, git(clone, "rev-parse", "main"), event="issue_comment", status="in_progress", conclusion=None)
    forge.shelf = clone.parent / "act" / "artifacts"
    acted = say(clone, forge, f"/benchmark {head} bisect time_one {good} {head}")
    assert acted.code == 0, acted.output
    assert acted.result("Bisect", "Bisect") == "success"
    ((body),) = [one["body"] for one in forge.comments]
    assert body.startswith("**Done:** the search ended")
    assert f"{head[:10]} (a change) changed" in body
