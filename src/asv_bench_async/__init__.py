"""`async def` benchmarks for asv; README.md is the manual.

asv_runner imports every installed distribution whose name begins with `asv_bench`; the import installs the types.
"""

try:
    from asv_bench_async.benchmark_types import install
except ImportError as error:  # asv_runner would ignore it and time coroutines without running them
    raise RuntimeError(f"asv_bench_async does not fit the asv_runner that is installed: {error}") from error

install()
