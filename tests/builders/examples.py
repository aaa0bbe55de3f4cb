"""Which examples Hypothesis draws: the same ones each time, or new ones with ``WINDTUNNEL_EXPLORE=1``."""

import os

from hypothesis import settings
from hypothesis.database import DirectoryBasedExampleDatabase

EXPLORE = os.environ.get("WINDTUNNEL_EXPLORE", "") not in {"", "0"}
"""Whether new examples are drawn, ten times as many; the nightly run does, and keeps those that fail."""


def load_profile():
    """Load the profile of all tests: how long an example takes depends on the machine, so there is no deadline."""
    if EXPLORE:
        database = DirectoryBasedExampleDatabase(".hypothesis/examples")
        settings.register_profile("explore", deadline=None, max_examples=1000, database=database, print_blob=True)
        settings.load_profile("explore")
    else:
        settings.register_profile("same", deadline=None, max_examples=50, derandomize=True, database=None)
        settings.load_profile("same")


def examples(count):
    """Settings for a test that draws *count* examples, or ten times as many when it explores."""
    return settings(max_examples=count * 10 if EXPLORE else count)
