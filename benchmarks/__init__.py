"""The suites: what is timed, never how.

asv imports this package before any suite, in every process; so its own timer is extended here.
"""

from asv_runner.benchmarks import benchmark_types

from benchmarks._prepared import PREPARED

benchmark_types[:0] = PREPARED
