"""A gRPC server with a method of each kind; the argument is ``threads`` or ``aio``, the number of callers follows.

Messages are bytes as they are: there is no generated code and nothing to serialise.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc

from windtunnel_scenarios.support.servers import print_port_number

SERVICE = "windtunnel"

OPTIONS = (("grpc.so_reuseport", 0),)
"""No other process can listen on the port."""


def unary(request: bytes, context: Any) -> bytes:  # noqa: ARG001 - gRPC passes it
    """Return the message."""
    return request


def server_stream(request: bytes, context: Any) -> Iterator[bytes]:  # noqa: ARG001 - gRPC passes it
    """Return the message as many times as it begins with."""
    for _ in range(int(request.split()[0])):
        yield request


def both_streams(requests: Iterator[bytes], context: Any) -> Iterator[bytes]:  # noqa: ARG001 - gRPC passes it
    """Return each message."""
    yield from requests


async def async_unary(request: bytes, context: Any) -> bytes:  # noqa: ARG001 - gRPC passes it
    """Return the message."""
    return request


async def async_server_stream(request: bytes, context: Any) -> AsyncIterator[bytes]:  # noqa: ARG001 - gRPC passes it
    """Return the message as many times as it begins with."""
    for _ in range(int(request.split()[0])):
        yield request


async def async_both_streams(requests: AsyncIterator[bytes], context: Any) -> AsyncIterator[bytes]:  # noqa: ARG001 - gRPC passes it
    """Return each message."""
    async for request in requests:
        yield request


def generic_handler(one: Any, stream: Any, both: Any) -> grpc.GenericRpcHandler:
    """Return the handler of a method of each kind."""
    handlers = {
        "unary": grpc.unary_unary_rpc_method_handler(one),
        "server_stream": grpc.unary_stream_rpc_method_handler(stream),
        "both_streams": grpc.stream_stream_rpc_method_handler(both),
    }
    return grpc.method_handlers_generic_handler(SERVICE, handlers)


def serve_threads(callers: int) -> None:
    """Serve with a thread for each call that is under way."""
    server = grpc.server(ThreadPoolExecutor(max_workers=callers), options=OPTIONS)
    server.add_generic_rpc_handlers((generic_handler(unary, server_stream, both_streams),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print_port_number(port)
    server.wait_for_termination()


async def serve_aio() -> None:
    """Serve on an event loop, with a task for each call that is under way."""
    server = grpc.aio.server(options=OPTIONS)
    server.add_generic_rpc_handlers((generic_handler(async_unary, async_server_stream, async_both_streams),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print_port_number(port)
    await server.wait_for_termination()


def main(kind: str, callers: int) -> None:
    """Serve until killed."""
    if kind == "aio":
        asyncio.run(serve_aio())
    else:
        serve_threads(callers)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
