"""Requests with different clients."""

from benchmarks._bases import _CpuTime, _JobTime, _ProgramCpuTime, _ServerLoad, _Time


class HttpRequests(_Time):
    """Make three requests to a server that takes a while."""

    scenario = "http_requests"
    variants = (
        "urllib",
        "requests_session",
        "httpx_sync",
        "aiohttp_session_per_request",
        "aiohttp_session",
        "httpx_async",
    )
    setup_starts_servers = True
    version = "1"
    max_samples = 3


class HttpOneRequest(_Time):
    """Make one request to a server that takes a while."""

    scenario = "http_one_request"
    variants = ("urllib", "aiohttp_session_per_request")
    version = "1"
    max_samples = 3


class Downloads(_Time):
    """Make a hundred requests."""

    scenario = "downloads"
    variants = (
        "requests_session",
        "requests_threads_10",
        "requests_threads_20",
        "requests_threads_100",
        "aiohttp_session_per_request",
        "aiohttp_session",
        "aiohttp_limit_5",
        "aiohttp_limit_20",
        "aiohttp_limit_0",
        "aiohttp_uvloop",
        "httpx_async",
    )
    version = "1"
    max_samples = 3


class DownloadsServerLimit(_Time):
    """Make a hundred requests to a server that handles five at a time."""

    scenario = "downloads_server_limit"
    variants = ("requests_session", "requests_threads_10", "aiohttp_session")
    version = "2"
    max_samples = 3


class DownloadsClientLimit(_Time):
    """Make more requests at once than aiohttp opens connections."""

    scenario = "downloads_client_limit"
    variants = ("aiohttp_session", "aiohttp_limit_0")
    version = "1"
    max_samples = 3


class HttpInTurn(_Time):
    """Make one request after the other, with the usual headers, over one connection without TLS."""

    scenario = "http_in_turn"
    variants = (
        "requests",
        "httpx",
        "httpx2",
        "niquests",
        "aiohttp",
        "httpx_async",
        "httpx2_async",
        "niquests_async",
    )
    loads = ("quick", "standard")
    setup_starts_servers = True
    version = "1"
    max_samples = 3


class DownloadsFar(_Time):
    """Make a hundred requests to a server far away, each time by a new program, from its start to its end."""

    scenario = "downloads_far"
    variants = (
        "requests_session",
        "requests_session_per_request",
        "requests_threads_10",
        "requests_threads_20",
        "aiohttp_session",
        "aiohttp_session_per_request",
    )
    version = "2"
    max_samples = 2


class DownloadsFarCpuTime(_ProgramCpuTime):
    """How long that program computes."""

    scenario = "downloads_far"
    variants = DownloadsFar.variants
    version = "2"
    max_samples = 2


class StreamDownloads(_Time):
    """Receive bodies in blocks of 1 MB, several at once."""

    scenario = "stream_downloads"
    variants = (
        "requests",
        "requests_threads",
        "httpx_threads",
        "httpx_async",
        "aiohttp",
        "aiohttp_uvloop",
        "aiohttp_unjoined",
        "aiohttp_uvloop_unjoined",
    )
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class StreamUploads(_Time):
    """Send bodies in blocks of 1 MB, several at once."""

    scenario = "stream_uploads"
    variants = ("requests", "requests_threads", "httpx_threads", "httpx_async", "aiohttp", "aiohttp_uvloop")
    loads = StreamDownloads.loads
    version = "1"
    max_samples = 3


class HttpsWarm(_Time):
    """Make one request after another over TLS, on a connection that is kept."""

    scenario = "https_warm"
    variants = (
        "requests",
        "httpx",
        "httpx_http2",
        "niquests",
        "niquests_http2",
        "aiohttp",
        "httpx_async",
        "httpx_async_http2",
        "niquests_async",
    )
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class HttpsWarmCpuTime(_CpuTime):
    """How long the client computes for them."""

    scenario = "https_warm"
    variants = HttpsWarm.variants
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class HttpsCold(_Time):
    """Make each request in a client of its own, with a TLS handshake."""

    scenario = "https_cold"
    variants = HttpsWarm.variants
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class HttpsAtOnce10(_Time):
    """Make ten requests at once to a server that waits."""

    scenario = "https_at_once_10"
    variants = (
        "requests_threads",
        "httpx_threads",
        "niquests_multiplexed",
        "aiohttp",
        "httpx_async",
        "httpx_async_http2",
        "niquests_async",
    )
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class HttpsAtOnce100(_Time):
    """Make a hundred."""

    scenario = "https_at_once_100"
    variants = (
        "requests_threads",
        "httpx_threads",
        "niquests_multiplexed",
        "aiohttp",
        "httpx_async",
        "httpx_async_http2",
        "niquests_async",
        "httpx_async_keep_20",
    )
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class HttpsAtOnce100CpuTime(_CpuTime):
    """How long the client computes for a hundred."""

    scenario = "https_at_once_100"
    variants = HttpsAtOnce100.variants
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class HttpsAtOnce1000(_Time):
    """Make a thousand."""

    scenario = "https_at_once_1000"
    variants = (
        "requests_threads",
        "niquests_multiplexed",
        "aiohttp",
        "aiohttp_limit_100",
        "httpx_async_http2",
        "niquests_async",
    )
    loads = ("quick", "standard")
    version = "1"
    max_samples = 2


class HttpsAtOnce1000ServerLoad(_ServerLoad):
    """Which share of that time the server computes: it is not the limit as long as this is far below 1."""

    scenario = "https_at_once_1000"
    variants = HttpsAtOnce1000.variants
    loads = ("quick",)
    version = "1"
    max_samples = 2


class HttpsBurst(_Time):
    """Make requests at once, the first of a program or later ones."""

    scenario = "https_burst"
    variants = (
        "requests_in_turn",
        "httpx_in_turn",
        "httpx2_in_turn",
        "requests_threads_20",
        "requests_threads",
        "httpx_threads",
        "httpx2_threads",
        "aiohttp",
        "httpx_async",
        "httpx2_async",
        "niquests_async",
    )
    loads = (
        "1_first",
        "3_first",
        "10_first",
        "100_first",
        "1_later",
        "3_later",
        "10_later",
        "100_later",
    )
    version = "1"
    max_samples = 3


class HttpsBurstCpuTime(_CpuTime):
    """How long the client computes for them."""

    scenario = "https_burst"
    variants = HttpsBurst.variants
    loads = HttpsBurst.loads
    version = "1"
    max_samples = 3


class RequestsFar(_Time):
    """Make requests to a server far away by a new program, from its start to its end."""

    scenario = "requests_far"
    variants = (
        "requests_session",
        "requests_threads_20",
        "requests_threads_100",
        "aiohttp_session",
        "httpx_async",
    )
    loads = (
        "3_requests",
        "10_requests",
        "30_requests",
        "100_requests",
    )
    version = "1"
    max_samples = 2


class RequestsFarJob(_JobTime):
    """From the first request to the last answer: without the imports."""

    scenario = "requests_far"
    variants = RequestsFar.variants
    loads = RequestsFar.loads
    version = "1"
    max_samples = 2


class RequestsFarCpuTime(_ProgramCpuTime):
    """How long that program computes."""

    scenario = "requests_far"
    variants = RequestsFar.variants
    loads = RequestsFar.loads
    version = "1"
    max_samples = 2
