"""An HTTP server for streams of blocks, with a thread and a plain socket for each connection: faster than any client.

``GET /N`` is answered with N blocks, a chunk each. ``POST`` is answered with how many bytes came in chunks.
"""

from contextlib import suppress
from io import BufferedReader
from socket import IPPROTO_TCP, TCP_NODELAY, socket
from threading import Thread

from windtunnel_scenarios.http_streams import BLOCK
from windtunnel_scenarios.support.servers import listening_socket

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n%s\r\n\r\n"
CHUNK = b"%x\r\n%s\r\n" % (len(BLOCK), BLOCK)


def serve(connection: socket) -> None:
    """Answer requests until the client closes the connection."""
    with suppress(ConnectionError), connection, connection.makefile("rb") as requests:
        connection.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
        room = bytearray(len(BLOCK))
        while line := requests.readline():
            while requests.readline() != b"\r\n":
                pass
            if line.startswith(b"GET"):
                connection.sendall(HEAD % b"Transfer-Encoding: chunked")
                for _ in range(int(line.split()[1].removeprefix(b"/"))):
                    connection.sendall(CHUNK)
                connection.sendall(b"0\r\n\r\n")
            else:
                body = b"%d" % receive_chunks(requests, room)
                connection.sendall(HEAD % b"Content-Length: %d" % len(body) + body)


def receive_chunks(requests: BufferedReader, room: bytearray) -> int:
    """Read chunks, at most as large as ``room``, into it; return how many bytes came."""
    count = 0
    while size := int(requests.readline(), 16):
        count += requests.readinto(memoryview(room)[:size])
        requests.readline()
    requests.readline()
    return count


if __name__ == "__main__":
    with listening_socket() as opened:
        while True:
            Thread(target=serve, args=(opened.accept()[0],), daemon=True).start()
