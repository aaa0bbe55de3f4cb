"""Runs whose control ratio is off are discarded."""

import pytest
from builders.claims_files import FASTER, HEAD, HOLDS, UNDECIDED, WEB, WEB_CLAIM, a_sampled, a_web_run, decide_web, only
from builders.trees import a_hash, a_tree

from windtunnel.claims.board import claim_board
from windtunnel.claims.claims_file import parse_claims
from windtunnel.errors import ConfigurationError
from windtunnel.model.result import Skipped

CONTROL = """
[control]
benchmark = "web.Web.time_run"
given = { load = ["article", "standard"] }
contender = { variant = "flask_1" }
baseline = { variant = "aiohttp_1" }
between = [2.9, 3.03]
"""


def test_a_run_whose_control_ratio_is_off_is_discarded():
    """Every claim of the run is undecided."""
    found = decide_web(WEB_CLAIM + FASTER, 2.5, 1.0, 3.0, 2.0, file=CONTROL + HEAD)
    assert only(found).decision is UNDECIDED
    assert (
        only(found).reason
        == "the ratio of the control 'control' is 2.5, not 2.9 to 3.03: the run was disturbed; measure again"
    )
    (note,) = found.notes
    assert "the ratio of the control 'control' is 2.5, not 2.9 to 3.03" in note


COMPUTING = CONTROL.replace("[control]", '[[control]]\nid = "computing"').replace("flask_1", "flask_4")
WAITING = CONTROL.replace("[control]", '[[control]]\nid = "waiting"')


@pytest.mark.parametrize(("first", "named"), [(3.0, "computing"), (2.5, "waiting")])
def test_each_of_several_controls_can_discard_a_run(first, named):
    """Waiting does not show what disturbs computing."""
    found = decide_web(WEB_CLAIM + FASTER, first, 1.0, 3.0 * first - 5.5, 2.0, file=WAITING + COMPUTING + HEAD)
    assert only(found).decision is UNDECIDED
    assert f"the ratio of the control {named!r}" in only(found).reason


@pytest.mark.parametrize("order", [1, -1])
def test_one_disturbed_run_discards_all_runs_of_its_commit(order):
    """A commit may be measured with several sets of libraries."""
    quiet, disturbed = ([a_sampled(side) for side in (first, 1.0, 3.0, 2.0)] for first in (3.0, 2.5))
    names = ["before", "after"][::order]
    runs = [
        a_web_run(*sides, environment=name, date=date)
        for date, (sides, name) in enumerate(zip((quiet, disturbed), names, strict=True))
    ]
    newer = a_web_run(*[Skipped()] * 3, a_sampled(1.0), commit=2, environment="after")
    claims = parse_claims(CONTROL + HEAD + WEB_CLAIM + FASTER, "claims.toml")
    found = only(claim_board(claims, a_tree(newer, *runs, benchmarks=[WEB]), [a_hash(2), a_hash(1)]))
    assert (found.decision, found.commit) == (UNDECIDED, a_hash(1))
    assert "disturbed" in found.reason


def test_a_run_whose_control_ratio_is_right_is_used():
    """There is no note, also if one process gives no interval."""
    for one in (a_sampled(3.0), a_sampled(3.0, processes=1)):
        found = decide_web(WEB_CLAIM + FASTER, one, 1.0, 3.0, 2.0, file=CONTROL + HEAD)
        assert (only(found).decision, found.notes) == (HOLDS, ())


def test_a_run_without_a_control_is_used_with_a_note():
    """A part of a suite can be measured alone."""
    found = decide_web(WEB_CLAIM + FASTER, Skipped(), 1.0, 3.0, 2.0, file=CONTROL + HEAD)
    assert only(found).decision is HOLDS
    (note,) = found.notes
    assert "the control 'control' was not measured" in note


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("between = [2.9, 3.03]", "", "there are 0 bands"),
        ("between", "betwixt", "there is no key 'betwixt'"),
        ('given = { load = ["article", "standard"] }', 'given = { load = "quick" }', "is listed under 'never'"),
    ],
)
def test_errors_in_the_control_name_it(old, new, message):
    """The control obeys the rules of the file, too."""
    with pytest.raises(ConfigurationError, match=r"^claims\.toml: control") as refused:
        parse_claims('never = { load = ["quick"] }\n' + CONTROL.replace(old, new) + HEAD, "claims.toml")
    assert message in str(refused.value)
