"""A server that sends every line back, with a thread for each connection."""

import socket
from threading import Thread

from windtunnel_scenarios.support.servers import listening_socket


def serve(connection: socket.socket) -> None:
    """Send back what comes, until the client closes the connection."""
    with connection, connection.makefile("rb") as lines:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for line in lines:
            connection.sendall(line)


if __name__ == "__main__":
    with listening_socket() as opened:
        while True:
            Thread(target=serve, args=(opened.accept()[0],), daemon=True).start()
