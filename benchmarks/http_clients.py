"""Requests with different clients."""

from benchmarks._bases import _ProgramCpuTime, _Time


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
    variants = ("requests", "requests_threads", "httpx_threads", "httpx_async", "aiohttp", "aiohttp_uvloop")
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class StreamUploads(_Time):
    """Send bodies in blocks of 1 MB, several at once."""

    scenario = "stream_uploads"
    variants = StreamDownloads.variants
    loads = StreamDownloads.loads
    version = "1"
    max_samples = 3
