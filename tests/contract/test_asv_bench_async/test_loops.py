"""`loop_factory`: the loop by name or by callable, possibly a parameter; no loop where none is needed."""

import math

import pytest

LOOPS = """
    import asyncio

    class Special(asyncio.SelectorEventLoop):
        pass

    def special():
        return Special()

    class Default:
        async def track_it(self, *params):
            return type(asyncio.get_running_loop()).__module__

    class Name(Default):
        loop_factory = "asyncio"

    class Function(Default):
        loop_factory = special

    class Static(Default):
        loop_factory = staticmethod(special)

    class Class(Default):
        params = [1, 2]
        loop_factory = Special

    class Library(Default):
        loop_factory = asyncio.new_event_loop

    class Method(Default):
        def loop_factory(self):
            return special()

    class Parameter(Default):
        params = ["asyncio", "uvloop", "benchmarks"]
        def loop_factory(self, name):
            return special() if name == "benchmarks" else name
"""

PLAIN = """
    import sys

    def no_asyncio(where):
        assert "asyncio" not in sys.modules, where

    def setup_process():
        no_asyncio("process")
        yield
        no_asyncio("end")

    def setup():
        no_asyncio("setup")

    def time_it():
        no_asyncio("time")

    def track_it():
        no_asyncio("track")
        return 1

    def peakmem_it():
        no_asyncio("peakmem")

    def latency_it():
        return [1]

    time_it.warmup_time = latency_it.warmup_time = 0
"""


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("Default.track_it", "asyncio"),
        ("Name.track_it", "asyncio"),
        ("Library.track_it", "asyncio"),
        ("Function.track_it", "benchmarks"),
        ("Static.track_it", "benchmarks"),
        ("Class.track_it-0", "benchmarks"),
        ("Method.track_it", "benchmarks"),
        ("Parameter.track_it-0", "asyncio"),
        ("Parameter.track_it-1", "uvloop"),
        ("Parameter.track_it-2", "benchmarks"),
    ],
)
def test_the_benchmark_runs_on_its_loop_factory(a_suite, bare_python, name, module):
    """It is a name, or a callable that returns a loop or a name and may accept the parameters."""
    outcome = a_suite(bare_python(packages=("uvloop",)), it=LOOPS).run(f"it.{name}")
    assert str(outcome.result).startswith(module), outcome.output


def test_the_loop_can_be_set_on_the_command_line(a_suite, bare_python):
    """`asv run -a loop_factory=uvloop` overrides the suite."""
    suite = a_suite(bare_python(packages=("uvloop",)), it=LOOPS)
    assert suite.run("it.Function.track_it", loop_factory="uvloop").result == "uvloop"


def test_a_loop_that_is_not_installed_skips_the_benchmark(a_suite):
    """The result is NaN, which asv shows as skipped, and the output shows the reason."""
    outcome = a_suite(it=LOOPS).run("it.Parameter.track_it-1")
    assert math.isnan(outcome.result)
    assert "No module named 'uvloop'" in outcome.output


@pytest.mark.parametrize("kind", ["time", "track", "peakmem", "latency"])
def test_a_plain_benchmark_does_not_import_asyncio(a_suite, kind):
    """Its memory and start time are unchanged."""
    a_suite(it=PLAIN).run(f"it.{kind}_it", repeat=1, code=0)
