"""Continuous benchmarking for asv suites; ARCHITECTURE.md describes its structure."""
