"""`time_*`: `async def` is awaited and timed by asv's rules."""

import math
import pstats

import pytest

TIMES = """
    import asyncio
    import itertools
    import time
    from asv_runner.benchmarks import mark

    LOG = []

    class Sleeping:
        warmup_time = 0
        async def time_sleep(self):
            await asyncio.sleep(0.02)

    class Counted:
        '''The clock counts its own readings: one call between two of them takes 1.'''
        timer = itertools.count().__next__
        warmup_time = 0
        repeat = 2
        async def time_it(self):
            await asyncio.sleep(0)
        def time_plain(self):
            pass

    class Logged:
        def __init__(self):
            self.calls = []
        def teardown(self):
            print(len(self.calls), "calls")
        async def time_it(self):
            self.calls.append(1)
        def time_plain(self):
            self.calls.append(1)

    class Isolated(Counted):
        async def setup(self):
            self.loop = asyncio.get_running_loop()
            self.fresh = True
        async def time_it(self):
            assert self.fresh and self.loop is asyncio.get_running_loop()
            self.fresh = False
        def time_plain(self):
            assert self.fresh and self.loop is asyncio.get_event_loop()
            self.fresh = False
        def teardown(self):
            assert not self.fresh
            print("torn down")

    class Parameters:
        params = ([1, 2], ["a", "b"])
        warmup_time = 0
        async def setup_cache(self):
            await asyncio.sleep(0)
            return {"cached": True}
        async def setup(self, cache, number, letter):
            assert cache == {"cached": True} and (number, letter) == (2, "a")
        async def time_it(self, cache, number, letter):
            assert cache == {"cached": True} and (number, letter) == (2, "a")
        teardown = setup

    class Decorated:
        params = [1, 2]
        warmup_time = 0

        @mark.skip_for_params([(1,)])
        @mark.timeout_at(10)
        @mark.skip_benchmark_if(False)
        async def time_it(self, n):
            await asyncio.sleep(0.02)

    async def time_function():
        await asyncio.sleep(0.02)

    time_function.warmup_time = 0

    @mark.skip_benchmark
    async def time_skipped():
        pass
"""


def test_a_coroutine_function_is_awaited(a_suite):
    """Its work is timed, not the creation of a coroutine, in a class and in a module."""
    suite = a_suite(it=TIMES)
    for name in ("it.Sleeping.time_sleep", "it.time_function", "it.Decorated.time_it-1"):
        outcome = suite.run(name, repeat=2, code=0)
        assert min(outcome.result["samples"]) >= 0.019
        assert outcome.result["number"] == 1


@pytest.mark.parametrize("name", ["time_it", "time_plain"])
def test_number_calls_are_timed_together(a_suite, name):
    """A value is the time of a batch divided by number, by the suite's own timer."""
    outcome = a_suite(it=TIMES).run(f"it.Counted.{name}", number=4)
    assert outcome.result == {"samples": [0.25, 0.25], "number": 4}


@pytest.mark.parametrize("name", ["time_it", "time_plain"])
def test_quick_means_one_call(a_suite, name):
    """`asv run --quick` calls each benchmark exactly once."""
    outcome = a_suite(it=TIMES).run(f"it.Logged.{name}", number=1, repeat=1, warmup_time=0, rounds=1, code=0)
    assert "1 calls" in outcome.lines


@pytest.mark.parametrize("name", ["time_it", "time_plain"])
def test_a_setup_runs_before_every_call(a_suite, name):
    """Each call has fresh state and is timed alone, and all share one loop."""
    suite = a_suite(it=TIMES)
    single = suite.run(f"it.Isolated.{name}", number=0)
    assert single.result["number"] == 1, single.output
    several = suite.run(f"it.Isolated.{name}", number=3)
    assert several.result == {"samples": [1.0, 1.0], "number": 3}, several.output
    assert several.lines.count("torn down") == 6


def test_every_hook_gets_cache_and_parameters(a_suite):
    """The cache comes first, then the parameters, also for coroutines."""
    suite = a_suite(it=TIMES)
    name = "it.Parameters.time_it-2"
    cached = suite.command("setup_cache", name, "{}")
    assert cached.code == 0, cached.output
    suite.run(name, repeat=1, code=0)


def test_plain_functions_may_run_their_own_loops(a_suite):
    """`asyncio.run` in a plain setup works beside a coroutine."""
    suite = a_suite(
        it="""
        import asyncio

        async def work():
            await asyncio.sleep(0)
            return asyncio.get_running_loop()

        class Mixed:
            warmup_time = 0
            def setup(self):
                assert asyncio.get_event_loop().run_until_complete(work()) is asyncio.get_event_loop()
                self.other = asyncio.run(work())
            async def time_it(self):
                assert await work() is not self.other
            def time_plain(self):
                assert asyncio.run(work()) is not self.other
            async def teardown(self):
                await work()
        """
    )
    for name in ("time_it", "time_plain"):
        suite.run(f"it.Mixed.{name}", repeat=1, code=0)


def test_asvs_decorators_keep_their_meaning(a_suite):
    """They wrap a coroutine function in a plain one, and skipping still skips."""
    suite = a_suite(it=TIMES)
    assert suite.discovered()["it.Decorated.time_it"]["timeout"] == 10
    assert "it.time_skipped" not in suite.discovered()
    assert math.isnan(suite.run("it.Decorated.time_it-0").result)


def test_a_profile_shows_the_awaited_function(a_suite, tmp_path):
    """`asv run --profile` includes the loop."""
    a_suite(it=TIMES).run("it.Isolated.time_it", profile=tmp_path / "profile", repeat=1, code=0)
    functions = {function for _, _, function in pstats.Stats(str(tmp_path / "profile")).stats}
    assert {"time_it", "run_until_complete"} <= functions
    assert "setup" not in functions


def test_a_call_sees_context_variables_of_its_setup(a_suite):
    """Hooks and calls share one context, as functions or as coroutines."""
    suite = a_suite(
        it="""
        from contextvars import ContextVar
        ASYNC, PLAIN = ContextVar("async"), ContextVar("plain")

        def setup():
            PLAIN.set("plain")

        class Seen:
            warmup_time = 0
            async def setup(self):
                ASYNC.set("async")
            async def time_it(self):
                assert (ASYNC.get(), PLAIN.get()) == ("async", "plain")
            async def teardown(self):
                assert (ASYNC.get(), PLAIN.get()) == ("async", "plain")
        """
    )
    suite.run("it.Seen.time_it", repeat=1, code=0)
