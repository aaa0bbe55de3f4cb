"""The study that compares hey with the suite's load generator: what it reads, and when it finds a difference."""

from itertools import product

import numpy as np
import pytest

from studies.latency_agreement import Round, distribution_distance, paired, render
from studies.latency_witness import parse_hey

HEAD = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n"


def some_rounds(seed, *, factor=1.0, slow=0.0, count=12):
    """Rounds of a hundred latencies of about 0.1 s; in every second one the last takes *slow* seconds longer."""
    generator = np.random.default_rng(seed)
    found = [list(factor * generator.normal(0.1, 0.01, 100)) for _ in range(count)]
    for each in found[::2]:
        each[-1] += slow
    return [Round(latencies=each, seconds=sum(each) / 10) for each in found]


def all_rounds(**ours):
    """The rounds of both generators for each loop and endpoint; *ours* changes those of our generator."""
    cases = product(("hey", "ours"), ("asyncio", "uvloop"), ("async_def", "plain_def"))
    return {case: some_rounds(seed, **(ours if case[0] == "ours" else {})) for seed, case in enumerate(cases)}


def test_a_round_of_hey_is_read_from_its_table():
    """The latencies are in the first column; a round lasts from its first request to its last answer."""
    rows = "0.2000,0,0,0,0,0,200,0.0100\n0.1000,0,0,0,0,0,200,0.2500\n"
    assert parse_hey(HEAD + rows, 2) == {"latencies": [0.2, 0.1], "seconds": pytest.approx(0.34)}


@pytest.mark.parametrize("rows", ["0.2,0,0,0,0,0,500,0.01\n", "", "0.2,0,0,0,0,0,200,0.01\n" * 2])
def test_requests_that_failed_or_are_missing_end_the_study(rows):
    """A round is only compared with one that did the same."""
    with pytest.raises(SystemExit, match="hey answered"):
        parse_hey(HEAD + rows, 1)


def test_the_99th_percentile_of_a_hundred_requests_is_the_slowest():
    """As hey defines it."""
    one = Round(latencies=[number / 100 for number in range(100)], seconds=1.0)
    assert (one.quantile(50), one.quantile(99)) == (0.5, 0.99)
    assert one.spread == 0.99 / 0.495


def test_generators_that_measure_the_same_do_not_differ():
    """Eighteen statistics of each loop are tested, and random differences are found in one study of twenty."""
    text = render(all_rounds())
    assert text.startswith("**No difference between the generators was found.** 36 tests at 5%")


def test_a_verdict_of_no_difference_names_the_rounds_that_starve():
    """One round of ours is no significant difference, and hey had none."""
    rounds = all_rounds()
    rounds["ours", "uvloop", "async_def"][0] = Round(latencies=[0.1] * 99 + [0.9], seconds=1.0)
    verdict = render(rounds).split("\n")[0]
    assert verdict.startswith("**No difference between the generators was found.**")
    assert "12 rounds would not show a small difference." in verdict
    assert verdict.endswith("Rounds that starve: 1 of 12 with ours and 0 of 12 with hey for `async_def` on uvloop.")


def test_a_verdict_of_no_difference_names_cases_that_differ_if_taken_alone():
    """Slowest requests that are a little slower in each round."""
    rounds = all_rounds()
    case = "asyncio", "plain_def"
    rounds["ours", *case] = [
        Round(latencies=[*sorted(one.latencies)[:-1], 1.001 * max(one.latencies)], seconds=one.seconds)
        for one in rounds["hey", *case]
    ]
    verdict = render(rounds).split("\n")[0]
    assert verdict.endswith("Taken alone, slowest / p50 differs for `plain_def` on asyncio.")


def test_generators_that_measure_different_latencies_differ():
    """Half as much again is found in twelve rounds, in each statistic and in all latencies."""
    verdict = render(all_rounds(factor=1.5)).split("\n")[0]
    assert verdict.startswith("**The generators differ** in p50 of `async_def` on asyncio;")
    assert "all latencies of `plain_def` on uvloop" in verdict


def test_rounds_that_starve_are_counted():
    """Six of twelve rounds have a request that takes more than four times the median."""
    text = render(all_rounds(slow=0.5))
    (line,) = [line for line in text.split("\n") if line.startswith("| uvloop | `async_def` | ours | ") and "%" in line]
    assert line.endswith("| 50% (21% – 79%) | 50% (21% – 79%) | 50% (21% – 79%) |")


def test_a_ratio_is_that_of_paired_rounds():
    """Rounds that are all twice as slow have the ratio two, however they vary."""
    rounds = some_rounds(1)
    twice = [Round(latencies=[2 * latency for latency in each.latencies], seconds=each.seconds) for each in rounds]
    assert paired(twice, rounds, lambda one: max(one.latencies)) == pytest.approx((2, 2, 2))


def test_the_distance_of_distributions_is_tested_on_whole_rounds():
    """One round that is slow throughout is one observation, not a hundred."""
    rounds, others = some_rounds(1), some_rounds(2)
    slow = [Round(latencies=[10 * latency for latency in others[0].latencies], seconds=1.0), *others[1:]]
    distance, p = distribution_distance(slow, rounds)
    assert distance > 1 / 13
    assert p > 0.05
