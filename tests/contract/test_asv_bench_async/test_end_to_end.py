"""The real `asv run`, with both launch methods on our Python, and `forkserver` on the oldest and newest one here.

The other Pythons, and `spawn`, which starts Python for each benchmark, on all of them, take
`EVERY_PYTHON=1 make test ARGS=tests/contract/test_asv_bench_async/test_end_to_end.py`.
"""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest
from builders.asv_suites import a_suite
from builders.repositories import a_repository

from windtunnel.asv.pythons import find_interpreters, spec_order

PYTHONS = {
    found.spec: found.path
    for found in find_interpreters(os.environ)
    if tuple(map(int, found.version.split(".")[:2])) >= (3, 9)
}

OURS = f"{sys.version_info.major}.{sys.version_info.minor}"
ENDS = sorted(PYTHONS, key=spec_order)[:: max(len(PYTHONS) - 1, 1)]
RUNS = [
    (method, spec)
    for method, some in (("forkserver", {OURS, *ENDS}), ("spawn", {OURS}))
    for spec in PYTHONS
    if spec in some or os.environ.get("EVERY_PYTHON")
]

MODULE = """
    import asyncio
    import sys

    EAGER = getattr(asyncio, "eager_task_factory", None)

    def eager():
        loop = asyncio.new_event_loop()
        loop.set_task_factory(EAGER)
        return loop

    class Served:
        '''A server for the process, a connection for each call; eager tasks where there are any.'''
        loop_factory = eager
        repeat = 2

        async def setup_process(self):
            self.server = await asyncio.start_server(self.answer, "127.0.0.1", 0)
            yield
            self.server.close()
            await self.server.wait_closed()
            print("server closed")

        async def answer(self, reader, writer):
            writer.write(await reader.readline())
            await writer.drain()
            writer.close()
            await writer.wait_closed()

        async def setup(self):
            self.reader, self.writer = await asyncio.open_connection(*self.server.sockets[0].getsockname())

        async def teardown(self):
            self.writer.close()
            await self.writer.wait_closed()

        async def ask(self):
            self.writer.write(b"line\\n")
            assert await self.reader.readline() == b"line\\n"

        async def time_ask(self):
            await self.ask()

        async def peakmem_ask(self):
            await self.ask()

        async def track_ask(self):
            await self.ask()
            return 42

        async def latency_ask(self):
            clock = asyncio.get_running_loop().time
            start = clock()
            await self.ask()
            return [clock() - start]

    class Sleeping:
        params = [0.01, 0.02]
        async def time_sleep(self, seconds):
            await asyncio.sleep(seconds)

    async def work():
        await asyncio.sleep(0)

    def time_returned():
        return work()

    async def time_forgotten():
        work()

    async def time_left():
        asyncio.create_task(asyncio.Event().wait())
"""


@pytest.mark.parametrize(("method", "spec"), RUNS)
def test_asv_runs_coroutine_functions(tmp_path, bare_python, method, spec):
    """Valid benchmarks have true values, invalid ones fail with their reason, and asv's exit code shows it."""
    repository = a_project(tmp_path, bare_python(PYTHONS[spec]))
    code, output, results = asv_run(repository, bare_python(PYTHONS[spec]), "--launch-method", method, "--quick")
    assert code == 2, output
    failed = {f"it.{name}" for name in ("time_returned", "time_forgotten", "time_left")}
    assert {name for name, values in results.items() if values is None} == failed, output
    for words in ("returned a coroutine", "coroutine 'work' was never awaited", "Await them in the benchmark"):
        assert words in output
    first, second = results["it.Sleeping.time_sleep"]
    assert first >= 0.009
    assert second >= 0.019
    assert results["it.Served.track_ask"] == [42]
    assert results["it.Served.peakmem_ask"][0] > 1_000_000
    for name in ("time_ask", "latency_ask"):
        assert 0 < results[f"it.Served.{name}"][0] < 60
    assert output.count("server closed") == 4


def test_a_benchmark_that_times_out_closes_everything(tmp_path, bare_python):
    """The output shows where it waited, and open resources are closed before asv kills the process."""
    source = """
        import asyncio

        class Hanging:
            timeout = 8
            async def setup_process(self):
                yield
                print("closed")
            async def time_it(self):
                await asyncio.Event().wait()
    """
    python = bare_python()
    code, output, results = asv_run(a_project(tmp_path, python, source), python, "--quick")
    assert (code, results) == (2, {"it.Hanging.time_it": None}), output
    lines = [line.strip() for line in output.splitlines()]
    assert any("interrupted" in line and "Hanging.time_it at" in line for line in lines), output
    assert "closed" in lines
    assert any("timed out" in line for line in lines)


def test_warnings_as_errors_change_nothing(tmp_path, bare_python):
    """The package raises no warning, and PYTHONWARNINGS=error does not disable its checks."""
    suite = a_suite(tmp_path, bare_python(), env=(("PYTHONWARNINGS", "error"),), it=MODULE)
    good = suite.run("it.Served.time_ask", repeat=1)
    assert good.code == 0, good.output
    assert "was never awaited" in suite.run("it.time_forgotten").error


def test_forks_do_what_processes_do_that_asv_starts(tmp_path, bare_python, forks):
    """The other tests here ask forks, whose Python has imported asv_runner before: builders/engines.py."""
    suite = a_suite(tmp_path, bare_python(), it=MODULE)
    forked = replace(suite, fork=forks(suite.python))
    for name in ("Served.track_ask", "time_forgotten"):
        started, fork = (one.run(f"it.{name}") for one in (suite, forked))
        assert (fork.code, fork.result, fork.lines[-1:]) == (started.code, started.result, started.lines[-1:])


def a_project(folder, python, source=MODULE):
    """A repository with one commit that holds a suite, and asv's configuration for it."""
    repository = a_repository(folder / "project", "one")
    a_suite(repository, python, it=source)
    configuration = {"version": 1, "project": "it", "repo": ".", "branches": ["HEAD"], "environment_type": "virtualenv"}
    (repository / "asv.conf.json").write_text(json.dumps(configuration), encoding="utf-8")
    (repository / ".asv-machine.json").write_text('{"version": 1, "here": {"machine": "here"}}', encoding="utf-8")
    return repository


def asv_run(repository, python, *options):
    """Exit code, output and results (values by name) of asv in the repository."""
    command = [sys.executable, "-m", "asv", "run", "--environment", f"existing:{python}", "--set-commit-hash", "HEAD"]
    completed = subprocess.run(
        [*command, "--machine", "here", "--show-stderr", *options],
        cwd=repository,
        env={**os.environ, "HOME": str(repository)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    files = list(repository.glob("results/here/*-*.json"))
    results = json.loads(files[0].read_text(encoding="utf-8"))["results"] if files else {}
    return completed.returncode, completed.stdout, {name: row and row[0] for name, row in results.items()}
