"""weekly.yml under act: a weekly run ends as values of claims on the results branch, from which publish decides them.

WINDTUNNEL_ACT=1 pytest tests/actions/test_claims.py
"""

import json
import os

import pytest
from actions import acting
from actions.conftest import HERE
from actions.pushes import a_push
from builders.commands import windtunnel
from builders.repositories import git
from builders.suites import change

from windtunnel.results.record_files import read_claim_files
from windtunnel_claims.format import CLAIMS_FORMAT, Decision
from windtunnel_claims.samples_format import SAMPLES_FORMAT

pytestmark = [
    pytest.mark.act,
    pytest.mark.skipif(not os.environ.get("WINDTUNNEL_ACT"), reason="takes minutes; WINDTUNNEL_ACT=1 runs it"),
]

SUITE = """\
import os

def track_two():
    return 2.0 + os.getpid() % 10 / 1000
def track_one():
    return 1.0
track_one.version = track_two.version = "1"
"""

CLAIMS = """\
[measuring]
analyses = [3]
background-load = 1000 # other tests run meanwhile

[sources]
A = { title = "an article" }

[[claim]]
id = "A1"
source = "A"
sentence = "Two is twice one."
contender-benchmark = "spam_suite.track_two"
benchmark = "spam_suite.track_one"
between = [1.8, 2.2]
"""
ABSENT = "3.14t"


def test_a_weekly_run_measures_each_python_and_stores_the_values(adopted, tmp_path):
    """A Python that the runner cannot have fails its own job; the values of the others are stored."""
    clone = change(adopted(suite=SUITE, pythons=(HERE, ABSENT)), {"suite/claims.toml": CLAIMS}, "claims")
    origin = clone.parent / "origin.git"
    acted = acting.run(
        clone, origin, "workflow_dispatch", a_push(clone) | {"inputs": {"claims": json.dumps([HERE, ABSENT])}},
        clone.parent / "act", workflow="weekly.yml", run_id="31", STUB_FAILS=ABSENT, patience=900,
    )  # fmt: skip
    assert acted.code != 0, acted.output
    assert acted.result("Store", "Store the claims") == "success"
    results = tmp_path / "results"
    done = windtunnel(clone, "store", "pull", "--results", results, "--remote", origin)
    assert done.returncode == 0, done.stderr
    (samples,), problems = read_claim_files(results, SAMPLES_FORMAT)
    assert (samples.python, samples.commit, problems) == (HERE, git(clone, "rev-parse", "HEAD").strip(), ())
    assert windtunnel(clone, "claims", results, "--out", tmp_path / "claims.json").returncode == 0
    (decided,) = CLAIMS_FORMAT.decode((tmp_path / "claims.json").read_bytes(), "claims.json").decisions
    assert (decided.claim, decided.decision, decided.tests[0].blocks) == ("A1", Decision.HOLDS, 3)
