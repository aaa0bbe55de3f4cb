"""Any order and repetition of observations gives each change one alert, and what a person did last about it counts."""

from dataclasses import dataclass
from typing import get_args

from builders.observations import a_change, an_observation
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from windtunnel.detect.alert_format import Alerts, ExistingIssue, OpenIssue, UpdateIssue
from windtunnel.detect.alert_text import build_text
from windtunnel.detect.alerts import decide_issue_changes, note_issues, update_alerts
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
        status = "recovered" if time >= self.recovers else "current"
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
        if change.status == "current"
    }
    for alert in alerts.alerts:
        keys = {(case.benchmark, round(int(alert.location.commit, 16), -1)) for case in alert.cases}
        assert (alert.state == "open") == bool(keys & current)


@given(lives())
def test_ids_never_change_and_nothing_is_removed_from_the_record(found):
    """An alert keeps its place and the time when it was raised."""
    before = Alerts()
    for observation in observations_of(found):
        alerts = update_alerts(before, observation)
        for old, new in zip(before.alerts, alerts.alerts, strict=False):
            assert (old.id, old.raised) == (new.id, new.raised)
        ids = [alert.id for alert in alerts.alerts]
        assert len(set(ids)) == len(ids)
        before = alerts
    assert {alert.state for alert in before.alerts} <= {"open", "resolved"}


DEEDS = ("observe", "complete", "refuse", "open", "mute", "unmute", "delete")
"""What happens to a repository with one change between two runs: new results, or what a person does to the issue."""


class Tracker:
    """Issues as GitHub keeps them; only those that exist are listed, and a closed one cannot be closed again."""

    def __init__(self):
        self.issues = []

    def make(self, changes):
        for change in changes:
            if isinstance(change, OpenIssue):
                number = len(self.issues) + 1
                self.issues.append(ExistingIssue(number=number, body=change.body))
                continue
            index = change.number - 1
            assert self.issues[index].state == "open", "a closed or missing issue is left alone"
            closed = "completed" if getattr(change, "completed", True) else "not_planned"
            new = {"body": change.body} if isinstance(change, UpdateIssue) else {"state": closed}
            self.issues[index] = replace(self.issues[index], **new)

    def person(self, deed):
        """What a person does to the newest issue, where GitHub lets them."""
        if not self.issues or self.issues[-1].state == "gone":
            return
        new = {
            "complete": {"state": "completed", "person": "ann"},
            "refuse": {"state": "not_planned", "person": "ann"},
            "open": {"state": "open", "person": ""},
            "mute": {"muted": True},
            "unmute": {"muted": False},
            "delete": {"state": "gone", "body": ""},
        }[deed]
        self.issues[-1] = replace(self.issues[-1], **new)


def run(tracker, alerts, observation):
    """One run of ``windtunnel ci alert``: read, observe, decide, change, read again."""

    def noted(before):
        return note_issues(before, "default", tracker.issues, observation.time)

    alerts = update_alerts(noted(alerts), observation)
    for _ in range(3):
        alerts = noted(alerts)
        made = ((one.id, build_text(one, "default")) for one in alerts.alerts)
        texts = {name: text for name, text in made if text}
        changes = decide_issue_changes(alerts.alerts, "default", tracker.issues, texts)
        tracker.make(changes)
    assert changes == (), "a run settles"
    return noted(alerts)


@given(st.lists(st.tuples(st.sampled_from(DEEDS), st.sampled_from(get_args(ChangeStatus))), max_size=12))
def test_what_a_person_did_last_counts_whatever_the_results_say(deeds):
    """One alert never has two open issues, no closed issue is changed, and a person's decision survives every run."""
    tracker, alerts, status = Tracker(), Alerts(), "current"
    alerts = run(tracker, alerts, an_observation(a_change(status=status)))
    last = None
    for time, (deed, next_status) in enumerate(deeds):
        if deed == "observe":
            status = next_status
        else:
            last = deed
            tracker.person(deed)
        before = tracker.issues[-1].state
        count = len(tracker.issues)
        alerts = run(tracker, alerts, an_observation(a_change(status=status), newest=2000 + time, commits=70 + time))
        assert sum(one.state == "open" for one in tracker.issues) <= 1
        if deed in {"complete", "refuse", "open", "delete"}:
            assert tracker.issues[count - 1].state == before
        if last == "refuse" and before == "not_planned" and len(tracker.issues) == 1:
            assert [one.state for one in alerts.alerts] == ["accepted"]
