"""``windtunnel ci record-bisection`` against a stand-in for GitHub: alerts.json and the issue afterwards."""

import json

import pytest
from builders.bisections import a_search
from builders.commands import run_command
from builders.observations import an_alert_at
from builders.repositories import git
from builders.suites import a_project, change
from forge.test_comment import zipped

from windtunnel.compare.bisect_format import BISECT_FORMAT, CandidateCommit
from windtunnel.detect.alert_format import ALERTS_FORMAT, Alerts
from windtunnel.detect.bisections import begin

EVIL = "</td><img src=x> @everyone #1 -->\n## Forged"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with three commits, which an alert is about; its search has begun."""
    folder = a_project(tmp_path / "project", pythons=("3.13",))
    for number in range(3):
        change(folder, {"spam/more.py": f"{number}\n"}, f"commit {number}")
    monkeypatch.chdir(folder)
    commits = git(folder, "rev-list", "--reverse", "HEAD").splitlines()[1:]
    alert = an_alert_at("spam_suite.time_work", commits)
    alerts = begin(Alerts(alerts=(alert,)), alert.id, 60, "2026-02-01")
    (folder / "alerts.json").write_bytes(ALERTS_FORMAT.encode(alerts))
    return folder


def an_answer(project, **what):
    """The last commit but one did it."""
    hashes = git(project, "rev-list", "--reverse", "HEAD").splitlines()
    fields = {
        "benchmark": "spam_suite.time_work",
        "case": "spam_suite.time_work",
        "candidates": tuple(CandidateCommit(hash=one, subject=EVIL) for one in hashes),
        "answer": "commit",
        "decided_by": "instructions",
        "before": hashes[1],
        "after": hashes[2],
        "relative_change": 0.31,
    }
    return a_search(**(fields | what))


def record(forge, project, *argv, file=""):
    """Run the command in a workflow run; return its exit code, outputs and the alert afterwards."""
    given = ["--config", str(project / "asv.conf.json"), "--alerts", str(project / "alerts.json"), *argv]
    before = ALERTS_FORMAT.decode((project / "alerts.json").read_bytes(), "alerts.json").alerts[0]
    command = ["ci", "record-bisection", before.id[:6], *filter(None, [file]), *given]
    code, out, err = run_command(command, forge.env(GITHUB_RUN_ID="5"))
    (alert,) = ALERTS_FORMAT.decode((project / "alerts.json").read_bytes(), "alerts.json").alerts
    return code, out + err, alert


def left(forge, content):
    """The run left *content* as bisect.json; None leaves no artifact."""
    forge.run(5, "b" * 40, event="schedule", status="in_progress", conclusion=None)
    if content is not None:
        forge.artifact(5, "windtunnel-bisect", zipped(content, "bisect.json"))


def test_the_issue_names_the_commit_as_git_knows_it(forge, project):
    """The subject in the file is not used."""
    found = an_answer(project)
    left(forge, BISECT_FORMAT.encode(found))
    code, _, alert = record(forge, project)
    assert code == 0
    assert (alert.bisection.after, alert.bisection.subject) == (found.after, "commit 1")
    (issue,) = forge.issues
    assert f"commit/{found.after}), commit 1, changed `spam_suite.time_work` by +31 % in instructions." in issue["body"]
    assert "Forged" not in issue["body"]
    assert record(forge, project)[0] == 0
    assert len(forge.issues) == 1


def test_a_file_is_recorded_without_github(forge, project, tmp_path):
    """At a desk."""
    path = tmp_path / "bisect.json"
    path.write_bytes(BISECT_FORMAT.encode(an_answer(project)))
    code, text, alert = record(forge, project, "--no-issues", file=str(path))
    assert (code, alert.bisection.answer) == (0, "commit")
    assert f"{alert.id}: commit, {alert.bisection.after[:10]}" in text
    assert forge.seen == []


def test_an_answer_is_kept_where_issues_are_switched_off(forge, project):
    """A notice, and no failure."""
    forge.has_issues = False
    left(forge, BISECT_FORMAT.encode(an_answer(project)))
    code, text, alert = record(forge, project)
    assert (code, alert.bisection.answer, forge.issues) == (0, "commit", [])
    assert "issues switched off" in text


@pytest.mark.parametrize(
    "content",
    [
        None,
        b"no json",
        b"[" * 100_000,
        json.dumps({"schema": "windtunnel.bisect/1"}).encode(),
        b'{"schema": "windtunnel.bisect/9"}',
    ],
    ids=["nothing", "no json", "deep", "empty", "another schema"],
)
def test_a_broken_or_hostile_result_is_a_failed_attempt(forge, project, content):
    """The alert stays without an answer, and the next run searches again."""
    left(forge, content)
    code, _, alert = record(forge, project)
    assert code == 0
    assert (alert.bisection.answer, alert.bisection.attempts) == ("unfinished", 1)


def test_a_result_about_a_foreign_commit_is_refused(forge, project):
    """The issue says so, and names no commit."""
    found = an_answer(project)
    foreign = tuple(CandidateCommit(hash=one * 40, subject="x") for one in "ab")
    answer = an_answer(project, candidates=foreign, before="a" * 40, after="b" * 40)
    left(forge, BISECT_FORMAT.encode(answer))
    code, _, alert = record(forge, project)
    assert code == 0
    assert alert.bisection.answer == "failed"
    assert "its commits are not in the range" in forge.issues[0]["body"]
    assert found.after not in str(alert.bisection)
