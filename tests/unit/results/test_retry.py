"""Retries of remote operations."""

import pytest
import stamina.instrumentation

from windtunnel.errors import OutrunError, RemoteBusyError, RemoteError
from windtunnel.results.branch.retry import RetryPolicy

NO_PAUSES = RetryPolicy(max_pause=0)


class Action:
    """Raises *errors* one after the other, then returns how often it was called."""

    def __init__(self, *errors):
        self.errors, self.calls = list(errors), 0

    def __call__(self):
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return self.calls


def test_a_busy_remote_is_called_again():
    """A transient error does not reach the caller."""
    assert NO_PAUSES.call(Action(RemoteBusyError("busy"), RemoteBusyError("busy"))) == 3


@pytest.mark.parametrize(
    ("error", "calls"), [(RemoteBusyError("busy"), 4), (RemoteError("no"), 1), (ValueError("x"), 1)]
)
def test_failures_end_the_retries(error, calls):
    """A busy remote gets four attempts in a row, a refusal only one."""
    action = Action(*[error] * 9)
    with pytest.raises(type(error), match=str(error)):
        NO_PAUSES.call(action)
    assert action.calls == calls


def test_lost_races_do_not_count_as_failures():
    """A push that comes second is retried until the timeout."""
    assert NO_PAUSES.call(Action(*[OutrunError("moved")] * 20)) == 21


def test_a_caller_can_exclude_busy_remotes():
    """With one failure allowed only lost races are retried."""
    with pytest.raises(RemoteBusyError, match="busy"):
        NO_PAUSES.call(Action(OutrunError("moved"), RemoteBusyError("busy")), max_failures=1)


def test_a_timeout_of_zero_means_one_attempt():
    """Retries can be switched off."""
    with pytest.raises(RemoteBusyError, match="busy"):
        RetryPolicy(timeout=0).call(Action(RemoteBusyError("busy")))


def test_retries_end_at_the_timeout():
    """The last error is raised, even when races are lost again and again."""
    with pytest.raises(OutrunError, match="moved"):
        RetryPolicy(timeout=0.05, max_pause=0.01).call(Action(*[OutrunError("moved")] * 1000))


@pytest.mark.parametrize("start", [1, 2, 3, 9])
def test_lost_races_push_a_few_times_a_minute(start):
    """GitHub recommends at most six pushes a minute to a repository, over all jobs."""
    pauses = [min(RetryPolicy().pause_after(races) for _ in range(200)) for races in range(start, start + 6)]
    assert sum(sum(pauses[:count]) < 60 for count in range(len(pauses) + 1)) <= 5


def test_pauses_grow_up_to_the_limit():
    """Each pause lies between the exponential step and the limit, so that concurrent pushers spread out."""
    pauses = []
    stamina.instrumentation.set_on_retry_hooks([lambda details: pauses.append(details.wait_for)])
    try:
        RetryPolicy(max_pause=0.15).call(Action(*[OutrunError("moved")] * 3))
    finally:
        stamina.instrumentation.set_on_retry_hooks(None)
    assert pauses[0] >= 0.1
    assert pauses[1:] == [pytest.approx(0.15), pytest.approx(0.15)]
