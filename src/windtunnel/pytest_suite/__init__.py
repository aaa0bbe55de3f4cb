"""A suite of pytest benchmarks: found in a project, and written as a suite that asv's engine runs."""
