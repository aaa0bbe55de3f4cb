"""The life of alerts: docs/alerts.md."""

from pathlib import Path

import pytest
from builders.observations import a_change, a_hash, a_mode, an_observation

from windtunnel.detect import alert_format
from windtunnel.detect.alert_commands import AlertCommand, apply_command
from windtunnel.detect.alert_format import Alerts, AlertState, HealthIssue, StateChange
from windtunnel.detect.alerts import update_alerts
from windtunnel.detect.format import ChangeStatus, Direction
from windtunnel.errors import DataError, UsageError


def after(*seen, alerts=None):
    """The alerts after looking so often."""
    alerts = alerts or Alerts()
    for one in seen:
        alerts = update_alerts(alerts, one)
    return alerts


def only(alerts):
    (alert,) = alerts.alerts
    return alert


def told(state, why="known", who="ann", when="2026-02-02T00:00:00Z"):
    return StateChange(state=state, who=who, why=why, when=when)


def answered(alerts, state, **given):
    until = given.pop("until", None)
    return apply_command(alerts, AlertCommand(id=alerts.alerts[0].id, note=told(state, **given), until=until))


def states(alerts):
    return [alert.state for alert in alerts.alerts]


def test_a_change_is_raised_once_however_often_it_is_seen():
    """Running again on the same data says nothing."""
    seen = an_observation(a_change())
    once = after(seen)
    assert only(once).state is AlertState.RAISED
    assert after(seen, seen, alerts=once) == once


def test_one_event_is_one_alert_with_all_its_cases():
    """One commit that slows many cases is one matter."""
    alert = only(after(an_observation(a_change("m.a"), a_change("m.b"), a_change("m.c"))))
    assert [member.benchmark for member in alert.members] == ["m.a", "m.b", "m.c"]


@pytest.mark.parametrize(
    "moved", [{"at": 41, "first": 40, "last": 41}, {"at": 39}, {"at": 41}, {"at": 45, "first": 38, "last": 45}]
)
def test_new_data_may_move_the_commit(moved):
    """Identity is the case and places that overlap, not the exact commit."""
    first = after(an_observation(a_change(at=40)))
    second = after(an_observation(a_change(**moved), newest=2000), alerts=first)
    assert only(second).id == only(first).id
    assert only(second).state is AlertState.UPDATED
    assert only(second).where.commit == a_hash(moved["at"])


def test_a_change_elsewhere_is_another_alert():
    """Of the same case too."""
    alerts = after(an_observation(a_change(at=20), a_change(at=40)))
    assert states(alerts) == [AlertState.RAISED, AlertState.RAISED]
    assert len({alert.id for alert in alerts.alerts}) == 2


def test_a_better_estimate_alone_is_no_news():
    """Levels move a little with every commit."""
    first = after(an_observation(a_change(relative_change=0.2)))
    second = after(an_observation(a_change(relative_change=0.21, after=0.0121), newest=2000), alerts=first)
    assert second.alerts == first.alerts
    third = after(an_observation(a_change(relative_change=0.25), newest=3000), alerts=second)
    assert only(third).state is AlertState.UPDATED


def test_a_further_case_joins_the_alert():
    """Another Python that was measured later has the same cause."""
    first = after(an_observation(a_change("m.a")))
    second = after(an_observation(a_change("m.a"), a_change("m.b"), newest=2000), alerts=first)
    assert [member.benchmark for member in only(second).members] == ["m.a", "m.b"]
    assert only(second).state is AlertState.UPDATED


def test_an_event_that_falls_apart_stays_one_alert():
    """What was told together is not told again apart."""
    first = after(an_observation(a_change("m.a"), a_change("m.b")))
    apart = an_observation(a_change("m.a"), a_change("m.b", at=41, first=40, last=41), newest=2000)
    assert len(after(apart, alerts=first).alerts) == 1


@pytest.mark.parametrize("status", [ChangeStatus.RECOVERED, ChangeStatus.GONE])
def test_an_alert_is_resolved_when_its_level_is_gone(status):
    """Fixed, or the benchmark is no more."""
    alerts = after(an_observation(a_change()), an_observation(a_change(status=status), newest=2000))
    assert states(alerts) == [AlertState.RESOLVED]
    assert only(alerts).history[-1].why


def test_a_step_that_later_steps_undo_is_fixed():
    """A superseded level is over when today's is no worse than the one before it."""
    worse = a_change(at=40, before=1.0, after=1.2, status=ChangeStatus.RECOVERED)
    worst = a_change(at=50, before=1.2, after=1.5, status=ChangeStatus.SUPERSEDED)
    better = a_change(at=60, before=1.5, after=1.0, direction=Direction.IMPROVED)
    alerts = after(an_observation(worse, worst), an_observation(worse, worst, better, newest=2000))
    assert states(alerts) == [AlertState.RESOLVED, AlertState.RESOLVED, AlertState.RAISED]


def test_a_level_that_got_even_worse_stays_open():
    """Superseded is not fixed."""
    alerts = after(
        an_observation(a_change(at=40, status=ChangeStatus.SUPERSEDED), a_change(at=50, before=0.012, after=0.02))
    )
    assert states(alerts) == [AlertState.RAISED, AlertState.RAISED]


def test_some_cases_fixed_is_not_all():
    """The alert is resolved with its last case."""
    fixed = a_change("m.a", status=ChangeStatus.RECOVERED)
    alerts = after(
        an_observation(a_change("m.a"), a_change("m.b")), an_observation(fixed, a_change("m.b"), newest=2000)
    )
    assert states(alerts) == [AlertState.UPDATED]


def test_a_resolved_change_that_comes_back_is_a_new_alert():
    """The old one keeps its end, the new one has an id of its own."""
    fixed = an_observation(a_change(status=ChangeStatus.RECOVERED), newest=2000)
    back = an_observation(a_change(), newest=3000)
    alerts = after(an_observation(a_change()), fixed, back, back)
    assert states(alerts) == [AlertState.RESOLVED, AlertState.RAISED]
    assert len({alert.id for alert in alerts.alerts}) == 2
    again = after(an_observation(a_change(status=ChangeStatus.RECOVERED), newest=4000), alerts=alerts)
    assert states(again) == [AlertState.RESOLVED, AlertState.RESOLVED]


def test_old_data_do_not_bring_back_what_is_over():
    """A job that was queued for long looks at yesterday's results."""
    old, fixed = an_observation(a_change()), an_observation(a_change(status=ChangeStatus.RECOVERED), newest=2000)
    done = after(old, fixed)
    assert after(old, alerts=done) == done
    assert after(old, alerts=after(fixed)).alerts == after(fixed).alerts


def test_what_only_old_data_show_is_told_too():
    """Nothing is lost whatever the order of the runs."""
    alerts = after(an_observation(newest=2000), an_observation(a_change()))
    assert states(alerts) == [AlertState.RAISED]


def test_a_change_is_taken_back_when_three_looks_at_newer_data_miss_it():
    """Near the limit a change comes and goes; nobody is told each time."""
    alerts = after(an_observation(a_change()), *(an_observation(newest=2000 + n) for n in range(2)))
    assert states(alerts) == [AlertState.RAISED]
    again = after(an_observation(newest=2001), an_observation(newest=2001), alerts=alerts)
    assert states(again) == [AlertState.RAISED]
    assert states(after(an_observation(newest=2002), alerts=alerts)) == [AlertState.RESOLVED]


def test_what_was_over_at_once_is_resolved_from_the_start():
    """The first look at an old history does not wake anybody."""
    assert states(after(an_observation(a_change(status=ChangeStatus.RECOVERED)))) == [AlertState.RESOLVED]


def test_a_common_mode_is_one_alert_and_ends_with_its_opposite():
    """A slow runner's week is one matter."""
    slow, fast = a_mode(40, 0.25), a_mode(50, -0.2)
    alerts = after(an_observation(modes=(slow,)), an_observation(modes=(slow, fast), newest=2000))
    assert states(alerts) == [AlertState.RESOLVED, AlertState.RAISED]


def test_an_ailment_is_raised_mended_and_raised_anew():
    """The watchdog's findings live like changes."""
    health_issue = HealthIssue(check="stale", name="desk", text="nothing since January")
    sick, well = an_observation(health_issues=(health_issue,)), an_observation()
    assert states(after(sick, sick)) == [AlertState.RAISED]
    assert states(after(sick, well)) == [AlertState.RESOLVED]
    assert states(after(sick, well, sick)) == [AlertState.RESOLVED, AlertState.RAISED]


def test_an_answer_holds_while_the_change_does():
    """Acknowledged stays acknowledged; a fix still ends it."""
    alerts = answered(after(an_observation(a_change())), AlertState.ACKNOWLEDGED)
    alerts = after(an_observation(a_change(), a_change("m.b"), newest=2000), alerts=alerts)
    assert states(alerts) == [AlertState.ACKNOWLEDGED]
    fixed = an_observation(
        a_change(status=ChangeStatus.RECOVERED), a_change("m.b", status=ChangeStatus.RECOVERED), newest=3000
    )
    assert states(after(fixed, alerts=alerts)) == [AlertState.RESOLVED]


def test_the_same_answer_again_changes_nothing():
    """Whoever is not sure that it arrived says it again."""
    once = answered(after(an_observation(a_change())), AlertState.ACKNOWLEDGED)
    assert answered(once, AlertState.ACKNOWLEDGED, when="2026-03-01T00:00:00Z") == once
    assert only(answered(once, AlertState.ACKNOWLEDGED, why="another reason")).history[-1].why == "another reason"


def test_what_was_meant_is_over_for_good():
    """Expected: neither new data nor further cases raise it again."""
    alerts = answered(after(an_observation(a_change())), AlertState.EXPECTED)
    assert states(after(an_observation(a_change(), a_change("m.b"), newest=2000), alerts=alerts)) == [
        AlertState.EXPECTED
    ]


def test_a_mute_ends_by_itself():
    """It has a date."""
    alerts = answered(after(an_observation(a_change())), AlertState.MUTED, until="2026-03-01T00:00:00Z")
    assert states(after(an_observation(a_change(), when="2026-02-20T00:00:00Z"), alerts=alerts)) == [AlertState.MUTED]
    awake = after(an_observation(a_change(), when="2026-03-01T00:00:00Z"), alerts=alerts)
    assert (only(awake).state, only(awake).until) == (AlertState.UPDATED, None)


def test_what_is_resolved_takes_no_answer():
    """There is nothing left to answer."""
    alerts = after(an_observation(a_change(status=ChangeStatus.RECOVERED)))
    with pytest.raises(UsageError, match="is resolved"):
        answered(alerts, AlertState.ACKNOWLEDGED)


@pytest.mark.parametrize(("name", "said"), [("abc", "too short"), ("ffffffff", "no alert has")])
def test_an_unknown_id_is_named(name, said):
    """With what to do."""
    alerts = after(an_observation(a_change()))
    with pytest.raises(UsageError, match=said):
        apply_command(alerts, AlertCommand(id=name, note=told(AlertState.ACKNOWLEDGED)))


def test_the_file_reads_back_and_has_a_schema():
    """And what is no alerts.json is refused."""
    health_issue = HealthIssue(check="stale", name="desk", text="nothing")
    alerts = after(an_observation(a_change(), modes=(a_mode(),), health_issues=(health_issue,)))
    content = alert_format.encode(alerts)
    assert alert_format.decode(content, "alerts.json") == alerts
    assert alert_format.decode(None, "alerts.json") == Alerts()
    for bad in (b"{}x", b'{"schema": "other/1"}', content.replace(b"windtunnel.alerts/1", b"windtunnel.alerts/9")):
        with pytest.raises(DataError, match=r"alerts\.json"):
            alert_format.decode(bad, "alerts.json")
    with pytest.raises(DataError, match="twice"):
        alert_format.decode(alert_format.encode(Alerts(alerts=alerts.alerts * 2)), "alerts.json")


def test_the_published_schema_is_that_of_the_code():
    """docs/alerts.schema.json."""
    assert alert_format.schema() == (Path(__file__).parents[3] / "docs" / "alerts.schema.json").read_bytes()
