"""The client of GitHub's REST API; only this module opens network connections."""

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Generic, Literal, Self, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import httpx
import msgspec
from msgspec import Struct

from windtunnel import formats
from windtunnel.errors import RefusedError, RemoteBusyError, RemoteError, UsageError
from windtunnel.text.escaping import visible

R = TypeVar("R")
T = TypeVar("T")

API_VERSION = "2022-11-28"
"""Sent as X-GitHub-Api-Version."""

DEFAULT_TIMEOUT = 600.0
"""Seconds for one request with all its pauses; a primary rate limit can last an hour, which no job waits for."""

MAX_EXCHANGE_SECONDS = 120.0
"""Seconds for one response, from the first byte to the last."""

MAX_RESPONSE_BYTES = 32 * 1024 * 1024
"""Bytes, after decompression; a page of a hundred full comments takes 20 MB at most."""

MAX_PER_PAGE = 100
"""Entries; GitHub returns 30 by default (docs.github.com, Using pagination in the REST API)."""

MAX_PAGES = 1000
MAX_REDIRECTS = 4
TIMEOUT, ANONYMOUS_TIMEOUT = httpx.Timeout(60, connect=15), 5.0
"""Seconds for each read and for a connection; and for a request that a person waits for."""

NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}")
"""The names of owners and repositories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryName:
    """A repository on the forge."""

    owner: str
    name: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse ``owner/name``; raises UsageError."""
        owner, slash, name = text.partition("/")
        if not (slash and NAME.fullmatch(owner) and NAME.fullmatch(name)) or {owner, name} & {".", ".."}:
            raise UsageError(f"{text[:100]!r} is not a repository; write owner/name, as in $GITHUB_REPOSITORY")
        return cls(owner=owner, name=name)

    def __str__(self) -> str:
        """Return ``owner/name``."""
        return f"{self.owner}/{self.name}"

    def path(self, *segments: str | int) -> str:
        """Return the API path of *segments* below this repository, each percent-encoded."""
        return "/".join(("/repos", self.owner, self.name, *(quote(str(segment), safe="") for segment in segments)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Generic[T]):
    """One request."""

    method: Literal["GET", "POST", "PATCH", "DELETE"]
    path: str
    """The path below the API's root with its query, percent-encoded."""
    reply: type[T]
    """The type of the response's JSON."""
    key: str = ""
    """Where the value is in the response's object; empty if it is the response."""
    body: bytes = b""

    def __str__(self) -> str:
        """Return the request for messages."""
        return f"GitHub {self.method} {visible(self.path, 200)}"


def get(path: str, reply: type[T], **query: str | int) -> Request[T]:
    """Return a request that reads."""
    return Request(method="GET", path=_with_query(path, query), reply=reply)


def pages(path: str, key: str, entry: type[T], **query: str | int) -> Request[tuple[T, ...]]:
    """Return a request that lists entries, for :meth:`Client.entries`; *key* is where GitHub puts them."""
    path = _with_query(path, {**query, "per_page": MAX_PER_PAGE})
    return Request(method="GET", path=path, reply=tuple[entry, ...], key=key)  # type: ignore[valid-type]


def _with_query(path: str, query: Mapping[str, str | int]) -> str:
    return f"{path}?{urlencode(query)}" if query else path


def create(path: str, reply: type[T], body: object) -> Request[T]:
    """Return a request that creates something each time it is sent."""
    return Request(method="POST", path=path, reply=reply, body=formats.encode(body))


def change(path: str, reply: type[T], body: object) -> Request[T]:
    """Return a request that sets the state of something."""
    return Request(method="PATCH", path=path, reply=reply, body=formats.encode(body))


class TransientError(RemoteBusyError):
    """A request failed and may succeed when it is sent again."""

    def __init__(self, message: str, response: httpx.Response | None = None, *, without_effect: bool = False) -> None:
        """Keep the *response*, if one came, and whether the request certainly changed nothing."""
        super().__init__(message)
        self.headers = {} if response is None else response.headers
        self.is_rate_limited = without_effect and response is not None
        self.without_effect = without_effect


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """Time and randomness; tests pass their own."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Sends requests and retries those that may succeed later."""

    http: httpx.Client
    root: str
    """The API's root, such as ``https://api.github.com`` or ``https://forge.example/api/v3``."""
    token: str = field(repr=False)
    """Sent to the API's own origin only: httpx drops it from a redirect to another one."""
    clock: Clock = Clock()
    timeout: float = DEFAULT_TIMEOUT
    """Seconds for one request with all its pauses."""

    def send(self, request: Request[T]) -> T:
        """Return the value of the response.

        Raises RefusedError, and RemoteBusyError where a later call may succeed.
        """
        return self._page(request, f"{self.root}{request.path}")[0]

    def entries(self, request: Request[tuple[T, ...]]) -> Iterator[T]:
        """Yield the entries of all pages."""
        url: str | None = f"{self.root}{request.path}"
        for _ in range(MAX_PAGES):
            if url is None:
                return
            found, url = self._page(request, url)
            yield from found
            if url is not None and _origin(url) != _origin(self.root):
                raise RemoteError(f"GitHub's next page is on another host, {_origin(url)[1]!r}; it is not requested")
        raise RemoteError(f"{request}: more than {MAX_PAGES} pages; the links between them may form a cycle")

    def download(self, request: Request[bytes], max_bytes: int) -> bytes:
        """Return the content that *request* leads to; raises RemoteError where it exceeds *max_bytes*."""

        def attempt() -> bytes:
            response, content = self._exchange(request, f"{self.root}{request.path}", max_bytes)
            if response.status_code != 200:
                raise RemoteError(f"{request}: the response has status {response.status_code} and no content")
            return content

        return self._retry(request, attempt)

    def _page(self, request: Request[T], url: str) -> tuple[T, str | None]:
        """Return the value at *url* and the URL of the next page."""

        def attempt() -> tuple[T, str | None]:
            response, content = self._exchange(request, url, MAX_RESPONSE_BYTES)
            value = _parse(b"null" if response.status_code == 204 and not content else content, request)
            return value, response.links.get("next", {}).get("url")

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
                wait = _pause(error, failures, now, self.clock.random())
                safe = request.method != "POST" or error.without_effect
                if wait is None or not safe or now + wait - started > self.timeout:
                    raise
            self.clock.sleep(wait)

    def _exchange(self, request: Request[T], url: str, max_bytes: int) -> tuple[httpx.Response, bytes]:
        """Send *request*, follow redirects, and return a successful response with its content."""
        try:
            with closing(self._follow(request, url)) as response:
                content = self._read(response, request, max_bytes)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise TransientError(
                f"{request}: the connection failed ({type(error).__name__}); check the network and try again",
                without_effect=isinstance(error, httpx.ConnectError | httpx.ConnectTimeout),
            ) from None
        if not response.is_success:
            if self.token:
                content = content.replace(self.token.encode(), b"***")  # error messages are printed
            raise _error(request, response, error_message(content))
        return response, content

    def _follow(self, request: Request[T], url: str) -> httpx.Response:
        """Return the open response at the end of the redirects.

        Browsers turn a POST that gets 301 or 302 into a GET, so these two are followed for GET only.
        """
        headers = {"accept": "application/vnd.github+json", "x-github-api-version": API_VERSION}
        if self.token:
            headers["authorization"] = f"token {self.token}"
        if request.body:
            headers["content-type"] = "application/json"
        sent = self.http.build_request(request.method, url, headers=headers, content=request.body or None)
        for _ in range(MAX_REDIRECTS):
            response = self.http.send(sent, stream=True)
            following = response.next_request
            if following is None or following.method != request.method:
                return response
            response.close()
            if following.url.scheme not in {"https", sent.url.scheme}:
                raise RemoteError(f"GitHub redirects to {following.url.scheme}://, which is not followed")
            sent = following
        raise RemoteError(f"{request}: more than {MAX_REDIRECTS} redirects")

    def _read(self, response: httpx.Response, request: Request[T], max_bytes: int) -> bytes:
        end, content = self.clock.now() + MAX_EXCHANGE_SECONDS, bytearray()
        for chunk in response.iter_bytes():
            content += chunk
            if len(content) > max_bytes:
                raise RemoteError(f"{request}: the response has more than {max_bytes} bytes; it is not used")
            if self.clock.now() > end:
                raise TransientError(f"{request}: the response takes more than {MAX_EXCHANGE_SECONDS:.0f} s; try again")
        return bytes(content)


def _parse(content: bytes, request: Request[T]) -> T:
    """Return the value of a response; raises RemoteError, and TransientError where it is truncated."""
    try:
        value = msgspec.json.decode(content)
        if request.key:
            value = msgspec.convert(value, dict[str, object]).get(request.key)
        return msgspec.convert(value, request.reply)
    except msgspec.ValidationError as error:
        raise RemoteError(f"{request}: the response is not what GitHub documents: {visible(str(error), 300)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise TransientError(f"{request}: the response is truncated or not JSON; try again") from None


HINTS: Mapping[int, str] = {
    401: "check that GITHUB_TOKEN holds a valid token",
    403: "check the permissions of the job; each thing it writes needs one, and the token of a fork cannot write",
    404: "check the name, and that the token may read it; GitHub also answers 404 for what it hides",
    422: "what was sent does not match the current state",
}


def _error(request: Request[T], response: httpx.Response, message: str) -> RemoteError:
    """Return the error of a *response* with another status than success.

    403 means a refusal or a rate limit (docs.github.com, Rate limits for the REST API): headers and message show which.
    """
    status, shown = response.status_code, visible(message, 300)
    asked_to_wait = "retry-after" in response.headers or response.headers.get("x-ratelimit-remaining") == "0"
    is_rate_limited = status == 429 or (status == 403 and (asked_to_wait or "rate limit" in message.lower()))
    if is_rate_limited or status >= 500 or status == 408:
        text = f"{request}: {status} {shown}; try again later"
        return TransientError(text, response, without_effect=is_rate_limited)
    hint = HINTS.get(status, "see GitHub's message")
    return RefusedError(f"{request}: {status} {shown}; {hint}", status=status)


def error_message(content: bytes) -> str:
    """Return the message in the *content* of an error response; the text is not trusted."""
    try:
        found = msgspec.json.decode(content, type=dict[str, object])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    errors = found.get("errors")
    tables = [one for one in errors if isinstance(one, dict)][:5] if isinstance(errors, list) else []
    details = [found.get("message"), *(one.get("message") or one.get("code") for one in tables)]
    return ": ".join(str(one) for one in details if one)


def _origin(url: str) -> tuple[str, str, int | None]:
    """Return scheme, host and port as httpx connects to them; raises RemoteError for what is not a URL."""
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        raise RemoteError(f"GitHub names {visible(url, 200)}, which is not a URL; it is not requested") from None
    return parsed.scheme, parsed.host, parsed.port


MIN_PAUSE, MAX_PAUSE = 1.0, 60.0
"""Seconds: upper bounds of the first pause after a failure, and of any."""

SECONDARY_LIMIT_PAUSE, CLOCK_MARGIN = 60.0, 1.0
"""Seconds: the least pause after a secondary limit that names none (docs.github.com, Best practices for REST); and what
is added to the end of a limit, which GitHub gives in whole seconds."""
MAX_FAILURES = 5
"""Failed attempts in a row; rate limits do not count."""


def _pause(error: TransientError, failures: int, now: float, jitter: float) -> float | None:
    """Return the seconds to wait after the *failures*-th failure in a row, None to give up.

    *now* is Unix time; *jitter* in [0, 1) spreads concurrent clients (M. Brooker, Exponential Backoff and Jitter, AWS
    Architecture Blog, 2015). After a rate limit, it is the time that GitHub names, else a minute that doubles.
    """
    retry_after = _seconds(error.headers.get("retry-after"))
    if error.is_rate_limited:
        reset = _seconds(error.headers.get("x-ratelimit-reset"))
        if retry_after is not None:
            return retry_after + CLOCK_MARGIN
        if error.headers.get("x-ratelimit-remaining") == "0" and reset is not None:
            return max(0.0, reset - now) + CLOCK_MARGIN
        return SECONDARY_LIMIT_PAUSE * 2.0 ** min(failures - 1, 10)
    if failures >= MAX_FAILURES:
        return None
    backoff = (0.5 + jitter / 2) * min(MAX_PAUSE, MIN_PAUSE * 2 ** (failures - 1))
    return backoff if retry_after is None else retry_after


def _seconds(text: str | None) -> float | None:
    """Parse whole seconds; a date, which HTTP allows and GitHub does not send, is ignored."""
    return float(text) if text and text.isascii() and text.isdecimal() and len(text) < 12 else None


_certificates = cache(httpx.create_ssl_context)
"""Returns the trusted certificates; reading them takes 30 ms, once for a process."""


@contextmanager
def connect(env: Mapping[str, str], clock: Clock | None = None) -> Iterator[Client]:
    """Yield a client for the API at $GITHUB_API_URL, with the token in $GITHUB_TOKEN or $GH_TOKEN."""
    token = (env.get("GITHUB_TOKEN") or env.get("GH_TOKEN") or "").strip()
    if not token:
        raise UsageError("no token is set; set GITHUB_TOKEN in the environment (env: in a workflow step)")
    with _open(TIMEOUT) as http:
        yield Client(http=http, root=_root(env), token=token, clock=clock or Clock())


def _open(timeout: httpx.Timeout | float) -> httpx.Client:
    headers = {"user-agent": "windtunnel", "accept-encoding": "gzip"}
    return httpx.Client(timeout=timeout, verify=_certificates(), headers=headers)


def _root(env: Mapping[str, str]) -> str:
    """Return the root of the API; raises UsageError."""
    text = env.get("GITHUB_API_URL") or "https://api.github.com"
    try:
        parts = urlsplit(text)
        valid = parts.scheme in {"http", "https"} and parts.hostname and not parts.query and not parts.username
        _ = parts.port
    except ValueError:
        valid = False
    if not valid:
        raise UsageError(f"GITHUB_API_URL is {text[:200]!r}; write a URL such as https://api.github.com")
    return text.rstrip("/")


class PublicRepository(Struct, frozen=True, kw_only=True):
    """What GitHub states about a repository that everyone may see."""

    private: bool
    has_pages: bool
    """Whether GitHub Pages shows a site of it."""


def find_public(repo: RepositoryName, env: Mapping[str, str]) -> PublicRepository | None:
    """Return what GitHub states about *repo* without a token, None where it is private, missing or not known."""
    with _open(ANONYMOUS_TIMEOUT) as http:
        client = Client(http=http, root=_root(env), token="", timeout=0)
        try:
            found = client.send(get(repo.path(), PublicRepository))
        except RemoteError:
            return None
        return None if found.private else found
