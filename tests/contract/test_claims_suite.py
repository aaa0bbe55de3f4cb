"""The claims of this suite: each names cases that asv discovers, none is judged on a quick run, and none is missing."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from windtunnel.claims.claim import stored_values
from windtunnel.claims.claim_lookup import FoundCase, find_case
from windtunnel.claims.claims_file import parse_claims
from windtunnel.model.benchmark import Benchmark

ROOT = Path(__file__).parents[2]
SUITES = ROOT / "benchmarks"
CLAIMS = parse_claims((SUITES / "claims.toml").read_text(encoding="utf-8"), "claims.toml")


@pytest.fixture(scope="module")
def discovered(tmp_path_factory):
    """What asv's own discovery finds, in a process of its own."""
    listing = tmp_path_factory.mktemp("discovery") / "benchmarks.json"
    script = "import sys; from asv_runner.discovery import _discover; _discover(sys.argv[1:])"
    subprocess.run([sys.executable, "-c", script, str(SUITES), str(listing)], check=True)
    return {
        entry["name"]: Benchmark(
            name=entry["name"],
            type_word=entry["type"],
            unit=entry["unit"],
            param_names=tuple(entry["param_names"]),
            params=tuple(map(tuple, entry["params"])),
        )
        for entry in json.loads(listing.read_text())
    }


@pytest.mark.parametrize("claim", CLAIMS.claims, ids=lambda claim: claim.id)
def test_every_case_that_a_claim_names_exists(claim, discovered):
    """With each load that the claim may be judged on, and both sides in one unit."""
    for settings in claim.choices():
        for one in (*claim.tests, *claim.figures):
            sides = [find_case(discovered, case, settings) for case in one.cases]
            assert all(isinstance(side, FoundCase) for side in sides), sides
            assert len({side.benchmark.unit for side in sides}) == 1


@pytest.mark.parametrize("claim", CLAIMS.claims, ids=lambda claim: claim.id)
def test_figures_know_what_they_are_about(claim):
    """How many there are is told for every load, where it differs by load."""
    loads = {setting.value for choice in claim.choices() for setting in choice}
    for figure in claim.figures:
        assert not isinstance(figure.per, dict) or {*map(repr, figure.per)} == loads


def test_the_control_is_three_sleeps_of_the_standard_load(discovered):
    """In turn against gathered; the article's other load sleeps one, two and three seconds."""
    (test,) = CLAIMS.control.claim.tests
    (given,) = CLAIMS.control.claim.choices()
    assert {find_case(discovered, case, given).name for case in test.cases} == {
        f"sleep.Sleep.time_run('{variant}', 'standard')" for variant in ("sync", "gather")
    }
    assert test.between == (2.9, 3.03)


def test_no_claim_is_judged_on_a_quick_run():
    """The file itself forbids it, and says what is left."""
    assert {value for claim in CLAIMS.claims for value in stored_values(claim.given["load"])} == {
        "'article'",
        "'standard'",
    }
    text = (SUITES / "claims.toml").read_text(encoding="utf-8")
    with pytest.raises(Exception, match="is listed under 'never'"):
        parse_claims(text.replace('given = { load = "standard" }', 'given = { load = "quick" }'), "claims.toml")


def test_every_claim_of_the_experiments_is_in_the_file():
    """measurements/experiments.md names the claims of each experiment; a letter behind the number is a variation."""
    rows = (ROOT / "docs" / "measurements" / "experiments.md").read_text(encoding="utf-8").splitlines()
    named = {name for row in rows if row.startswith("|") for name in re.findall(r"\b[ZQFPH]\d+\b", row.split("|")[-2])}
    assert named
    assert named == {re.sub(r"[a-z]$", "", claim.id) for claim in CLAIMS.claims}


@pytest.mark.parametrize("claim", CLAIMS.claims, ids=lambda claim: claim.id)
def test_a_claim_stands_where_its_experiment_does(claim):
    """The row of docs/measurements/experiments.md that names the claim names its benchmarks too."""
    name = re.sub(r"[a-z]$", "", claim.id)
    rows = [
        row
        for row in (ROOT / "docs" / "measurements" / "experiments.md").read_text(encoding="utf-8").splitlines()
        if row.startswith("|") and name in row.split("|")[-2].split()
    ]
    benchmarks = {case.benchmark for test in claim.tests for case in test.cases}
    assert any(benchmarks & set(re.findall(r"`([\w.]+)`", row)) for row in rows)
