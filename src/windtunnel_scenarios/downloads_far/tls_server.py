"""The server: that of ``http``, over TLS; run as a process of its own with the file of its certificate and key."""

import asyncio
import ssl
import sys

from windtunnel_scenarios.programs.http_server import delayed, serve


def context(certificate: str) -> ssl.SSLContext:
    """A server's side of TLS."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate)
    return made


if __name__ == "__main__":
    asyncio.run(serve(delayed, tls=context(sys.argv[1])))
