"""An endpoint that computes, asked at a fixed rate."""

from benchmarks._suite import _Latencies


class FastapiOpen(_Latencies):
    """Variants of ``fastapi_open``: the latency of each request, from when it was due."""

    scenario = "fastapi_open"
    params = (
        ("async_def", "plain_def", "async_def_uvloop", "plain_def_uvloop"),
        ("quick", "standard", "article"),
    )
    version = "2"
    rounds = 2
    most_samples = 1
