"""Trying again."""

import pytest

from windtunnel.errors import RemoteBusyError, RemoteError
from windtunnel.results.branch.retry import LONGEST, Patience, reached


class Time:
    """A clock that only sleeping moves."""

    def __init__(self):
        self.now, self.pauses = 0.0, []

    def clock(self):
        return self.now

    def sleep(self, seconds):
        self.pauses.append(seconds)
        self.now += seconds


def a_patience(time, seconds=300.0, chance=1.0):
    return Patience(seconds=seconds, clock=time.clock, sleep=time.sleep, chance=lambda: chance)


def test_pauses_double_up_to_a_limit():
    """A crowd thins out fast, and nobody waits for minutes."""
    time = Time()
    assert list(a_patience(time).tries())[:3] == [1, 2, 3]
    assert time.pauses[:4] == [0.2, 0.4, 0.8, 1.6]
    assert set(time.pauses[6:]) == {LONGEST}


def test_chance_spreads_the_pauses():
    """From nothing to the bound: those who collided once part."""
    time = Time()
    tries = a_patience(time, chance=0.25).tries()
    next(tries), next(tries)
    assert time.pauses == [0.05]


def test_patience_ends():
    """The sum of the pauses stays within it, and there is always a first try."""
    time = Time()
    assert list(a_patience(time, seconds=0).tries()) == [1]
    list(a_patience(time, seconds=10).tries())
    assert time.now <= 10


def test_a_busy_remote_is_asked_again():
    """Until it answers."""
    answers = iter([RemoteBusyError("busy"), RemoteBusyError("busy"), "yes"])

    def ask():
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert reached(a_patience(Time()), ask) == "yes"


@pytest.mark.parametrize(("error", "asked"), [(RemoteBusyError("busy"), 4), (RemoteError("no"), 1)])
def test_asking_ends(error, asked):
    """A remote that stays away is given up after four tries, one that says no at once."""
    count = []

    def ask():
        count.append(1)
        raise error

    with pytest.raises(type(error)):
        reached(a_patience(Time()), ask)
    assert len(count) == asked


def test_little_patience_still_ends_in_the_remotes_words():
    """When time runs out before the tries do."""

    def ask():
        raise RemoteBusyError("busy")

    with pytest.raises(RemoteBusyError, match="busy"):
        reached(a_patience(Time(), seconds=0), ask)
