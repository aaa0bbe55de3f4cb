"""Files that are nearly what asv writes are read or refused, never a crash; ``tests/fuzz`` does this at full size."""

from builders.examples import examples
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.mutations import SEEDS, mutated
from tests.fuzz.rule import RULES


@examples(400)
@given(st.sampled_from(sorted(SEEDS)), st.randoms(use_true_random=False))
def test_no_file_crashes_the_codec(kind, random):
    """What is read can be looked at, written, read again unchanged, and merged."""
    RULES[kind](mutated(SEEDS[kind], random))


def test_the_files_to_begin_with_are_good():
    """Else their offspring would show little."""
    assert all(RULES[kind](content) for kind, content in SEEDS.items())
