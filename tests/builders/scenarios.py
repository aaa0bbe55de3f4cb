"""Cases of the scenarios, opened for a test."""

import time
from contextlib import contextmanager

import pytest

from windtunnel_scenarios import registry
from windtunnel_scenarios.model import UnavailableError

SCENARIOS = registry.all_scenarios()


@contextmanager
def opened(scenario, variant):
    """The case with its trial load; a case that this Python cannot run is skipped with the reason."""
    try:
        case = registry.prepared(scenario, variant, "trial")
        run = case.__enter__()
    except UnavailableError as reason:
        pytest.skip(str(reason))
    try:
        yield run
    except BaseException as error:
        if not case.__exit__(type(error), error, error.__traceback__):
            raise
    else:
        case.__exit__(None, None, None)


def outcome_of(scenario, variant):
    """What a run with the trial load returns."""
    return registry.find(scenario, variant, "trial")[0].loads.trial.outcome


def wait_until(condition):
    """Return what the condition yields once it is true."""
    deadline = time.monotonic() + 60
    while not (found := condition()):
        assert time.monotonic() < deadline
    return found
