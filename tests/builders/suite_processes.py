"""The script of forks that do what a new Python does with its arguments; what suites of pytest need is imported."""

import runpy
import sys
from importlib import import_module

for each in ("asv_runner.discovery", "asv_runner.run", "asv_runner.server", "execnet", "pytest", "rich.table", "trio"):
    import_module(each)


def main():
    """Run the code after `-c`, or the script."""
    del sys.argv[0]
    if sys.argv[0] == "-c":
        exec(sys.argv.pop(1), {"__name__": "__main__"})
    else:
        runpy.run_path(sys.argv[0], run_name="__main__")
