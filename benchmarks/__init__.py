"""The asv suites: a module for each topic, and a class for each scenario.

asv imports this package before any suite, in every process, so its benchmark types are extended here. Importing
``asv_bench_async`` stops an environment that lacks it.
"""

from asv_runner.benchmarks import benchmark_types

import asv_bench_async as _asv_bench_async  # noqa: F401 - importing it adds its benchmark types
from benchmarks._types import BENCHMARK_TYPES

benchmark_types[:0] = BENCHMARK_TYPES
