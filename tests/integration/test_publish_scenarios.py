"""The scenarios of a site: one job, measured in several ways on several Pythons."""

import gzip
import json

import msgspec
import pytest
from jsonschema import Draft202012Validator

from windtunnel.publish.format.results import FILES


@pytest.fixture(scope="module")
def scenarios(job):
    """Its scenarios by kind, and the levels of their quantiles."""
    data = json.loads((job / "overview.json").read_text(encoding="utf-8"))
    return {each["kind"]: each for each in data["scenarios"]}, data["levels"]


def forms_of(schema):
    """What files say of themselves, and the definition of each."""
    found = {}
    for name, definition in schema["$defs"].items():
        for word in {"schema", "format"} & definition.get("properties", {}).keys():
            found[definition["properties"][word]["enum"][0]] = name
    return found


LARGE_ONLY = {"windtunnel.site-event/1"}
"""Formats of files that only events of more than 100 changes have: test_change_files writes one."""
EVENTS_ONLY = {"windtunnel.site-alerts/1", "windtunnel.charts/1", "windtunnel.factors/1", "windtunnel.site-events/1"}
"""Formats of files that a site without changes does not have."""


@pytest.mark.parametrize(
    ("which", "absent"), [("job", LARGE_ONLY | EVENTS_ONLY), ("site", LARGE_ONLY | {"windtunnel.years/1"})]
)
def test_every_data_file_matches_the_types_of_its_format(which, absent, request):
    """Each matches the definition of the format that it names."""
    _, definitions = msgspec.json.schema_components(FILES, ref_template="#/$defs/{name}")
    schema = {"$defs": definitions}
    forms = forms_of(schema)
    seen = set()
    for path in sorted(request.getfixturevalue(which).rglob("*.json*")):
        content = path.read_bytes()
        document = json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)
        form = document.get("schema", document.get("format"))
        if form in forms:
            seen.add(form)
            Draft202012Validator(schema | {"anyOf": [{"$ref": f"#/$defs/{forms[form]}"}]}).validate(document)
    assert seen == forms.keys() - absent


def case(scenario, variant):
    """The case of *variant* at the first target."""
    wanted = scenario["variants"].index(variant)
    return next(each for each in scenario["cases"] if (each["target"], each["variant"]) == (0, wanted))


def test_benchmarks_of_one_module_are_one_group(scenarios):
    """Times, latencies and memory of one job belong together."""
    found, _ = scenarios
    assert {(kind, each["group"]) for kind, each in found.items()} == {
        ("time", "web"),
        ("latency", "web"),
        ("profile", "web"),
    }


def test_latencies_have_high_percentiles(scenarios):
    """The median, the usual percentiles and the slowest request."""
    found, levels = scenarios
    spread = case(found["latency"], "threads")["distribution"]
    at = dict(zip(levels, spread["quantiles"], strict=True))
    assert at[0.5] == pytest.approx(0.02, rel=0.01)
    assert at[1.0] == pytest.approx(0.2, rel=0.01)
    assert at[0.5] < at[0.9] < at[0.95] < at[0.99] < at[1.0]
    assert spread["processes"] == 2


def test_a_profile_has_the_values_of_each_process(scenarios):
    """In the order of time; other kinds have no profiles."""
    found, _ = scenarios
    one, other = case(found["profile"], "gather")["profiles"]
    assert len(one) == len(other) == 20
    assert max(one) == one[12] > one[-1] > one[0]
    assert case(found["time"], "gather")["profiles"] == []


def test_a_site_has_error_rates_only_if_they_were_measured(job, site):
    """They come from comparisons of a commit with itself, with their number."""
    rates = json.loads((job / "site.json").read_text(encoding="utf-8"))["error_rates"]
    assert (rates["all"]["false_alarms"]["rate"], rates["all"]["false_alarms"]["trials"]) == (2 / 6800, 6800)
    assert json.loads((site / "site.json").read_text(encoding="utf-8"))["error_rates"] is None


def test_a_recent_change_has_limits_and_a_chart_with_the_start_of_the_level(site):
    """The chart has both levels, and the values begin to differ where the change is marked."""
    found = json.loads((site / "site.json").read_text(encoding="utf-8"))["recent"]
    change = next(each for each in found if each["benchmark"] == "parser.Tokens.time_scan")
    low, high = change["interval"]
    assert low < change["relative_change"] < high
    chart = change["chart"]
    start = chart["change_index"]
    shown = chart["corrected"] or chart["values"]
    assert len(chart["values"]) == len(shown) == len(chart["commits"])
    assert 0 < start < len(shown)
    assert shown[start - 1] < shown[start]
    assert change["before"] < change["after"]
    assert len(chart["levels"]) >= 2
