"""Discovery: what asv finds in a suite, and how the types are installed."""

import pytest

SUITE = """
    import asyncio

    class Suite:
        def setup(self):
            pass
        def time_plain(self):
            pass
        async def time_it(self):
            pass
        async def time_versioned(self):
            pass
        time_versioned.version = "mine"
        async def track_it(self):
            return 1
        async def peakmem_it(self):
            pass
        def timeraw_it(self):
            return "pass"
        async def _time_hidden(self):
            pass

    class OtherLoop:
        loop_factory = "uvloop"
        def setup(self):
            pass
        async def time_it(self):
            pass

    class Open:
        def setup_process(self):
            yield
        def time_plain(self):
            pass

    async def time_function():
        pass
"""

WRONG = {
    "an argument too many": ("async def time_it(self, n): pass", "wrong number of arguments"),
    "a setup_process without the parameters": (
        "params = [1]\ndef time_it(self, n): pass\ndef setup_process(self): yield",
        "setup_process: wrong number of arguments",
    ),
    "an async generator": ("async def time_it(self): yield", "is an async generator"),
    "an async timeraw": ("async def timeraw_it(self): return ''", "write a plain `def`"),
    "an unknown loop": ("loop_factory = 'uvlop'\nasync def time_it(self): pass", "loop_factory is 'uvlop'"),
}


def test_plain_benchmarks_are_unchanged(a_suite, bare_python):
    """Names, types, units, code and versions are those without the plugin, so installing it keeps the history."""
    suite = a_suite(it=SUITE)
    without = type(suite)(folder=suite.folder, python=bare_python(plugin=False)).discovered()
    found = suite.discovered()
    assert found.keys() == without.keys()
    for name in ("it.Suite.time_plain", "it.Suite.timeraw_it"):
        assert found[name] == without[name]


def test_coroutine_functions_get_new_versions(a_suite, bare_python):
    """Values that asv alone measured were wrong and must leave the history; a version set by hand is kept."""
    suite = a_suite(it=SUITE)
    without = type(suite)(folder=suite.folder, python=bare_python(plugin=False)).discovered()
    found = suite.discovered()
    for name in ("it.Suite.time_it", "it.Suite.track_it", "it.time_function", "it.Open.time_plain"):
        assert found[name]["version"] != without[name]["version"]
    assert found["it.Suite.time_versioned"]["version"] == "mine"
    assert found["it.Suite.peakmem_it"]["type"] == "peakmemory"


def test_the_version_depends_on_source_loop_and_setup_process(a_suite):
    """Whatever changes what is timed changes the version."""
    suite = a_suite(it=SUITE)
    before = suite.discovered()
    assert len({before[f"it.{name}.time_it"]["version"] for name in ("Suite", "OtherLoop")}) == 2
    assert "async def time_it" in before["it.Suite.time_it"]["code"]
    assert "def setup_process" in before["it.Open.time_plain"]["code"]
    module = suite.folder / "it.py"
    source = module.read_text().replace("yield", "yield 1")
    source = source.replace("async def time_it(self):\n        pass", "async def time_it(self):\n        return")
    module.write_text(source)
    after = suite.discovered()
    changed = {name for name in before if before[name]["version"] != after[name]["version"]}
    assert changed == {"it.Suite.time_it", "it.OtherLoop.time_it", "it.Open.time_plain"}


@pytest.mark.parametrize("case", WRONG)
def test_asv_check_reports_benchmarks_that_cannot_run(a_suite, case):
    """`asv check` fails with the name of the benchmark and the problem."""
    body, words = WRONG[case]
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    outcome = a_suite(it=f"class Suite:\n{indented}").command("check")
    assert outcome.code == 1, outcome.output
    assert "it.Suite.time" in outcome.output
    assert words in outcome.output


def test_asv_check_accepts_coroutine_functions(a_suite):
    """They are checked like plain functions."""
    outcome = a_suite(it=SUITE).command("check")
    assert (outcome.code, outcome.output) == (0, "")


@pytest.mark.parametrize("imported_first", ["asv_bench_async", "asv_runner.benchmarks", "asv_runner.run"])
def test_the_types_are_installed_in_any_import_order(a_suite, imported_first):
    """A suite may import the plugin before asv finds it."""
    suite = a_suite(
        it=f"""
        import {imported_first}
        import asv_bench_async
        from asv_runner.benchmarks import benchmark_types

        asv_bench_async.install()

        async def track_it():
            return [kind.__name__ for kind in benchmark_types]
        """
    )
    assert suite.run("it.track_it").result == [
        "AsyncPeakMemBenchmark",
        "AsyncTimeBenchmark",
        "AsyncTimerawBenchmark",
        "AsyncTrackBenchmark",
        "LatencyBenchmark",
    ]


def test_a_plugin_that_cannot_work_is_an_error(a_suite):
    """asv_runner ignores a plugin that raises ImportError and would time coroutines without running them."""
    suite = a_suite(it=SUITE)
    broken = (
        "import sys\n"
        "sys.modules['asv_runner.benchmarks.timeraw'] = type(sys)('timeraw')\n"
        "for name in [name for name in sys.modules if name.startswith('asv_bench_async')]: del sys.modules[name]\n"
        "import asv_bench_async\n"
    )
    (suite.folder / "__init__.py").write_text(broken)
    outcome = suite.run("it.Suite.time_it", code=1)
    assert "asv_bench_async does not fit the asv_runner that is installed" in outcome.error
