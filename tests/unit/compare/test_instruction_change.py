"""Counts of instructions say whether there is more work; the seeds of both commits are paired."""

import msgspec
import pytest
from builders.samples import a_context, paired_samples, uncounted, work_samples

from windtunnel.compare.decide import decide
from windtunnel.compare.samples_format import InstructionChange, WorkSamples
from windtunnel.compare.significance import SAME_WORK, THREADS, TOO_WIDE, decide_work
from windtunnel.model.schedule import InstructionCounts


def change_of(work, **what):
    (found,) = decide_work([paired_samples(work=work, **what)])
    return found


def counts(*per_call):
    return InstructionCounts(per_call=tuple(map(float, per_call)), calls=10)


@pytest.mark.parametrize(
    ("ratio", "work"),
    [
        (1.0, "same"),
        (1.0005, "same"),
        (0.9995, "same"),
        (1.003, "more"),
        (0.997, "less"),
        (2000.0, "more"),
    ],
)
def test_work_changes_by_more_than_a_tenth_of_a_per_cent(ratio, work):
    """What another memory layout alone can cause is the same work."""
    found = change_of(work_samples(ratio))
    assert found.work is work
    assert found.relative_change == pytest.approx(ratio - 1, rel=0.01, abs=2e-4)
    assert found.interval.low < found.relative_change < found.interval.high


def test_what_seeds_do_to_both_commits_is_no_noise():
    """Seeds that differ by 5 % hide no change of 0.3 %, because each is compared with itself."""
    found = change_of(work_samples(1.003, of_seeds=0.05))
    assert found.work == "more"
    assert found.interval.high - found.interval.low < SAME_WORK


def test_equal_counts_are_not_exact():
    """Five equal seeds do not show that the next one is equal."""
    found = change_of(WorkSamples(base=counts(*[1e6] * 5), head=counts(*[1.01e6] * 5)))
    assert found.relative_change == pytest.approx(0.01)
    assert 0.0097 < found.interval.low < 0.01 < found.interval.high < 0.0103


def test_a_wide_interval_is_unknown():
    """The figures stay, with the reason."""
    found = change_of(work_samples(1.002, spread=0.01))
    assert (found.work, found.reason) == ("unknown", TOO_WIDE)
    assert found.interval.low < 0 < found.interval.high


def test_counts_of_cases_with_threads_explain_nothing():
    """Their work is not counted reliably, so neither a sentence nor the gate uses it."""
    found = change_of(work_samples(1.5, other_threads=True), instructions_threshold=0.1)
    assert (found.work, found.reason, found.regressed) == ("unknown", THREADS, False)
    assert found.relative_change == pytest.approx(0.5, rel=0.01)


@pytest.mark.parametrize(
    ("work", "reason"),
    [
        (uncounted("valgrind is missing"), "valgrind is missing"),
        (WorkSamples(base=counts(1, 1, 1), head=InstructionCounts(reason="it failed")), "on head: it failed"),
        (WorkSamples(base=InstructionCounts(), head=InstructionCounts()), "it was not counted"),
        (WorkSamples(base=counts(1, 1, 1), head=counts(1, 1, 1, 1)), "base and head were not counted with the same"),
        (WorkSamples(base=counts(1, 1), head=counts(1, 1)), "counts of at least 3 hash seeds are needed"),
        (WorkSamples(base=counts(1, 0, 1), head=counts(1, 1, 1)), "a count is not above zero"),
    ],
)
def test_what_cannot_be_compared_has_a_reason(work, reason):
    """It is unknown, without a figure."""
    found = change_of(work)
    assert (found.work, found.relative_change, found.interval) == ("unknown", None, None)
    assert found.reason.startswith(reason)


def test_absurd_counts_end_no_report():
    """A count from an artifact may be anything that a number holds."""
    for before, after in ((1e-300, 1e300), (1e300, 1e-300), (5e-324, 1.7e308)):
        found = change_of(WorkSamples(base=counts(*[before] * 3), head=counts(*[after] * 3)))
        assert isinstance(found, InstructionChange)
        assert msgspec.json.decode(msgspec.json.encode(found), type=InstructionChange) == found


def test_cases_are_decided_side_by_side():
    """Each keeps its own counts, whatever the number of its seeds; a case without any has no entry."""
    samples = [
        paired_samples("a", work=work_samples(1.5)),
        paired_samples("b"),
        paired_samples("c", work=uncounted("no")),
        paired_samples("d", work=work_samples(0.5, seeds=8)),
    ]
    found = decide_work(samples)
    assert [one and one.work for one in found] == ["more", None, "unknown", "less"]
    assert decide_work([]) == ()


@pytest.mark.parametrize(
    ("threshold", "ratio", "regressed"),
    [(0.0, 1.5, False), (0.005, 1.012, True), (0.005, 1.004, False), (0.005, 1.0052, False), (0.005, 0.9, False)],
)
def test_the_gate_needs_the_whole_interval_above_the_threshold(threshold, ratio, regressed):
    """Without a threshold nothing fails, and what lies near it does not."""
    assert change_of(work_samples(ratio), instructions_threshold=threshold).regressed is regressed


def test_all_gated_cases_share_one_error_rate():
    """A case that is just above its threshold alone is not among many; those without a threshold do not count."""
    work = work_samples(1.007, spread=2e-4)

    def regressed(others, threshold):
        rest = [
            paired_samples(f"o{number}", work=work_samples(seed=number + 1), instructions_threshold=threshold)
            for number in range(others)
        ]
        return decide_work([paired_samples("a", work=work, instructions_threshold=0.005), *rest])[0].regressed

    assert regressed(0, 0.005)
    assert not regressed(2000, 0.005)
    assert regressed(2000, 0.0)


@pytest.mark.parametrize("ratio", [1.0, 1.2])
@pytest.mark.parametrize("work", [work_samples(1.0), work_samples(1.5), work_samples(0.5), uncounted()])
def test_instructions_never_change_the_verdict_on_time(ratio, work):
    """All fields of the decision but the instructions are equal with and without counts, also with a threshold."""
    samples = [paired_samples(f"suite.time_{number}", ratio, fresh=ratio, seed=number) for number in range(3)]
    counted = [msgspec.structs.replace(one, work=work, instructions_threshold=0.001) for one in samples]
    without, found = (decide(a_context(), each) for each in (samples, counted))
    plain = [
        msgspec.structs.replace(one, work=None, instructions=None, instructions_threshold=0.0)
        for one in found.comparisons
    ]
    assert msgspec.structs.replace(found, comparisons=tuple(plain)) == without
