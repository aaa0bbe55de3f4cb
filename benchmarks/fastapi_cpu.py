"""An endpoint that computes, asked over ten connections."""

from benchmarks._suite import _Latencies, _Suite

CASES = (
    ("async_def", "plain_def", "async_def_uvloop", "plain_def_uvloop"),
    ("quick", "standard", "article"),
)


class FastapiCpu(_Suite):
    """Variants of ``fastapi_cpu``: all requests."""

    scenario = "fastapi_cpu"
    params = CASES
    version = "1"
    rounds = 2
    repeat = 1


class FastapiCpuLatency(_Latencies):
    """Variants of ``fastapi_cpu``: the latency of each request."""

    scenario = "fastapi_cpu"
    params = CASES
    version = "1"
    rounds = 2
    repeat = 1
