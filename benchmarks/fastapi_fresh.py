"""An endpoint that computes, asked over ten connections that each run opens anew."""

from benchmarks._suite import _Latencies, _Suite

CASES = (
    ("async_def", "plain_def", "async_def_uvloop", "plain_def_uvloop"),
    ("quick", "standard", "article"),
)


class FastapiFresh(_Suite):
    """Variants of ``fastapi_fresh``: all requests."""

    scenario = "fastapi_fresh"
    params = CASES
    version = "2"
    rounds = 2
    most_samples = 1


class FastapiFreshLatency(_Latencies):
    """Variants of ``fastapi_fresh``: the latency of each request."""

    scenario = "fastapi_fresh"
    params = CASES
    version = "2"
    rounds = 2
    most_samples = 1
