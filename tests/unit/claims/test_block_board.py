"""The board uses blocks where a target has them, and stored results elsewhere."""

import pytest
from builders.claim_blocks import a_series, a_series_case, claim_samples, ratios
from builders.claims_files import (
    FAILS,
    HEAD,
    HOLDS,
    OUT,
    THIRD,
    UNDECIDED,
    a_sampled,
    a_sleep_run,
    a_sleep_tree,
    only,
)
from builders.trees import a_hash

from windtunnel.claims.board import claim_board
from windtunnel.claims.claims_file import parse_claims
from windtunnel.claims.format import Basis

HISTORY = [a_hash(number) for number in range(9, 0, -1)]
EMPTY = a_sleep_tree()
THIRDS = ratios(0.3333, 4)


def board(*samples, claims=THIRD, tree=EMPTY):
    """The board of *samples* and of the runs in *tree*."""
    return claim_board(parse_claims(HEAD + claims, "claims.toml"), tree, HISTORY, (), samples)


def test_blocks_alone_make_a_target():
    """No run needs to be stored."""
    found = board(claim_samples(a_series(*THIRDS), cores=6))
    (target,) = found.targets
    assert (target.name, target.machine, target.cores, target.gil) == ("3.12", "desk", 6, True)
    assert (only(found).decision, only(found).tests[0].basis) == (HOLDS, Basis.BLOCKS)
    assert (found.analyses, found.error, found.false_discovery_rate) == ((4, 6, 10, 16, 24), 0.01, 0.05)


def test_pythons_ascend_by_version():
    """3.9 comes before 3.13, whichever was measured first and wherever its values come from."""
    blocks = [claim_samples(a_series(*THIRDS), python=python) for python in ("3.14", "3.9", "3.13t", "3.13")]
    tree = a_sleep_tree(a_sleep_run(a_sampled(0.6), a_sampled(0.2)))
    found = board(*blocks, tree=tree)
    assert [target.name for target in found.targets] == ["3.9", "3.12", "3.13", "3.13t", "3.14"]


def test_a_board_without_blocks_states_no_analyses():
    """Its decisions come from stored results."""
    found = board(tree=a_sleep_tree(a_sleep_run(a_sampled(0.6), a_sampled(0.2))))
    assert only(found).tests[0].basis is Basis.PROCESSES
    assert (found.analyses, found.error, found.false_discovery_rate) == ((), None, None)


def test_blocks_take_precedence_over_stored_results():
    """Runs of newer commits do not replace them."""
    run = a_sleep_run(a_sampled(0.6), a_sampled(0.4), commit=5)
    stored, both = board(tree=a_sleep_tree(run)), board(claim_samples(a_series(*THIRDS)), tree=a_sleep_tree(run))
    assert (only(stored).decision, only(both).decision) == (FAILS, HOLDS)


def test_stored_results_decide_until_the_first_analysis():
    """Three blocks decide nothing, and neither do blocks of another Python or machine."""
    tree = a_sleep_tree(a_sleep_run(a_sampled(0.6), a_sampled(0.2)))
    for samples in (claim_samples(a_series(*THIRDS[:3])), claim_samples(a_series(skipped="skipped: no disk"))):
        assert only(board(samples, tree=tree)).tests[0].basis is Basis.PROCESSES
    elsewhere = board(claim_samples(a_series(*ratios(0.5, 4)), python="3.13"), tree=tree)
    assert {each.target: each.decision for each in elsewhere.decisions} == {"3.12": HOLDS, "3.13": FAILS}


def test_a_claim_without_values_has_the_reason_of_its_blocks():
    """Also where nothing is stored."""
    found = only(board(claim_samples(a_series(skipped="skipped: no disk"))))
    assert (found.decision, found.reason, found.commit) == (UNDECIDED, "skipped: no disk", a_hash(1))


def test_the_newest_commit_with_an_analysis_decides():
    """A change between commits is a flip; blocks that were just begun change nothing."""
    found = board(
        claim_samples(a_series(*ratios(0.5, 4)), commit=2),
        claim_samples(a_series(*THIRDS), commit=1, day=3),
        claim_samples(a_series(*THIRDS[:2]), commit=3),
    )
    assert (only(found).decision, only(found).commit) == (FAILS, a_hash(2))
    (flip,) = found.commit_flips
    assert (flip.before, flip.before_commit, flip.after_commit) == (HOLDS, a_hash(1), a_hash(2))


def test_blocks_of_another_environment_of_the_python_count():
    """A new library makes a new environment."""
    tree = a_sleep_tree(a_sleep_run(a_sampled(0.6), a_sampled(0.4)))
    found = board(claim_samples(a_series(*THIRDS), environment="virtualenv-py3.12-new"), tree=tree)
    assert only(found).decision is HOLDS


def test_environments_of_one_python_keep_their_own_blocks():
    """As they keep their own runs."""
    runs = [a_sleep_run(a_sampled(0.6), a_sampled(0.2), environment=name) for name in ("plain", "uvloop")]
    found = board(claim_samples(a_series(*ratios(0.5, 4)), environment="uvloop"), tree=a_sleep_tree(*runs))
    assert {each.target: each.decision for each in found.decisions} == {
        "3.12, desk, plain": HOLDS,
        "3.12, desk, uvloop": FAILS,
    }


def test_scope_applies_to_blocks():
    """A claim about more cores is out of scope."""
    found = board(claim_samples(a_series(*THIRDS), cores=2), claims=THIRD + "scope = { cores = 5 }\n")
    assert only(found).decision is OUT


CONTROL = """
[[control]]
id = "{0}"
benchmark = "sleep.Sleep.time_run"
given = {{ load = "standard" }}
contender = {{ variant = "sync" }}
baseline = {{ variant = "gather" }}
between = [2.9, 3.03]
"""
BOTH = CONTROL.format("waiting") + CONTROL.format("computing") + THIRD


def controlled(waiting, computing, third=THIRDS):
    """Blocks of both controls and of the claim; *waiting* and *computing* are the ratios of the controls."""
    return board(
        claim_samples(
            a_series(*third),
            a_series(*(1 / each for each in waiting), claims=("waiting",)),
            a_series(*(1 / each for each in computing), claims=("computing",)),
        ),
        claims=BOTH,
    )


def test_controls_that_are_right_change_nothing():
    """There is no note."""
    found = controlled(ratios(3.0, 4), ratios(3.0, 4))
    assert (only(found).decision, found.notes) == (HOLDS, ())


@pytest.mark.parametrize("failing", ["waiting", "computing"])
def test_a_control_that_fails_leaves_the_claims_of_its_blocks_undecided(failing):
    """Each of the controls can fail."""
    right, off = ratios(3.0, 4), ratios(3.2, 8)
    found = controlled(off, right) if failing == "waiting" else controlled(right, off)
    reason = f"the ratio of the control '{failing}' is 3.2, not 2.9 to 3.03: the run was disturbed; measure again"
    assert (only(found).decision, only(found).reason, only(found).p_value) == (UNDECIDED, reason, None)
    (note,) = found.notes
    assert note.startswith(f"3.12, commit {a_hash(1)[:8]}: the ratio of the control '{failing}' is 3.2")


def test_a_noisy_control_is_not_off():
    """Its interval contains its band: the noise is in the intervals of the claims as well."""
    assert only(controlled(ratios(3.1, 6, spread=0.1), ratios(3.0, 4))).decision is HOLDS


def test_all_blocks_of_a_control_count():
    """A disturbance that begins later is seen."""
    late = [*ratios(3.0, 4), *ratios(3.3, 20)]
    assert only(controlled(late, ratios(3.0, 4))).decision is UNDECIDED


def test_blocks_without_a_control_have_a_note():
    """They cannot show a disturbance."""
    found = controlled([], ratios(3.0, 4))
    assert only(found).decision is HOLDS
    assert [note.partition(": ")[2] for note in found.notes] == [
        "the control 'waiting' was not measured; it cannot show a disturbance."
    ]


def many(*centres, spread):
    """The decisions on claims whose ratios are *centres*, in blocks of one series."""
    claims = "".join(THIRD.replace('"Z1"', f'"C{at}"') for at in range(len(centres)))
    names = tuple(f"C{at}" for at in range(len(centres)))
    series = [
        a_series(*ratios(centre, 24, spread), claims=(name,)) for name, centre in zip(names, centres, strict=True)
    ]
    return board(claim_samples(*series), claims=claims).decisions


def test_decisions_that_luck_explains_are_undecided():
    """A weak decision counts alone, but not as the only one among many claims."""
    end, weak = 0.3333 * 1.03, 0.3333 * 1.0149
    alone, *_ = many(weak, spread=0.0065)
    assert (alone.decision, alone.reason) == (HOLDS, "")
    assert 0.005 < alone.p_value < 0.025
    among, *others = many(weak, *[end] * 19, spread=0.0065)
    assert {each.decision for each in (among, *others)} == {UNDECIDED}
    assert among.reason.startswith("it holds by itself (p = 0.0")
    assert among.reason.endswith("but among 20 claims that is not enough for a false discovery rate of 5%")
    assert among.p_value is None


def test_a_weak_decision_counts_among_clear_ones():
    """The share of wrong decisions is small if most are clear."""
    weak, *clear = many(0.3333 * 1.0149, *[0.5] * 19, spread=0.0065)
    assert (weak.decision, {each.decision for each in clear}) == (HOLDS, {FAILS})


def test_blocks_of_an_old_version_are_not_used():
    """The series starts anew if its job changes."""
    old = a_series(*THIRDS, cases=[a_series_case(each, version="0") for each in ("gather", "sync")])
    assert "has changed since it was measured" in only(board(claim_samples(old))).reason
