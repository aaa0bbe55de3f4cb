"""What ``plan`` and ``bench`` report of a plan."""

import io

import pytest

from windtunnel.bench.format import Excluded, Plan
from windtunnel.cli.console import NORMAL, VERBOSE, Console
from windtunnel.cli.selection import log_plan

UNCHANGED = "nothing that is timed differs from its parent"
EXCLUDED = (
    Excluded(item="commit aaaa", reason=UNCHANGED),
    Excluded(item="Python 3.99", reason="not found"),
    Excluded(item="commit bbbb", reason=UNCHANGED),
    Excluded(item="commit cccc", reason=UNCHANGED),
)


@pytest.mark.parametrize(
    ("level", "details"),
    [(NORMAL, []), (VERBOSE, [f"left out: commit {name}: {UNCHANGED}" for name in ("bbbb", "cccc")])],
)
def test_what_is_left_out_for_one_reason_is_one_line(level, details):
    """A long history does not fill the screen; --verbose lists every commit."""
    err = io.StringIO()
    plan = Plan(schema=1, project="p", config="c", environments=(), shards=(), excluded=EXCLUDED, benchmarks="")
    log_plan(plan, Console(out=io.StringIO(), err=err, level=level))
    assert err.getvalue().replace("windtunnel: ", "").splitlines() == [
        f"left out: commit aaaa and 2 more: {UNCHANGED}",
        *details,
        "left out: Python 3.99: not found",
        "nothing new to measure",
    ]
