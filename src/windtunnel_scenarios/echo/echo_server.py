"""The server: sends every line back, a thread for each connection; run as a process of its own."""

import socket
from threading import Thread

from windtunnel_scenarios.listening import listening


def serve(connection: socket.socket) -> None:
    """Send back what comes, until the client hangs up."""
    with connection, connection.makefile("rb") as lines:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for line in lines:
            connection.sendall(line)


if __name__ == "__main__":
    with listening() as opened:
        while True:
            Thread(target=serve, args=(opened.accept()[0],), daemon=True).start()
