"""An idle endpoint, asked while others compute."""

from benchmarks._suite import _Latencies


class FastapiProbed(_Latencies):
    """Variants of ``fastapi_probed``: the latency of each request to the idle endpoint."""

    scenario = "fastapi_probed"
    params = (
        ("async_def", "plain_def", "async_def_uvloop", "plain_def_uvloop"),
        ("quick", "standard", "article"),
    )
    version = "2"
    rounds = 2
    most_samples = 1
