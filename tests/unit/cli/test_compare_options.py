"""What the options of ``windtunnel compare`` mean."""

import pytest

from windtunnel.cli.compare import parse_shard


def test_a_shard_may_name_its_division():
    """``ci prepare`` chooses it; without one, parts have as many benchmarks."""
    assert (parse_shard("2/4"), parse_shard("2/4:17")) == ((2, 4, 0), (2, 4, 17))


@pytest.mark.parametrize("text", ["0/4", "5/4", "1/257", "2", "2/4:", "2/4:x", "2/4:1:1", "-1/4", "2/4:99999", "٢/4"])
def test_what_is_no_shard_is_refused(text):
    """The message has examples."""
    with pytest.raises(ValueError, match="such as 2/4"):
        parse_shard(text)
