"""The socket of a server that is about to start."""

import socket
import sys


def listening() -> socket.socket:
    """A socket that listens on a free port of 127.0.0.1; its port is the first line on standard output.

    The protocol is named, for asyncio sends small answers at once (TCP_NODELAY) on such sockets only; on others the
    second answer over a connection waits 40 ms for the client's acknowledgement.
    """
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    opened.bind(("127.0.0.1", 0))
    opened.listen(1024)
    sys.stdout.write(f"{opened.getsockname()[1]}\n")
    sys.stdout.flush()
    return opened
