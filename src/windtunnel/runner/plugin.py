"""Lays `in_benchmark` out as a distribution that asv_runner finds, in a folder of its own."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

NAME = "asv_bench_windtunnel"
SOURCE = Path(__file__).with_name("in_benchmark.py")

CPU_FILE = "WINDTUNNEL_CPU_FILE"
"""Environment variable that tells the process where CPU seconds go; `in_benchmark`, which stands alone, has it too."""

ASV_PATH = "ASV_PYTHONPATH"
"""What asv passes on as PYTHONPATH; it drops PYTHONPATH itself."""


@contextlib.contextmanager
def in_every_benchmark() -> Iterator[None]:
    """Let every process that asv starts meanwhile import `in_benchmark`."""
    with tempfile.TemporaryDirectory(prefix="windtunnel-plugin-") as folder:
        _lay_out(Path(folder))
        before = os.environ.get(ASV_PATH)
        os.environ[ASV_PATH] = os.pathsep.join(filter(None, (folder, before)))
        try:
            yield
        finally:
            if before is None:
                del os.environ[ASV_PATH]
            else:
                os.environ[ASV_PATH] = before


def _lay_out(folder: Path) -> None:
    package, metadata = folder / NAME / "benchmarks", folder / f"{NAME}-1.dist-info"
    package.mkdir(parents=True)
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1\n", encoding="utf-8")
    (folder / NAME / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "in_benchmark.py").write_bytes(SOURCE.read_bytes())
