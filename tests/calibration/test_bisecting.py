"""What a bisection is said to be worth, in reduced size; calibration.bisecting has the table."""

from calibration.bisecting import outcomes


def test_a_clear_change_is_found_exactly():
    """Ten per cent in noise of two: every search ends at the commit."""
    said, _ = outcomes(factor=1.10, spread=0.02, trials=12, seed=6)
    assert said == {"exact": 12}


def test_a_change_that_is_hard_to_see_is_not_blamed_on_a_wrong_commit():
    """Three per cent in noise of two: ranges, and never a commit that is innocent."""
    said, _ = outcomes(factor=1.03, spread=0.02, trials=8, seed=6)
    assert said["wrong"] == 0
    assert said["range"] + said["exact"] + said["nothing"] == 8
