"""README.md: its example runs, and its statements on the distribution are true."""

import re
import subprocess
import sys
import zipfile
from email.parser import Parser

import pytest
from builders.asv_suites import PLUGIN
from uv import find_uv_bin

from asv_bench_async import overhead

ROOT = PLUGIN.parents[1]


def example():
    """The suite of the manual."""
    (source,) = re.findall(r"```python\n# benchmarks/echo\.py\n(.*?)```", (PLUGIN / "README.md").read_text(), re.DOTALL)
    return source


@pytest.mark.parametrize(
    "name",
    ["Echo.time_echo", "Echo.latency_echo", "Echo.track_bytes", "Echo.peakmem_echo"]
    + [f"Turn.time_turn-{loop}" for loop in range(2)],
)
def test_the_example_runs(a_suite, bare_python, name):
    """The code of the manual runs unchanged, with uvloop installed."""
    suite = a_suite(bare_python(packages=("uvloop",)), echo=example())
    outcome = suite.run(f"echo.{name}", number=1, repeat=1, warmup_time=0)
    assert (outcome.code, outcome.output) == (0, ""), outcome.output
    if "latency" in name:
        assert len(outcome.result["samples"]) == 100
    if "track" in name:
        assert outcome.result == 6


def test_the_example_passes_asv_check(a_suite):
    """asv finds its five benchmarks."""
    suite = a_suite(echo=example())
    assert suite.command("check").code == 0
    assert len(suite.discovered()) == 5


def built(folder, tmp_path):
    """The wheel of the distribution in the folder: its files and its metadata."""
    command = [find_uv_bin(), "build", "--quiet", "--wheel", "--out-dir", tmp_path, "--python", sys.executable, folder]
    subprocess.run(command, check=True, capture_output=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = wheel.namelist()
        metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
        return names, Parser().parsestr(wheel.read(metadata).decode())


def test_asv_finds_the_distribution(tmp_path):
    """asv_runner finds it by its name; the wheel holds the package, its types and its licence."""
    names, metadata = built(PLUGIN, tmp_path)
    assert metadata["Name"] == "asv_bench_async"
    assert [need for need in metadata.get_all("Requires-Dist") if "extra ==" not in need] == ["asv-runner>=0.2.5"]
    package = {path.name for path in PLUGIN.glob("*.py")} | {"py.typed"}
    assert {name.split("/")[1] for name in names if name.startswith("asv_bench_async/")} == package
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert (PLUGIN / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def test_the_distributions_share_no_files(tmp_path):
    """Each distribution of the repository has its own files."""
    names, metadata = built(ROOT, tmp_path)
    assert not [name for name in names if "asv_bench_async" in name]
    assert not [need for need in metadata.get_all("Requires-Dist") if "asv-bench-async" in need]


def test_the_overhead_command_compares_both_packages(capsys):
    """The exit code depends on the maximum ratio."""
    assert overhead.main(pairs=1) in {0, 1}
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[:-1]] == [
        [loop, job.__name__] for loop in ("asyncio", "uvloop") for job, _, _ in overhead.JOBS
    ]
    assert re.fullmatch(r"worst ratio \d+\.\d{3}, limit 1\.5", lines[-1])
