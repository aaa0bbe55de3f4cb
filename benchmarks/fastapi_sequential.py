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
    version = "2"
    rounds = 2
    most_samples = 1


class FastapiSequentialLatency(_Latencies):
    """Variants of ``fastapi_sequential``: the latency of each request, of which the time of all is the sum."""

    scenario = "fastapi_sequential"
    params = (CASES[0], ("quick", "standard"))
    version = "2"
    rounds = 2
    most_samples = 1
