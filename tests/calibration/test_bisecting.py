"""What a bisection is said to be worth, in reduced size; studies.bisecting has the table."""

from calibration.bisecting import outcomes


def test_a_clear_change_is_found_exactly():
    """A change of 10 % with noise of 2 % always ends at the commit."""
    said, _ = outcomes(factor=1.10, spread=0.02, trials=12, seed=6)
    assert said == {"exact": 12}


def test_a_small_change_is_not_assigned_to_a_wrong_commit():
    """A change of 3 % with noise of 2 % gives ranges."""
    said, _ = outcomes(factor=1.03, spread=0.02, trials=8, seed=6)
    assert said["wrong"] == 0
    assert said["range"] + said["exact"] + said["nothing"] == 8
