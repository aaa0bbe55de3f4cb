"""Trials to verdicts: every rule of the judge, one at a time."""

import pytest
from builders.samples import a_context, exact_samples, paired_samples, stage_samples_of
from msgspec.structs import replace

from windtunnel.compare import case_result
from windtunnel.compare.decide import decide
from windtunnel.compare.format import Overall, PairedSamples, Pairing, Rules, StageRules, Verdict
from windtunnel.model.measure import Better, MeasureKind
from windtunnel.model.schedule import Stage

ONE_STAGE = Rules(confirm=False)


def the_comparison(paired, **context):
    (found,) = decide(a_context(**context), [paired]).comparisons
    return found


def test_a_change_seen_twice_is_a_regression():
    """Screened, measured afresh, confirmed; the interval is that of the fresh data and holds the truth."""
    found = the_comparison(paired_samples(ratio=1.2, fresh=1.2))
    assert found.verdict is Verdict.REGRESSED
    assert found.significant
    assert found.confirmed
    assert found.interval.low < 0.2 < found.interval.high
    assert found.relative_change == pytest.approx(found.contender.value / found.baseline.value - 1)


def test_a_suspect_nobody_measured_again_is_no_regression():
    """Only confirmed changes are; the reader is told what is missing, and how many rounds."""
    found = the_comparison(paired_samples(ratio=1.2))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert not found.confirmed
    assert found.notes == (case_result.NOT_REPEATED,)
    assert found.rounds_needed == Rules().confirmation.interim_analyses[0]


def test_a_suspect_that_fresh_data_clears_is_unchanged():
    """That is what confirmation is for."""
    found = the_comparison(paired_samples(ratio=1.2, fresh=1.0))
    assert found.verdict is Verdict.UNCHANGED
    assert found.notes == (case_result.NOT_CONFIRMED,)


def test_a_suspect_that_moved_the_other_way_is_no_change():
    """Confirmation asks about the suspected direction only."""
    found = the_comparison(paired_samples(ratio=1.2, fresh=0.8))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert not found.significant


def test_without_confirmation_the_first_data_is_held_to_the_whole_suite():
    """A verdict, but an unconfirmed one."""
    found = the_comparison(paired_samples(ratio=1.2), rules=ONE_STAGE)
    assert found.verdict is Verdict.REGRESSED
    assert found.significant
    assert not found.confirmed


def test_more_cases_make_the_same_evidence_weaker():
    """Family-wise: what convicts a case alone may not convict it among many."""
    paired = paired_samples(ratio=1.1, rounds=6, spread=0.012)
    alone = decide(a_context(rules=ONE_STAGE), [paired])
    crowd = [paired_samples(f"suite.time_{index}", seed=index) for index in range(300)]
    among = decide(a_context(rules=ONE_STAGE), [paired, *crowd])
    same = next(one for one in among.comparisons if one.identity == paired.identity)
    assert alone.comparisons[0].verdict is Verdict.REGRESSED
    assert same.verdict is Verdict.INCONCLUSIVE
    assert same.notes == (case_result.NOT_SIGNIFICANT,)


@pytest.mark.parametrize(
    ("better", "ratio", "verdict"),
    [
        (Better.LOWER, 1.2, Verdict.REGRESSED),
        (Better.LOWER, 0.8, Verdict.IMPROVED),
        (Better.HIGHER, 1.2, Verdict.IMPROVED),
        (Better.HIGHER, 0.8, Verdict.REGRESSED),
    ],
)
def test_worse_depends_on_which_way_is_better(better, ratio, verdict):
    """Requests per second may fall just as seconds may rise."""
    assert the_comparison(paired_samples(ratio=ratio, fresh=ratio, better=better)).verdict is verdict


def test_a_real_change_below_the_threshold_is_unchanged_and_said_to_be_real():
    """Significant is not relevant."""
    found = the_comparison(paired_samples(ratio=1.02, fresh=1.02, spread=0.001))
    assert found.verdict is Verdict.UNCHANGED
    assert found.significant
    assert found.notes == (case_result.SMALL,)


def test_the_threshold_is_the_owners():
    """The same data, another threshold, another verdict."""
    paired = paired_samples(ratio=1.02, fresh=1.02, spread=0.001, threshold=0.01)
    assert the_comparison(paired).verdict is Verdict.REGRESSED


def test_noise_is_inconclusive_and_says_how_many_rounds_would_do():
    """Neither excluded nor shown to be small."""
    found = the_comparison(paired_samples(rounds=4, spread=0.05))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.rounds_needed > 0
    assert found.smallest_detectable > 0.05


def test_unchanged_says_what_would_have_been_seen():
    """Silence means something."""
    found = the_comparison(paired_samples(rounds=8, spread=0.005))
    assert found.verdict is Verdict.UNCHANGED
    assert 0 < found.smallest_detectable < 0.03
    assert found.rounds_needed is None


def test_confidence_is_what_all_looks_leave():
    """Looking again and again is paid for in the interval that is shown."""
    assert the_comparison(paired_samples()).confidence == pytest.approx(0.95)
    assert the_comparison(paired_samples(ratio=1.2, fresh=1.2)).confidence == pytest.approx(0.98)


class TestOtherThanTime:
    """Counts, memory, tracked values."""

    def test_counts_that_all_processes_agree_on_are_exact(self):
        """No spread, no noise: the change is what it is."""
        found = the_comparison(exact_samples(contender=130.0))
        assert found.verdict is Verdict.REGRESSED
        assert found.relative_change == pytest.approx(0.3)
        assert found.interval.low == found.interval.high
        assert found.notes == (case_result.EXACT,)

    def test_ties_are_unchanged(self):
        """Memory: the same number everywhere."""
        found = the_comparison(exact_samples())
        assert found.verdict is Verdict.UNCHANGED
        assert found.relative_change == 0
        assert found.smallest_detectable == 0

    def test_equal_times_are_no_certainty(self):
        """A clock that ticks coarsely must not make time exact."""
        same = (0.25,) * 4
        found = the_comparison(PairedSamples(benchmark="b", stage_samples=(stage_samples_of(same, same),)))
        assert found.verdict is Verdict.UNCHANGED
        assert found.interval.low < 0 < found.interval.high

    def test_nothing_at_all_is_unchanged(self):
        """Zero before, zero after."""
        found = the_comparison(exact_samples(baseline=0.0, contender=0.0))
        assert found.verdict is Verdict.UNCHANGED
        assert found.relative_change == 0

    @pytest.mark.parametrize(("contender", "verdict"), [(3.0, Verdict.REGRESSED), (-3.0, Verdict.IMPROVED)])
    def test_from_nothing_there_is_no_relative_change(self, contender, verdict):
        """The verdict stands, the percentage does not exist."""
        found = the_comparison(exact_samples(baseline=0.0, contender=contender))
        assert found.verdict is verdict
        assert found.relative_change is None
        assert found.interval is None
        assert case_result.ZERO_BASELINE in found.notes

    def test_values_below_zero_are_compared_by_difference(self):
        """Balances, offsets, log likelihoods."""
        found = the_comparison(exact_samples(baseline=-10.0, contender=-5.0))
        assert found.relative_change == pytest.approx(0.5)
        assert found.verdict is Verdict.REGRESSED
        assert case_result.NOT_POSITIVE in found.notes

    @pytest.mark.parametrize("huge", [1e308, 5e-324])
    def test_extreme_values_neither_overflow_nor_warn(self, huge):
        """What a float can hold can be compared, or said to be incomparable."""
        found = the_comparison(exact_samples(baseline=1.0, contender=huge))
        assert found.verdict in {Verdict.REGRESSED, Verdict.IMPROVED}

    def test_one_process_a_side_decides_nothing(self):
        """Not even for counts: who knows that they are exact?"""
        paired = PairedSamples(benchmark="b", kind=MeasureKind.OTHER, stage_samples=(stage_samples_of([1.0], [2.0]),))
        found = the_comparison(paired)
        assert found.verdict is Verdict.INCONCLUSIVE
        assert found.rounds_needed == 3


class TestTheWhole:
    """What is said of the head."""

    def test_the_worst_news_comes_first(self):
        """One regression outweighs any number of improvements."""
        worse, better, same = (
            paired_samples("a", 1.3, fresh=1.3),
            paired_samples("b", 0.7, fresh=0.7),
            paired_samples("c"),
        )
        assert decide(a_context(), [worse, better, same]).overall is Overall.REGRESSED
        assert decide(a_context(), [better, same]).overall is Overall.IMPROVED
        assert decide(a_context(), [same]).overall is Overall.UNCHANGED
        assert decide(a_context(), [same, paired_samples("d", rounds=4, spread=0.1)]).overall is Overall.INCONCLUSIVE

    def test_nothing_measured_is_no_all_clear(self):
        """An empty suite, or one of which nothing came back."""
        empty = decide(a_context(), [PairedSamples(benchmark="b", stage_samples=(stage_samples_of([1.0, 2.0], []),))])
        assert empty.overall is Overall.NOTHING_MEASURED
        assert [one.benchmark for one in empty.failed] == ["b"]
        assert (empty.coverage.planned, empty.coverage.compared) == (1, 0)
        assert decide(a_context(same_artifact=True), []).overall is Overall.SAME_ARTIFACT

    def test_order_of_trials_does_not_matter(self):
        """Shards come home in any order."""
        trials = [paired_samples(f"t{index}", 1 + index / 50, seed=index, fresh=1 + index / 50) for index in range(12)]
        assert decide(a_context(), trials) == decide(a_context(), trials[::-1])

    def test_confirmation_on_another_machine_is_paired_there(self):
        """Machines may differ by any factor; each pass is its own comparison."""
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

    def test_what_moved_all_at_once_is_said_once(self):
        """An interpreter, a dependency, build flags."""
        everything = [paired_samples(f"t{index}", 1.08, seed=index) for index in range(30)]
        common = decide(a_context(), everything).common_change
        assert common.relative_change == pytest.approx(0.08, abs=0.01)
        assert common.cases == 30
        assert not common.removed
        assert (
            decide(a_context(), [paired_samples(f"t{index}", seed=index) for index in range(30)]).common_change is None
        )


class TestApart:
    """Stored results: two runs instead of one comparison."""

    RULES = Rules(screening=StageRules(interim_analyses=(1,), error=0.05), confirm=False)

    def apart(self, name, ratio, *, unit="seconds", kind=MeasureKind.TIME, seed=0):
        stage_samples = tuple(
            replace(one, pairing=Pairing.SEPARATE) for one in paired_samples(name, ratio, seed=seed).stage_samples
        )
        return PairedSamples(benchmark=name, unit=unit, kind=kind, stage_samples=stage_samples)

    def test_another_machine_is_no_regression(self):
        """The factor that all share is divided out, and said."""
        found = decide(a_context(rules=self.RULES), [self.apart(f"t{index}", 1.4, seed=index) for index in range(30)])
        assert found.overall is not Overall.REGRESSED
        assert found.common_change.removed
        assert found.common_change.relative_change == pytest.approx(0.4, abs=0.05)

    def test_a_large_change_among_many_is_found(self):
        """Its size is relative to the common factor."""
        still = [self.apart(f"t{index}", 1.4, seed=index) for index in range(60)]
        found = decide(a_context(rules=self.RULES), [*still, self.apart("slow", 4.2)])
        (slow,) = found.having(Verdict.REGRESSED)
        assert slow.benchmark == "slow"
        assert slow.relative_change == pytest.approx(2.0, rel=0.1)
        assert not slow.confirmed

    def test_too_few_cases_decide_nothing(self):
        """How far two runs lie apart is unknown."""
        found = decide(a_context(rules=self.RULES), [self.apart(f"t{index}", 1.4, seed=index) for index in range(3)])
        assert {one.verdict for one in found.comparisons} == {Verdict.INCONCLUSIVE}
        assert {one.notes for one in found.comparisons} == {(case_result.TOO_FEW,)}
        assert {one.rounds_needed for one in found.comparisons} == {None}


def test_stages_do_not_mix():
    """Data that raised the suspicion never counts when confirming."""
    found = the_comparison(paired_samples(ratio=1.5, fresh=1.2))
    assert found.interval.high < 0.3
    assert found.contender.processes == len(found.at(Stage.CONFIRMATION)[0].contender.values)
