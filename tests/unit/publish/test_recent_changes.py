"""Which events the first page shows, and by which of their changes."""

from builders.observations import a_change, an_observation
from builders.observations import changes as detected
from builders.trees import a_hash

from windtunnel.detect.alert_format import Alerts
from windtunnel.detect.alerts import update_alerts
from windtunnel.model.target import Target
from windtunnel.publish.site_index import SiteCommit, alert_summaries, newest_improvements, recent_changes

DESK = Target(name="3.12", python="3.12", machine="desk", environment="virtualenv-py3.12")
COMMITS = [SiteCommit(hash=a_hash(at), commit=None, date=0.0, revision=at) for at in range(60)]


def recent(*changes, alerts=()):
    return recent_changes(detected(*changes), {}, alert_summaries(alerts), [DESK], COMMITS)


def test_an_open_regression_represents_its_event():
    """Also beside a larger improvement; without one the largest change does."""
    faster = a_change("m.faster", relative_change=-0.6, direction="improved")
    (event,) = recent(faster, a_change("m.slower"))
    assert (event.benchmark, event.direction, event.members, event.open) == ("m.slower", "regressed", 2, 1)
    (event,) = recent(faster, a_change("m.slower", status="recovered"))
    assert (event.benchmark, event.direction, event.open) == ("m.faster", "improved", 0)


def test_an_event_has_the_state_of_its_alert():
    """The alert of the same commit; windtunnel is no person."""
    alerts = update_alerts(Alerts(), an_observation(a_change(at=40))).alerts
    (event,) = recent(a_change(at=40), alerts=alerts)
    assert event.alert is not None
    assert (event.alert.id, event.alert.state, event.alert.author) == (alerts[0].id, "open", "")
    (other,) = recent(a_change(at=41), alerts=alerts)
    assert other.alert is None


def test_the_newest_improvements_that_hold_are_listed():
    """Also of an event that a regression represents; the largest one of each event."""
    faster = [a_change(f"m.{size}", relative_change=-size, direction="improved") for size in (0.2, 0.6)]
    over = a_change("m.over", at=41, relative_change=-0.9, direction="improved", status="recovered")
    found = newest_improvements(detected(*faster, a_change("m.slower"), over), [DESK], COMMITS)
    assert [(each.benchmark, each.relative_change, each.chart) for each in found] == [("m.0.6", -0.6, None)]
