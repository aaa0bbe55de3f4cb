"""Where a planet stands, asked over a new connection each time."""

from benchmarks._suite import _Suite
from benchmarks.web import CASES


class WebClose(_Suite):
    """Variants of ``web_close``."""

    scenario = "web_close"
    params = CASES
    version = "1"
    rounds = 2
    most_samples = 3
