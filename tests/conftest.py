"""What holds for all tests."""

import functools
import gc
import os
import signal
import sys
from pathlib import Path

import pytest
from builders.examples import load_profile

load_profile()

# hundreds of processes are started here: without bytecode each of them compiles what it imports anew
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# a shell's background jobs inherit it ignored, and with them the processes that are interrupted here
signal.signal(signal.SIGINT, signal.default_int_handler)

# what collection makes stays until the end: looking for garbage in it takes a tenth of the time of collecting
gc.disable()

HERE = Path(__file__).parent
LONG = (
    "integration/test_bench.py",
    "contract/test_scenarios.py",
    "browser/test_pages.py",
    "histories/test_histories.py",
    "integration/test_compare_live.py",
    "integration/test_builds.py",
    "integration/test_plan_run.py",
    "integration/test_bisect.py",
    "contract/test_asv_bench_async/test_end_to_end.py",
)
"""Files that take longest: workers get them first. The first one makes the environment for which others would wait."""


COMPUTING = ("unit", "properties", "calibration", "histories")
"""Folders whose tests compute. The others start processes, and wait most of the time."""


def pytest_collection_modifyitems(items):
    """Put the long files first, then alternate between what waits and what computes (--no-loadscope-reorder).

    A worker that waits leaves its processor to one that computes, during the whole run.
    """
    computing, waiting = [], []
    for path in dict.fromkeys(item.path for item in items):
        (computing if path.relative_to(HERE).parts[0] in COMPUTING else waiting).append(path)
    places = {path: at / len(group) for group in (waiting, computing) for at, path in enumerate(group)}
    ranks = {HERE / name: rank - len(LONG) for rank, name in enumerate(LONG)}
    items.sort(key=lambda item: ranks.get(item.path, places[item.path]))


def pytest_collection_finish():
    """Collect garbage of the tests only."""
    gc.freeze()
    gc.enable()


def pytest_unconfigure():
    """Let libraries find at the end that nothing of them is left."""
    gc.unfreeze()


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory):
    """A function from a Python to an environment of it with asv_runner and asv_bench_async only, as asv makes them.

    In the environment of these tests, asv_runner reads the metadata of all that is installed at each start: 0.15 s.
    """
    from builders import asv_suites  # tests/portable runs without what it imports

    @functools.cache
    def make(python=sys.executable, **options):
        return asv_suites.a_bare_python(python, tmp_path_factory.mktemp("environment"), **options)

    return make


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """A site with everything that pages show: a change half way, and an alert."""
    from builders.published import a_full_site  # tests/portable runs without what it imports

    return a_full_site(tmp_path_factory.mktemp("full"))


@pytest.fixture(scope="session")
def job(tmp_path_factory):
    """A site of one job: its time, its latencies, its memory, and a verdict."""
    from builders.published import a_site_of_a_job

    return a_site_of_a_job(tmp_path_factory.mktemp("job"))
