"""Web servers."""

from benchmarks._bases import _CpuTime, _PeakMemory, _ServerCpuTime, _Time


class WebKeepAlive(_Time):
    """Ask a service for the position of a planet."""

    scenario = "web_keep_alive"
    variants = (
        "aiohttp_dev",
        "flask_dev",
        "aiohttp_gunicorn_1",
        "flask_gunicorn_1",
        "aiohttp_gunicorn_4",
        "flask_gunicorn_4",
    )
    version = "2"
    max_samples = 3


class WebKeepAliveServerCpuTime(_ServerCpuTime):
    """How long its server computes for a request."""

    scenario = "web_keep_alive"
    variants = WebKeepAlive.variants
    version = "2"
    max_samples = 3


class WebNewConnections(_Time):
    """Ask the service over a new connection each time."""

    scenario = "web_new_connections"
    variants = (
        "aiohttp_dev",
        "flask_dev",
        "aiohttp_gunicorn_1",
        "flask_gunicorn_1",
        "aiohttp_gunicorn_4",
        "flask_gunicorn_4",
    )
    version = "2"
    max_samples = 3


class ServersKeepAlive(_Time):
    """Ask an application that does next to nothing, over connections that stay open."""

    scenario = "servers_keep_alive"
    variants = (
        "gunicorn_gthread",
        "uvicorn",
        "uvicorn_uvloop",
        "uvicorn_rloop",
        "uvicorn_standard",
        "hypercorn",
        "hypercorn_uvloop",
        "granian",
        "granian_uvloop",
    )
    loads = ("quick", "standard")
    version = "1"
    max_samples = 2


class ServersKeepAliveServerCpuTime(_ServerCpuTime):
    """How long its server computes for a request."""

    scenario = "servers_keep_alive"
    variants = ServersKeepAlive.variants
    loads = ("quick", "standard")
    version = "1"
    max_samples = 2


class ServersNewConnections(_Time):
    """Ask it over a new connection each time."""

    scenario = "servers_new_connections"
    variants = (
        "gunicorn_sync",
        "gunicorn_gthread",
        "uvicorn",
        "uvicorn_uvloop",
        "uvicorn_rloop",
        "uvicorn_standard",
        "hypercorn",
        "hypercorn_uvloop",
        "granian",
        "granian_uvloop",
    )
    loads = ("quick", "standard")
    version = "1"
    max_samples = 2


class ServersNewConnectionsServerCpuTime(_ServerCpuTime):
    """How long its server computes for a request."""

    scenario = "servers_new_connections"
    variants = ServersNewConnections.variants
    loads = ("quick", "standard")
    version = "1"
    max_samples = 2


class Echo(_Time):
    """Send lines to a server and back."""

    scenario = "echo"
    variants = ("threads", "asyncio_streams", "uvloop_streams")
    version = "1"
    max_samples = 3


class WebsocketServer(_Time):
    """Send messages back and forth while many other connections are idle."""

    scenario = "websocket_server"
    variants = (
        "websockets_threads",
        "websockets_asyncio",
        "websockets_uvloop",
        "aiohttp",
        "aiohttp_uvloop",
        "uvicorn_asyncio",
        "uvicorn_uvloop",
        "granian_uvloop",
    )
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class WebsocketServerCpuTime(_ServerCpuTime):
    """How long the server computes for a message."""

    scenario = "websocket_server"
    variants = WebsocketServer.variants
    loads = WebsocketServer.loads
    version = "1"
    max_samples = 3


class WebsocketServerMemory(_PeakMemory):
    """By how much the server grows for the idle connections."""

    scenario = "websocket_server"
    variants = WebsocketServer.variants
    loads = WebsocketServer.loads
    version = "1"
    max_samples = 1


class EchoMessages(_Time):
    """Send messages to a server and back: small and large, few and many connections, with TLS."""

    scenario = "echo_messages"
    variants = (
        "threads_client",
        "asyncio_client",
        "uvloop_both",
        "threads_server",
        "asyncio_server",
    )
    loads = (
        "100_bytes_10",
        "64_kib_10",
        "100_bytes_500",
        "64_kib_500",
        "100_bytes_10_tls",
        "64_kib_10_tls",
        "100_bytes_500_tls",
        "64_kib_500_tls",
    )
    version = "1"
    max_samples = 3


class EchoMessagesCpuTime(_CpuTime):
    """How long the client computes for them."""

    scenario = "echo_messages"
    variants = EchoMessages.variants
    loads = EchoMessages.loads
    version = "1"
    max_samples = 3


class AppCalls(_Time):
    """Call an application that validates a body and answers with a model, without a server."""

    scenario = "app_calls"
    variants = ("flask", "starlette", "fastapi")
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class ServerRequests(_Time):
    """Ask a server in the same process, over a pair of sockets."""

    scenario = "server_requests"
    variants = ("gunicorn_sync", "aiohttp", "uvicorn_h11", "uvicorn_httptools", "uvicorn_standard")
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3
