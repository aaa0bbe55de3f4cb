"""What holds for all tests."""

import os
import signal
import sys

from hypothesis import settings

# how long an example takes depends on who else uses the machine: no test fails by the clock
settings.register_profile("windtunnel", deadline=None)
settings.load_profile("windtunnel")

# hundreds of processes are started here: without bytecode each of them compiles what it imports anew
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# a shell's background jobs inherit it ignored, and with them the processes that are interrupted here
signal.signal(signal.SIGINT, signal.default_int_handler)
