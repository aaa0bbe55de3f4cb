"""The claims of this suite name cases that asv discovers, use no quick load, and cover every experiment."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from windtunnel.model.benchmark import Benchmark
from windtunnel_claims.block_values import find_case
from windtunnel_claims.claims_file import parse_claims
from windtunnel_claims.samples_format import ProcessMode

ROOT = Path(__file__).parents[2]
SUITES = ROOT / "benchmarks"
CLAIMS = parse_claims((SUITES / "claims.toml").read_text(encoding="utf-8"), "claims.toml")


@pytest.fixture(scope="module")
def discovered(tmp_path_factory):
    """The benchmarks that asv discovers, in a process of its own."""
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
    """Both cases of a ratio have the same unit."""
    for one in (*claim.tests, *claim.figures):
        sides = [find_case(discovered, case, claim.settings) for case in one.cases]
        assert not [side for side in sides if isinstance(side, str)]
        assert len({side.unit for side in sides}) == 1


def test_the_first_control_is_three_sleeps_of_the_standard_load(discovered):
    """They are slept in turn and at once; the load ``article`` sleeps one, two and three seconds."""
    (test,) = CLAIMS.controls[0].tests
    assert {find_case(discovered, case, CLAIMS.controls[0].settings).name for case in test.cases} == {
        f"sleep.Sleep.time_run('{variant}', 'standard')" for variant in ("sync", "task_group")
    }
    assert test.between == (2.9, 3.03)


def test_no_claim_tests_what_a_control_compares():
    """A run whose control is off decides nothing, so such a claim could only hold."""
    compared = {frozenset(test.cases) for control in CLAIMS.controls for test in control.tests}
    assert len(compared) == len(CLAIMS.controls)
    assert not [claim.id for claim in CLAIMS.claims for test in claim.tests if frozenset(test.cases) in compared]


PLANNED = {each.id for each in CLAIMS.claims if re.fullmatch(r"S1\d\d", each.id)}
"""The claims of the twelve answers."""

AT_THE_PUBLISHED_SIZE = {"P1", "P2", "P3"}
"""Claims that a shorter round trip would change; a comment in the file says why."""


def test_claims_are_measured_at_the_standard_load():
    """Each claim has one load, so it is known beforehand what decides it. The exceptions are few and named.

    The loads of the twelve answers, S101 on, are sizes.
    """
    loads = {
        claim.id: claim.given["load"]
        for claim in CLAIMS.claims
        if "load" not in claim.series and claim.id not in PLANNED | {"F6c"}
    }
    assert {name for name, load in loads.items() if load != "standard"} == AT_THE_PUBLISHED_SIZE
    assert {loads[name] for name in AT_THE_PUBLISHED_SIZE} == {"article"}
    assert {control.given["load"] for control in CLAIMS.controls} == {"standard"}
    assert not [
        case
        for claim in CLAIMS.claims
        for case in claim.cases
        if "load" not in claim.series and "load" in {each.name for each in case.settings}
    ]


def test_the_plan_of_the_answers_lists_their_claims():
    """Each is measured with the answers: a finding rests on it."""
    assert {name for each in CLAIMS.findings for name in (each.claim, *each.more)} >= PLANNED
    text = (ROOT / "docs" / "measurements" / "plan.md").read_text(encoding="utf-8")
    listed = {
        f"S{at}"
        for first, last in re.findall(r"S(\d+)(?: to S|, S)(\d+)\)", text)
        for at in range(int(first), int(last) + 1)
    }
    assert listed == PLANNED


@pytest.mark.parametrize("claim", CLAIMS.claims, ids=lambda claim: claim.id)
def test_cases_share_a_process_only_where_they_can(claim, discovered):
    """Memory is that of a process, and a process that forks must not have the threads of other cases."""
    apart = any(
        discovered[case.benchmark].unit == "bytes" or any("process" in each.value for each in case.settings)
        for case in claim.cases
    )
    assert claim.processes is (ProcessMode.SEPARATE if apart else ProcessMode.SHARED)


@pytest.mark.parametrize("finding", CLAIMS.findings, ids=lambda finding: finding.id)
def test_an_answer_has_measured_numbers_and_says_what_limits_it(finding):
    """Both sentences have placeholders, so that they state what was measured, and there is a caveat."""
    assert all(re.search(r"\{\w+\}", sentence) for sentence in (finding.holds, finding.fails))
    assert finding.caveat


def test_every_claim_of_the_experiments_is_in_the_file():
    """measurements/experiments.md names the claims of each experiment; a letter behind the number is a variation."""
    rows = (ROOT / "docs" / "measurements" / "experiments.md").read_text(encoding="utf-8").splitlines()
    named = {name for row in rows if row.startswith("|") for name in re.findall(r"\b[ZQFPHS]\d+\b", row.split("|")[-2])}
    assert named
    assert named == {re.sub(r"[a-z]$", "", claim.id) for claim in CLAIMS.claims}


@pytest.mark.parametrize("claim", CLAIMS.claims, ids=lambda claim: claim.id)
def test_the_experiment_of_a_claim_names_its_scenario(claim):
    """The row of docs/measurements/experiments.md that names the claim names its benchmarks too."""
    name = re.sub(r"[a-z]$", "", claim.id)
    rows = [
        row
        for row in (ROOT / "docs" / "measurements" / "experiments.md").read_text(encoding="utf-8").splitlines()
        if row.startswith("|") and name in row.split("|")[-2].split()
    ]
    benchmarks = {case.benchmark for test in claim.tests for case in test.cases}
    assert any(benchmarks & set(re.findall(r"`([\w.]+)`", row)) for row in rows)
