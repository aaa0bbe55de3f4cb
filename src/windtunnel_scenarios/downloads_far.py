"""A hundred requests over TLS to a server that is far away, each time by a new program, as published."""

import os
import ssl
import subprocess
import sys
from asyncio import gather
from asyncio import run as asyncio_run
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import repeat
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import TYPE_CHECKING

from windtunnel_scenarios.http_clients import open_requests_session, requests_get, succeeded
from windtunnel_scenarios.model import LoadName, Loads, Outcome, Scenario, Series, Variant
from windtunnel_scenarios.support.folders import temporary_folder
from windtunnel_scenarios.support.servers import running_server
from windtunnel_scenarios.support.subprocess_run import end_with_stdin

if TYPE_CHECKING:
    import requests


TIMEOUT = 60.0
"""Seconds after which httpx gives a request up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FarDownloads:
    """How many requests, and how many seconds a byte takes to the server and back."""

    count: int
    round_trip: float

    @property
    def outcome(self) -> Outcome:
        """The bodies: the server does not wait, and states so."""
        return ("0",) * self.count


@contextmanager
def trusting_session(certificate: str) -> "Iterator[requests.Session]":
    """Open a session that trusts the server's certificate."""
    with open_requests_session() as session:
        session.verify = certificate
        yield session


def requests_session(url: str, count: int, certificate: str) -> tuple[str, ...]:
    """Make one request after the other in one ``requests.Session``."""
    with trusting_session(certificate) as session:
        return tuple(requests_get(session, url) for _ in range(count))


def requests_session_per_request(url: str, count: int, certificate: str) -> tuple[str, ...]:
    """Make one request after the other, each in a session that is opened and closed for it."""

    def get() -> str:
        with trusting_session(certificate) as session:
            return requests_get(session, url)

    return tuple(get() for _ in range(count))


def requests_threads(url: str, count: int, certificate: str, *, threads: int) -> tuple[str, ...]:
    """Make all requests from threads that share one ``requests.Session``."""
    with trusting_session(certificate) as session, ThreadPoolExecutor(max_workers=threads) as pool:
        return tuple(pool.map(requests_get, repeat(session, count), repeat(url)))


def aiohttp_session(url: str, count: int, certificate: str) -> tuple[str, ...]:
    """Make all requests at once in one aiohttp session with its default limit of 100 connections."""
    import aiohttp

    async def job() -> tuple[str, ...]:
        connector = aiohttp.TCPConnector(limit=100, ssl=ssl.create_default_context(cafile=certificate))
        async with aiohttp.ClientSession(connector=connector, raise_for_status=True) as session:

            async def get() -> str:
                async with session.get(url) as response:
                    return await response.text()

            return tuple(await gather(*(get() for _ in range(count))))

    return asyncio_run(job())


def aiohttp_session_per_request(url: str, count: int, certificate: str) -> tuple[str, ...]:
    """Make all requests at once, each in an aiohttp session that is opened and closed for it."""
    import aiohttp

    async def job() -> tuple[str, ...]:
        tls = ssl.create_default_context(cafile=certificate)  # one for all, as aiohttp itself does

        async def get() -> str:
            connector = aiohttp.TCPConnector(ssl=tls)
            async with (
                aiohttp.ClientSession(connector=connector, raise_for_status=True) as session,
                session.get(url) as response,
            ):
                return await response.text()

        return tuple(await gather(*(get() for _ in range(count))))

    return asyncio_run(job())


def httpx_async(url: str, count: int, certificate: str) -> tuple[str, ...]:
    """Make all requests at once in one ``httpx.AsyncClient`` with its default limit of 100 connections."""
    import httpx

    async def job() -> tuple[str, ...]:
        context = ssl.create_default_context(cafile=certificate)
        async with httpx.AsyncClient(verify=context, timeout=TIMEOUT, trust_env=False) as client:

            async def get() -> str:
                return str(succeeded(await client.get(url)).text)

            return tuple(await gather(*(get() for _ in range(count))))

    return asyncio_run(job())


CLIENTS: dict[str, Callable[[str, int, str], tuple[str, ...]]] = {
    "requests_session": requests_session,
    "requests_session_per_request": requests_session_per_request,
    "requests_threads_10": partial(requests_threads, threads=10),
    "requests_threads_20": partial(requests_threads, threads=20),
    "requests_threads_100": partial(requests_threads, threads=100),
    "httpx_async": httpx_async,
    "aiohttp_session": aiohttp_session,
    "aiohttp_session_per_request": aiohttp_session_per_request,
}
"""What each variant's program does: fetches a URL so many times, trusting a certificate; returns the bodies."""


class ClientProgram:
    """A run that starts a client and waits for its end.

    It records ``cpu_seconds``, the processor time of the program in user and in system mode together, and ``seconds``,
    the time from its first request to its last answer: without its start, its imports and its end.
    """

    def __init__(self, *command: str) -> None:
        self.recorded: Mapping[str, tuple[float, ...]] = {}
        self.command = command

    def __call__(self) -> Outcome:
        with subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as process:
            assert process.stdout is not None
            output = process.stdout.read().decode(errors="replace")
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"{self.command} failed: {output}")
        seconds, *bodies = output.split()
        self.recorded = {"cpu_seconds": (usage.ru_utime + usage.ru_stime,), "seconds": (float(seconds),)}
        return tuple(bodies)


@contextmanager
def far_client(load: FarDownloads, client: str) -> Iterator[ClientProgram]:
    """Run the server and the delay line to it, and yield the client's program."""
    with (
        self_signed_certificate() as certificate,
        running_server("windtunnel_scenarios.programs.http_server", "0", str(certificate)) as server,
        running_server(
            "windtunnel_scenarios.programs.delay_line", str(server.port), str(load.round_trip / 2)
        ) as delay_line,
    ):
        url = f"https://127.0.0.1:{delay_line.port}/0"
        yield ClientProgram(
            sys.executable, "-W", "ignore", "-m", __name__, client, url, str(load.count), str(certificate)
        )


@contextmanager
def self_signed_certificate() -> Iterator[Path]:
    """Create a file with a key and a certificate for this machine."""
    with temporary_folder() as folder:
        path, key = folder / "server.pem", folder / "key.pem"
        kind = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30")
        name = ("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1")
        files = ("-keyout", str(key), "-out", str(path))
        openssl = subprocess.run(
            ["openssl", "req", "-x509", *kind, *name, *files], capture_output=True, text=True, check=False
        )
        if openssl.returncode:
            raise RuntimeError(f"openssl created no certificate: {openssl.stderr}")
        path.write_bytes(path.read_bytes() + key.read_bytes())
        yield path


def main(client: str, url: str, count: str, certificate: str) -> None:
    """In the client's process: fetch the URL so many times and print the bodies."""
    Thread(target=end_with_stdin, daemon=True).start()
    import_module(client.partition("_")[0])
    start = perf_counter()
    bodies = CLIENTS[client](url, int(count), certificate)
    sys.stdout.write("\n".join((str(perf_counter() - start), *bodies)))


def variants(*clients: str) -> tuple[Variant[FarDownloads], ...]:
    """Return a variant for each client; ``openssl`` creates the server's certificate."""
    return tuple(
        Variant(
            name=name,
            technique=partial(far_client, client=name),
            requires=(name.partition("_")[0],),
            commands=("openssl",),
        )
        for name in clients
    )


DOWNLOADS_FAR = Scenario(
    name="downloads_far",
    skip_warmup=tuple(LoadName),
    loads=Loads(
        trial=FarDownloads(count=3, round_trip=0.002),
        quick=FarDownloads(count=20, round_trip=0.03),
        standard=FarDownloads(count=100, round_trip=0.01),
        article=FarDownloads(count=100, round_trip=0.125),
    ),
    variants=variants(*(name for name in CLIENTS if name not in ("requests_threads_100", "httpx_async"))),
)

REQUESTS_FAR = Scenario(
    name="requests_far",
    skip_warmup=("trial", "3_requests", "10_requests", "30_requests", "100_requests"),
    loads=Series(
        trial=FarDownloads(count=3, round_trip=0.002),
        points={f"{count}_requests": FarDownloads(count=count, round_trip=0.125) for count in (3, 10, 30, 100)},
    ),
    variants=variants(
        "requests_session", "requests_threads_20", "requests_threads_100", "aiohttp_session", "httpx_async"
    ),
)

SCENARIOS = (DOWNLOADS_FAR, REQUESTS_FAR)

if __name__ == "__main__":
    main(*sys.argv[1:])
