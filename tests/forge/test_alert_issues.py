"""Issues about alerts, against a stand-in for GitHub that can fail."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import pytest
from builders.commands import run_command
from builders.examples import examples
from builders.observations import a_change, a_shift, an_observation
from forge.test_client import Time
from hypothesis import given
from hypothesis import strategies as st

from windtunnel import formats
from windtunnel.cli.alert_issues import issue_numbers
from windtunnel.detect.alert_format import ALERTS_FORMAT, Alerts
from windtunnel.detect.alert_text import build_text
from windtunnel.detect.alerts import decide_issue_changes, note_issues, update_alerts
from windtunnel.detect.format import CHANGES_FORMAT
from windtunnel.errors import RemoteError
from windtunnel.git.repository import Commit
from windtunnel.github.alert_issues import LABEL, IssueTracker, read_issues, update_issues
from windtunnel.github.client import RepositoryName, connect
from windtunnel.model.identity import CommitHash

REPO = RepositoryName(owner="org", name="project")
URLS = "https://forge.example/org/project", "https://site.example/"


def a_commit(subject="make it faster", author=""):
    return Commit(hash=CommitHash("a" * 40), author_date=0, subject=subject, author=author, parent=None)


NOW = "2026-02-03T00:00:00Z"


def alerts_of(*found, alerts=None, **more):
    return update_alerts(alerts or Alerts(), an_observation(*found, **more))


def texts(alerts):
    made = ((one.id, build_text(one, "default", a_commit(), *URLS)) for one in alerts)
    return {name: text for name, text in made if text}


def decide(alerts, issues):
    """As ``windtunnel ci alert`` decides: what people did counts before what is changed."""
    noted = note_issues(alerts, "default", issues, NOW).alerts
    return decide_issue_changes(noted, "default", issues, texts(noted))


def a_tracker(forge, most=10):
    return IssueTracker(repo=REPO, author=forge.login, max_new=most)


def report(forge, alerts, most=10):
    """What an update of the issues reports."""
    with connect(forge.env(), Time().clock()) as client:
        return update_issues(client, a_tracker(forge, most), issue_numbers(alerts), partial(decide, alerts))


def reported(forge, alerts):
    """The alerts after an update of their issues, with their numbers."""
    return note_issues(alerts, "default", report(forge, alerts).issues, NOW)


def observed(forge, alerts, *found, **more):
    """The alerts after a run: what people did is read, new results are observed, and the issues are updated."""
    with connect(forge.env(), Time().clock()) as client:
        issues = read_issues(client, a_tracker(forge), issue_numbers(alerts))
    return reported(forge, alerts_of(*found, alerts=note_issues(alerts, "default", issues, NOW), **more))


@pytest.fixture
def alerts(forge):
    """The alert of one regression, which has an issue."""
    return reported(forge, alerts_of(a_change()))


def states(alerts):
    return [one.state for one in alerts.alerts]


def requests(forge, method):
    return [path for verb, path in forge.seen if verb == method]


def open_issues(forge):
    return [issue for issue in forge.issues if issue["state"] == "open"]


def issue_states(forge):
    return [(issue["state"], issue["state_reason"]) for issue in forge.issues]


CLOSED, NOT_PLANNED, REOPENED = ("closed", "completed"), ("closed", "not_planned"), ("open", "reopened")


def test_an_event_has_one_issue(forge):
    """The second run makes one request and changes nothing."""
    alerts = reported(forge, alerts_of(a_change("m.a"), a_change("m.b")))
    (issue,) = forge.issues
    assert issue["title"] == "Regression: 2 cases of m by up to +20 % at 0000000000"
    assert "m.a" in issue["body"]
    assert "make it faster" in issue["body"]
    before = len(forge.seen)
    assert reported(forge, alerts) == alerts
    assert [verb for verb, _ in forge.seen[before:]] == ["GET"]


def test_the_issue_is_closed_when_the_level_recovers(alerts, forge):
    """Its text states the reason, and the next run leaves it closed."""
    for _ in range(2):
        alerts = observed(forge, alerts, a_change(status="recovered"), newest=2000)
    assert (issue_states(forge), states(alerts)) == ([CLOSED], ["resolved"])
    assert "no worse than before" in forge.issues[0]["body"]


def test_an_issue_without_our_marker_is_never_closed(alerts, forge):
    """The number may come from a forged file."""
    forge.issues[0]["body"] = "Of a person."
    observed(forge, alerts, a_change(status="recovered"), newest=2000)
    assert (forge.issues[0]["state"], forge.issues[0]["body"]) == ("open", "Of a person.")


def test_a_change_that_comes_back_has_a_new_issue(alerts, forge):
    """The old issue stays closed."""
    alerts = observed(forge, alerts, a_change(status="recovered"), newest=2000)
    observed(forge, alerts, a_change(), newest=3000)
    assert [issue["state"] for issue in forge.issues] == ["closed", "open"]


def test_improvements_have_no_issue(forge):
    """They are in the feeds."""
    report(forge, alerts_of(a_change(direction="improved"), shifts=(a_shift(relative_change=-0.2),)))
    assert forge.issues == []


@pytest.mark.parametrize(
    ("reason", "state"), [("completed", "resolved"), ("not_planned", "accepted"), ("duplicate", "accepted")]
)
def test_an_issue_that_a_person_closed_stays_closed(alerts, forge, reason, state):
    """Neither the same results nor further cases report it again; the alert names who closed it."""
    forge.close(forge.issues[0]["number"], "ann", reason)
    for newest in (1000, 2000):
        alerts = observed(forge, alerts, a_change(), a_change("m.b"), newest=newest)
        assert (issue_states(forge), states(alerts)) == ([("closed", reason)], [state])
    assert alerts.alerts[0].issue.person == "ann"


def test_an_accepted_change_is_the_new_reference(alerts, forge):
    """It is never reported again; what changes later is another alert."""
    forge.close(forge.issues[0]["number"], "ann", "not_planned")
    for newest, status in ((2000, "recovered"), (3000, "current")):
        alerts = observed(forge, alerts, a_change(status=status), newest=newest)
    assert (issue_states(forge), states(alerts)) == ([NOT_PLANNED], ["accepted"])
    alerts = observed(forge, alerts, a_change(), a_change(at=80), newest=4000)
    assert states(alerts) == ["accepted", "open"]


def test_an_issue_that_a_person_completed_may_come_back_when_it_was_over(alerts, forge):
    """A fix closes it before new results show that; a later regression has an issue of its own."""
    forge.close(forge.issues[0]["number"], "ann")
    alerts = observed(forge, alerts, a_change(status="recovered"), newest=2000)
    observed(forge, alerts, a_change(), newest=3000)
    assert [issue["state"] for issue in forge.issues] == ["closed", "open"]


@pytest.mark.parametrize("by", ["ann", "windtunnel"])
def test_an_issue_that_a_person_opened_again_stays_open(alerts, forge, by):
    """Whoever closed it before; only a person closes it from then on, and it has no second issue."""
    (number,) = (issue["number"] for issue in forge.issues)
    if by == "ann":
        forge.close(number, "ann", "not_planned")
        alerts = observed(forge, alerts, a_change())
    else:
        alerts = observed(forge, alerts, a_change(status="recovered"), newest=2000)
    forge.reopen(number, "bob")
    for newest, status in ((3000, "recovered"), (4000, "current"), (5000, None)):
        found = () if status is None else (a_change(status=status),)
        alerts = observed(forge, alerts, *found, newest=newest)
        assert (issue_states(forge), states(alerts)) == ([REOPENED], ["open"])
    forge.close(number, "ann")
    assert states(observed(forge, alerts, a_change(), newest=6000)) == ["resolved"]


def test_an_issue_that_a_person_opened_again_before_its_end_was_saved_stays_open(forge):
    """The run that closed it ended too early; GitHub knows that it was opened again."""
    before = reported(forge, alerts_of(a_change()))
    observed(forge, before, a_change(status="recovered"), newest=2000)
    forge.reopen(forge.issues[0]["number"], "ann")
    for newest in (2000, 3000):
        alerts = observed(forge, before, a_change(status="recovered"), newest=newest)
        assert (issue_states(forge), states(alerts)) == ([REOPENED], ["open"])


def test_a_second_issue_that_a_person_opened_again_stays_open(forge):
    """It was closed as one too many; both say the same, and the first one is kept up to date."""
    alerts = alerts_of(a_change())
    report(forge, alerts)
    forge.issues.append(forge.issues[0] | {"number": forge.number()})
    alerts = reported(forge, alerts)
    assert [issue["state"] for issue in forge.issues] == ["open", "closed"]
    forge.reopen(forge.issues[1]["number"], "ann")
    observed(forge, alerts, a_change(), a_change("m.b"), newest=2000)
    assert [(issue["state"], "m.b" in issue["body"]) for issue in forge.issues] == [("open", True), ("open", False)]


def test_a_muted_issue_is_left_alone_until_it_is_over(alerts, forge):
    """Its text stays; without the label it is up to date again, and it closes when the level is back."""
    (issue,) = forge.issues
    text = issue["body"]
    forge.label(issue["number"], "Muted", "ann")
    alerts = observed(forge, alerts, a_change(), a_change("m.b"), newest=2000)
    assert (states(alerts), issue["body"]) == (["muted"], text)
    forge.unlabel(issue["number"], "muted", "ann")
    alerts = observed(forge, alerts, a_change(), a_change("m.b"), newest=3000)
    assert states(alerts) == ["open"]
    assert "m.b" in issue["body"]
    forge.label(issue["number"], "muted", "ann")
    recovered = [a_change(name, status="recovered") for name in ("m.time_it", "m.b")]
    observed(forge, alerts, *recovered, newest=4000)
    assert issue_states(forge) == [CLOSED]


@pytest.mark.parametrize("what", ["deleted", "moved"])
def test_an_issue_that_is_gone_gets_no_duplicate(alerts, forge, what):
    """A person removed it, so nothing is reported; GitHub answers 410, or redirects to the other repository."""
    (number,) = (issue["number"] for issue in forge.issues)
    if what == "deleted":
        forge.delete(number)
    else:
        forge.move(number, "org/elsewhere", 3)
    for newest in (2000, 3000):
        alerts = observed(forge, alerts, a_change(), a_change("m.b"), newest=newest)
    assert (forge.issues, states(alerts)) == ([], ["muted"])


def test_an_issue_that_was_moved_back_is_the_issue_again(alerts, forge):
    """It has another number then; the hidden line names the alert."""
    (issue,) = forge.issues
    forge.move(issue["number"], "org/elsewhere", 3)
    alerts = observed(forge, alerts, a_change())
    forge.issues.append(issue | {"number": forge.number()})
    alerts = observed(forge, alerts, a_change(), a_change("m.b"), newest=2000)
    assert (states(alerts), issue_states(forge)) == (["open"], [("open", None)])
    assert "m.b" in forge.issues[0]["body"]


def test_an_issue_without_its_label_is_still_the_issue(alerts, forge):
    """The number is kept; the label is the person's to remove."""
    (issue,) = forge.issues
    forge.unlabel(issue["number"], LABEL, "ann")
    alerts = observed(forge, alerts, a_change(), a_change("m.b"), newest=2000)
    assert (len(forge.issues), "m.b" in issue["body"]) == (1, True)
    recovered = [a_change(name, status="recovered") for name in ("m.time_it", "m.b")]
    observed(forge, alerts, *recovered, newest=3000)
    assert issue_states(forge) == [CLOSED]


def test_notes_around_the_text_stay(alerts, forge):
    """Updates replace the text, from its state to the hidden line; without that line, nothing is replaced."""
    (issue,) = forge.issues
    issue["body"] = "bob: **Open** question\r\n\r\n" + issue["body"].replace("\n", "\r\n") + "\r\nann: seen\r\n"
    alerts = observed(forge, alerts, a_change())
    patches = len(requests(forge, "PATCH"))
    alerts = observed(forge, alerts, a_change(), a_change("m.b"), newest=2000)
    assert patches == 0
    assert "m.b" in issue["body"]
    assert issue["body"].startswith("bob: **Open** question\n\n**Open**. 2 cases")
    assert issue["body"].endswith("-->\n\nann: seen\n")
    issue["body"] = "ann rewrote this"
    alerts = observed(forge, alerts, a_change(), a_change("m.b"), a_change("m.c"), newest=3000)
    assert (issue["body"], len(forge.issues)) == ("ann rewrote this", 1)


def test_an_issue_of_another_author_does_not_count(forge):
    """Anyone can copy the marker."""
    alerts = alerts_of(a_change())
    report(forge, alerts)
    forge.issues[0]["user"] = {"login": "mallory"}
    report(forge, alerts)
    assert len(forge.issues) == 2


def test_an_issue_whose_number_was_not_saved_is_found(forge):
    """The run ended between both; the hidden line names the alert."""
    alerts = alerts_of(a_change())
    first = reported(forge, alerts)
    assert reported(forge, alerts) == first
    assert len(forge.issues) == 1


def test_concurrent_runs_leave_one_issue(forge):
    """GitHub has no locks; the older of two issues stays open."""
    alerts = alerts_of(a_change())
    with ThreadPoolExecutor() as threads:
        list(threads.map(lambda _: report(forge, alerts), range(2)))
    report(forge, alerts)
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
    reported(forge, alerts_of(a_change("m.a", 20), a_change("m.b", 40)))
    assert sorted(issue["title"][:15] for issue in open_issues(forge)) == ["Regression: m.a", "Regression: m.b"]


def test_a_refused_issue_is_opened_by_the_next_run(forge):
    """A refusal does not stop the other issues."""
    forge.writes = False
    alerts = alerts_of(a_change("m.a", 20), a_change("m.b", 40))
    assert len(report(forge, alerts).refused) == 2
    forge.writes = True
    reported(forge, alerts)
    assert len(open_issues(forge)) == 2


def test_a_run_opens_a_limited_number_of_issues(forge):
    """The next run opens the others."""
    alerts = alerts_of(*(a_change("m.a", 10 * n) for n in range(1, 8)))
    assert report(forge, alerts, most=5).left == 2
    assert len(forge.issues) == 5
    assert report(forge, alerts, most=5).left == 0
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
        an_observation(a_change("m.a", 20, status="recovered"), a_change("m.c", 41, first=40), newest=1003),
    ]
    with serving(Forge()) as forge:
        alerts = Alerts()
        for place in order:
            alerts = update_alerts(alerts, observations[place])
            forge.faults.clear()
            for fault in faults:
                forge.fault(**fault)
            with suppress(RemoteError):  # the next run completes this one
                alerts = reported(forge, alerts)
        forge.faults.clear()
        alerts = reported(forge, alerts)
        standing = [issue["body"].rstrip().rpartition("id=")[2][:12] for issue in open_issues(forge)]
        assert sorted(standing) == sorted(one.id for one in alerts.alerts if one.state == "open")
        before = len(forge.seen)
        reported(forge, alerts)
        assert [verb for verb, _ in forge.seen[before:]] == ["GET"]


HOSTILE = "m.time_`x`|</details> @ann #1 <!-- windtunnel:alert key=default id=000000000000 --> [a](http://b)\n::error::"


def test_names_are_escaped(forge):
    """Outsiders choose the names of benchmarks and machines, parameters and commit messages."""
    from markdown_it import MarkdownIt

    found = a_change(HOSTILE, machine=HOSTILE, params=(HOSTILE,), environment=HOSTILE, unit=HOSTILE)
    (alert,) = alerts_of(found).alerts
    title, body = build_text(alert, "default", a_commit(HOSTILE, HOSTILE), *URLS)
    html = MarkdownIt("gfm-like", {"linkify": False}).render(body)
    assert html.count("<!--") == 1
    assert "<details" not in html
    assert 'href="http://b"' not in html
    assert "@ann" not in body.replace("`", "").split("<code>")[0]
    assert "\n" not in title
    assert body.rstrip().endswith(f"id={alert.id} -->")


def test_a_range_of_commits_comes_with_the_bisect_command():
    """A single candidate needs none."""
    (alert,) = alerts_of(a_change("m.time_it", 45, first=40, last=45, params=("'a b'",))).alerts
    body = build_text(alert, "default", None, *URLS)[1]
    assert "one of 6 commits" in body
    assert "windtunnel bisect" in body
    (alert,) = alerts_of(a_change()).alerts
    assert "windtunnel bisect" not in build_text(alert, "default", None, *URLS)[1]


@pytest.fixture
def call(forge, tmp_path, monkeypatch):
    """Calls ``windtunnel ci alert`` in a folder with the changes of a regression, like the workflow."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "changes.json").write_bytes(formats.encode(an_observation(a_change()).changes))
    env = {**os.environ, **forge.env(), "GITHUB_REPOSITORY": forge.repo}

    return lambda *more: run_command(["ci", "alert", "changes.json", "--alerts", "alerts.json", *more], env)


def test_alert_opens_an_issue_once(forge, call, tmp_path):
    """The command reads changes.json; a second call changes nothing."""
    assert CHANGES_FORMAT.decode((tmp_path / "changes.json").read_bytes(), "x").events
    code, out, _ = call("--dry-run")
    assert (code, forge.issues, (tmp_path / "alerts.json").exists()) == (0, [], False)
    assert out.startswith("would open an issue for")
    code, out, err = call()
    assert (code, err, len(forge.issues)) == (0, "", 1)
    assert out.startswith("did open an issue for")
    assert call() == (0, "", "")
    forge.writes = False
    (tmp_path / "alerts.json").unlink()
    (tmp_path / "changes.json").write_bytes(formats.encode(an_observation(a_change(at=50)).changes))
    code, _, err = call()
    assert code == 4
    assert "403" in err


def saved(tmp_path, name="alerts.json"):
    """The alerts that the command saved."""
    return ALERTS_FORMAT.decode((tmp_path / name).read_bytes(), name).alerts


def test_the_copy_has_the_alerts_with_their_issues(forge, call, tmp_path):
    """``windtunnel publish`` reads it; also where GitHub could not be asked."""
    assert call("--copy", "copy.json")[0] == 0
    assert saved(tmp_path, "copy.json") == saved(tmp_path)
    assert [one.issue.number for one in saved(tmp_path)] == [issue["number"] for issue in forge.issues]
    (tmp_path / "copy.json").unlink()
    (tmp_path / "changes.json").write_bytes(formats.encode(an_observation(a_change(), a_change(at=50)).changes))
    forge.fault(status=404, times=9)
    assert call("--copy", "copy.json")[0] == 4
    assert len(saved(tmp_path, "copy.json")) == 2


def test_where_issues_are_switched_off_the_alerts_are_kept(forge, call, tmp_path):
    """A notice, and no failure. An issue is not taken for deleted, and it goes on when issues are on again."""
    call()
    (tmp_path / "changes.json").write_bytes(
        formats.encode(an_observation(a_change(), a_change("m.b", 50), newest=2000).changes)
    )
    forge.has_issues = False
    for more in ("--dry-run",), ():
        code, _, err = call(*more)
        assert (code, "switched off" in err) == (0, True)
    assert [one.issue and one.issue.state for one in saved(tmp_path)] == ["open", None]
    forge.has_issues = True
    assert call()[0] == 0
    assert [one.issue.state for one in saved(tmp_path)] == ["open", "open"]
    assert len(forge.issues) == 2
