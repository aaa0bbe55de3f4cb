"""Any order and repetition of observations gives each change one alert."""

from dataclasses import dataclass

from builders.observations import a_change, an_observation
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.detect.alert_format import OPEN, Alerts, AlertState
from windtunnel.detect.alerts import update_alerts
from windtunnel.detect.format import ChangeStatus

PLACES = (20, 30, 40)
"""Commits of changes, too far apart to be confused."""
CHANGES = [(name, at) for name in ("m.a", "m.b") for at in PLACES]
OBSERVATIONS = 4


@dataclass(frozen=True, slots=True)
class Life:
    """One change: when it is first observed, when it recovers, and by how much each observation misplaces it."""

    name: str
    at: int
    begin: int
    recovers: int
    shifts: tuple[int, ...]

    def observed_at(self, time):
        """The change as observation *time* shows it."""
        status = ChangeStatus.RECOVERED if time >= self.recovers else ChangeStatus.CURRENT
        at = self.at + self.shifts[time]
        return a_change(self.name, at, event=f"event{at}", status=status, first=self.at - 1, last=self.at + 1)


@st.composite
def lives(draw):
    """Changes that appear once, may move a little, and may recover."""
    found = []
    for name, at in CHANGES:
        begin = draw(st.integers(0, OBSERVATIONS - 1))
        recovers = begin + draw(st.integers(1, OBSERVATIONS))
        shifts = draw(st.tuples(*[st.sampled_from((0, -1, 1))] * OBSERVATIONS))
        found.append(Life(name, at, begin, recovers, shifts))
    return found


def observations_of(found):
    """Observations of a growing history."""
    return [
        an_observation(
            *(life.observed_at(time) for life in found if life.begin <= time), newest=1000 + time, commits=60 + time
        )
        for time in range(OBSERVATIONS)
    ]


def changes_in(observations):
    """The cases and commits in *observations*, rounded to tens because commits move by one."""
    return {
        (change.benchmark, round(int(change.commit, 16), -1))
        for observation in observations
        for change in observation.changes.changes
    }


def states_by_change(alerts):
    """The states of the alerts of each change."""
    found = {}
    for alert in alerts.alerts:
        for case in alert.cases:
            place = round(int(alert.location.commit, 16), -1)
            found.setdefault((case.benchmark, place), []).append(alert.state)
    return found


@given(lives(), st.lists(st.integers(0, OBSERVATIONS - 1), max_size=8))
def test_any_order_and_repetition_gives_each_change_one_alert(found, order):
    """Jobs may overtake each other and be repeated."""
    observations, alerts = observations_of(found), Alerts()
    for place in order:
        alerts = update_alerts(alerts, observations[place])
    assert set(states_by_change(alerts)) == changes_in([observations[place] for place in order])
    assert all(len(states) == 1 for states in states_by_change(alerts).values())
    assert update_alerts(alerts, observations[-1]) == update_alerts(
        update_alerts(alerts, observations[-1]), observations[-1]
    )


@given(lives(), st.permutations(range(OBSERVATIONS)))
def test_the_newest_observation_decides_which_alerts_are_open(found, order):
    """An alert is open if and only if the newest results show its change."""
    observations, alerts = observations_of(found), Alerts()
    for place in order:
        alerts = update_alerts(alerts, observations[place])
    current = {
        (change.benchmark, round(int(change.commit, 16), -1))
        for change in observations[-1].changes.changes
        if change.status is ChangeStatus.CURRENT
    }
    for alert in alerts.alerts:
        keys = {(case.benchmark, round(int(alert.location.commit, 16), -1)) for case in alert.cases}
        assert (alert.state in OPEN) == bool(keys & current)


@given(lives())
def test_ids_never_change_and_histories_only_grow(found):
    """Nothing is removed from the record."""
    before = Alerts()
    for observation in observations_of(found):
        alerts = update_alerts(before, observation)
        for old, new in zip(before.alerts, alerts.alerts, strict=False):
            assert (old.id, old.subject) == (new.id, new.subject)
            assert new.history[: len(old.history)] == old.history
        ids = [alert.id for alert in alerts.alerts]
        assert len(set(ids)) == len(ids)
        before = alerts
    assert {alert.state for alert in before.alerts} <= {AlertState.RAISED, AlertState.UPDATED, AlertState.RESOLVED}
