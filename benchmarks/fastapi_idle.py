"""An endpoint that does nothing, asked once after the other."""

from benchmarks._suite import _Latencies, _Suite

CASES = (
    ("async_def", "plain_def"),
    ("quick", "standard", "article"),
)


class FastapiIdle(_Suite):
    """Variants of ``fastapi_idle``: all requests."""

    scenario = "fastapi_idle"
    params = CASES
    version = "2"
    rounds = 2
    most_samples = 2


class FastapiIdleLatency(_Latencies):
    """Variants of ``fastapi_idle``: the latency of each request, of which the time of all is the sum."""

    scenario = "fastapi_idle"
    params = (CASES[0], ("quick", "standard"))
    version = "2"
    rounds = 2
    most_samples = 2
