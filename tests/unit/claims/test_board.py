"""The board has a decision for every claim and target, from blocks, and lists flips."""

import msgspec
import pytest
from builders.claim_blocks import (
    FAILS,
    HEAD,
    HOLDS,
    OUT,
    THIRD,
    UNDECIDED,
    a_block,
    a_series,
    a_series_case,
    blocks_of,
    claim_samples,
    decide,
    only,
    ratios,
)
from builders.trees import a_hash
from hypothesis import example, given
from hypothesis import strategies as st

from windtunnel.errors import ConfigurationError
from windtunnel_claims.board import NOT_MEASURED
from windtunnel_claims.claims_file import parse_claims
from windtunnel_claims.format import CLAIMS_FORMAT, Decision

THIRDS = ratios(0.3333, 4)


def test_blocks_make_a_target():
    """The board says how its claims are analysed."""
    found = decide(blocks_of(0.3333, cores=6))
    (target,) = found.targets
    assert (target.name, target.machine, target.cores, target.gil) == ("3.12", "desk", 6, True)
    assert (only(found).decision, only(found).tests[0].blocks) == (HOLDS, 4)
    assert (found.analyses, found.error, found.false_discovery_rate) == ((4, 6, 10, 16, 24), 0.01, 0.05)


def test_a_board_without_blocks_is_empty():
    """It has claims, but no targets and no decisions."""
    board = decide()
    assert (board.targets, board.decisions, len(board.claims)) == ((), (), 1)


def test_pythons_ascend_by_version():
    """3.9 comes before 3.13, whichever was measured first."""
    found = decide(*(blocks_of(0.3333, python=python) for python in ("3.14", "3.9", "3.13t", "3.13")))
    assert [target.name for target in found.targets] == ["3.9", "3.13", "3.13t", "3.14"]


def test_a_claim_without_values_has_the_reason_of_its_blocks():
    """A claim that a target did not measure says so."""
    found = only(decide(claim_samples(a_series(skipped="skipped: no disk"))))
    assert (found.decision, found.reason, found.commit) == (UNDECIDED, "skipped: no disk", a_hash(1))
    found = only(decide(claim_samples(a_series(*THIRDS, claims=("Z9",)))))
    assert (found.decision, found.reason, found.commit, found.is_measured) == (UNDECIDED, NOT_MEASURED, None, False)


def test_the_newest_commit_with_an_analysis_decides():
    """A change between commits is a flip; blocks that were just begun change nothing."""
    found = decide(blocks_of(0.5, commit=2), blocks_of(0.3333, commit=1, day=3), blocks_of(0.3333, blocks=2, commit=3))
    assert (only(found).decision, only(found).commit) == (FAILS, a_hash(2))
    assert (only(found).before, only(found).before_commit) == (HOLDS, a_hash(1))


def test_undecided_commits_between_two_decisions_are_no_flip():
    """A noisy commit changes nothing that is known."""
    found = decide(blocks_of(0.5, commit=4), blocks_of(0.3333, spread=0.3, commit=3), blocks_of(0.3333, commit=2))
    assert (only(found).before_commit, only(found).commit) == (a_hash(2), a_hash(4))


def test_every_machine_decides_claims():
    """A machine may measure older commits than another."""
    board = decide(blocks_of(0.3333, commit=5, machine="fast"), blocks_of(0.3333, machine="slow"))
    assert [(one.name, one.machine) for one in board.targets] == [("3.12, fast", "fast"), ("3.12, slow", "slow")]
    assert [one.decision for one in board.decisions] == [HOLDS, HOLDS]


def test_a_decision_remains_when_libraries_change():
    """A new library makes a new environment; the decision remains until the claim is measured there."""
    board = decide(blocks_of(0.3333), blocks_of(0.3333, blocks=2, commit=2, environment="with-joblib"))
    assert (only(board).decision, only(board).commit) == (HOLDS, a_hash(1))
    assert [(one.name, one.environment) for one in board.targets] == [("3.12", "with-joblib")]


def test_environments_of_the_same_commit_are_separate_targets():
    """A matrix may have two versions of a library."""
    found = decide(blocks_of(0.3333, environment="plain"), blocks_of(0.5, environment="uvloop"))
    assert {each.target: each.decision for each in found.decisions} == {
        "3.12, desk, plain": HOLDS,
        "3.12, desk, uvloop": FAILS,
    }


@pytest.mark.parametrize(
    ("scope", "python", "reason"),
    [
        ('python = "pypy.*"', "3.13", "the claim is about Pythons that match pypy.*"),
        ("gil = true", "3.13t", "the claim is about Pythons with the global interpreter lock"),
        ("gil = false", "pypy3.11", "the claim is about Pythons without the global interpreter lock"),
        ("cores = 4", "3.13", "the claim is about 4 or more cores"),
    ],
)
def test_a_claim_has_a_scope(scope, python, reason):
    """It depends on the Python, the interpreter lock and the cores."""
    found = only(decide(blocks_of(0.3333, python=python, cores=2), claims=[THIRD + f"scope = {{ {scope} }}"]))
    assert (found.decision, found.reason, found.tests) == (OUT, reason, ())


VALUES = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, -1.0, 5e-324, 1.7e308])
VISITS = st.lists(VALUES, min_size=1, max_size=8)


@given(st.lists(st.tuples(VISITS, VISITS), min_size=1, max_size=7))
@example([([1.7e308, 1.7e308], [1.7e308, 1.7e308])] * 4)
@example([([1.7e308, 1.7e308], [1.0])] * 4)
def test_any_results_give_a_valid_board(blocks):
    """The board can be written and read; the median of large values is finite, so their ratio decides."""
    measured = [
        msgspec.structs.replace(
            block, visits=tuple(msgspec.structs.replace(each, samples=tuple(rows[each.case])) for each in block.visits)
        )
        for rows in blocks
        for block in [a_block(0.0, 0.0)]
    ]
    board = decide(claim_samples(a_series(*measured)))
    assert CLAIMS_FORMAT.decode(CLAIMS_FORMAT.encode(board), "claims.json") == board
    if all(row == [1.7e308, 1.7e308] for rows in blocks for row in rows):
        assert only(board).tests[0].ratio == 1.0


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
    return decide(
        claim_samples(
            a_series(*third),
            a_series(*(1 / each for each in waiting), claims=("waiting",)),
            a_series(*(1 / each for each in computing), claims=("computing",)),
        ),
        claims=[BOTH],
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
    return decide(claim_samples(*series), claims=[claims]).decisions


def test_decisions_that_luck_explains_are_undecided():
    """A weak decision counts alone, but not as the only one among many claims."""
    end, weak = 0.3433, 0.3345
    alone, *_ = many(weak, spread=0.0108)
    assert (alone.decision, alone.reason) == (HOLDS, "")
    assert 0.005 < alone.p_value < 0.025
    among, *others = many(weak, *[end] * 19, spread=0.0108)
    assert (among.decision, {each.decision for each in others}) == (UNDECIDED, {Decision.ABOUT})
    assert among.reason.startswith("it holds by itself (p = 0.0")
    assert among.reason.endswith("but among 20 claims that is not enough for a false discovery rate of 5%")
    assert among.p_value is None


def test_a_weak_decision_counts_among_clear_ones():
    """The share of wrong decisions is small if most are clear."""
    weak, *clear = many(0.3345, *[0.5] * 19, spread=0.0108)
    assert (weak.decision, {each.decision for each in clear}) == (HOLDS, {FAILS})


def test_blocks_of_an_old_version_are_not_used():
    """The series starts anew if its job changes."""
    old = a_series(*THIRDS, cases=[a_series_case(each, version="0") for each in ("gather", "sync")])
    assert "has changed since it was measured" in only(decide(claim_samples(old))).reason


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("between = [2.9, 3.03]", "", "a test has exactly one band"),
        ("between", "betwixt", "there is no key 'betwixt'"),
        ("between = [2.9, 3.03]", "[[control.test]]\nabove = 1\n[[control.test]]\nabove = 2", "it has 2 tests"),
    ],
)
def test_errors_in_the_control_name_it(old, new, message):
    """The control obeys the rules of the file, too."""
    control = CONTROL.format("waiting").replace(old, new)
    with pytest.raises(ConfigurationError, match=r"^claims\.toml: control") as refused:
        parse_claims(control + HEAD, "claims.toml")
    assert message in str(refused.value)
