"""Continuous benchmarking for asv suites; ARCHITECTURE.md draws the house.

Nothing is imported here: benchmarks import ``windtunnel.scenarios`` in environments without our dependencies.
"""
