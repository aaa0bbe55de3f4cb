"""Coroutines under ``windtunnel compare``: every type of asv_bench_async, judged by the time that it takes."""

import json
import sys
from pathlib import Path

import pytest
from builders.commands import windtunnel
from builders.package_index import a_wheel
from builders.repositories import git
from builders.suites import CONFIGURATION, a_project, change

import asv_bench_async

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
PLUGIN = Path(asv_bench_async.__file__).parent

SUITE = """\
import asyncio
import spam

class Awaited:
    version, number, repeat, warmup_time = "1", 1, 3, 0

    async def setup_process(self):
        self.open = True
        yield
        self.open = False

    async def time_waiting(self):
        assert self.open
        await asyncio.sleep(spam.SECONDS)

    async def time_computing(self):
        await asyncio.sleep(0)
        sum(range(spam.COUNT))

    async def track_answer(self):
        await asyncio.sleep(0)
        return spam.COUNT

    async def peakmem_block(self):
        self.block = bytearray(spam.COUNT * 100)
        await asyncio.sleep(0)

    async def latency_requests(self):
        await asyncio.sleep(0)
        return [spam.SECONDS, 2 * spam.SECONDS, 3 * spam.SECONDS]
"""


@pytest.fixture(scope="module")
def verdict(tmp_path_factory, furnish):
    """Of a head that waits and computes three times as long."""
    folder = tmp_path_factory.mktemp("awaited") / "project"
    a_project(folder, pythons=(HERE,), suite=SUITE, package="SECONDS, COUNT = 0.004, 400_000\n")
    modules = {f"asv_bench_async/{path.name}": path.read_text() for path in PLUGIN.glob("*.py")}
    plugin = a_wheel(folder.parent, "asv_bench_async", "0", modules)
    install = "/usr/bin/env uv pip install --quiet --python {env_dir}/bin/python --no-deps"
    configuration = {**CONFIGURATION, "pythons": [HERE]}
    configuration["install_command"] = [*CONFIGURATION["install_command"], f"{install} {plugin}"]
    change(
        folder, {"asv.conf.json": json.dumps(configuration), "suite/__init__.py": "import asv_bench_async\n"}, "base"
    )
    git(folder, "tag", "base")
    change(folder, {"spam/__init__.py": "SECONDS, COUNT = 0.012, 1_200_000\n"}, "head")
    furnish(folder, "base", "head")
    out = folder / "verdict.json"
    options = ("--seed", "1", "--no-confirm", "--rounds", "2", "--instructions", "none")
    done = windtunnel(folder, "compare", "base", "main", "--out", out, *options)
    assert out.exists(), done.stderr
    return json.loads(out.read_text())


def compared(verdict, name):
    (one,) = (one for one in verdict["comparisons"] if one["benchmark"] == f"spam_suite.Awaited.{name}")
    return one


def test_every_type_takes_part(verdict):
    """Nothing of them fails, is skipped or left out."""
    names = {one["benchmark"].rpartition(".")[2] for one in verdict["comparisons"]}
    assert names == {"time_waiting", "time_computing", "track_answer", "peakmem_block", "latency_requests"}
    assert (verdict["failed"], verdict["skipped"], verdict["incomparable"]) == ([], [], [])


def test_waiting_is_compared_by_wall_time(verdict):
    """A coroutine that waits spends next to no CPU time, which would hide that it waits three times as long."""
    one = compared(verdict, "time_waiting")
    assert 0.004 <= one["baseline"]["value"] < 0.012 <= one["contender"]["value"]


def test_computing_is_compared_by_cpu_time(verdict):
    """CPU time stands for it, which no process shows at more than its wall time."""
    one = compared(verdict, "time_computing")
    assert 1.5 < one["contender"]["value"] / one["baseline"]["value"] < 6
    shown = one["stage_samples"][0]["contender"]
    assert all(value <= median for value, median in zip(shown["values"], shown["medians"], strict=True))


def test_latencies_are_values_of_a_process(verdict):
    """Three requests a call: the quickest stands for the process, the slowest is seen in its tail."""
    one = compared(verdict, "latency_requests")
    assert (one["baseline"]["value"], one["contender"]["value"]) == pytest.approx((0.004, 0.012))
    assert one["baseline"]["median"] == pytest.approx(0.008)


def test_what_is_tracked_is_compared_as_it_is(verdict):
    """A count and a size in bytes."""
    assert compared(verdict, "track_answer")["relative_change"] == pytest.approx(2)
    assert (
        compared(verdict, "peakmem_block")["contender"]["value"]
        > compared(verdict, "peakmem_block")["baseline"]["value"]
    )
