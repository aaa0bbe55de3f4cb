"""The suites: what is timed, never how.

asv imports this package before any suite, in every process; so its own timer is extended here. Importing
``asv_bench_async`` stops an environment that lacks it.
"""

from asv_runner.benchmarks import benchmark_types

import asv_bench_async as _asv_bench_async  # noqa: F401 - its benchmark types are what is wanted
from benchmarks._prepared import PREPARED

benchmark_types[:0] = PREPARED
