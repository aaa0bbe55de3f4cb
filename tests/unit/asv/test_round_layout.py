"""The processes of a round share hash seed and size of the environment, and rounds differ."""

import os
import subprocess
import sys
from collections import Counter

from builders.processes import a_comparable_case

from windtunnel.asv.launcher import HASH_SEED, MAX_PADDING, PADDING, layout_variables, round_layout
from windtunnel.model.schedule import Arm, ScheduledProcess

SEED = 7


def a_process(arm=Arm.BASE, benchmark="suite.time_one"):
    case = a_comparable_case(benchmark)
    return ScheduledProcess(arm=arm, stage="screening", benchmark=benchmark, case=case.case)


def seed_of(rounds, scheduled):
    with round_layout(scheduled, SEED, rounds):
        return os.environ[HASH_SEED], len(os.environ[PADDING])


def test_both_commits_have_the_same_layout_in_a_round():
    """What depends on it then cancels in their difference."""
    base, head = Counter(), Counter()
    rounds = [(seed_of(base, a_process()), seed_of(head, a_process(Arm.HEAD))) for _ in range(4)]
    assert all(one == other for one, other in rounds)
    assert len(set(rounds)) == 4


def test_the_aa_comparison_does_not_shift_the_rounds_of_base():
    """Its arms run base too, but have rounds of their own."""
    base, head = Counter(), Counter()
    seed_of(base, a_process(Arm.AA_BASELINE))
    assert seed_of(base, a_process()) == seed_of(head, a_process(Arm.HEAD))


def test_each_case_counts_its_own_rounds():
    """A case that is decided early does not move the others."""
    rounds = Counter()
    first = seed_of(rounds, a_process())
    assert seed_of(rounds, a_process(benchmark="suite.time_two")) == first


def test_comparisons_have_different_rounds():
    """No layout is that of every comparison."""
    assert layout_variables(1, 1) != layout_variables(2, 1)


def test_variables_are_restored(monkeypatch):
    """Those that were set before, and those that were not."""
    monkeypatch.setenv(HASH_SEED, "0")
    monkeypatch.delenv(PADDING, raising=False)
    seed_of(Counter(), a_process())
    assert os.environ[HASH_SEED] == "0"
    assert PADDING not in os.environ


def test_a_new_python_takes_the_hash_seed():
    """Two processes of a round hash alike, and the variables fit into an environment."""

    def hash_in(number):
        variables = {**os.environ, **layout_variables(SEED, number)}
        command = (sys.executable, "-S", "-c", "print(hash('layout'))")
        return subprocess.run(command, env=variables, capture_output=True, check=True).stdout

    assert hash_in(1) == hash_in(1) != hash_in(2)
    assert max(len(layout_variables(SEED, number)[PADDING]) for number in range(100)) < MAX_PADDING
