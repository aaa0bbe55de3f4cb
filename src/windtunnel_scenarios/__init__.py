"""The subject: jobs, and the ways of carrying them out that the suites in ``benchmarks/`` time.

A distribution of its own: it imports nothing of windtunnel. Importing it does no work.
"""
