"""Feeds that readers and asv's subscribers can rely on."""

import json
from datetime import datetime
from xml.etree import ElementTree as ET

import pytest
from asv import feed as asv_feed
from builders.observations import a_change, a_hash, a_shift, an_observation, changes

from windtunnel.detect.alert_format import Alerts
from windtunnel.detect.alerts import update_alerts
from windtunnel.detect.feeds import FeedSource, benchmark_feed, build_feeds
from windtunnel.detect.format import ChangeStatus, Direction

SITE = "https://site.example/project/"
ATOM = {"a": "http://www.w3.org/2005/Atom"}
BETTER = {"direction": Direction.IMPROVED, "relative_change": -0.2}


def made(*found, alerts=None, site=SITE, project="project", **more):
    return build_feeds(changes(*found, **more), alerts, FeedSource(project=project, site=site))


def entries(content):
    return ET.fromstring(content).findall("a:entry", ATOM)


def ids(content):
    return [entry.findtext("a:id", namespaces=ATOM) for entry in entries(content)]


def test_worse_and_better_each_have_a_feed_and_so_has_each_benchmark():
    """In Atom and as JSON, with the same ids."""
    found = made(a_change("m.worse", 20), a_change("m.better", 40, **BETTER))
    for name in ("regressions", "improvements", benchmark_feed("m.worse"), benchmark_feed("m.better")):
        feed = json.loads(found[f"feeds/{name}.json"])
        assert feed["version"] == "https://jsonfeed.org/version/1.1"
        assert [item["id"] for item in feed["items"]] == ids(found[f"feeds/{name}.atom"])
        assert len(feed["items"]) == 1
    assert ids(found["feeds/regressions.atom"]) != ids(found["feeds/improvements.atom"])


def test_a_feed_is_what_the_standard_asks_for():
    """RFC 4287, 4.1.1 and 4.1.2: id, title, updated and author; each entry with an id of its own."""
    root = ET.fromstring(made(a_change("m.a", 20), a_change("m.b", 40))["feeds/regressions.atom"])
    for element in (root, *root.findall("a:entry", ATOM)):
        for name in ("id", "title", "updated"):
            assert element.findtext(f"a:{name}", namespaces=ATOM)
        assert datetime.fromisoformat(element.findtext("a:updated", namespaces=ATOM)).tzinfo
    assert root.findtext("a:author/a:name", namespaces=ATOM)
    (own,) = [link for link in root.findall("a:link", ATOM) if link.get("rel") == "self"]
    assert own.get("href") == f"{SITE}feeds/regressions.atom"
    assert len(set(ids(ET.tostring(root)))) == 2


def test_ids_stay_when_new_data_move_the_commit():
    """A reader shows an alert once."""
    alerts = update_alerts(Alerts(), an_observation(a_change()))
    before = made(a_change(), alerts=alerts)
    moved = a_change(at=41, first=40, last=41)
    after = made(moved, alerts=update_alerts(alerts, an_observation(moved, newest=2000)))
    assert ids(before["feeds/regressions.atom"]) == ids(after["feeds/regressions.atom"])


def test_the_same_news_give_the_same_bytes():
    """Whenever they are written."""
    assert made(a_change(), shifts=(a_shift(),)) == made(a_change(), shifts=(a_shift(),))


def test_nothing_changed_is_a_feed_without_entries():
    """Subscribers find it all the same."""
    found = made()
    assert set(found) == {
        "regressions.xml",
        *(f"feeds/{name}.{end}" for name in ("regressions", "improvements") for end in ("atom", "json")),
    }
    assert entries(found["feeds/regressions.atom"]) == []


@pytest.mark.parametrize("gap", [False, True])
def test_regressions_xml_has_the_ids_of_asv(gap):
    """Who switches sees no entry twice: compared with asv's own writer."""
    change = a_change("m.time_it", 40, first=38 if gap else 40, last=40, params=("'a'", "2"))
    context = ["m.time_it('a', 2)", a_hash(37) if gap else "", a_hash(40)]
    day = datetime.fromisoformat(change.date)
    entry = asv_feed.FeedEntry("t", day, "l", "c", context, day)
    expected = entry.get_atom("project.asv", "en").findtext(f"{asv_feed.ATOM_NS}id")
    assert ids(made(change)["regressions.xml"]) == [expected]


def test_regressions_xml_tells_what_is_worse_today():
    """As asv's: neither improvements nor what is over."""
    found = made(
        a_change("m.a", 20), a_change("m.b", 30, **BETTER), a_change("m.c", 40, status=ChangeStatus.RECOVERED)
    )["regressions.xml"]
    (entry,) = entries(found)
    assert entry.findtext("a:title", namespaces=ATOM) == "20.00% m.a"
    assert entry.find("a:link", ATOM).get("href").startswith("asv/index.html#m.a?commits=")


def test_foreign_names_stay_text():
    """Markup, control characters, lone surrogates, and names that are paths."""
    name = "../<script>alert(1)</script>&\x00\x1b\ud800'\""
    found = made(a_change(name, params=(name,), machine=name, unit=name), project=name)
    assert all(".." not in path.split("/") for path in found)
    for path, content in found.items():
        if path.endswith(".json"):
            text = json.loads(content)["items"][0]["content_html"] if json.loads(content)["items"] else ""
        else:
            text = "".join(entry.findtext("a:content", namespaces=ATOM) for entry in entries(content))
        assert "<script" not in text


def test_names_that_differ_have_feeds_that_differ():
    """However alike they look as a file's name."""
    assert len({benchmark_feed(name) for name in ("m.a/b", "m.a_b", "m.a b", "M.A_B")}) == 4
