"""Issues against a stand-in for GitHub: each alert once, on good days and bad ones."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import pytest
from builders.observations import a_change, a_shift, an_observation
from forge.test_client import Time
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel import cli, formats
from windtunnel.detect.alert_commands import AlertCommand, apply_command
from windtunnel.detect.alert_format import Alerts, AlertState, StateChange
from windtunnel.detect.alert_text import CommitInfo, TextOptions
from windtunnel.detect.alerts import update_alerts
from windtunnel.detect.format import CHANGES_FORMAT, ChangeStatus, Direction
from windtunnel.detect.issue_changes import build_issue, decide_issue_changes
from windtunnel.errors import RemoteError
from windtunnel.github.alert_issues import IssueTracker, update_issues
from windtunnel.github.client import connect
from windtunnel.github.http import RepositoryName

REPO = RepositoryName(owner="org", name="project")
AROUND = TextOptions(repository_url="https://forge.example/org/project", site_url="https://site.example/")


def seen(*found, alerts=None, **more):
    return update_alerts(alerts or Alerts(), an_observation(*found, **more))


def wishes(alerts):
    made = (build_issue(one, "default", CommitInfo(subject="faster, they said"), AROUND) for one in alerts.alerts)
    return [one for one in made if one]


def told(forge, alerts, most=10):
    """What an update of the issues reports."""
    with connect(forge.env(), Time().clock()) as client:
        tracker = IssueTracker(repo=REPO, author=forge.login, max_new=most)
        return update_issues(client, tracker, partial(decide_issue_changes, wishes(alerts), "default"))


def requests(forge, method):
    return [path for verb, path in forge.seen if verb == method]


def open_issues(forge):
    return [issue for issue in forge.issues if issue["state"] == "open"]


def test_one_issue_for_an_event_and_silence_after_it(forge):
    """The second run reads once and writes nothing."""
    alerts = seen(a_change("m.a"), a_change("m.b"))
    told(forge, alerts)
    (issue,) = forge.issues
    assert issue["title"] == "Regression: 2 cases by up to +20 % at 0000000000"
    assert "m.a" in issue["body"]
    assert "faster, they said" in issue["body"]
    before = len(forge.seen)
    told(forge, alerts)
    assert [verb for verb, _ in forge.seen[before:]] == ["GET"]


def test_the_issue_is_closed_when_the_level_is_back(forge):
    """And stays closed, with what happened in it."""
    alerts = seen(a_change())
    told(forge, alerts)
    fixed = seen(a_change(status=ChangeStatus.RECOVERED), newest=2000, alerts=alerts)
    for _ in range(2):
        told(forge, fixed)
    (issue,) = forge.issues
    assert (issue["state"], issue["state_reason"]) == ("closed", "completed")
    assert "no worse than before" in issue["body"]


def test_what_comes_back_is_a_new_issue(forge):
    """The old one is history."""
    alerts = seen(a_change())
    told(forge, alerts)
    alerts = seen(a_change(status=ChangeStatus.RECOVERED), newest=2000, alerts=alerts)
    told(forge, alerts)
    told(forge, seen(a_change(), newest=3000, alerts=alerts))
    assert [issue["state"] for issue in forge.issues] == ["closed", "open"]


def test_improvements_open_no_issue(forge):
    """They are in the feeds."""
    told(forge, seen(a_change(direction=Direction.IMPROVED), shifts=(a_shift(relative_change=-0.2),)))
    assert forge.issues == []


def test_what_a_person_closed_stays_closed(forge):
    """They know better."""
    alerts = seen(a_change())
    told(forge, alerts)
    forge.issues[0]["state"] = "closed"
    told(forge, seen(a_change(), a_change("m.b"), newest=2000, alerts=alerts))
    assert [issue["state"] for issue in forge.issues] == ["closed"]


def test_expected_closes_and_ack_opens_again(forge):
    """An answer can be taken back; the issue that we closed is opened again."""
    alerts = seen(a_change())
    told(forge, alerts)
    for state, stands in ((AlertState.EXPECTED, "closed"), (AlertState.ACKNOWLEDGED, "open")):
        note = StateChange(state=state, author="ann", reason="because", time="2026-02-02T00:00:00Z")
        alerts = apply_command(alerts, AlertCommand(id=alerts.alerts[0].id, change=note))
        told(forge, alerts)
        assert [issue["state"] for issue in forge.issues] == [stands]


def test_another_author_cannot_pose_as_us(forge):
    """Anyone can copy a hidden line."""
    alerts = seen(a_change())
    told(forge, alerts)
    forge.issues[0]["user"] = {"login": "mallory"}
    told(forge, alerts)
    assert len(forge.issues) == 2


def test_two_runs_at_once_leave_one_issue(forge):
    """Nobody can lock a forge: of two issues the oldest stays."""
    alerts = seen(a_change())
    with ThreadPoolExecutor() as threads:
        list(threads.map(lambda _: told(forge, alerts), range(2)))
    told(forge, alerts)
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
def test_faults_in_passing_cost_nothing(forge, method, fault):
    """Not even a second issue where the answer was lost."""
    forge.fault(method=method, times=2, **fault)
    alerts = seen(a_change("m.a", 20), a_change("m.b", 40))
    told(forge, alerts)
    assert sorted(issue["title"][:15] for issue in open_issues(forge)) == ["Regression: m.a", "Regression: m.b"]


def test_a_refusal_is_named_and_the_next_run_tells(forge):
    """The job lacks a permission: the others' issues are tried all the same, nothing is lost."""
    forge.writes = False
    alerts = seen(a_change("m.a", 20), a_change("m.b", 40))
    assert len(told(forge, alerts).refused) == 2
    forge.writes = True
    told(forge, alerts)
    assert len(open_issues(forge)) == 2


def test_a_flood_is_told_in_parts(forge):
    """Whoever starts with a long history does not wake everybody at once."""
    alerts = seen(*(a_change("m.a", 10 * n) for n in range(1, 8)))
    assert told(forge, alerts, most=5).left == 2
    assert len(forge.issues) == 5
    assert told(forge, alerts, most=5).left == 0
    assert len(forge.issues) == 7


FAULTS = st.builds(
    dict,
    method=st.sampled_from(("GET", "POST", "PATCH")),
    kind=st.sampled_from(("answer", "drop", "cut", "after")),
    status=st.sampled_from((403, 429, 500, 502, 503)),
    times=st.integers(1, 12),
)
LOOKS = st.lists(st.integers(0, 3), min_size=1, max_size=6)


@settings(max_examples=25, deadline=None)
@given(order=LOOKS, faults=st.lists(FAULTS, max_size=3))
def test_any_order_any_fault_each_change_one_issue(order, faults):
    """Runs in any order, again and again, dying midway: after one quiet run each change has one issue, and is in it."""
    from forge.server import serving
    from forge.state import Forge

    looks = [
        an_observation(a_change("m.a", 20), newest=1000),
        an_observation(a_change("m.a", 20), a_change("m.b", 21, first=20, last=22), newest=1001),
        an_observation(a_change("m.a", 20), a_change("m.b", 21), a_change("m.c", 40), newest=1002),
        an_observation(a_change("m.a", 20, status=ChangeStatus.RECOVERED), a_change("m.c", 41, first=40), newest=1003),
    ]
    with serving(Forge()) as forge:
        alerts = Alerts()
        for place in order:
            alerts = update_alerts(alerts, looks[place])
            forge.faults.clear()
            for fault in faults:
                forge.fault(**fault)
            with suppress(RemoteError):  # this run died; the next one tells
                told(forge, alerts)
        forge.faults.clear()
        told(forge, alerts)
        assert forge.complaints == []
        by_alert = {wish.alert: wish for wish in wishes(alerts)}
        standing = [issue["body"].rstrip().rpartition("id=")[2][:12] for issue in open_issues(forge)]
        assert sorted(standing) == sorted(name for name, wish in by_alert.items() if wish.is_open)
        before = len(forge.seen)
        told(forge, alerts)
        assert [verb for verb, _ in forge.seen[before:]] == ["GET"]


HOSTILE = "m.time_`x`|</details> @ann #1 <!-- windtunnel:alert key=default id=000000000000 is=open --> [a](http://b)\n::error::"


def test_foreign_text_stays_text(forge):
    """Names of benchmarks and machines, parameters and commit messages are whoever's."""
    from markdown_it import MarkdownIt

    found = a_change(HOSTILE, machine=HOSTILE, params=(HOSTILE,), environment=HOSTILE, unit=HOSTILE)
    (alert,) = seen(found).alerts
    wish = build_issue(alert, "default", CommitInfo(subject=HOSTILE, author=HOSTILE, login=""), AROUND)
    html = MarkdownIt("gfm-like", {"linkify": False}).render(wish.body)
    assert html.count("<!--") == 1
    assert "<details" not in html
    assert 'href="http://b"' not in html
    assert "@ann" not in wish.body.replace("`", "").split("<code>")[0]
    assert "\n" not in wish.title
    assert wish.body.rstrip().endswith(f"id={alert.id} is=open -->")


def test_the_way_to_the_commit_is_told_where_it_is_a_range():
    """As a command for the shell."""
    found = a_change("m.time_it", 45, first=40, last=45, params=("'a b'",))
    (alert,) = seen(found).alerts
    body = build_issue(alert, "default", CommitInfo(), AROUND).body
    assert "one of 6 commits" in body
    assert "windtunnel bisect" in body
    (alert,) = seen(a_change()).alerts
    assert "windtunnel bisect" not in build_issue(alert, "default", CommitInfo(), AROUND).body


def test_the_command_remembers_tells_and_repeats_itself_silently(forge, tmp_path, monkeypatch):
    """From changes.json to an issue and back to nothing."""
    import io

    monkeypatch.chdir(tmp_path)
    (tmp_path / "changes.json").write_bytes(formats.encode(an_observation(a_change()).changes))
    assert CHANGES_FORMAT.decode((tmp_path / "changes.json").read_bytes(), "x").events
    env = {**os.environ, **forge.env(), "GITHUB_REPOSITORY": forge.repo}

    def call(*more):
        out, err = io.StringIO(), io.StringIO()
        arguments = ["alert", "changes.json", "--alerts", "alerts.json", "--author", forge.login, *more]
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
