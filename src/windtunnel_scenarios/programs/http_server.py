"""An HTTP server that answers ``GET /<seconds>`` after that many seconds.

``GET /<seconds>/<day>`` returns a page of prices; ``?headers`` adds the headers that servers usually send. The
arguments are how many requests it handles at the same time (0: any number) and, for TLS, the file with its certificate
and key. It is written on asyncio's streams, so that a change of a server library does not look like a change of a
client library.
"""

import asyncio
import ssl
import sys
from asyncio import IncompleteReadError, Semaphore, StreamReader, StreamWriter
from contextlib import nullcontext
from functools import cache

from windtunnel_scenarios.scrape import prices
from windtunnel_scenarios.support.servers import print_port

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: %s\r\n%s\r\n%s"

HEADERS = (
    b"Date: Sat, 28 Nov 2026 08:00:00 GMT\r\n"
    b"Server: windtunnel\r\n"
    b"Cache-Control: no-store\r\n"
    b"Strict-Transport-Security: max-age=31536000\r\n"
    b"Vary: Accept-Encoding, Origin\r\n"
    b"X-Content-Type-Options: nosniff\r\n"
    b"X-Request-Id: 5b3c2c1e-8f4e-4d55-9d0e-2f1f5a1c9a10\r\n"
)


async def serve(max_requests: int, tls: ssl.SSLContext | None) -> None:
    """Serve until killed."""
    limit = Semaphore(max_requests) if max_requests else nullcontext()

    async def handle(reader: StreamReader, writer: StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                target, _, query = head.split(b" ", 2)[1].partition(b"?")
                async with limit:
                    body = await answer(target)
                keep_alive = b"close" not in head.lower()
                connection, headers = b"keep-alive" if keep_alive else b"close", HEADERS if query else b""
                writer.write(ANSWER % (len(body), connection, headers, body))
                if not keep_alive:
                    break
        except (IncompleteReadError, ConnectionError):
            pass  # the client closed the connection between requests
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, backlog=1024, ssl=tls)
    print_port(server.sockets[0])
    await server.serve_forever()


async def answer(target: bytes) -> bytes:
    """Wait as long as the path states; return the delay, or the page of the day."""
    delay, _, day = target.removeprefix(b"/").partition(b"/")
    await asyncio.sleep(float(delay))
    return page(int(day)) if day else delay


@cache
def page(day: int) -> bytes:
    """Return a day's prices, a line each; cached, so that only the first request pays for creating it."""
    return b"\n".join(b"%d" % price for price in prices(day))


def main(max_requests: str, certificate: str = "") -> None:
    """Serve, with TLS when there is a certificate."""
    tls = None
    if certificate:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate)
    asyncio.run(serve(int(max_requests), tls))


if __name__ == "__main__":
    main(*sys.argv[1:])
