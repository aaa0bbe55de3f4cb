"""Continuous benchmarking for asv suites; ARCHITECTURE.md draws the house."""
