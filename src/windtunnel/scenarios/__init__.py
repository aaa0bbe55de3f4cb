"""The subject: jobs, and the ways of carrying them out that the suites in ``benchmarks/`` time.

Nothing else of windtunnel is imported here and nothing else imports it; importing it does no work.
"""
