"""The script of forks that do what a new Python does with its arguments; what suites of pytest need is imported."""

import runpy
import sys

import asv_runner.discovery
import asv_runner.run
import asv_runner.server
import asv_runner.setup_cache
import asv_runner.timing
import execnet
import pytest
import rich.table
import trio

__all__ = ["asv_runner", "execnet", "pytest", "rich", "trio"]


def main():
    """Run the code after `-c`, or the script."""
    del sys.argv[0]
    if sys.argv[0] == "-c":
        exec(sys.argv.pop(1), {"__name__": "__main__"})
    else:
        runpy.run_path(sys.argv[0], run_name="__main__")
