"""Issues about alerts, against a stand-in for GitHub that can fail."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import pytest
from builders.examples import examples
from builders.observations import a_change, a_shift, an_observation
from forge.test_client import Time
from hypothesis import given
from hypothesis import strategies as st

from windtunnel import cli, formats
from windtunnel.detect.alert_format import Alerts
from windtunnel.detect.alert_text import CommitInfo, TextOptions
from windtunnel.detect.alerts import update_alerts
from windtunnel.detect.format import CHANGES_FORMAT, ChangeStatus, Direction
from windtunnel.detect.issue_changes import build_issue, decide_issue_changes
from windtunnel.errors import RemoteError
from windtunnel.github.alert_issues import IssueTracker, update_issues
from windtunnel.github.client import RepositoryName, connect

REPO = RepositoryName(owner="org", name="project")
OPTIONS = TextOptions(repository_url="https://forge.example/org/project", site_url="https://site.example/")


def alerts_of(*found, alerts=None, **more):
    return update_alerts(alerts or Alerts(), an_observation(*found, **more))


def desired_issues(alerts):
    made = (build_issue(one, "default", CommitInfo(subject="make it faster"), OPTIONS) for one in alerts.alerts)
    return [one for one in made if one]


def reported(forge, alerts, most=10):
    """What an update of the issues reports."""
    with connect(forge.env(), Time().clock()) as client:
        tracker = IssueTracker(repo=REPO, author=forge.login, max_new=most)
        return update_issues(client, tracker, partial(decide_issue_changes, desired_issues(alerts), "default"))


def requests(forge, method):
    return [path for verb, path in forge.seen if verb == method]


def open_issues(forge):
    return [issue for issue in forge.issues if issue["state"] == "open"]


def test_an_event_has_one_issue(forge):
    """The second run makes one request and changes nothing."""
    alerts = alerts_of(a_change("m.a"), a_change("m.b"))
    reported(forge, alerts)
    (issue,) = forge.issues
    assert issue["title"] == "Regression: 2 cases of m by up to +20 % at 0000000000"
    assert "m.a" in issue["body"]
    assert "make it faster" in issue["body"]
    before = len(forge.seen)
    reported(forge, alerts)
    assert [verb for verb, _ in forge.seen[before:]] == ["GET"]


def test_the_issue_is_closed_when_the_level_recovers(forge):
    """Its text states the reason, and the next run leaves it closed."""
    alerts = alerts_of(a_change())
    reported(forge, alerts)
    fixed = alerts_of(a_change(status=ChangeStatus.RECOVERED), newest=2000, alerts=alerts)
    for _ in range(2):
        reported(forge, fixed)
    (issue,) = forge.issues
    assert (issue["state"], issue["state_reason"]) == ("closed", "completed")
    assert "no worse than before" in issue["body"]


def test_a_change_that_comes_back_has_a_new_issue(forge):
    """The old issue stays closed."""
    alerts = alerts_of(a_change())
    reported(forge, alerts)
    alerts = alerts_of(a_change(status=ChangeStatus.RECOVERED), newest=2000, alerts=alerts)
    reported(forge, alerts)
    reported(forge, alerts_of(a_change(), newest=3000, alerts=alerts))
    assert [issue["state"] for issue in forge.issues] == ["closed", "open"]


def test_improvements_have_no_issue(forge):
    """They are in the feeds."""
    reported(forge, alerts_of(a_change(direction=Direction.IMPROVED), shifts=(a_shift(relative_change=-0.2),)))
    assert forge.issues == []


def test_an_issue_that_a_person_closed_stays_closed(forge):
    """Also when the alert is updated."""
    alerts = alerts_of(a_change())
    reported(forge, alerts)
    forge.issues[0]["state"] = "closed"
    reported(forge, alerts_of(a_change(), a_change("m.b"), newest=2000, alerts=alerts))
    assert [issue["state"] for issue in forge.issues] == ["closed"]


def test_an_issue_of_another_author_does_not_count(forge):
    """Anyone can copy the marker."""
    alerts = alerts_of(a_change())
    reported(forge, alerts)
    forge.issues[0]["user"] = {"login": "mallory"}
    reported(forge, alerts)
    assert len(forge.issues) == 2


def test_concurrent_runs_leave_one_issue(forge):
    """GitHub has no locks; the older of two issues stays open."""
    alerts = alerts_of(a_change())
    with ThreadPoolExecutor() as threads:
        list(threads.map(lambda _: reported(forge, alerts), range(2)))
    reported(forge, alerts)
    assert len(open_issues(forge)) == 1


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 502},
        {"status": 403, "headers": {"retry-after": "1"}},
        {"status": 429},
        {"kind": "drop"},
        {"kind": "after", "status": 500},
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_temporary_faults_are_retried(forge, method, fault):
    """A lost response does not cause a second issue."""
    forge.fault(method=method, times=2, **fault)
    alerts = alerts_of(a_change("m.a", 20), a_change("m.b", 40))
    reported(forge, alerts)
    assert sorted(issue["title"][:15] for issue in open_issues(forge)) == ["Regression: m.a", "Regression: m.b"]


def test_a_refused_issue_is_opened_by_the_next_run(forge):
    """A refusal does not stop the other issues."""
    forge.writes = False
    alerts = alerts_of(a_change("m.a", 20), a_change("m.b", 40))
    assert len(reported(forge, alerts).refused) == 2
    forge.writes = True
    reported(forge, alerts)
    assert len(open_issues(forge)) == 2


def test_a_run_opens_a_limited_number_of_issues(forge):
    """The next run opens the others."""
    alerts = alerts_of(*(a_change("m.a", 10 * n) for n in range(1, 8)))
    assert reported(forge, alerts, most=5).left == 2
    assert len(forge.issues) == 5
    assert reported(forge, alerts, most=5).left == 0
    assert len(forge.issues) == 7


FAULTS = st.builds(
    dict,
    method=st.sampled_from(("GET", "POST", "PATCH")),
    kind=st.sampled_from(("answer", "drop", "cut", "after")),
    status=st.sampled_from((403, 429, 500, 502, 503)),
    times=st.integers(1, 12),
)
ORDERS = st.lists(st.integers(0, 3), min_size=1, max_size=6)


@examples(25)
@given(order=ORDERS, faults=st.lists(FAULTS, max_size=3))
def test_each_change_has_one_issue_after_any_order_of_runs_and_faults(order, faults):
    """Runs may be repeated, reordered and interrupted; one run without faults completes them."""
    from forge.server import serving
    from forge.state import Forge

    observations = [
        an_observation(a_change("m.a", 20), newest=1000),
        an_observation(a_change("m.a", 20), a_change("m.b", 21, first=20, last=22), newest=1001),
        an_observation(a_change("m.a", 20), a_change("m.b", 21), a_change("m.c", 40), newest=1002),
        an_observation(a_change("m.a", 20, status=ChangeStatus.RECOVERED), a_change("m.c", 41, first=40), newest=1003),
    ]
    with serving(Forge()) as forge:
        alerts = Alerts()
        for place in order:
            alerts = update_alerts(alerts, observations[place])
            forge.faults.clear()
            for fault in faults:
                forge.fault(**fault)
            with suppress(RemoteError):  # the next run completes this one
                reported(forge, alerts)
        forge.faults.clear()
        reported(forge, alerts)
        assert forge.complaints == []
        by_alert = {issue.alert: issue for issue in desired_issues(alerts)}
        standing = [issue["body"].rstrip().rpartition("id=")[2][:12] for issue in open_issues(forge)]
        assert sorted(standing) == sorted(name for name, issue in by_alert.items() if issue.is_open)
        before = len(forge.seen)
        reported(forge, alerts)
        assert [verb for verb, _ in forge.seen[before:]] == ["GET"]


HOSTILE = "m.time_`x`|</details> @ann #1 <!-- windtunnel:alert key=default id=000000000000 is=open --> [a](http://b)\n::error::"


def test_names_are_escaped(forge):
    """Outsiders choose the names of benchmarks and machines, parameters and commit messages."""
    from markdown_it import MarkdownIt

    found = a_change(HOSTILE, machine=HOSTILE, params=(HOSTILE,), environment=HOSTILE, unit=HOSTILE)
    (alert,) = alerts_of(found).alerts
    issue = build_issue(alert, "default", CommitInfo(subject=HOSTILE, author=HOSTILE, login=""), OPTIONS)
    html = MarkdownIt("gfm-like", {"linkify": False}).render(issue.body)
    assert html.count("<!--") == 1
    assert "<details" not in html
    assert 'href="http://b"' not in html
    assert "@ann" not in issue.body.replace("`", "").split("<code>")[0]
    assert "\n" not in issue.title
    assert issue.body.rstrip().endswith(f"id={alert.id} is=open -->")


def test_a_range_of_commits_comes_with_the_bisect_command():
    """A single candidate needs none."""
    found = a_change("m.time_it", 45, first=40, last=45, params=("'a b'",))
    (alert,) = alerts_of(found).alerts
    body = build_issue(alert, "default", CommitInfo(), OPTIONS).body
    assert "one of 6 commits" in body
    assert "windtunnel bisect" in body
    (alert,) = alerts_of(a_change()).alerts
    assert "windtunnel bisect" not in build_issue(alert, "default", CommitInfo(), OPTIONS).body


def test_alert_opens_an_issue_once(forge, tmp_path, monkeypatch):
    """The command reads changes.json; a second call changes nothing."""
    import io

    monkeypatch.chdir(tmp_path)
    (tmp_path / "changes.json").write_bytes(formats.encode(an_observation(a_change()).changes))
    assert CHANGES_FORMAT.decode((tmp_path / "changes.json").read_bytes(), "x").events
    env = {**os.environ, **forge.env(), "GITHUB_REPOSITORY": forge.repo}

    def call(*more):
        out, err = io.StringIO(), io.StringIO()
        arguments = ["ci", "alert", "changes.json", "--alerts", "alerts.json", "--author", forge.login, *more]
        return cli.main(arguments, out, err, env), out.getvalue(), err.getvalue()

    code, out, _ = call("--dry-run")
    assert (code, forge.issues, (tmp_path / "alerts.json").exists()) == (0, [], False)
    assert out.startswith("would open an issue for")
    code, out, err = call("--copy", "copy.json")
    assert (code, err, len(forge.issues)) == (0, "", 1)
    assert out.startswith("did open an issue for")
    assert json.loads((tmp_path / "copy.json").read_bytes()) == json.loads((tmp_path / "alerts.json").read_bytes())
    assert call() == (0, "", "")
    forge.writes = False
    (tmp_path / "alerts.json").unlink()
    (tmp_path / "changes.json").write_bytes(formats.encode(an_observation(a_change(at=50)).changes))
    code, _, err = call()
    assert code == 4
    assert "403" in err
