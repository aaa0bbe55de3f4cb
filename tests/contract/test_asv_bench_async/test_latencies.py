"""`latency_*`: the samples are what the benchmark returns; asv's rules decide which calls count."""

import pytest

LATENCIES = """
    import asyncio
    from fractions import Fraction

    class Indexed:
        '''The latencies of the nth call are n and n + 0.5.'''
        warmup_time = 0
        repeat = 2
        number = 1
        calls = -1
        async def latency_it(self):
            await asyncio.sleep(0)
            return self.latency_plain()
        def latency_plain(self):
            self.calls += 1
            return [self.calls, self.calls + 0.5]

    class Isolated(Indexed):
        async def setup(self):
            self.fresh = True
        async def latency_it(self):
            assert self.fresh
            self.fresh = False
            return await super().latency_it()

    class Forms:
        params = [[(0.5, 1), {0.5: "a"}.keys(), range(2), [Fraction(1, 2)], (each for each in [0.5])]]
        repeat = 1
        number = 1
        warmup_time = 0
        def latency_it(self, latencies):
            return latencies

    async def latency_function():
        return [0.25]
"""


@pytest.mark.parametrize("name", ["latency_it", "latency_plain"])
@pytest.mark.parametrize(
    ("attributes", "calls"),
    [
        ({}, (0, 1)),
        ({"number": 2}, (0, 1, 2, 3)),
        ({"number": 0, "sample_time": 0}, (1, 2)),  # the call that chose the number is no sample
        ({"number": 1, "repeat": 1, "rounds": 1}, (0,)),  # --quick
    ],
)
def test_the_samples_are_the_latencies_of_the_counted_calls(a_suite, name, attributes, calls):
    """Calls that choose number are not counted; each latency of the other calls is one sample."""
    outcome = a_suite(it=LATENCIES).run(f"it.Indexed.{name}", **attributes)
    samples = [call + half for call in calls for half in (0, 0.5)]
    assert outcome.result == {"samples": samples, "number": 1}, outcome.output


def test_calls_of_the_warm_up_are_not_counted(a_suite):
    """They are made, and their latencies are dropped."""
    samples = a_suite(it=LATENCIES).run("it.Indexed.latency_it", warmup_time=0.05).result["samples"]
    first = samples[0]
    assert first > 0
    assert samples == [first, first + 0.5, first + 1, first + 1.5]


def test_a_setup_runs_before_every_call(a_suite):
    """No call sees the state of another, as with times."""
    outcome = a_suite(it=LATENCIES).run("it.Isolated.latency_it", number=2)
    assert len(outcome.result["samples"]) == 8, outcome.output


def test_any_iterable_of_numbers_is_accepted(a_suite):
    """Tuples, views, ranges, generators and all real numbers are accepted."""
    suite = a_suite(it=LATENCIES)
    found = [suite.run(f"it.Forms.latency_it-{index}").result["samples"] for index in range(5)]
    assert found == [[0.5, 1.0], [0.5], [0.0, 1.0], [0.5], [0.5]]


def test_latencies_have_a_unit_and_rounds(a_suite):
    """asv gets the unit, and runs as many rounds as for times."""
    found = a_suite(it=LATENCIES).discovered()["it.latency_function"]
    assert (found["type"], found["unit"], found["rounds"]) == ("latency", "seconds", 2)
