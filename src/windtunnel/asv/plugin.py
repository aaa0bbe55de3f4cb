"""Lays `benchmark_plugin` out as a distribution that asv_runner finds, in a folder of its own."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

NAME = "asv_bench_windtunnel"
SOURCE = Path(__file__).with_name("benchmark_plugin.py")

CPU_FILE = "windtunnel_cpu_file"
"""Attribute that tells the process where CPU seconds go; `benchmark_plugin`, which stands alone, has it too."""

MORTAL = "WINDTUNNEL_ENDS_WITH_ITS_PARENT"
"""Environment variable that lets a process end with the one that started it; `benchmark_plugin` has it too."""

ASV_PATH = "ASV_PYTHONPATH"
"""What asv passes on as PYTHONPATH; it drops PYTHONPATH itself."""


@contextlib.contextmanager
def in_every_benchmark() -> Iterator[None]:
    """Let every process that asv starts meanwhile import `benchmark_plugin`."""
    with tempfile.TemporaryDirectory(prefix="windtunnel-plugin-") as folder:
        _lay_out(Path(folder))
        with _variable(ASV_PATH, os.pathsep.join(filter(None, (folder, os.environ.get(ASV_PATH))))):
            yield


@contextlib.contextmanager
def ends_with_us() -> Iterator[None]:
    """Let processes that asv starts meanwhile, and that import `benchmark_plugin`, end with this one.

    For servers that would wait for ever; Linux only.
    """
    with _variable(MORTAL, "1"):
        yield


@contextlib.contextmanager
def _variable(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _lay_out(folder: Path) -> None:
    package, metadata = folder / NAME / "benchmarks", folder / f"{NAME}-1.dist-info"
    package.mkdir(parents=True)
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1\n", encoding="utf-8")
    (folder / NAME / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "benchmark_plugin.py").write_bytes(SOURCE.read_bytes())
