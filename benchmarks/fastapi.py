"""An endpoint that computes, in FastAPI and beside others."""

from benchmarks._bases import _JobTime, _Latency, _Time


class FastapiKeepAliveLatency(_Latency):
    """Make requests over ten connections that are open already."""

    scenario = "fastapi_keep_alive"
    variants = ("async_def", "plain_def", "async_def_uvloop", "plain_def_uvloop")
    version = "3"
    max_samples = 1


class FastapiNewConnections(_Time):
    """Make requests over ten connections that each run opens."""

    scenario = "fastapi_new_connections"
    variants = ("async_def", "plain_def", "async_def_uvloop", "plain_def_uvloop")
    version = "3"
    max_samples = 1


class FastapiNewConnectionsLatency(_Latency):
    """The latency of each of those requests."""

    scenario = "fastapi_new_connections"
    variants = FastapiNewConnections.variants
    version = "3"
    max_samples = 1


class FastapiSequential(_Time):
    """Make one request after the other, each over a new connection."""

    scenario = "fastapi_sequential"
    variants = ("async_def", "plain_def")
    version = "3"
    max_samples = 1


class FastapiSequentialLatency(_Latency):
    """The latency of each of those requests."""

    scenario = "fastapi_sequential"
    variants = FastapiSequential.variants
    loads = ("quick", "standard")
    version = "3"
    max_samples = 1


class FastapiIdle(_Time):
    """Make one request after the other to an endpoint that does nothing."""

    scenario = "fastapi_idle"
    variants = ("async_def", "plain_def")
    version = "3"
    max_samples = 2


class FastapiIdleLatency(_Latency):
    """The latency of each of those requests."""

    scenario = "fastapi_idle"
    variants = FastapiIdle.variants
    loads = ("quick", "standard")
    version = "3"
    max_samples = 2


class FastapiIdleUnderLoadLatency(_Latency):
    """Make requests to an idle endpoint while others make the server compute."""

    scenario = "fastapi_idle_under_load"
    variants = ("async_def", "plain_def", "async_def_uvloop", "plain_def_uvloop")
    version = "3"
    max_samples = 1


class FastapiParallel(_Time):
    """Compute in an endpoint whose server may use all processors."""

    scenario = "fastapi_parallel"
    variants = ("async_def", "plain_def")
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class ComputingEndpointLatency(_Latency):
    """Ask a light endpoint forty times while the server computes for others."""

    scenario = "computing_endpoint"
    variants = (
        "async_def",
        "plain_def",
        "mixed",
        "process_pool",
        "async_def_uvloop",
        "plain_def_uvloop",
        "mixed_uvloop",
        "process_pool_uvloop",
        "flask_threads",
        "flask_process_pool",
        "aiohttp_on_loop",
        "aiohttp_threads",
        "aiohttp_process_pool",
    )
    loads = (
        "1ms_4",
        "5ms_4",
        "20ms_4",
        "200ms_4",
        "1ms_50",
        "5ms_50",
        "20ms_50",
        "200ms_50",
        "1ms_half_busy",
        "5ms_half_busy",
        "20ms_half_busy",
        "200ms_half_busy",
    )
    version = "1"
    max_samples = 1


class ComputingEndpoint(_JobTime):
    """How long such a server takes for each computing request, while it also answers others."""

    scenario = "computing_endpoint"
    variants = ComputingEndpointLatency.variants
    loads = ComputingEndpointLatency.loads
    version = "1"
    max_samples = 1
