"""Whatever is seen, in whatever order and however often: each change has one alert, and none is lost."""

from dataclasses import dataclass

from builders.observations import a_change, an_observation
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.detect.alert_format import OPEN, Alerts, AlertState
from windtunnel.detect.alerts import update_alerts
from windtunnel.detect.format import ChangeStatus

PLACES = (20, 30, 40)
"""Where changes may lie, far enough apart to be told apart."""
CHANGES = [(name, at) for name in ("m.a", "m.b") for at in PLACES]
LOOKS = 4


@dataclass(frozen=True, slots=True)
class Life:
    """One change: when it is first seen, when it is fixed, and by how much each look misplaces it."""

    name: str
    at: int
    begin: int
    fixed: int
    shifts: tuple[int, ...]

    def seen_at(self, time):
        """The change as look *time* shows it."""
        status = ChangeStatus.RECOVERED if time >= self.fixed else ChangeStatus.CURRENT
        at = self.at + self.shifts[time]
        return a_change(self.name, at, event=f"event{at}", status=status, first=self.at - 1, last=self.at + 1)


@st.composite
def lives(draw):
    """Changes that come once, may move a little, and may be fixed later."""
    found = []
    for name, at in CHANGES:
        begin = draw(st.integers(0, LOOKS - 1))
        fixed = begin + draw(st.integers(1, LOOKS))
        shifts = draw(st.tuples(*[st.sampled_from((0, -1, 1))] * LOOKS))
        found.append(Life(name, at, begin, fixed, shifts))
    return found


def looks_at(found):
    """What is seen of a history that grows."""
    return [
        an_observation(
            *(life.seen_at(time) for life in found if life.begin <= time), newest=1000 + time, commits=60 + time
        )
        for time in range(LOOKS)
    ]


def seen_by(looks):
    """The cases and places in *looks*, in tens, for places move by one."""
    return {(change.benchmark, round(int(change.commit, 16), -1)) for look in looks for change in look.changes.changes}


def told(alerts):
    """How often each was told, and its alerts' states."""
    found = {}
    for alert in alerts.alerts:
        for member in alert.members:
            place = round(int(alert.where.commit, 16), -1)
            found.setdefault((member.benchmark, place), []).append(alert.state)
    return found


@given(lives(), st.lists(st.integers(0, LOOKS - 1), max_size=8))
def test_any_order_and_repetition_gives_each_change_one_alert(found, order):
    """Jobs overtake each other and are run again; in the end everything was told once."""
    looks, alerts = looks_at(found), Alerts()
    for place in order:
        alerts = update_alerts(alerts, looks[place])
    assert set(told(alerts)) == seen_by([looks[place] for place in order])
    assert all(len(states) == 1 for states in told(alerts).values())
    assert update_alerts(alerts, looks[-1]) == update_alerts(update_alerts(alerts, looks[-1]), looks[-1])


@given(lives(), st.permutations(range(LOOKS)))
def test_the_newest_look_decides_whatever_came_before(found, order):
    """An alert is open exactly when the newest results show its change."""
    looks, alerts = looks_at(found), Alerts()
    for place in order:
        alerts = update_alerts(alerts, looks[place])
    current = {
        (change.benchmark, round(int(change.commit, 16), -1))
        for change in looks[-1].changes.changes
        if change.status is ChangeStatus.CURRENT
    }
    for alert in alerts.alerts:
        keys = {(member.benchmark, round(int(alert.where.commit, 16), -1)) for member in alert.members}
        assert (alert.state in OPEN) == bool(keys & current)


@given(lives())
def test_ids_never_change_and_histories_only_grow(found):
    """What was said stays on record."""
    before = Alerts()
    for look in looks_at(found):
        alerts = update_alerts(before, look)
        for old, new in zip(before.alerts, alerts.alerts, strict=False):
            assert (old.id, old.subject) == (new.id, new.subject)
            assert new.history[: len(old.history)] == old.history
        ids = [alert.id for alert in alerts.alerts]
        assert len(set(ids)) == len(ids)
        before = alerts
    assert {alert.state for alert in before.alerts} <= {AlertState.RAISED, AlertState.UPDATED, AlertState.RESOLVED}
