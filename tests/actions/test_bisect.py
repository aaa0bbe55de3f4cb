"""A night of benchmark.yml under act: the alert on the results branch names the commit afterwards, in its issue too.

WINDTUNNEL_ACT=1 pytest tests/actions/test_bisect.py
"""

import os

import pytest
from actions import acting
from actions.pulls import PACKAGE, SLOWER
from builders.observations import an_alert_at
from builders.repositories import git
from builders.suites import change

from windtunnel.detect.alert_format import ALERTS_FORMAT, Alerts

pytestmark = [
    pytest.mark.act,
    pytest.mark.skipif(not os.environ.get("WINDTUNNEL_ACT"), reason="takes minutes; WINDTUNNEL_ACT=1 runs it"),
]

SEARCH, RECORD = ("Search the commit of an alert", "Search"), ("Record the answer", "Record")


def night(clone, forge, run=5):
    """What comes of a night."""
    forge.run(run, git(clone, "rev-parse", "main"), event="workflow_dispatch", status="in_progress", conclusion=None)
    forge.shelf = clone.parent / "act" / "artifacts"
    event = {"repository": {"full_name": "org/spam", "default_branch": "main", "fork": False}}
    return acting.run(
        clone, clone.parent / "origin.git", "workflow_dispatch", event, clone.parent / "act",
        workflow="benchmark.yml", run_id=str(run), token=forge.token,
        GITHUB_API_URL=forge.url, GITHUB_REPOSITORY=forge.repo,
    )  # fmt: skip


def store(clone, alerts):
    """Put *alerts* on the results branch."""
    git(clone, "checkout", "--quiet", "--orphan", "kept")
    git(clone, "rm", "-r", "--quiet", "--cached", ".")
    (clone / "alerts.json").write_bytes(ALERTS_FORMAT.encode(alerts))
    git(clone, "add", "alerts.json")
    git(clone, "commit", "--quiet", "--message", "alerts")
    git(clone, "push", "--quiet", "origin", "HEAD:windtunnel-results")
    git(clone, "checkout", "--quiet", "--force", "main")


def stored(clone):
    content = git(clone.parent / "origin.git", "show", "windtunnel-results:alerts.json")
    return ALERTS_FORMAT.decode(content.encode(), "alerts.json")


def test_the_commit_of_an_alert_is_found_and_its_issue_names_it(adopted, forge):
    """Three commits were not measured; the next night has nothing to do."""
    clone = adopted(package=PACKAGE)
    change(clone, {"spam/more.py": "before = 1\n"}, "before")
    first = git(clone, "rev-parse", "HEAD")
    change(clone, {"spam/__init__.py": SLOWER}, "the cause")
    cause = git(clone, "rev-parse", "HEAD")
    change(clone, {"spam/more.py": "after = 1\n"}, "after")
    last = git(clone, "rev-parse", "HEAD")
    git(clone, "push", "--quiet", "origin", "main")
    store(clone, Alerts(alerts=(an_alert_at("spam_suite.time_one", (first, cause, last)),)))
    acted = night(clone, forge)
    assert acted.code == 0, acted.output
    assert (acted.result(*SEARCH), acted.result(*RECORD)) == ("success", "success")
    after = stored(clone)
    (alert,) = after.alerts
    assert (alert.bisection.answer, alert.bisection.after) == ("commit", cause)
    assert after.bisected.minutes == 60
    (issue,) = forge.issues
    assert f"/org/spam/commit/{cause}), the cause, changed `spam_suite.time_one`" in issue["body"]
    again = night(clone, forge, run=6)
    assert again.code == 0, again.output
    assert again.result(*SEARCH) is None
