"""weekly.yml under act: a weekly run ends as two entries of error-rates.json on the results branch.

WINDTUNNEL_ACT=1 pytest tests/actions/test_self_check.py
"""

import os

import pytest
from actions import acting
from actions.pushes import a_push
from builders.repositories import git

from windtunnel.compare.error_rates_format import ERROR_RATES_FORMAT

pytestmark = [
    pytest.mark.act,
    pytest.mark.skipif(not os.environ.get("WINDTUNNEL_ACT"), reason="takes minutes; WINDTUNNEL_ACT=1 runs it"),
]

SUITE = """\
def time_sum():
    sum(range(200_000))
time_sum.version = "1"
time_sum.number, time_sum.repeat, time_sum.warmup_time = 1, 3, 0

def track_count():
    return 7
track_count.version = "1"
"""


def test_a_weekly_run_is_collected(adopted):
    """Both comparisons are measured although the builds are equal; a count is not slowed down."""
    clone = adopted(suite=SUITE)
    acted = acting.run(
        clone, clone.parent / "origin.git", "workflow_dispatch", a_push(clone), clone.parent / "act",
        workflow="weekly.yml", run_id="31",
    )  # fmt: skip
    assert acted.code == 0, acted.output
    stored = git(clone.parent / "origin.git", "show", "windtunnel-results:error-rates.json")
    slowed, same = ERROR_RATES_FORMAT.decode(stored.encode(), "error-rates.json").runs
    assert (same.source, same.comparisons, same.run) == ("unchanged", 2, "31")
    assert (slowed.source, slowed.comparisons, slowed.slowdown) == ("slowdown", 1, 0.05)
    assert 0.04 < slowed.achieved < 0.5  # on a busy machine, disturbances are part of the wall time
    assert same.commit == slowed.commit == git(clone, "rev-parse", "HEAD").strip()
