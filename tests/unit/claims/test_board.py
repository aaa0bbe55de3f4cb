"""The claim board has a decision for every claim and target, and lists flips."""

from builders.claims_files import (
    FAILS,
    HOLDS,
    a_sampled,
    a_sleep_run,
    decide,
)
from builders.trees import a_hash
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.claims.format import CLAIMS_FORMAT
from windtunnel.model.result import Measured, Skipped

SYNC = a_sampled(0.6)


def test_a_flip_between_commits_is_reported():
    """Undecided commits in between are skipped."""
    board = decide(
        a_sleep_run(SYNC, a_sampled(0.5), commit=4),
        a_sleep_run(SYNC, a_sampled(0.2, spread=0.3), commit=3),
        a_sleep_run(SYNC, a_sampled(0.2), commit=2),
        a_sleep_run(SYNC, a_sampled(0.2), commit=1),
    )
    (flip,) = board.commit_flips
    assert (flip.before, flip.before_commit, flip.after, flip.after_commit) == (HOLDS, a_hash(2), FAILS, a_hash(4))


def test_a_flip_between_pythons_is_reported():
    """Machine and load must be the same; an undecided claim is not a flip."""
    board = decide(
        a_sleep_run(SYNC, a_sampled(0.2), python="3.13"),
        a_sleep_run(SYNC, a_sampled(0.5), python="3.13t"),
        a_sleep_run(SYNC, a_sampled(0.2, spread=0.3), python="3.12"),
        a_sleep_run(SYNC, a_sampled(0.5), python="3.14", machine="other"),
        a_sleep_run(SYNC, a_sampled(0.5), python="3.14", load="article"),
    )
    (flip,) = board.target_flips
    assert (flip.machine, flip.holds, flip.fails) == ("desk", ("3.13",), ("3.13t",))


def test_every_machine_decides_claims():
    """A machine may measure older commits than another."""
    board = decide(
        a_sleep_run(SYNC, a_sampled(0.2), commit=5, machine="fast"),
        a_sleep_run(SYNC, a_sampled(0.2), commit=1, machine="slow", load="article"),
    )
    assert [(one.name, one.machine) for one in board.targets] == [("3.12, fast", "fast"), ("3.12, slow", "slow")]
    assert [one.decision for one in board.decisions] == [HOLDS, HOLDS]


OTHER = {"environment": "virtualenv-py3.12-joblib"}


def test_a_decision_remains_when_libraries_change():
    """It remains until the cases are measured again."""
    before = a_sleep_run(SYNC, a_sampled(0.2), commit=1)
    tried = Skipped(), a_sampled(0.5)
    board = decide(before, a_sleep_run(*tried, commit=2, **OTHER))
    (decision,) = board.decisions
    assert (decision.decision, decision.commit) == (HOLDS, a_hash(1))
    assert [(one.name, one.environment) for one in board.targets] == [("3.12", "virtualenv-py3.12-joblib")]
    board = decide(before, a_sleep_run(SYNC, a_sampled(0.5), commit=2, **OTHER))
    assert [(one.decision, one.commit) for one in board.decisions] == [(FAILS, a_hash(2))]
    assert len(board.commit_flips) == 1


def test_environments_of_the_same_commit_are_separate_targets():
    """A matrix may have two versions of a library."""
    board = decide(a_sleep_run(SYNC, a_sampled(0.2)), a_sleep_run(SYNC, a_sampled(0.5), **OTHER))
    assert [one.decision for one in board.decisions] == [HOLDS, FAILS]
    assert board.commit_flips == ()


def test_a_board_without_results_is_empty():
    """It has claims, but no targets and no decisions."""
    board = decide()
    assert (board.targets, board.decisions, len(board.claims)) == ((), (), 1)


VALUES = st.floats(allow_nan=False) | st.sampled_from([0.0, -1.0, 5e-324, 1.7e308, float("inf")])
SAMPLES = st.lists(VALUES, min_size=1, max_size=8)


@given(st.data())
def test_any_results_give_a_valid_board(data):
    """The board can be written and read."""

    def side():
        samples = tuple(data.draw(SAMPLES))
        sizes = data.draw(st.sampled_from([None, (len(samples),), (0, len(samples)), (1,) * len(samples)]))
        return Measured(
            value=data.draw(VALUES), samples=data.draw(st.sampled_from([samples, None])), process_sizes=sizes
        )

    board = decide(a_sleep_run(side(), side()))
    assert CLAIMS_FORMAT.decode(CLAIMS_FORMAT.encode(board), "claims.json") == board
