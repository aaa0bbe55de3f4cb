"""`async def` benchmarks for asv; README.md is the manual.

asv_runner imports every installed distribution whose name begins with `asv_bench`; importing this one is all it takes.
"""

try:
    from asv_bench_async.registry import install
except ImportError as error:  # asv_runner would swallow it, and go on timing coroutines without running them
    raise RuntimeError(f"asv_bench_async does not fit the asv_runner that is installed: {error}") from error

install()
