"""What moved besides the project at a change: the title of its event, alert and feed entry."""

import dataclasses

import numpy as np
import pytest
from builders.histories import a_history, a_history_tree, detect
from builders.histories import histories as noise
from builders.observations import a_change, a_shift, an_observation
from builders.records import a_build, a_record, a_task
from msgspec.structs import replace

from windtunnel.detect.alert_format import Alerts
from windtunnel.detect.alert_text import build_text
from windtunnel.detect.alerts import update_alerts
from windtunnel.detect.feeds import build_feeds
from windtunnel.detect.format import MovedBuild
from windtunnel.detect.report import render_terminal
from windtunnel.model.build_change import newest_builds
from windtunnel.text.escaping import plain

OLD, NEW = ("aiohttp==3.13.1", "spam==1", "yarl==1"), ("aiohttp==3.14.0", "spam==2", "yarl==1")
ENVIRONMENT = "virtualenv-py3.12"


def stepped():
    """A step up by 40 % at commit 30 of 60."""
    column = 0.1 * np.exp(noise(3, count=1, points=60)[0])
    column[30:] *= 1.4
    return a_history_tree({"m.time_http": column})


def events_with(before, after, **more):
    """The events where commit 29 was measured with the build *before*, and commit 30 with *after*."""
    tree = stepped()
    environment = tree.runs[0].environment.name
    pairs = ((29, before), (30, after))
    tasks = [replace(a_task(commit=at), build=build, environment=environment) for at, build in pairs]
    return detect(tree, a_history(60), builds=newest_builds([a_record(*tasks)], "Spam"), **more)


def test_an_event_is_titled_by_the_one_package_that_moved():
    """The project's own version is no cause."""
    found = events_with(a_build(packages=OLD), a_build(packages=NEW))
    assert found.events[0].moved == MovedBuild(packages=("aiohttp 3.13.1 → 3.14.0",), count=1)
    assert ": aiohttp 3.13.1 → 3.14.0: m.time_http" in render_terminal(found)


def test_of_several_packages_the_event_has_the_number():
    """At most 20 are listed."""
    packages = [tuple(f"p{at:02}=={version}" for at in range(30)) for version in (1, 2)]
    found = events_with(*(a_build(packages=each) for each in packages))
    assert (found.events[0].moved.count, len(found.events[0].moved.packages)) == (30, 20)
    assert ": 30 packages moved: m.time_http" in render_terminal(found)


@pytest.mark.parametrize(
    ("after", "title"),
    [
        ({"version": "3.12.2"}, "Python 3.12.1 → 3.12.2"),
        ({"options": "--without-pgo"}, "Python 3.12.1, built differently"),
    ],
)
def test_an_event_is_titled_by_the_python_where_that_moved(after, title):
    """Its full version, or how that version was built."""
    found = events_with(a_build(packages=OLD), a_build(packages=OLD, **after))
    assert found.events[0].moved == MovedBuild(python=title)
    assert f": {title}: m.time_http" in render_terminal(found)


@pytest.mark.parametrize("before", [None, a_build(packages=NEW)])
def test_without_a_difference_or_a_record_nothing_moved(before):
    """The project's code is the cause then."""
    assert events_with(before, a_build(packages=NEW)).events[0].moved == MovedBuild()


def issue_of(moved, *, shift=False):
    """The title and the text of the issue of a change with which *moved* moved."""
    seen = an_observation(shifts=(replace(a_shift(), moved=moved),)) if shift else an_observation(a_change())
    if not shift:
        (event,) = seen.changes.events
        seen = dataclasses.replace(seen, changes=replace(seen.changes, events=(replace(event, moved=moved),)))
    (alert,) = update_alerts(Alerts(), seen).alerts
    return build_text(alert, "key"), alert, seen.changes


ONE = MovedBuild(packages=("aiohttp 3.13.1 → 3.14.0",), count=1)


def test_an_alert_and_its_feed_entry_are_titled_by_the_package():
    """The text has no command: there is nothing to search."""
    (title, text), _, changes = issue_of(ONE)
    assert title == "aiohttp 3.13.1 → 3.14.0: m.time_it by +20 % at 0000000000"
    assert f"- {plain(ONE.packages[0], 200)}" in text
    assert "--packages" not in text
    feed = build_feeds(changes, None, "project")["feeds/regressions.atom"].decode()
    assert "<title>aiohttp 3.13.1 → 3.14.0: m.time_it by +20 %" in feed


def test_of_several_packages_the_alert_names_the_command_that_searches():
    """All that moved are listed, or counted."""
    (title, text), _, _ = issue_of(
        MovedBuild(packages=("a 1 → 2", "b 1 → 2"), count=5, python="Python 3.12.1 → 3.12.2")
    )
    assert title.startswith("Python 3.12.1 → 3.12.2 and 5 packages moved: m.time_it")
    assert "and 3 more packages" in text
    assert "windtunnel bisect m.time_it 000000000000 000000000000 --packages --results .asv/results" in text


def test_names_of_packages_are_escaped():
    """Records come from jobs that ran the project's code."""
    (title, text), _, changes = issue_of(MovedBuild(packages=("<b>@all</b> 1 → 2",), count=1))
    assert "<b>" not in text
    assert "@all" not in title
    assert "<p><b>" not in build_feeds(changes, None, "project")["feeds/regressions.atom"].decode()


def test_a_machine_shift_says_which_python_moved():
    """The likely cause of a shift of all times."""
    (_, text), _, _ = issue_of(MovedBuild(python="Python 3.12.1 → 3.12.2"), shift=True)
    assert f"- {plain('Python 3.12.1 → 3.12.2', 200)}" in text
