"""An endpoint that computes, asked once after the other."""

from benchmarks._suite import _Latencies, _Suite

CASES = (
    ("async_def", "plain_def"),
    ("quick", "standard", "article"),
)


class FastapiSequential(_Suite):
    """Variants of ``fastapi_sequential``: all requests."""

    scenario = "fastapi_sequential"
    params = CASES
    version = "1"
    rounds = 2
    repeat = 1


class FastapiSequentialLatency(_Latencies):
    """Variants of ``fastapi_sequential``: the latency of each request."""

    scenario = "fastapi_sequential"
    params = CASES
    version = "1"
    rounds = 2
    repeat = 1
