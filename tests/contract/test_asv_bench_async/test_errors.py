"""Benchmarks that would silently be timed wrongly are errors that show the place and the fix."""

import pytest

MODULE = """
import asyncio
import functools
import warnings
from asv_runner.benchmarks import mark


async def work():
    await asyncio.sleep(0)


async def forever():
    await asyncio.Event().wait()


def hide(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


class Base:
    warmup_time = 0


"""

CASES = {
    "a plain benchmark returns a coroutine": (
        "time_it",
        "def time_it(self): return work()",
        ("NeverAwaitedError", "returned a coroutine that is never awaited", "write `async def`"),
    ),
    "a plain benchmark returns a future": (
        "time_it",
        "def time_it(self): return asyncio.get_event_loop().create_future()\nasync def setup(self): pass",
        ("NeverAwaitedError", "returned a Future that is never awaited"),
    ),
    "a plain benchmark makes a coroutine": (
        "time_it",
        "def time_it(self): work()",
        ("NeverAwaitedError", "coroutine 'work' was never awaited"),
    ),
    "a coroutine function forgets one": (
        "time_it",
        "async def time_it(self): work()",
        ("NeverAwaitedError", "coroutine 'work' was never awaited", "Add `await`"),
    ),
    "a coroutine function returns one": (
        "time_it",
        "async def time_it(self): return work()",
        ("NeverAwaitedError", "returned a coroutine", "await it before returning"),
    ),
    "a coroutine function returns an async generator": (
        "time_it",
        "async def time_it(self): return self.numbers()\nasync def numbers(self): yield 1",
        ("NeverAwaitedError", "returned a async_generator"),
    ),
    "warnings are silenced in the setup": (
        "time_it",
        "def setup(self): warnings.simplefilter('ignore')\nasync def time_it(self): work()",
        ("NeverAwaitedError", "coroutine 'work' was never awaited"),
    ),
    "a setup forgets to await": (
        "time_it",
        "async def setup(self): work()\nasync def time_it(self): pass",
        ("NeverAwaitedError", "in Suite.setup", "coroutine 'work' was never awaited"),
    ),
    "a plain setup returns a coroutine": (
        "time_it",
        "def setup(self): return work()\ndef time_it(self): pass",
        ("NeverAwaitedError", "Suite.setup", "returned a coroutine"),
    ),
    "a coroutine is kept and forgotten": (
        "time_it",
        "def time_it(self): self.kept = getattr(self, 'kept', None) or work()",
        ("NeverAwaitedError", "coroutine 'work' was never awaited"),
    ),
    "a decorator hides async def": (
        "time_it",
        "@hide\nasync def time_it(self): pass",
        ("NeverAwaitedError", "a decorator hides the `async def`"),
    ),
    "a tracked coroutine": (
        "track_it",
        "def track_it(self): return work()",
        ("NeverAwaitedError", "Suite.track_it", "returned a coroutine"),
    ),
    "a task outlives a timed call": (
        "time_it",
        "async def time_it(self): asyncio.create_task(forever())",
        ("TasksLeftError", "forever at ", "Await them in the benchmark"),
    ),
    "a short task outlives a timed call": (
        "time_it",
        "async def time_it(self): asyncio.create_task(work())",
        ("TasksLeftError", "work at "),
    ),
    "a task outlives a tracked call": (
        "track_it",
        "async def track_it(self): asyncio.create_task(forever()); return 1",
        ("TasksLeftError", "Suite.track_it", "forever at "),
    ),
    "a task of the setup outlives the teardown": (
        "time_it",
        "async def setup(self): self.task = asyncio.create_task(forever())\nasync def time_it(self): pass",
        ("TasksLeftError", "after the teardown", "forever at ", "Cancel and await them in teardown"),
    ),
    "a benchmark cancels itself": (
        "time_it",
        "async def time_it(self): asyncio.current_task().cancel(); await work()",
        ("CancelledBenchmarkError", "cancelled itself"),
    ),
    "a benchmark raises CancelledError": (
        "track_it",
        "async def track_it(self): raise asyncio.CancelledError",
        ("CancelledBenchmarkError", "cancelled itself"),
    ),
    "an async generator benchmark": (
        "time_it",
        "async def time_it(self): yield",
        ("FunctionKindError", "is an async generator", "async for"),
    ),
    "an async generator setup": (
        "time_it",
        "async def setup(self): yield\nasync def time_it(self): pass",
        ("FunctionKindError", "Suite.setup", "is an async generator", "setup_process"),
    ),
    "an async timeraw": (
        "timeraw_it",
        "async def timeraw_it(self): return 'pass'",
        ("FunctionKindError", "write a plain `def`"),
    ),
    "an unknown loop": (
        "time_it",
        "loop_factory = 'uvlop'\nasync def time_it(self): pass",
        ("LoopFactoryError", "'uvlop'", "'asyncio' or 'uvloop'"),
    ),
    "a loop factory that makes none": (
        "time_it",
        "def loop_factory(self): return 3\nasync def time_it(self): pass",
        ("LoopFactoryError", "gave 3"),
    ),
    "an async loop factory": (
        "time_it",
        "async def loop_factory(self): return 'asyncio'\nasync def time_it(self): pass",
        ("LoopFactoryError", "gave <coroutine"),
    ),
    "a loop factory of other parameters": (
        "time_it",
        "def loop_factory(self, one, two): return 'asyncio'\nasync def time_it(self): pass",
        ("LoopFactoryError", "neither no arguments nor the 0 parameters"),
    ),
    "a process setup without a yield in reach": (
        "time_it",
        "async def setup_process(self):\n    if False: yield\nasync def time_it(self): pass",
        ("SetupProcessError", "yield exactly once", "didn't yield"),
    ),
    "a process setup that yields twice": (
        "time_it",
        "def setup_process(self):\n    yield\n    yield\nasync def time_it(self): pass",
        ("SetupProcessError", "yield exactly once", "didn't stop"),
    ),
    "latencies that are none": (
        "latency_it",
        "async def latency_it(self): return [0.1, -0.1]",
        ("LatencyError", "latency 1 is -0.1"),
    ),
    "not a number": ("latency_it", "def latency_it(self): return [float('nan')]", ("LatencyError", "latency 0 is nan")),
    "one latency instead of a list": (
        "latency_it",
        "async def latency_it(self): return 0.1",
        ("LatencyError", "returned 0.1", "return a list"),
    ),
    "no latency": ("latency_it", "def latency_it(self): return []", ("LatencyError", "no latencies")),
    "a text as latencies": ("latency_it", "def latency_it(self): return 'abc'", ("LatencyError", "returned 'abc'")),
    "no return": ("latency_it", "async def latency_it(self): pass", ("LatencyError", "returned None")),
}


@pytest.mark.parametrize("case", CASES)
def test_a_benchmark_that_would_be_timed_wrongly_fails(a_suite, case):
    """The last line shows the error, the function with its line, and the fix; no result is stored."""
    name, body, words = CASES[case]
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    suite = a_suite(it=f"{MODULE}class Suite(Base):\n{indented}")
    outcome = suite.run(f"it.Suite.{name}", repeat=1, code=1)
    assert outcome.result is None
    for word in words:
        assert word in outcome.error
    if "LoopFactoryError" not in words:
        assert f"{suite.folder}/it.py:" in outcome.error


def test_follow_up_errors_do_not_hide_the_first(a_suite):
    """When a benchmark fails, its remaining tasks and coroutines are closed silently."""
    suite = a_suite(
        it=f"""{MODULE}
class Suite(Base):
    async def setup(self):
        asyncio.create_task(forever())
    async def time_it(self):
        asyncio.create_task(forever())
        self.kept = work()
        raise KeyError("the reason")
"""
    )
    outcome = suite.run("it.Suite.time_it")
    assert outcome.error == "KeyError: 'the reason'"
    assert "forever" not in outcome.output


def test_valid_benchmarks_have_no_error(a_suite):
    """Cancelled tasks that end, tasks of a setup, handlers of servers and abandoned generators are valid."""
    suite = a_suite(
        it=f"""{MODULE}
class Right(Base):
    params = ["cancelled", "waited", "served", "abandoned", "plain", "swallowed"]
    async def setup(self, name):
        self.name = name
        self.background = asyncio.create_task(forever())
        self.server = await asyncio.start_server(self.handle, "127.0.0.1", 0)
    async def handle(self, reader, writer):
        while data := await reader.readline():
            writer.write(data)
        writer.close()
    async def teardown(self, name):
        self.background.cancel()
        self.server.close()
        if name == "served":
            self.writer.close()
    async def time_it(self, name):
        await getattr(self, name)()
    async def cancelled(self):
        asyncio.create_task(forever()).cancel()
    async def waited(self):
        await asyncio.gather(work(), asyncio.wait_for(work(), 10))
    async def served(self):
        reader, self.writer = await asyncio.open_connection(*self.server.sockets[0].getsockname())
        self.writer.write(b"hello\\n")
        assert await reader.readline() == b"hello\\n"
    async def abandoned(self):
        async for number in self.numbers():
            break
        await work()
    async def numbers(self):
        for number in range(3):
            try:
                yield number
            finally:
                for _ in range(10):
                    await work()
    async def plain(self):
        pass
    async def swallowed(self):
        task = asyncio.create_task(forever())
        await work()
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            pass
"""
    )
    for index in range(6):
        assert suite.run(f"it.Right.time_it-{index}", repeat=2, code=0).output == ""
