"""Each rule of the decision, from samples to verdicts."""

import numpy as np
import pytest
from builders.samples import a_context, a_report, changed, exact_samples, paired_samples, stage_samples_of
from msgspec.structs import replace

from windtunnel.compare import decide as case_result
from windtunnel.compare import summary
from windtunnel.compare.decide import DISCARDED, decide
from windtunnel.compare.format import NOT_REPEATED, Reach
from windtunnel.compare.samples_format import PairedSamples, Rules
from windtunnel.model.benchmark import CaseIdentity


def the_comparison(paired, **context):
    (found,) = decide(a_context(**context), [paired]).comparisons
    return found


def test_a_confirmed_change_is_a_regression():
    """The interval is that of the fresh data and contains the true change."""
    found = the_comparison(paired_samples(ratio=1.2, fresh=1.2))
    assert found.verdict == "regressed"
    assert found.significant
    assert found.interval.low < 0.2 < found.interval.high
    assert found.relative_change == pytest.approx(found.contender.value / found.baseline.value - 1)


def test_an_unconfirmed_suspect_is_inconclusive():
    """Only confirmed changes are regressions; the report states what is missing and how many rounds it takes."""
    found = the_comparison(paired_samples(ratio=1.2))
    assert (found.verdict, found.stopped_by) == ("undecided", "time")
    assert not found.significant
    assert found.notes == (NOT_REPEATED,)
    assert found.rounds_needed == Rules().confirmation.interim_analyses[0]


def test_a_suspect_that_fresh_data_does_not_confirm_is_unchanged():
    """Confirmation removes false suspects."""
    found = the_comparison(paired_samples(ratio=1.2, fresh=1.0))
    assert found.verdict == "unchanged"
    assert found.notes == (case_result.NOT_CONFIRMED,)


def test_a_suspect_that_changes_in_the_other_direction_is_not_a_change():
    """Confirmation tests the suspected direction only."""
    found = the_comparison(paired_samples(ratio=1.2, fresh=0.8))
    assert found.verdict == "undecided"
    assert not found.significant


def test_more_suspects_require_stronger_evidence():
    """The error rate is family-wise, so evidence that suffices for one suspect may not suffice among many."""
    paired = paired_samples(ratio=1.3, fresh=1.1, spread=0.03)
    alone = decide(a_context(), [paired])
    crowd = [paired_samples(f"suite.time_{index}", 1.3, fresh=1.0, seed=index) for index in range(300)]
    among = decide(a_context(), [paired, *crowd])
    same = next(one for one in among.comparisons if one.identity == paired.identity)
    assert alone.comparisons[0].verdict == "regressed"
    assert same.verdict == "undecided"
    assert same.notes == (case_result.NOT_CONFIRMED,)


@pytest.mark.parametrize(
    ("better", "ratio", "verdict"),
    [
        ("lower", 1.2, "regressed"),
        ("lower", 0.8, "improved"),
        ("higher", 1.2, "improved"),
        ("higher", 0.8, "regressed"),
    ],
)
def test_the_better_direction_decides_what_a_regression_is(better, ratio, verdict):
    """For requests per second a decrease is worse, for seconds an increase."""
    assert the_comparison(paired_samples(ratio=ratio, fresh=ratio, better=better)).verdict is verdict


def test_a_real_change_below_the_threshold_is_unchanged_and_significant():
    """A significant change is not necessarily a relevant one."""
    found = the_comparison(paired_samples(ratio=1.02, fresh=1.02, spread=0.001))
    assert found.verdict == "unchanged"
    assert found.significant
    assert found.notes == (case_result.SMALL,)


def test_the_verdict_depends_on_the_threshold():
    """The same data has another verdict with another threshold."""
    paired = paired_samples(ratio=1.02, fresh=1.02, spread=0.001, threshold=0.01)
    assert the_comparison(paired).verdict == "regressed"


def test_an_inconclusive_case_states_the_rounds_needed():
    """Noise neither excludes a change nor shows that it is small."""
    found = the_comparison(paired_samples(rounds=4, spread=0.05))
    assert (found.verdict, found.stopped_by) == ("undecided", "time")
    assert found.bound == found.interval.high
    assert found.rounds_needed > 0
    assert found.smallest_detectable > 0.05


@pytest.mark.parametrize(
    ("better", "spread", "verdict"),
    [("lower", 0.2, "undecided"), ("lower", 1.2, "inconclusive"), ("higher", 0.2, "undecided")],
)
def test_only_a_case_that_may_have_doubled_is_inconclusive(better, spread, verdict):
    """Otherwise it has a bound; after its last analysis, noise stopped it and not the time."""
    found = the_comparison(paired_samples(rounds=24, spread=spread, better=better))
    assert (found.verdict, found.stopped_by) == (verdict, "noise")
    excluded = found.bound < 1.0 if better == "lower" else found.bound > -0.5
    assert excluded is (verdict == "undecided")


def test_before_and_after_agree_with_the_change_within_levels():
    """Head happens to have run more often on the fast level, so that the plain means would contradict the change."""
    fast, slow = np.log(1.0), np.log(1.4)
    noise = np.random.default_rng(3).normal(0, 0.002, (2, 24))
    before, after = np.exp(np.array([[slow, fast, slow, slow] * 6, [fast, slow, fast, slow] * 6]) + noise)
    found = the_comparison(
        PairedSamples(benchmark="b", stage_samples=(stage_samples_of(before, after * 1.03),), threshold=0.2)
    )
    assert any("two levels" in note for note in found.notes)
    assert found.relative_change > 0
    assert found.contender.value / found.baseline.value - 1 == pytest.approx(found.relative_change)


def test_an_unchanged_case_states_the_detectable_change():
    """The reader sees how large an undetected change could be."""
    found = the_comparison(paired_samples(rounds=8, spread=0.005))
    assert found.verdict == "unchanged"
    assert 0 < found.smallest_detectable < 0.03
    assert found.rounds_needed is None


def test_the_confidence_includes_all_interim_analyses():
    """Repeated analyses make the interval wider."""
    assert the_comparison(paired_samples()).confidence == pytest.approx(0.95)
    assert the_comparison(paired_samples(ratio=1.2, fresh=1.2)).confidence == pytest.approx(0.98)


class TestOtherThanTime:
    """Counts, memory, tracked values."""

    @pytest.mark.parametrize(
        ("baseline", "contender", "verdict", "change", "notes"),
        [
            (100.0, 130.0, "regressed", 0.3, ()),
            (100.0, 100.0, "unchanged", 0.0, ()),
            (0.0, 0.0, "unchanged", 0.0, ()),
            (0.0, 3.0, "regressed", None, (case_result.ZERO_BASELINE,)),
            (0.0, -3.0, "improved", None, (case_result.ZERO_BASELINE,)),
            (-10.0, -5.0, "regressed", 0.5, (case_result.NOT_POSITIVE,)),
        ],
    )
    def test_equal_values_are_exact(self, baseline, contender, verdict, change, notes):
        """Without spread the interval is the change itself; from zero there is no percentage, below it no logarithm."""
        found = the_comparison(exact_samples(baseline=baseline, contender=contender))
        assert (found.verdict, found.notes) == (verdict, notes)
        assert found.relative_change == (change if change is None else pytest.approx(change))
        assert found.interval is None if change is None else found.interval.low == found.interval.high
        assert found.smallest_detectable == 0

    def test_equal_times_are_not_exact(self):
        """A coarse clock returns equal values for unequal times."""
        same = (0.25,) * 4
        found = the_comparison(PairedSamples(benchmark="b", stage_samples=(stage_samples_of(same, same),)))
        assert found.verdict == "unchanged"
        assert found.interval.low < 0 < found.interval.high

    @pytest.mark.parametrize("huge", [1e308, 5e-324])
    def test_extreme_values_do_not_overflow(self, huge):
        """Every float can be compared or reported as incomparable."""
        found = the_comparison(exact_samples(baseline=1.0, contender=huge))
        assert found.verdict in {"regressed", "improved"}

    def test_one_process_per_commit_decides_nothing(self):
        """A single count does not show that it is exact."""
        paired = PairedSamples(benchmark="b", kind="other", stage_samples=(stage_samples_of([1.0], [2.0]),))
        found = the_comparison(paired)
        assert found.verdict == "inconclusive"
        assert found.rounds_needed == 3


class TestTheWhole:
    """The result of the whole comparison."""

    def test_a_regression_outweighs_improvements(self):
        """One regression makes the whole comparison regressed."""
        worse, better, same = (
            paired_samples("a", 1.3, fresh=1.3),
            paired_samples("b", 0.7, fresh=0.7),
            paired_samples("c"),
        )
        assert decide(a_context(), [worse, better, same]).overall == "regressed"
        assert decide(a_context(), [better, same]).overall == "improved"
        assert decide(a_context(), [same]).overall == "unchanged"
        assert decide(a_context(), [same, paired_samples("d", rounds=4, spread=0.1)]).overall == "undecided"
        assert decide(a_context(), [same, paired_samples("d", rounds=4, spread=0.5)]).overall == "inconclusive"

    def test_an_empty_comparison_has_its_own_result(self):
        """An empty suite is not unchanged."""
        empty = decide(a_context(), [PairedSamples(benchmark="b", stage_samples=(stage_samples_of([1.0, 2.0], []),))])
        assert empty.overall == "nothing_measured"
        assert [one.benchmark for one in empty.failed] == ["b"]
        assert (empty.coverage.planned, empty.coverage.compared) == (1, 0)
        assert decide(a_context(same_artifact=True), []).overall == "same_artifact"

    def test_the_order_of_the_samples_does_not_matter(self):
        """Shards arrive in any order."""
        samples = [paired_samples(f"t{index}", 1 + index / 50, seed=index, fresh=1 + index / 50) for index in range(12)]
        assert decide(a_context(), samples) == decide(a_context(), samples[::-1])

    def test_confirmation_may_run_on_another_machine(self):
        """Samples are paired within a stage, so machines may differ by any factor."""
        paired = paired_samples(ratio=1.2, fresh=1.2)
        slow = replace(
            paired.stage_samples[1],
            machine="other",
            baseline=replace(
                paired.stage_samples[1].baseline, values=tuple(9 * v for v in paired.stage_samples[1].baseline.values)
            ),
            contender=replace(
                paired.stage_samples[1].contender, values=tuple(9 * v for v in paired.stage_samples[1].contender.values)
            ),
        )
        found = the_comparison(replace(paired, stage_samples=(paired.stage_samples[0], slow)))
        assert found.relative_change == pytest.approx(the_comparison(paired).relative_change)

    def test_a_change_of_nearly_all_cases_is_a_common_change(self):
        """An interpreter, a dependency or build flags cause it."""
        everything = [paired_samples(f"t{index}", 1.08, seed=index) for index in range(30)]
        common = decide(a_context(), everything).common_change
        assert common.relative_change == pytest.approx(0.08, abs=0.01)
        assert common.cases == 30
        assert (
            decide(a_context(), [paired_samples(f"t{index}", seed=index) for index in range(30)]).common_change is None
        )


def test_screening_data_does_not_confirm():
    """The data that raised a suspected_direction is not used for its confirmation."""
    found = the_comparison(paired_samples(ratio=1.5, fresh=1.2))
    assert found.interval.high < 0.3
    assert found.contender.processes == len(found.at("confirmation")[0].contender.values)


def controlled(moved, *, cases=4, rounds=8):
    """A report with a change of 30 %, whose control of some *cases* has *moved* in confirmation."""
    control = [paired_samples(f"suite.time_control_{number}", fresh=moved, rounds=rounds) for number in range(cases)]
    guard = tuple(CaseIdentity(benchmark=one.benchmark) for one in control)
    return a_report(changed(), *control, reach=Reach(cases=90, reached=1, guard=guard))


def test_a_control_that_moves_discards_what_was_confirmed():
    """The machine has changed, so nothing is accused; the report says so and asks to measure again."""
    report = controlled(1.06)
    assert not report.changed
    assert report.overall == "inconclusive"
    assert report.control_change == pytest.approx(0.06, abs=0.01)
    assert DISCARDED in next(one for one in report.comparisons if one.benchmark == "suite.time_it").notes
    assert "moved by about +5.8 % too" in summary.headline(report)
    assert "Measure again" in summary.recommended_action(report)


@pytest.mark.parametrize("moved", [1.0, 1.004])
def test_a_control_that_stays_changes_nothing(moved):
    """Neither does one that moves by less than a per cent."""
    report = controlled(moved)
    assert report.overall == "regressed"
    assert report.control_change is None


def test_one_case_is_no_control():
    """A single case that moves may run something that the map does not see."""
    assert controlled(1.06, cases=1).overall == "regressed"
