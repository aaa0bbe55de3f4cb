"""The feeds of a project."""

from datetime import datetime
from xml.etree import ElementTree as ET

from builders.observations import a_change, a_shift, an_observation, changes

from windtunnel.detect.alert_format import Alerts
from windtunnel.detect.alerts import update_alerts
from windtunnel.detect.feeds import build_feeds

SITE = "https://site.example/project/"
ATOM = {"a": "http://www.w3.org/2005/Atom"}
BETTER = {"direction": "improved", "relative_change": -0.2}


def feeds(*found, alerts=None, site=SITE, project="project", **more):
    return build_feeds(changes(*found, **more), alerts, project, site)


def entries(content):
    return ET.fromstring(content).findall("a:entry", ATOM)


def contents(content):
    return [entry.findtext("a:content", namespaces=ATOM) for entry in entries(content)]


def ids(content):
    return [entry.findtext("a:id", namespaces=ATOM) for entry in entries(content)]


def test_regressions_and_improvements_have_a_feed():
    """Each has its own alerts."""
    worse, better = feeds(a_change("m.worse", 20), a_change("m.better", 40, **BETTER)).values()
    (one,), (other,) = contents(worse), contents(better)
    assert ("m.worse" in one, "m.better" in one) == ("m.worse" not in other, "m.better" not in other) == (True, False)


def test_an_atom_feed_has_the_required_elements():
    """RFC 4287, 4.1.1 and 4.1.2: id, title, updated and author; each entry with an id of its own."""
    root = ET.fromstring(feeds(a_change("m.a", 20), a_change("m.b", 40))["feeds/regressions.atom"])
    for element in (root, *root.findall("a:entry", ATOM)):
        for name in ("id", "title", "updated"):
            assert element.findtext(f"a:{name}", namespaces=ATOM)
        assert datetime.fromisoformat(element.findtext("a:updated", namespaces=ATOM)).tzinfo
    assert root.findtext("a:author/a:name", namespaces=ATOM)
    (own,) = [link for link in root.findall("a:link", ATOM) if link.get("rel") == "self"]
    assert own.get("href") == f"{SITE}feeds/regressions.atom"
    assert len(set(ids(ET.tostring(root)))) == 2


def test_ids_stay_the_same_when_the_suspected_commit_moves():
    """A reader shows each alert once."""
    alerts = update_alerts(Alerts(), an_observation(a_change()))
    before = feeds(a_change(), alerts=alerts)
    moved = a_change(at=41, first=40, last=41)
    after = feeds(moved, alerts=update_alerts(alerts, an_observation(moved, newest=2000)))
    assert ids(before["feeds/regressions.atom"]) == ids(after["feeds/regressions.atom"])


def test_the_same_changes_give_the_same_bytes():
    """Feeds do not contain the time of writing."""
    assert feeds(a_change(), shifts=(a_shift(),)) == feeds(a_change(), shifts=(a_shift(),))


def test_a_project_without_changes_has_feeds_without_entries():
    """A subscription must not fail."""
    found = feeds()
    assert list(found) == ["feeds/regressions.atom", "feeds/improvements.atom"]
    assert entries(found["feeds/regressions.atom"]) == []


def test_names_are_escaped():
    """Names may have markup, control characters, lone surrogates and slashes."""
    name = "../<script>alert(1)</script>&\x00\x1b\ud800'\""
    found = feeds(a_change(name, params=(name,), machine=name, unit=name), project=name)
    assert all(".." not in path.split("/") for path in found)
    (text,) = contents(found["feeds/regressions.atom"])
    assert "<script" not in text


def test_an_environment_that_all_cases_share_is_named_once():
    """Different ones have a column; names of environments that list many packages are cut."""
    long = "conda-py3.7-" + "-".join(f"package{number}" for number in range(30))
    (shared,), (apart,) = (
        contents(
            feeds(*(a_change(f"m.time_{at}", 40, environment=name) for at, name in enumerate(names)))[
                "feeds/regressions.atom"
            ]
        )
        for names in ((long, long), (long, "virtualenv-py3.12"))
    )
    assert (shared.count("conda-py3.7-"), shared.count("where")) == (1, 0)
    assert (apart.count("conda-py3.7-"), apart.count("where"), apart.count("virtualenv-py3.12")) == (1, 1, 1)
    assert "package15" not in shared


def test_every_feed_has_the_hundred_newest_entries():
    """Readers keep what they have seen."""
    found = feeds(*(a_change(f"m.time_{at}", at) for at in range(20, 170)))
    assert len(entries(found["feeds/regressions.atom"])) == 100


def test_a_large_event_names_its_largest_cases():
    """The others are counted."""
    (entry,) = contents(feeds(*(a_change(f"m.time_{number}", 40) for number in range(30)))["feeds/regressions.atom"])
    assert entry.count("m.time_") == 20
    assert "10 more" in entry
