"""The other end of many connections that wait, in a process of its own. Its memory does not count.

The arguments are ``accept`` or ``connect``, and for TLS the file with the certificate and its key. ``accept`` keeps
each connection that comes. ``connect`` reads a port and a number from each, opens so many connections to the port,
and closes them when that connection ends.
"""

import socket
import ssl
import sys
from contextlib import ExitStack

from windtunnel_scenarios.support.servers import listening_socket


def accept_all(listener: socket.socket, certificate: str) -> None:
    """Keep each connection until this process ends."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH) if certificate else None
    if context:
        context.load_cert_chain(certificate)
    kept = list[socket.socket]()
    while True:
        connection, _ = listener.accept()
        kept.append(context.wrap_socket(connection, server_side=True) if context else connection)


def connect_all(listener: socket.socket, certificate: str) -> None:
    """Open connections for each client that asks, until it ends."""
    context = ssl.create_default_context(cafile=certificate) if certificate else None
    while True:
        control, _ = listener.accept()
        with control, control.makefile("r") as lines, ExitStack() as stack:
            port, count = map(int, lines.readline().split())
            for _ in range(count):
                connection = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
                if context:
                    stack.enter_context(context.wrap_socket(connection, server_hostname="127.0.0.1"))
            lines.read()


def main(role: str, certificate: str = "") -> None:
    """Serve until killed."""
    with listening_socket() as opened:
        (accept_all if role == "accept" else connect_all)(opened, certificate)


if __name__ == "__main__":
    main(*sys.argv[1:])
