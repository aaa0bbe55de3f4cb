"""`setup_process`: resources are closed at the end of the process, however the benchmark ends."""

import json
import os
import signal
import subprocess

import pytest
from builders.asv_suites import ASV_SCRIPT

PROCESSES = """
    import asyncio
    import contextlib
    import sys
    import threading
    import time

    def say(*words):
        print(*words, flush=True)

    async def forever(name):
        try:
            await asyncio.Event().wait()
        finally:
            say(name, "ended")

    def setup_process(*args):
        say("module opened")
        yield
        say("module closed")

    class Logged:
        warmup_time = 0
        repeat = 2
        number = 1
        async def setup_process(self):
            self.loop = asyncio.get_running_loop()
            say("opened")
            yield
            assert asyncio.get_running_loop() is self.loop
            say("closed")
        async def setup(self):
            assert asyncio.get_running_loop() is self.loop
            say("set up")
        async def time_it(self):
            say("called")
        async def teardown(self):
            say("torn down")

    class Failing(Logged):
        async def time_it(self):
            raise KeyError("call")

    class FailingSetup(Logged):
        async def setup(self):
            raise KeyError("setup")

    class FailingTeardown(Logged):
        repeat = 1
        async def teardown(self):
            raise KeyError("teardown")

    class FailingProcess(Logged):
        async def setup_process(self):
            yield
            raise KeyError("closing")

    class Skipping(Logged):
        async def setup(self):
            raise NotImplementedError("not here")

    class SkippingProcess(Logged):
        async def setup_process(self):
            raise NotImplementedError("not here")
            yield

    class SkippingCall(Logged):
        async def time_it(self):
            from asv_runner.benchmarks.mark import SkipNotImplemented
            raise SkipNotImplemented("not here")

    class Exiting(Logged):
        async def time_it(self):
            sys.exit(7)

    class Batched:
        '''Without a setup a batch has many calls, also when something is open.'''
        number = 50
        repeat = 1
        warmup_time = 0
        async def setup_process(self):
            self.calls = 0
            yield
            say(self.calls, "calls")
        async def time_it(self):
            self.calls += 1

    class Structured(Batched):
        '''Task groups and timeouts have to be left in the task that entered them.'''
        async def setup_process(self):
            self.calls = 0
            tasks = [asyncio.current_task()]
            async with contextlib.AsyncExitStack() as stack:
                if sys.version_info >= (3, 11):
                    group = await stack.enter_async_context(asyncio.TaskGroup())
                    server = group.create_task(forever("server"))
                    stack.callback(server.cancel)
                    await stack.enter_async_context(asyncio.timeout(60))
                yield
            assert asyncio.current_task() is tasks[0]

    class Crashing(Batched):
        '''What was opened dies during the benchmark.'''
        async def setup_process(self):
            async with asyncio.TaskGroup() as group:
                async def die():
                    await asyncio.sleep(0)
                    raise KeyError("died")
                group.create_task(die())
                yield
        async def time_it(self):
            await asyncio.sleep(0)

    class Managed(Batched):
        @contextlib.asynccontextmanager
        async def setup_process(self):
            self.calls = 0
            yield
            say(self.calls, "calls")

    class Plain(Batched):
        async def setup_process(self):
            self.calls = 0
        def teardown(self):
            say(self.calls, "calls")

    class Generator(Batched):
        def setup_process(self):
            self.calls = 0
            yield
            say(self.calls, "calls")
        def time_it(self):
            self.calls += 1

    class Leaving:
        '''Leaves a generator and a pool to the loop, which has to end them.'''
        async def setup_process(self):
            yield
            say(len(asyncio.all_tasks()), "tasks")
        async def numbers(self):
            try:
                while True:
                    yield 1
            finally:
                await asyncio.sleep(0)
                say("generator closed")
        async def track_it(self):
            self.open = self.numbers()
            await anext(self.open)
            return await asyncio.get_running_loop().run_in_executor(None, int, 42)

    class Stubborn:
        async def setup(self):
            self.task = asyncio.create_task(self.refuse())
        async def refuse(self):
            while True:
                try:
                    await asyncio.sleep(3600)
                except asyncio.CancelledError:
                    say("refused")
        async def track_it(self):
            return 1

    class Hanging(Logged):
        timeout = 2
        async def setup_process(self):
            background = asyncio.create_task(forever("background"))
            yield
            background.cancel()
            say("closed")
        async def setup(self):
            pass
        async def time_it(self):
            asyncio.get_running_loop().call_soon(say, "hanging")  # said when the task waits
            await asyncio.Event().wait()

    class Stopping(Logged):
        async def time_it(self):
            asyncio.get_running_loop().stop()
            await asyncio.sleep(3600)
"""


@pytest.fixture
def suite(a_suite):
    return a_suite(it=PROCESSES)


def test_setup_process_encloses_all_setups_and_teardowns(suite):
    """The module's hook runs before the class's, and the reverse at the end."""
    call = ["set up", "called", "torn down"]
    outcome = suite.run("it.Logged.time_it", code=0)
    assert outcome.lines == ["module opened", "opened", *call, *call, "closed", "module closed"]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("Failing", "KeyError: 'call'"),
        ("FailingSetup", "KeyError: 'setup'"),
        ("FailingTeardown", "KeyError: 'teardown'"),
    ],
)
def test_a_failure_closes_everything(suite, name, error):
    """The benchmark fails with its own error, after open resources are closed."""
    outcome = suite.run(f"it.{name}.time_it", code=1)
    assert outcome.result is None
    assert outcome.error == error
    assert [line for line in outcome.lines if line.endswith("closed")] == ["closed", "module closed"]


def test_an_error_while_closing_fails_the_benchmark(suite):
    """The result is not stored, and the other resources are closed."""
    outcome = suite.run("it.FailingProcess.time_it")
    assert (outcome.code, outcome.error) == (1, "KeyError: 'closing'")
    assert "module closed" in outcome.lines


@pytest.mark.parametrize("name", ["Skipping", "SkippingProcess", "SkippingCall"])
def test_not_implemented_error_skips_the_benchmark(suite, name):
    """The result is NaN, as in asv's own setups, with the reason in the output."""
    outcome = suite.run(f"it.{name}.time_it", code=0)
    assert outcome.result != outcome.result, "NaN"
    assert outcome.lines[-1] == "module closed"
    assert ("not here" in outcome.output) == (name != "SkippingCall")


def test_sys_exit_closes_everything(suite):
    """sys.exit() in a coroutine ends the benchmark with its code, after open resources are closed."""
    assert suite.run("it.Exiting.time_it", code=7).lines[-2:] == ["closed", "module closed"]


@pytest.mark.parametrize("name", ["Batched", "Structured", "Managed", "Plain", "Generator"])
def test_setup_process_keeps_batches_of_calls(suite, name):
    """Unlike a setup, it leaves number to asv, in every form."""
    outcome = suite.run(f"it.{name}.time_it", code=0)
    assert outcome.result["number"] == 50
    assert ("server ended" if name == "Structured" else "50 calls") in outcome.lines


def test_a_failed_task_group_fails_the_benchmark(suite):
    """A task group of setup_process reports its error at the end."""
    assert "KeyError: 'died'" in suite.run("it.Crashing.time_it", code=1).output


def test_the_loop_closes_generators_and_threads(suite):
    """Abandoned async generators are closed, and the default executor's threads are joined."""
    outcome = suite.run("it.Leaving.track_it")
    assert (outcome.code, outcome.result) == (0, 42), outcome.output
    assert outcome.lines == ["module opened", "2 tasks", "module closed", "generator closed"]


def test_a_task_that_does_not_end_is_reported(suite):
    """Waiting for a cancelled task has a limit, so the process ends."""
    outcome = suite.run("it.Stubborn.track_it", code=1)
    assert "Stubborn.refuse at" in outcome.output
    assert "does not end when it is cancelled" in outcome.output


def test_a_stopped_loop_is_an_error(suite):
    """A benchmark that stops its loop fails, and the process closes its resources."""
    outcome = suite.run("it.Stopping.time_it", code=1)
    assert "interrupted" in outcome.output
    assert "Event loop stopped before Future completed" in outcome.error
    assert outcome.lines.count("module closed") == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_a_signal_shows_the_line_and_closes_everything(a_suite, bare_python, number, loop):
    """asv sends SIGTERM on a timeout and SIGKILL a second later; Ctrl-C sends SIGINT."""
    suite = a_suite(bare_python(packages=() if loop == "asyncio" else (loop,)), it=PROCESSES)
    command = [suite.python, ASV_SCRIPT, "run", suite.folder, "it.Hanging.time_it", json.dumps({"loop_factory": loop})]
    with subprocess.Popen(
        [*command, "None", os.devnull], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        lines = iter(process.stdout.readline, "")
        assert "hanging\n" in lines
        process.send_signal(number)
        rest = [line.rstrip() for line in lines]
    assert process.returncode in {128 + signal.SIGTERM, -signal.SIGINT, 1}
    assert any("interrupted" in line and "Hanging.time_it at" in line for line in rest)
    ends = [line for line in rest if line.endswith(("closed", "ended"))]
    assert ends == ["closed", "background ended", "module closed"]
