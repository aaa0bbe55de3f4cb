"""A fast producer and a slow consumer."""

from benchmarks._bases import _PeakMemory, _Time, _Wait


class BackPressure(_Time):
    """Pass messages to a consumer that is slower than their producer."""

    scenario = "back_pressure"
    variants = (
        "sync",
        "threads_100",
        "threads_unbounded",
        "threads_simple_queue",
        "asyncio_100",
        "asyncio_unbounded",
        "anyio_asyncio_100",
        "anyio_asyncio_unbounded",
        "anyio_trio_100",
        "anyio_trio_unbounded",
        "trio_100",
        "trio_unbounded",
    )
    loads = ("quick", "standard")
    version = "1"
    max_samples = 2


class BackPressureWait(_Wait):
    """How long a message waits, at the 99th percentile of a run."""

    scenario = "back_pressure"
    variants = BackPressure.variants
    loads = ("quick", "standard")
    version = "1"
    max_samples = 2


class BackPressureMemory(_PeakMemory):
    """By how much a process grows for it."""

    scenario = "back_pressure_memory"
    variants = (
        "sync",
        "threads_100",
        "threads_unbounded",
        "threads_simple_queue",
        "asyncio_100",
        "asyncio_unbounded",
        "anyio_asyncio_100",
        "anyio_asyncio_unbounded",
        "trio_100",
        "trio_unbounded",
    )
    loads = ("quick", "standard")
    version = "1"
    max_samples = 1
