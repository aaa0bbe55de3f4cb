"""What applications and servers compute for a request, in the process that sends it.

``app_calls`` calls an application with a request and its body, without a server: it validates the body with a model and
answers with a model. ``server_requests`` sends requests to a server over a pair of sockets.
"""

import asyncio
import json
from asyncio import AbstractEventLoop
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from inspect import signature
from io import BytesIO
from socket import socket, socketpair
from typing import Any, TypeAlias

from windtunnel_scenarios.http_in_turn import HEADERS
from windtunnel_scenarios.model import Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.support.loops import event_loop, run_on, uvloop_factory
from windtunnel_scenarios.support.loops import opened_on as opened
from windtunnel_scenarios.support.servers import KEEP_ALIVE_TIMEOUT

ITEMS = 20
"""Items of an order."""

ORDER = {
    "customer": "Ada",
    "items": [{"name": f"item {number}", "price": number / 4, "tags": ["new", "blue"]} for number in range(ITEMS)],
}
BODY = json.dumps(ORDER).encode()

AsgiApp: TypeAlias = Callable[[dict[str, Any], Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Any]
WsgiApp: TypeAlias = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
Exchange: TypeAlias = Callable[[], Awaitable[bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """How many requests with a body."""

    count: int

    @property
    def outcome(self) -> Outcome:
        """The answers with the right status, and what the last one says the order costs."""
        return (self.count, sum(number / 4 for number in range(ITEMS)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchanges:
    """How many requests, each after the answer to the last."""

    count: int

    @property
    def outcome(self) -> Outcome:
        """The bodies."""
        return (b"OK",) * self.count


def order_models() -> tuple[Any, Any]:
    """Return the models of a request and of its answer, made with pydantic 1 or 2."""
    from pydantic import BaseModel

    class Item(BaseModel):
        name: str
        price: float
        tags: list[str] = []

    class Order(BaseModel):
        customer: str
        items: list[Item]

    class Receipt(BaseModel):
        customer: str
        items: list[Item]
        total: float

    return Order, Receipt


def receipt(order: Any, model: Any) -> Any:
    """Return the answer to an order."""
    return model(customer=order.customer, items=order.items, total=sum(item.price for item in order.items))


def flask_app() -> WsgiApp:
    """The endpoint in Flask, with the models of the others."""
    from flask import Flask, jsonify, request

    app, (order, answer) = Flask("orders"), order_models()
    as_dict = getattr(answer, "model_dump", None) or answer.dict

    @app.post("/orders")
    def create() -> Any:
        return jsonify(as_dict(receipt(order(**request.get_json()), answer)))

    return app.wsgi_app


def starlette_app() -> AsgiApp:
    """The endpoint in Starlette, with the models of the others."""
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    order, answer = order_models()
    as_dict = getattr(answer, "model_dump", None) or answer.dict

    async def create(request: Any) -> Any:
        return JSONResponse(as_dict(receipt(order(**await request.json()), answer)))

    app: Any = Starlette(routes=[Route("/orders", create, methods=["POST"])])
    return app  # type: ignore[no-any-return]  # an AsgiApp


def fastapi_app() -> AsgiApp:
    """The endpoint in FastAPI."""
    from fastapi import FastAPI

    app, (order, answer) = FastAPI(), order_models()
    called: Any = app

    async def create(body: Any) -> Any:
        return receipt(body, answer)

    create.__annotations__["body"] = order
    app.post("/orders", response_model=answer)(create)
    return called  # type: ignore[no-any-return]  # an AsgiApp


def environ() -> dict[str, Any]:
    """Return a request as WSGI has it."""
    headers = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in HEADERS.items()}
    return headers | {
        "REQUEST_METHOD": "POST",
        "SCRIPT_NAME": "",
        "PATH_INFO": "/orders",
        "QUERY_STRING": "",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(BODY)),
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": BytesIO(BODY),
        "wsgi.errors": BytesIO(),
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }


def scope() -> dict[str, Any]:
    """Return a request as ASGI has it."""
    headers = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/orders",
        "raw_path": b"/orders",
        "query_string": b"",
        "root_path": "",
        "headers": [
            *headers,
            (b"host", b"localhost"),
            (b"content-type", b"application/json"),
            (b"content-length", str(len(BODY)).encode()),
        ],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 80),
        "state": {},
    }


@contextmanager
def wsgi_calls(load: Calls, create_app: Callable[[], WsgiApp]) -> Iterator[Run]:
    """Call a WSGI application for each request."""
    app = create_app()

    def run() -> Outcome:
        right, body = 0, b""
        for _ in range(load.count):
            statuses: list[str] = []
            body = b"".join(app(environ(), lambda status, *_: statuses.append(status)))  # noqa: B023 - it is called at once
            right += statuses[0].startswith("200 ")
        return right, json.loads(body)["total"]

    yield run


@contextmanager
def asgi_calls(load: Calls, create_app: Callable[[], AsgiApp]) -> Iterator[Run]:
    """Call an ASGI application for each request, on one loop."""
    app = create_app()

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": BODY, "more_body": False}

    async def job() -> Outcome:
        right, body = 0, b""
        for _ in range(load.count):
            messages: list[dict[str, Any]] = []

            async def send(message: dict[str, Any], kept: list[dict[str, Any]] = messages) -> None:
                kept.append(message)

            await app(scope(), receive, send)
            right += messages[0]["status"] == 200
            body = b"".join(message.get("body", b"") for message in messages[1:])
        return right, json.loads(body)["total"]

    with event_loop() as loop:
        yield run_on(loop, job)


def request_bytes() -> bytes:
    """Return a request as a client sends it."""
    lines = ["GET /orders HTTP/1.1", "Host: localhost", *(f"{name}: {value}" for name, value in HEADERS.items())]
    return "\r\n".join((*lines, "", "")).encode()


@contextmanager
def gunicorn_sync(load: Exchanges) -> Iterator[Run]:
    """Let gunicorn's parser and response, as its sync worker does, answer each request on a connection of its own."""
    from gunicorn.config import Config
    from gunicorn.http.parser import RequestParser
    from gunicorn.http.wsgi import create

    settings, sent, address = Config(), request_bytes(), ("127.0.0.1", 50000)

    def app(_: Any, start_response: Callable[..., Any]) -> list[bytes]:
        start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "2")])
        return [b"OK"]

    def exchange() -> bytes:
        client, server = socketpair()
        with client:
            with server:
                client.sendall(sent)
                request = next(RequestParser(settings, server, address))
                response, found = create(request, server, address, ("127.0.0.1", 80), settings)
                for piece in app(found, response.start_response):
                    response.write(piece)
                response.close()
            received = b""
            while part := client.recv(65536):
                received += part
        return received.rpartition(b"\r\n\r\n")[2]

    yield lambda: tuple([exchange() for _ in range(load.count)])


@contextmanager
def on_sockets(
    load: Exchanges, open_server: Callable[[], AbstractAsyncContextManager[Any]], factory: Any = None
) -> Iterator[Run]:
    """Ask a server on the loop of the client, over one connection."""
    with event_loop(factory=factory) as loop, opened(loop, _exchange(loop, open_server)) as exchange:

        async def job() -> Outcome:
            return tuple([await exchange() for _ in range(load.count)])

        yield run_on(loop, job)


@asynccontextmanager
async def _exchange(
    loop: AbstractEventLoop, open_server: Callable[[], AbstractAsyncContextManager[Any]]
) -> AsyncIterator[Exchange]:
    """Connect a client and a server, and yield what makes a request."""
    ends: tuple[socket, socket] = socketpair()
    sent = request_bytes()
    async with open_server() as protocol:
        for end in ends:
            end.settimeout(0)
        reader, writer = await asyncio.open_connection(sock=ends[0])
        served, _ = await loop.connect_accepted_socket(protocol, ends[1])

        async def exchange() -> bytes:
            writer.write(sent)
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            return await reader.readexactly(length)

        yield exchange
        writer.close()
        await writer.wait_closed()
        served.close()
        await asyncio.sleep(0.01)  # until the server has noticed


@asynccontextmanager
async def uvicorn(parser: str) -> AsyncIterator[Callable[[], Any]]:
    """Yield what creates a protocol of uvicorn with a parser of HTTP."""
    from uvicorn.config import Config
    from uvicorn.server import ServerState

    async def app(_: dict[str, Any], __: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        headers = [(b"content-type", b"text/plain"), (b"content-length", b"2")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"OK"})

    settings = Config(app, http=parser, access_log=False, log_config=None, timeout_keep_alive=KEEP_ALIVE_TIMEOUT)
    settings.load()
    protocol: Any = settings.http_protocol_class
    state: dict[str, Any] = {"app_state": {}} if "app_state" in signature(protocol).parameters else {}
    yield partial(protocol, config=settings, server_state=ServerState(), **state)


@asynccontextmanager
async def aiohttp() -> AsyncIterator[Callable[[], Any]]:
    """Yield what creates a protocol of aiohttp's server."""
    from aiohttp import web

    async def answer(_: web.Request) -> web.Response:
        return web.Response(text="OK")

    app = web.Application()
    app.router.add_get("/orders", answer)
    runner = web.AppRunner(app, access_log=None, keepalive_timeout=KEEP_ALIVE_TIMEOUT)
    await runner.setup()
    try:
        assert runner.server is not None
        yield runner.server
    finally:
        await runner.cleanup()


APP_CALLS = Scenario(
    name="app_calls",
    loads=Loads(trial=Calls(count=2), quick=Calls(count=20), standard=Calls(count=500)),
    variants=(
        Variant(name="flask", technique=partial(wsgi_calls, create_app=flask_app), requires=("flask", "fastapi")),
        Variant(
            name="starlette",
            technique=partial(asgi_calls, create_app=starlette_app),
            requires=("fastapi",),
        ),
        Variant(name="fastapi", technique=partial(asgi_calls, create_app=fastapi_app), requires=("fastapi",)),
    ),
)

SERVER_REQUESTS = Scenario(
    name="server_requests",
    loads=Loads(trial=Exchanges(count=2), quick=Exchanges(count=50), standard=Exchanges(count=1_000)),
    variants=(
        Variant(name="gunicorn_sync", technique=gunicorn_sync, requires=("gunicorn",)),
        Variant(name="aiohttp", technique=partial(on_sockets, open_server=aiohttp), requires=("aiohttp",)),
        Variant(
            name="uvicorn_h11",
            technique=partial(on_sockets, open_server=partial(uvicorn, "h11")),
            requires=("uvicorn",),
        ),
        Variant(
            name="uvicorn_httptools",
            technique=partial(on_sockets, open_server=partial(uvicorn, "httptools")),
            requires=("uvicorn", "httptools"),
        ),
        Variant(
            name="uvicorn_standard",
            technique=partial(on_sockets, open_server=partial(uvicorn, "httptools"), factory=uvloop_factory),
            requires=("uvicorn", "httptools", "uvloop"),
        ),
    ),
)

SCENARIOS = (APP_CALLS, SERVER_REQUESTS)
