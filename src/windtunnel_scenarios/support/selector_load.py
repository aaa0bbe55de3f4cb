"""A closed loop of HTTP requests that costs little: one thread, plain sockets and a selector.

It does what ``load_generator`` does without a rate, but records no latencies and takes less processor time.
"""

import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from selectors import EVENT_READ, DefaultSelector

from windtunnel_scenarios.model import Outcome
from windtunnel_scenarios.support.load_generator import Requests

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)

TIMEOUT = 60.0
"""Seconds without an answer on any connection after which the run fails."""


class Client:
    """One connection, which is opened when it is needed."""

    def __init__(self, port: int, requests: Requests) -> None:
        self.bodies = list[bytes]()
        self._port, self._keep_alive = port, requests.keep_alive
        header = "keep-alive" if requests.keep_alive else "close"
        self._request = f"GET {requests.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: {header}\r\n\r\n".encode(
            "ascii"
        )
        self._socket: socket.socket | None = None
        self._received = b""

    def send(self, selector: DefaultSelector) -> None:
        """Send a request."""
        if self._socket is None:
            self._socket = socket.create_connection(("127.0.0.1", self._port))
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(self._socket, EVENT_READ, self)
        self._socket.send(self._request)

    def receive(self, selector: DefaultSelector) -> bool:
        """Receive what has come; return whether the answer is complete. Raises ConnectionError on a wrong answer."""
        assert self._socket is not None
        block = self._socket.recv(65_536)
        self._received += block
        head, _, body = self._received.partition(b"\r\n\r\n")
        length = LENGTH.search(head + b"\r\n")
        complete = length is not None and len(body) == int(length[1])
        if (not complete and not block) or (complete and not head.startswith(b"HTTP/1.1 200")):
            raise ConnectionError(f"the server answered {self._received!r}")
        if complete:
            self.bodies.append(body)
            self._received = b""
            if not self._keep_alive:
                self.close(selector)
        return complete

    def close(self, selector: DefaultSelector) -> None:
        """Close the connection, unless closed."""
        if self._socket is not None:
            opened, self._socket = self._socket, None
            selector.unregister(opened)
            opened.close()


class SelectorLoad:
    """A run that makes all requests; connections that are kept stay open between runs."""

    def __init__(self, port: int, requests: Requests, selector: DefaultSelector) -> None:
        self.recorded: Mapping[str, tuple[float, ...]] = {}
        self.clients = tuple(Client(port, requests) for _ in range(requests.connections))
        self._share, self._selector = requests.count // requests.connections, selector

    def __call__(self) -> Outcome:
        for client in self.clients:
            client.bodies.clear()
            client.send(self._selector)
        waiting = len(self.clients)
        while waiting:
            ready = self._selector.select(TIMEOUT)
            if not ready:
                raise TimeoutError(f"the server answered nothing for {TIMEOUT:.0f} s")
            for key, _ in ready:
                if key.data.receive(self._selector):
                    if len(key.data.bodies) < self._share:
                        key.data.send(self._selector)
                    else:
                        waiting -= 1
        return tuple(body.decode("ascii") for client in self.clients for body in client.bodies)


@contextmanager
def selector_load(port: int, requests: Requests) -> Iterator[SelectorLoad]:
    """Create a run, and close its connections at the end."""
    with DefaultSelector() as selector:
        run = SelectorLoad(port, requests, selector)
        try:
            yield run
        finally:
            for client in run.clients:
                client.close(selector)
