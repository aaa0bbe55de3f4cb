"""What holds for all tests."""

from hypothesis import settings

# how long an example takes depends on who else uses the machine: no test fails by the clock
settings.register_profile("windtunnel", deadline=None)
settings.load_profile("windtunnel")
