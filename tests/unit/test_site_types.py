"""The types that the pages are checked with (site/page/types.js) are those of the published data."""

import json
import re
from pathlib import Path

import msgspec
import pytest

from windtunnel.claims.format import ClaimBoard
from windtunnel.detect.alert_format import Alerts
from windtunnel.detect.format import DetectedChanges
from windtunnel.publish import format as contract

TYPES = Path(__file__).parents[2] / "site" / "page" / "types.js"
NAMES = {
    "CommitLine": "Commit",
    "LoadName": "Load",
    "OverviewData": "Overview",
    "ScenarioCase": "Case",
    "ScenarioData": "Scenario",
    **dict.fromkeys(("Failed", "Skipped", "Missing", "Infinite"), "Absent"),
}
"""What the pages call some of the classes."""
PARTLY = {"Alert": "Alert", "Alerts": "Alerts", "Change": "Change"}
PARTLY |= {"DetectedChanges": "Changes", "ChangeEvent": "Event"}
PARTLY |= {"ClaimBoard": "Claims", "DecidedClaim": "Decision", "DecidedTest": "ClaimTest", "Measurement": "Side"}
PARTLY |= {"StatedFigure": "StatedFigure"}
"""Files with a schema of their own, of which the pages read a part."""


def declared():
    """The members of each type in types.js, with their types."""
    text = TYPES.read_text(encoding="utf-8")
    found = {}
    for part in text.split("@typedef {object} ")[1:]:
        block = part.partition("@typedef")[0]
        name = re.match(r"\w+", block).group()
        found[name] = {member: kind for kind, member in re.findall(r"@property \{(.*)\} (\w+)", block)}
    return found


def typed(schema):
    """What TypeScript calls a value of *schema*."""
    match schema:
        case {"anyOf": options}:
            return " | ".join(dict.fromkeys(map(typed, options)))
        case {"enum": values}:
            return " | ".join(map(json.dumps, values))
        case {"$ref": reference}:
            name = reference.rpartition("/")[2]
            return NAMES.get(name, name)
        case {"prefixItems": items}:
            return f"[{', '.join(map(typed, items))}]"
        case {"type": "array", "items": items}:
            inner = typed(items)
            return f"({inner})[]" if " | " in inner else f"{inner}[]"
        case {"type": kind}:
            return "number" if kind == "integer" else kind
    raise AssertionError(schema)


DEFINITIONS = json.loads(contract.schema())["$defs"]


@pytest.mark.parametrize("name", DEFINITIONS)
def test_every_type_has_the_members_of_its_class(name):
    """No more, no less, and of the same types: the schema in the docs and the types are one truth."""
    members = declared()[NAMES.get(name, name)]
    wanted = {member: typed(each) for member, each in DEFINITIONS[name]["properties"].items()}
    if NAMES.get(name) == "Absent":
        assert members.keys() == wanted.keys()
        assert wanted["state"] in members["state"].split(" | ")
    else:
        assert members == wanted


def test_of_other_files_nothing_is_read_that_they_do_not_have():
    """Changes, alerts and claims have schemas of their own; where the pages list words, they list all."""
    _, definitions = msgspec.json.schema_components((DetectedChanges, Alerts, ClaimBoard))
    types = declared()
    for name, ours in PARTLY.items():
        there = definitions[name]["properties"]
        assert types[ours].keys() <= there.keys(), name
        for member, kind in types[ours].items():
            if kind.startswith('"'):
                words = definitions[there[member]["$ref"].rpartition("/")[2]]["enum"]
                assert sorted(words) == sorted(map(json.loads, kind.split(" | "))), (name, member)


def test_every_type_is_somebodys():
    """A type that no file has would be a lie."""
    classes = {NAMES.get(name, name) for name in DEFINITIONS} | set(PARTLY.values())
    assert declared().keys() <= classes
