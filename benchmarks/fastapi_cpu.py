"""An endpoint that computes, asked over ten connections that are open already."""

from benchmarks._suite import _Latencies


class FastapiCpu(_Latencies):
    """Variants of ``fastapi_cpu``: the latency of each request."""

    scenario = "fastapi_cpu"
    params = (
        ("async_def", "plain_def", "async_def_uvloop", "plain_def_uvloop"),
        ("quick", "standard", "article"),
    )
    version = "2"
    rounds = 2
    most_samples = 1
