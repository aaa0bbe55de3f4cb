"""What ``measure-claims`` selects, continues and says."""

import pytest
from builders.claim_blocks import SLEEP, THIRD, a_block, a_claims_file, a_series, claim_samples, ratios
from builders.trees import a_hash

from windtunnel.asv.protocol import PlannedEnvironment
from windtunnel.errors import UsageError
from windtunnel.git.repository import Commit
from windtunnel_claims.board import claim_board
from windtunnel_claims.claims_command import _in_words_of
from windtunnel_claims.measure_command import describe_load, find_earlier, select_claims

SECOND = THIRD.replace('"Z1"', '"Z2"')
FINDING = """
[[finding]]
id = "wait"
question = "I wait"
claim = "Z1"
holds = "It takes {ratio}."
fails = "It takes {ratio} times as long."
"""
OTHER = FINDING.replace('"wait"', '"more"').replace('"Z1"', '"Z2"')


def a_commit(number):
    return Commit(hash=a_hash(number), author_date=1, subject="", parent=None)


def test_all_claims_are_selected_unless_some_are_named():
    """An unknown one is refused with the names of all."""
    claims = a_claims_file(THIRD, SECOND)
    assert select_claims(claims, ()) == {"Z1", "Z2"}
    assert select_claims(claims, ("Z2",)) == {"Z2"}
    with pytest.raises(UsageError, match="unknown claim 'Z3'; the claims are Z1, Z2"):
        select_claims(claims, ("Z3",))


def test_only_values_of_the_same_commit_environment_and_machine_are_continued():
    """Of several, the newest."""
    here = claim_samples().machine
    environment = PlannedEnvironment(python="3.12", environment="virtualenv-py3.12")
    newest, older = claim_samples(a_series(), ended=3000.0), claim_samples(ended=2000.0)
    others = [claim_samples(ended=9e9, **other) for other in ({"commit": 2}, {"python": "3.13"}, {"machine": "other"})]
    assert find_earlier([older, newest, *others], a_commit(1), environment, here) == newest
    assert find_earlier(others, a_commit(1), environment, here) is None


def test_blocks_beside_other_work_are_named():
    """Ratios change under load; a system that does not report it says nothing."""

    def warning(*loads):
        return describe_load(claim_samples(a_series(*(a_block(background_load=load) for load in loads))), 0.2)

    said = "2 of 4 blocks left out: other processes used more than 0.2 processors meanwhile (median 1.7)"
    assert warning(1.9, 0.2, 0.0, 1.5).startswith(said)
    assert warning(0.0, 0.2) == warning(None) == warning() == ""


def test_the_answers_are_measured_with_all_claims_that_they_rest_on():
    """The claim that answers, and those that the finding names beside it."""
    finding = FINDING.replace('claim = "Z1"', 'claim = "Z1"\nmore = ["Z2"]')
    claims = a_claims_file(THIRD, SECOND, THIRD.replace('"Z1"', '"Z3"'), finding)
    assert select_claims(claims, (), answers=True) == {"Z1", "Z2"}
    assert select_claims(claims, ("Z3",), answers=True) == {"Z1", "Z2", "Z3"}


def test_a_stored_board_keeps_its_answers_beside_findings_that_it_has_not_measured():
    """A claim that is added to the file takes no answer away from what was published."""
    earlier, now = a_claims_file(THIRD, FINDING), a_claims_file(THIRD, SECOND, FINDING, OTHER)
    board = claim_board(earlier, {SLEEP.name: SLEEP}, [claim_samples(a_series(*ratios(0.333, 4)))])
    shown = _in_words_of(now, board)
    assert [each.id for each in shown.findings] == ["wait"]
    assert shown.findings[0].answers
