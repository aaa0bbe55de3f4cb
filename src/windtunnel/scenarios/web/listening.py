"""The socket of a server that is about to start."""

import socket
import sys


def listening() -> socket.socket:
    """A socket that listens on a free port of 127.0.0.1; its port is the first line on standard output."""
    opened = socket.create_server(("127.0.0.1", 0), backlog=1024)
    sys.stdout.write(f"{opened.getsockname()[1]}\n")
    sys.stdout.flush()
    return opened
