"""Properties of every decision, for any measured values."""

from typing import get_args

import pytest
from builders.examples import examples
from builders.samples import a_context, stage_samples_of
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from windtunnel.compare.decide import decide
from windtunnel.compare.format import UNDECIDED
from windtunnel.compare.samples_format import PairedSamples
from windtunnel.model.benchmark import Better, MeasureKind

ORDINARY = st.floats(1e-3, 1e3)
ANY = st.floats(allow_nan=False, allow_infinity=False)
MIRRORED = {"regressed": "improved", "improved": "regressed"}


@st.composite
def stage_samples(draw, values):
    """One screening and perhaps one confirmation, of any number of rounds."""
    found = []
    for stage in draw(st.sampled_from([("screening",), ("screening", "confirmation")])):
        rounds = draw(st.integers(1, 16))
        baseline = draw(st.lists(values, min_size=rounds, max_size=rounds))
        contender = draw(st.lists(values, min_size=rounds, max_size=rounds))
        found.append(stage_samples_of(baseline, contender, stage=stage))
    return tuple(found)


@st.composite
def samples(draw, values):
    """A case of time or of something else, better one way or the other."""
    return PairedSamples(
        benchmark="b",
        kind=draw(st.sampled_from(get_args(MeasureKind))),
        better=draw(st.sampled_from(get_args(Better))),
        threshold=draw(st.floats(1e-3, 10)),
        stage_samples=draw(stage_samples(values)),
    )


def decided(paired):
    (one,) = decide(a_context(), [paired]).comparisons
    return one


def altered(paired, change):
    """The samples after *change*, a function of the values of both arms, for each stage."""
    return replace(
        paired,
        stage_samples=tuple(
            stage_samples_of(*change(one.baseline.values, one.contender.values), stage=one.stage)
            for one in paired.stage_samples
        ),
    )


@given(samples(ANY))
def test_any_values_get_exactly_one_verdict(paired):
    """There is no warning, and the verdict agrees with its interval."""
    one = decided(paired)
    assert (one.verdict in MIRRORED) <= one.significant
    assert (one.rounds_needed is not None) <= (one.verdict in UNDECIDED)
    if one.interval is not None and one.relative_change is not None:
        assert one.interval.low <= one.relative_change <= one.interval.high


@given(samples(ORDINARY))
def test_exchanging_base_and_head_mirrors_the_verdict(paired):
    """A regression becomes an improvement; an open case stays open, though a doubling may be excluded one way only."""
    one, other = decided(paired), decided(altered(paired, lambda before, after: (after, before)))
    assert other.verdict is MIRRORED.get(one.verdict, one.verdict) or {one.verdict, other.verdict} <= {*UNDECIDED}
    assert 1 + other.relative_change == pytest.approx(1 / (1 + one.relative_change), rel=1e-6)


@given(samples(ORDINARY), st.sampled_from([2.0**-20, 4.0, 2.0**30]))
def test_units_do_not_matter(paired, factor):
    """Milliseconds and seconds give the same verdict."""
    scaled = altered(paired, lambda before, after: ([v * factor for v in before], [v * factor for v in after]))
    one, other = decided(paired), decided(scaled)
    assert other.verdict == one.verdict
    assert other.relative_change == pytest.approx(one.relative_change, rel=1e-6, abs=1e-9)


@examples(50)
@given(samples(ORDINARY), st.randoms(use_true_random=False))
def test_the_order_of_rounds_does_not_matter(paired, random):
    """The pairs stay the same."""

    def shuffled(before, after):
        pairs = list(zip(before, after, strict=True))
        random.shuffle(pairs)
        return [one for one, _ in pairs], [other for _, other in pairs]

    one, other = decided(paired), decided(altered(paired, shuffled))
    assert other.verdict == one.verdict
    assert other.relative_change == pytest.approx(one.relative_change, rel=1e-9, abs=1e-12)


@given(samples(ORDINARY), st.floats(1.01, 20))
def test_a_larger_threshold_never_raises_an_alarm(paired, factor):
    """Only the number of unchanged cases may grow."""
    one, other = decided(paired), decided(replace(paired, threshold=paired.threshold * factor))
    if one.verdict not in MIRRORED:
        assert other.verdict not in MIRRORED
    if one.verdict == "unchanged":
        assert other.verdict == "unchanged"
