"""The states of alerts, as docs/how-to/alerts.md describes them."""

from pathlib import Path

import pytest
from builders.observations import a_change, a_hash, a_shift, an_observation

from windtunnel.detect.alert_format import ALERTS_FORMAT, Alerts, HealthIssue
from windtunnel.detect.alert_text import build_text
from windtunnel.detect.alerts import find_alert, update_alerts
from windtunnel.errors import DataError, UsageError
from windtunnel.results.branch.exchange import SharedFile
from windtunnel.results.branch.retry import RetryPolicy

OPEN, RESOLVED = "open", "resolved"
LATER = "2026-02-02T00:00:00Z"
RECOVERED = "recovered"
STALE = HealthIssue(check="stale", name="history", message="no result since January")


def after(*observations, alerts=None):
    """Return the alerts after some observations."""
    alerts = alerts or Alerts()
    for observation in observations:
        alerts = update_alerts(alerts, observation)
    return alerts


def only(alerts):
    (alert,) = alerts.alerts
    return alert


def text_of(observation):
    """The text of the issue of the only alert."""
    return build_text(only(after(observation)), "default", site_url="https://site.example/")[1]


def states(alerts):
    return [alert.state for alert in alerts.alerts]


def test_a_change_raises_one_alert_however_often_it_is_observed():
    """The same observation again changes nothing."""
    observation = an_observation(a_change())
    once = after(observation)
    assert only(once).state == OPEN
    assert after(observation, observation, alerts=once) == once


def test_an_event_is_one_alert_with_all_its_cases():
    """Changes with one cause share an alert."""
    alert = only(after(an_observation(a_change("m.a"), a_change("m.b"), a_change("m.c"))))
    assert [case.benchmark for case in alert.cases] == ["m.a", "m.b", "m.c"]


@pytest.mark.parametrize(
    "moved", [{"at": 41, "first": 40, "last": 41}, {"at": 39}, {"at": 41}, {"at": 45, "first": 38, "last": 45}]
)
def test_newer_results_may_move_the_suspected_commit(moved):
    """An alert is identified by its case and overlapping commits, not by one commit."""
    first = after(an_observation(a_change(at=40)))
    second = after(an_observation(a_change(**moved), newest=2000, time=LATER), alerts=first)
    assert only(second).id == only(first).id
    assert (only(second).state, only(second).updated) == (OPEN, LATER)
    assert only(second).location.commit == a_hash(moved["at"])


def test_a_change_of_the_same_case_elsewhere_is_another_alert():
    """Commits that do not overlap have different causes."""
    alerts = after(an_observation(a_change(at=20), a_change(at=40)))
    assert states(alerts) == [OPEN, OPEN]
    assert len({alert.id for alert in alerts.alerts}) == 2


def test_an_alert_is_updated_when_its_size_differs_by_a_tenth():
    """Smaller differences are noise of the estimate."""
    first = after(an_observation(a_change(relative_change=0.2)))
    second = after(an_observation(a_change(relative_change=0.21, after=0.0121), newest=2000), alerts=first)
    assert second.alerts == first.alerts
    third = after(an_observation(a_change(relative_change=0.25), newest=3000, time=LATER), alerts=second)
    assert (only(third).state, only(third).updated) == (OPEN, LATER)


def test_a_further_case_of_an_event_joins_its_alert():
    """A case that is measured later has the same cause."""
    first = after(an_observation(a_change("m.a")))
    second = after(an_observation(a_change("m.a"), a_change("m.b"), newest=2000, time=LATER), alerts=first)
    assert [case.benchmark for case in only(second).cases] == ["m.a", "m.b"]
    assert (only(second).state, only(second).updated) == (OPEN, LATER)


def test_an_event_that_splits_stays_one_alert():
    """Cases of one alert stay together when newer results place them at different commits."""
    first = after(an_observation(a_change("m.a"), a_change("m.b")))
    split = an_observation(a_change("m.a"), a_change("m.b", at=41, first=40, last=41), newest=2000)
    assert len(after(split, alerts=first).alerts) == 1


@pytest.mark.parametrize("status", [RECOVERED, "removed"])
def test_an_alert_is_resolved_when_its_level_recovers_or_its_case_is_removed(status):
    """The alert has the reason."""
    alerts = after(an_observation(a_change()), an_observation(a_change(status=status), newest=2000))
    assert states(alerts) == [RESOLVED]
    assert only(alerts).over


def test_a_superseded_change_is_resolved_when_later_changes_undo_it():
    """What counts is today's level."""
    worse = a_change(at=40, before=1.0, after=1.2, status=RECOVERED)
    worst = a_change(at=50, before=1.2, after=1.5, status="superseded")
    better = a_change(at=60, before=1.5, after=1.0, direction="improved")
    alerts = after(an_observation(worse, worst), an_observation(worse, worst, better, newest=2000))
    assert states(alerts) == [RESOLVED, RESOLVED, OPEN]


def test_a_superseded_change_stays_open_when_the_level_gets_even_worse():
    """Superseded does not mean resolved."""
    superseded = a_change(at=40, status="superseded")
    assert states(after(an_observation(superseded, a_change(at=50, before=0.012, after=0.02)))) == [OPEN, OPEN]


def test_an_alert_is_resolved_only_with_its_last_case():
    """One of two cases has recovered."""
    recovered = a_change("m.a", status=RECOVERED)
    alerts = after(
        an_observation(a_change("m.a"), a_change("m.b")), an_observation(recovered, a_change("m.b"), newest=2000)
    )
    assert states(alerts) == [OPEN]


def test_a_resolved_change_that_comes_back_is_a_new_alert():
    """The old alert stays resolved; the new one has another id."""
    recovered = an_observation(a_change(status=RECOVERED), newest=2000)
    back = an_observation(a_change(), newest=3000)
    alerts = after(an_observation(a_change()), recovered, back, back)
    assert states(alerts) == [RESOLVED, OPEN]
    assert len({alert.id for alert in alerts.alerts}) == 2
    again = after(an_observation(a_change(status=RECOVERED), newest=4000), alerts=alerts)
    assert states(again) == [RESOLVED, RESOLVED]


def test_older_results_do_not_reopen_an_alert():
    """A job that waited in a queue observes old results."""
    old, recovered = an_observation(a_change()), an_observation(a_change(status=RECOVERED), newest=2000)
    done = after(old, recovered)
    assert after(old, alerts=done) == done
    assert after(old, alerts=after(recovered)).alerts == after(recovered).alerts


def test_a_change_that_only_older_results_show_raises_an_alert():
    """The order of the jobs does not matter."""
    assert states(after(an_observation(newest=2000), an_observation(a_change()))) == [OPEN]


def test_a_change_is_retracted_after_three_newer_observations_without_it():
    """Changes near the threshold come and go; the same results again do not count."""
    alerts = after(an_observation(a_change()), *(an_observation(newest=2000 + n) for n in range(2)))
    assert states(alerts) == [OPEN]
    again = after(an_observation(newest=2001), an_observation(newest=2001), alerts=alerts)
    assert states(again) == [OPEN]
    assert states(after(an_observation(newest=2002), alerts=alerts)) == [RESOLVED]


def test_a_change_that_is_over_when_first_observed_is_resolved_at_once():
    """The first observation of a long history reports only what is still open."""
    assert states(after(an_observation(a_change(status=RECOVERED)))) == [RESOLVED]


def test_a_machine_shift_is_one_alert_and_the_opposite_shift_resolves_it():
    """A runner that is slow for a week raises one alert."""
    slow, fast = a_shift(40, 0.25), a_shift(50, -0.2)
    alerts = after(an_observation(shifts=(slow,)), an_observation(shifts=(slow, fast), newest=2000))
    assert states(alerts) == [RESOLVED, OPEN]


def test_a_health_issue_is_raised_resolved_and_raised_again():
    """Health issues have the same states as changes."""
    failing, passing = an_observation(health_issues=(STALE,)), an_observation()
    assert states(after(failing, failing)) == [OPEN]
    assert states(after(failing, passing)) == [RESOLVED]
    assert states(after(failing, passing, failing)) == [RESOLVED, OPEN]


def test_an_issue_links_to_the_history_of_the_largest_regression():
    """Its name is quoted; a machine shift links to the site."""
    shown = text_of(an_observation(a_change("m.small", relative_change=0.1), a_change('m.time_"]\n%`@all <b>')))
    assert "(https://site.example/?page=benchmark&name=m.time_%22%5D%0A%25%60%40all%20%3Cb%3E)" in shown
    assert "(https://site.example/)" in text_of(an_observation(shifts=(a_shift(),)))


@pytest.mark.parametrize(("prefix", "message"), [("abc", "too short"), ("ffffffff", "no alert has")])
def test_an_unknown_id_is_refused(prefix, message):
    """The error names the id."""
    alerts = after(an_observation(a_change()))
    with pytest.raises(UsageError, match=message):
        find_alert(alerts, prefix)


def test_alerts_json_is_read_back_unchanged():
    """Other content is refused with the file's name."""
    alerts = after(an_observation(a_change(), shifts=(a_shift(),), health_issues=(STALE,)))
    content = ALERTS_FORMAT.encode(alerts)
    assert ALERTS_FORMAT.decode(content, "alerts.json") == alerts
    older = content.replace(b'"missed_observations"', b'"plot_window": {"values": [1, 2]}, "missed_observations"')
    assert ALERTS_FORMAT.decode(older, "alerts.json") == alerts
    assert SharedFile(place=Path("gone/alerts.json"), form=ALERTS_FORMAT, retry=RetryPolicy()).read() == Alerts()
    for bad in (b"{}x", b'{"schema": "other/1"}', content.replace(b"windtunnel.alerts/1", b"windtunnel.alerts/9")):
        with pytest.raises(DataError, match=r"alerts\.json"):
            ALERTS_FORMAT.decode(bad, "alerts.json")
    with pytest.raises(DataError, match="listed twice"):
        ALERTS_FORMAT.decode(ALERTS_FORMAT.encode(Alerts(alerts=alerts.alerts * 2)), "alerts.json")
