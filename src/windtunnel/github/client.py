"""The GitHub client: the only module that opens network connections."""

import random
import re
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import TypeVar
from urllib.parse import urlsplit

import httpx
from msgspec import Struct

from windtunnel.errors import RefusedError, RemoteError, UsageError
from windtunnel.github.http import (
    RepositoryName,
    Request,
    Response,
    Root,
    T,
    TransientError,
    check_status,
    get,
    parse,
    pause,
    redirect_target,
)

R = TypeVar("R")

USER_AGENT = "windtunnel"
API_VERSION = "2022-11-28"
"""Sent as X-GitHub-Api-Version."""

DEFAULT_TIMEOUT = 600.0
"""Seconds for one request with all its pauses; a primary rate limit can last an hour, which no job waits for."""

MAX_EXCHANGE_SECONDS = 120.0
"""Seconds for one response, from the first byte to the last."""

MAX_RESPONSE_BYTES = 32 * 1024 * 1024
"""Bytes, after decompression; a page of a hundred full comments takes 20 MB at most."""

MAX_PAGES = 1000
MAX_REDIRECTS = 4
TIMEOUT = httpx.Timeout(60, connect=15)
"""Seconds for each read and for a connection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """Time and randomness; tests pass their own."""

    now: Callable[[], float] = time.time
    """Returns Unix time in seconds."""
    sleep: Callable[[float], None] = time.sleep
    """Waits for some seconds."""
    random: Callable[[], float] = random.random
    """Returns a number in [0, 1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Sends requests and retries those that may succeed later."""

    http: httpx.Client
    """The pool of connections."""
    root: Root
    """The API's root."""
    token: str = field(repr=False)
    """Sent to the API's own origin only."""
    clock: Clock = Clock()
    """Times the pauses."""
    timeout: float = DEFAULT_TIMEOUT
    """Seconds for one request with all its pauses."""

    def send(self, request: Request[T]) -> T:
        """Return the value of the response.

        Raises RefusedError, and RemoteBusyError where a later call may succeed.
        """
        return self._page(request, self.root.url(request))[0]

    def pages(self, request: Request[T]) -> Iterator[T]:
        """Yield the value of each page."""
        url: str | None = self.root.url(request)
        for _ in range(MAX_PAGES):
            if url is None:
                return
            value, following = self._page(request, url)
            yield value
            url = None if following is None else self.root.check_own(following)
        raise RemoteError(f"{request}: more than {MAX_PAGES} pages; the links between them may form a cycle")

    def download(self, request: Request[bytes], max_bytes: int) -> bytes:
        """Return the content that *request* leads to; raises RemoteError where it exceeds *max_bytes*."""

        def attempt() -> bytes:
            response = self._follow(request, self.root.url(request), max_bytes)
            check_status(response, request)
            if response.status != 200:
                raise RemoteError(f"{request}: the response has status {response.status} and no content")
            return response.body

        return self._retry(request, attempt)

    def _page(self, request: Request[T], url: str) -> tuple[T, str | None]:
        """Return the value at *url* and the URL of the next page."""

        def attempt() -> tuple[T, str | None]:
            response = self._follow(request, url, MAX_RESPONSE_BYTES)
            return parse(response, request), response.next_url

        return self._retry(request, attempt)

    def _retry(self, request: Request[T], attempt: Callable[[], R]) -> R:
        """Return the result of *attempt*; a request that may have had an effect is repeated only where that is safe.

        GitHub's responses state how long to wait, so the pauses come from them and not from a fixed schedule.
        """
        started, failures = self.clock.now(), 0
        while True:
            try:
                return attempt()
            except TransientError as error:
                failures += 1
                now = self.clock.now()
                wait = pause(error.response, failures, now, self.clock.random())
                safe = request.repeatable or error.without_effect
                if wait is None or not safe or now + wait - started > self.timeout:
                    raise
            self.clock.sleep(wait)

    def _follow(self, request: Request[T], url: str, max_bytes: int) -> Response:
        """Send *request* and follow redirects."""
        for _ in range(MAX_REDIRECTS):
            try:
                response = self._exchange(request, url, max_bytes)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise TransientError(
                    f"{request}: the connection failed ({type(error).__name__}); check the network and try again",
                    without_effect=isinstance(error, httpx.ConnectError | httpx.ConnectTimeout),
                ) from None
            target = redirect_target(response, request.method, url)
            if target is None:
                return response
            url = target
        raise RemoteError(f"{request}: more than {MAX_REDIRECTS} redirects")

    def _exchange(self, request: Request[T], url: str, max_bytes: int) -> Response:
        headers = {"user-agent": USER_AGENT, "accept-encoding": "gzip"}
        if self.root.is_own(url):
            headers |= {
                "accept": "application/vnd.github+json",
                "x-github-api-version": API_VERSION,
            }
            if self.token:
                headers["authorization"] = f"token {self.token}"
        if request.body:
            headers["content-type"] = "application/json"
        with self.http.stream(request.method, url, headers=headers, content=request.body or None) as response:
            body = self._read(response, request, max_bytes)
            if self.token and response.status_code >= 300:
                body = body.replace(self.token.encode(), b"***")  # error messages are printed
            return Response(
                status=response.status_code,
                headers={key.lower(): value for key, value in response.headers.items()},
                body=body,
                next_url=response.links.get("next", {}).get("url"),
            )

    def _read(self, response: httpx.Response, request: Request[T], max_bytes: int) -> bytes:
        end, content = self.clock.now() + MAX_EXCHANGE_SECONDS, bytearray()
        for chunk in response.iter_bytes():
            content += chunk
            if len(content) > max_bytes:
                raise RemoteError(f"{request}: the response has more than {max_bytes} bytes; it is not used")
            if self.clock.now() > end:
                raise TransientError(f"{request}: the response takes more than {MAX_EXCHANGE_SECONDS:.0f} s; try again")
        return bytes(content)


@cache
def _certificates() -> ssl.SSLContext:
    """Return the trusted certificates; reading them takes 30 ms, once for a process."""
    return httpx.create_ssl_context()


@contextmanager
def connect(env: Mapping[str, str], clock: Clock | None = None) -> Iterator[Client]:
    """Yield a client for the API at $GITHUB_API_URL, with the token in $GITHUB_TOKEN or $GH_TOKEN."""
    token = (env.get("GITHUB_TOKEN") or env.get("GH_TOKEN") or "").strip()
    if not token:
        raise UsageError("no token is set; set GITHUB_TOKEN in the environment (env: in a workflow step)")
    with httpx.Client(timeout=TIMEOUT, verify=_certificates()) as http:
        yield Client(http=http, root=_root(env), token=token, clock=clock or Clock())


def _root(env: Mapping[str, str]) -> Root:
    return Root.parse(env.get("GITHUB_API_URL") or "https://api.github.com")


class RepositoryAccess(StrEnum):
    """Who can read a repository."""

    PUBLIC = "public"
    PRIVATE = "private"
    UNKNOWN = "unknown"


class _RepositoryReply(Struct, frozen=True, kw_only=True):
    private: bool


ANONYMOUS_TIMEOUT = 5.0
"""Seconds for a request that a person waits for."""

ADDRESS = re.compile(r"(?:[a-z+]+://)?(?:[^/@]*@)?(?P<host>[^/:@]+)(?::\d+/|[:/])(?P<name>[^/]+/[^/]+?)(?:\.git)?/?")
"""The address of a repository: HTTPS, SSH, or the short form of SSH."""


def repository_name(address: str, env: Mapping[str, str]) -> RepositoryName | None:
    """Return the repository that *address* names on the forge at $GITHUB_SERVER_URL, None if it is elsewhere."""
    forge = urlsplit(env.get("GITHUB_SERVER_URL") or "https://github.com").hostname
    found = ADDRESS.fullmatch(address)
    if found is None or found["host"].lower() != forge:
        return None
    try:
        return RepositoryName.parse(found["name"])
    except UsageError:
        return None


def read_access(repo: RepositoryName, env: Mapping[str, str]) -> RepositoryAccess:
    """Return who can read *repo*; asks without a token, so a repository that does not exist counts as private."""
    with httpx.Client(timeout=ANONYMOUS_TIMEOUT, verify=_certificates()) as http:
        client = Client(http=http, root=_root(env), token="", timeout=0)
        try:
            private = client.send(get(repo.path(), _RepositoryReply)).private
        except RefusedError as error:
            return RepositoryAccess.PRIVATE if error.status == 404 else RepositoryAccess.UNKNOWN
        except RemoteError:
            return RepositoryAccess.UNKNOWN
    return RepositoryAccess.PRIVATE if private else RepositoryAccess.PUBLIC
